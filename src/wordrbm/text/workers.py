"""A job in a process of its own.

A process per job (started by a fork server where there is one) gives its memory back, can be
stopped at once, and its death is seen instead of waited for.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.text import shard
from wordrbm.text.shard import Job

Context: TypeAlias = ForkServerContext | SpawnContext
Meters: TypeAlias = MutableSequence[int]
_HIDING = threading.Lock()  # so that of two threads none restores what the other has hidden


class Worker(NamedTuple):
    """A process at work, and where its fault would come from."""

    process: BaseProcess
    faults: Connection


def context() -> Context:
    """Not fork: a forked copy of a process with threads or compiled code may hang."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])  # so that a start is a fork
    return context


def start(context: Context, job: Job, folder: Path, field: str, meters: Meters) -> Worker:
    """Start a job; the first start also starts the fork server."""
    faults, sender = context.Pipe(duplex=False)
    arguments = (job, folder, field, meters, sender)
    process = context.Process(target=_work, args=arguments, daemon=True)
    with _main_hidden():
        process.start()
    sender.close()  # the process has its own
    return Worker(process, faults)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Let an empty module stand for the user's `__main__`."""
    # A new process runs the file of `__main__` again, so that a script without a guard would
    # prepare once more in every worker. Nothing a worker is sent is defined there.
    with _HIDING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _work(job: Job, folder: Path, field: str, meters: Meters, faults: Connection) -> None:
    """What a process does: its job, unless the parent is gone; a fault is sent as a sentence."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and stops us
    parent = os.getppid()
    try:
        for meter in shard.run(job, folder, field):
            meters[2 * job.number], meters[2 * job.number + 1] = meter
            if os.getppid() != parent:
                return
    except WordRBMError as error:
        faults.send_bytes(str(error).encode("utf-8"))
    except OSError as error:
        message = f"Could not write in {folder}: {error.strerror or error}; free some space."
        faults.send_bytes(message.encode("utf-8"))


def wait_for(workers: Iterable[Worker], seconds: float) -> None:
    """Wait until one of the workers ends, but not longer than some seconds."""
    wait([worker.process.sentinel for worker in workers], timeout=seconds)


def finish(worker: Worker, job: Job) -> None:
    """Let a worker that ended go; its fault is raised here."""
    worker.process.join()
    with worker.faults, suppress(EOFError):  # a worker that did well sends nothing
        if worker.faults.poll():
            raise WordRBMError(worker.faults.recv_bytes().decode("utf-8"))
    if worker.process.exitcode != 0:
        raise WordRBMError(
            f"The worker reading {job.files[0]} died with exit code {worker.process.exitcode}; it "
            "may have run out of memory: try again with fewer --workers."
        )


def stop(workers: Iterable[Worker]) -> None:
    """End workers at once, whatever they do."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join()
        worker.faults.close()
