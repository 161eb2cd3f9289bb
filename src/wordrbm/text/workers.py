"""A job in a process of its own.

A process per job (started by a fork server where there is one) gives its memory back, can be
stopped at once, and its death is seen instead of waited for.
"""

import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import told
from wordrbm.text import jobrun
from wordrbm.text.jobfolder import Job
from wordrbm.text.settings import PrepareSettings

Context: TypeAlias = ForkServerContext | SpawnContext
Meters: TypeAlias = MutableSequence[int]
SECONDS_BETWEEN_LOOKS = 0.25
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


def start(
    context: Context, job: Job, work: Path, settings: PrepareSettings, meters: Meters, place: int
) -> Worker:
    """Start a job whose meters have that place; the first start also starts the fork server."""
    faults, sender = context.Pipe(duplex=False)
    arguments = (job, work, settings, meters, place, sender)
    process = context.Process(target=_work, args=arguments, daemon=True)
    try:
        with _main_hidden():
            process.start()
    except (OSError, EOFError) as error:  # the fork server is gone, or there is no more room
        reason = str(error) or "the process that starts them is gone"
        raise WordRBMError(f"A worker could not be started: {reason}; try again.") from error
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


def _work(
    job: Job, work: Path, settings: PrepareSettings, meters: Meters, place: int, faults: Connection
) -> None:
    """What a process does: its job, unless the parent is gone; a fault is sent as a sentence."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and stops us
    parent, looked = multiprocessing.parent_process(), time.monotonic()
    assert parent is not None
    try:
        with told(work):
            for meter in jobrun.run(job, work, settings):
                meters[2 * place], meters[2 * place + 1] = meter
                late = time.monotonic() - looked > SECONDS_BETWEEN_LOOKS
                if late or meter.bytes >= job.size - 1:  # always before the folder gets its name
                    looked = time.monotonic()
                    if not parent.is_alive():
                        return
    except WordRBMError as error:
        _send(faults, str(error))


def _send(faults: Connection, sentence: str) -> None:
    with suppress(OSError):  # nobody is left to hear it
        faults.send_bytes(sentence.encode("utf-8", "surrogatepass"))  # a name need not be UTF-8


def wait_for(workers: Iterable[Worker], seconds: float) -> None:
    """Wait until one of the workers ends, but not longer than some seconds."""
    wait([worker.process.sentinel for worker in workers], timeout=seconds)


def finish(worker: Worker, job: Job) -> None:
    """Let a worker that ended go; its fault is raised here."""
    worker.process.join()
    with worker.faults, suppress(EOFError):  # a worker that did well sends nothing
        if worker.faults.poll():
            raise WordRBMError(worker.faults.recv_bytes().decode("utf-8", "surrogatepass"))
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
