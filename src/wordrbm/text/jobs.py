"""Files grouped into jobs, and jobs run side by side, a process each.

The grouping depends on the files alone, never on the number of workers, so the output does not
either. A process per job (started by a fork server where there is one) gives its memory back,
can be stopped at once, and its death is seen instead of waited for.
"""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.text import shard
from wordrbm.text.shard import Job, Meter
from wordrbm.text.source import COMPRESSED

Meters: TypeAlias = MutableSequence[int]
JOB_BYTES = 16_000_000
COMPRESSION = 3  # how much longer a compressed text is than its file, about
SECONDS_BETWEEN_LOOKS = 0.25


class _Worker(NamedTuple):
    """A process at work, and where its fault would come from."""

    process: BaseProcess
    faults: Connection


def group(files: Iterable[Path]) -> list[Job]:
    """Consecutive files together up to about 16 MB of text; a bigger file is a job of its own."""
    groups: list[list[Path]] = []
    weight = JOB_BYTES + 1  # so that the first file begins the first group
    for path in files:
        size = path.stat().st_size
        text = size * COMPRESSION if path.suffix in COMPRESSED else size
        if weight + text > JOB_BYTES:
            groups.append([])
            weight = 0
        groups[-1].append(path)
        weight += text
    return [Job(number, tuple(paths), _size(paths)) for number, paths in enumerate(groups)]


def run_all(jobs: Sequence[Job], folder: Path, field: str, workers: int) -> Iterator[Meter]:
    """Run every job into shards in a folder; yields a few times a second how far all are."""
    if min(workers, len(jobs)) == 1:
        yield from _one_by_one(jobs, folder, field)
    else:
        yield from _side_by_side(jobs, folder, field, workers)


def _one_by_one(jobs: Sequence[Job], folder: Path, field: str) -> Iterator[Meter]:
    finished, shown = Meter(0, 0), time.monotonic()
    for job in jobs:
        meter = Meter(0, 0)
        for meter in shard.run(job, folder, field):
            if time.monotonic() - shown > SECONDS_BETWEEN_LOOKS:
                shown = time.monotonic()
                yield Meter(finished.bytes + meter.bytes, finished.tokens + meter.tokens)
        finished = Meter(finished.bytes + meter.bytes, finished.tokens + meter.tokens)
    yield finished


def _side_by_side(jobs: Sequence[Job], folder: Path, field: str, workers: int) -> Iterator[Meter]:
    context = _context()
    meters = context.RawArray("q", 2 * len(jobs))  # each process writes only its own two numbers
    waiting, running = list(reversed(jobs)), dict[int, _Worker]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                running[job.number] = _start(context, job, folder, field, meters)
            _wait(running.values())
            for number in [n for n, worker in running.items() if not worker.process.is_alive()]:
                _finish(running.pop(number), jobs[number])
            yield Meter(sum(meters[0::2]), sum(meters[1::2]))
    finally:
        _stop(running.values())


def _context() -> ForkServerContext | SpawnContext:
    """Not fork: a forked copy of a process with threads or compiled code may hang."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])  # so that a start is a fork
    return context


def _start(
    context: ForkServerContext | SpawnContext, job: Job, folder: Path, field: str, meters: Meters
) -> _Worker:
    faults, sender = context.Pipe(duplex=False)
    arguments = (job, folder, field, meters, sender)
    process = context.Process(target=_work, args=arguments, daemon=True)
    process.start()
    sender.close()  # the process has its own
    return _Worker(process, faults)


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


def _wait(workers: Iterable[_Worker]) -> None:
    sentinels = [worker.process.sentinel for worker in workers]
    wait(sentinels, timeout=SECONDS_BETWEEN_LOOKS)


def _finish(worker: _Worker, job: Job) -> None:
    worker.process.join()
    with worker.faults, suppress(EOFError):  # a worker that did well sends nothing
        if worker.faults.poll():
            raise WordRBMError(worker.faults.recv_bytes().decode("utf-8"))
    if worker.process.exitcode != 0:
        raise WordRBMError(
            f"The worker reading {job.files[0]} died with exit code {worker.process.exitcode}; it "
            "may have run out of memory: try again with fewer --workers."
        )


def _stop(workers: Iterable[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join()
        worker.faults.close()


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)
