"""Files grouped into jobs, and jobs run side by side, a process each.

The grouping depends on the files alone, never on the number of workers, so the output does not
either. A process per job (started by a fork server where there is one) gives its memory back,
can be stopped at once, and its death is seen instead of waited for.
"""

import multiprocessing
import multiprocessing.connection
import signal
import sys
import time
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.text import shard
from wordrbm.text.shard import Job, Meter
from wordrbm.text.source import COMPRESSED

JOB_BYTES = 16_000_000
COMPRESSION = 3  # how much longer a compressed text is than its file, about
SECONDS_BETWEEN_LOOKS = 0.25


def group(files: Iterable[Path]) -> list[Job]:
    """Consecutive files together up to about 16 MB of text; a bigger file is a job of its own."""
    jobs: list[Job] = []
    weight = JOB_BYTES  # so that the first file begins the first job
    for path in files:
        size = path.stat().st_size
        text = size * COMPRESSION if path.suffix in COMPRESSED else size
        if weight + text > JOB_BYTES:
            jobs.append(Job(len(jobs), (), 0))
            weight = 0
        last = jobs[-1]
        jobs[-1] = Job(last.number, (*last.files, path), last.size + size)
        weight += text
    return jobs


def run_all(jobs: Sequence[Job], folder: Path, field: str, workers: int) -> Iterator[Meter]:
    """Run every job into shards in a folder; yields a few times a second how far all are."""
    if workers == 1:
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
    waiting, running = list(reversed(jobs)), dict[int, BaseProcess]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                running[job.number] = _start(context, job, folder, field, meters)
            _wait(running.values())
            for number in [n for n, process in running.items() if not process.is_alive()]:
                _finish(running.pop(number), jobs[number], folder)
            yield Meter(sum(meters[0::2]), sum(meters[1::2]))
    finally:
        _stop(running.values())


def _context() -> BaseContext:
    """Not fork: a forked copy of a process with threads or compiled code may hang."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", shard.__name__])
    return context


def _start(
    context: BaseContext, job: Job, folder: Path, field: str, meters: MutableSequence[int]
) -> BaseProcess:
    arguments = (job, folder, field, meters)
    process: BaseProcess = context.Process(target=_work, args=arguments, daemon=True)  # type: ignore[attr-defined]
    process.start()
    return process


def _work(job: Job, folder: Path, field: str, meters: MutableSequence[int]) -> None:
    """What a process does: the job; a fault of the input is left in a file for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and stops us
    try:
        for meter in shard.run(job, folder, field):
            meters[2 * job.number], meters[2 * job.number + 1] = meter
    except WordRBMError as error:
        _fault(folder, job).write_text(str(error), encoding="utf-8")
        sys.exit(2)


def _wait(processes: Iterable[BaseProcess]) -> None:
    sentinels = [process.sentinel for process in processes]
    multiprocessing.connection.wait(sentinels, timeout=SECONDS_BETWEEN_LOOKS)


def _finish(process: BaseProcess, job: Job, folder: Path) -> None:
    process.join()
    if process.exitcode == 0:
        return
    if _fault(folder, job).exists():
        raise WordRBMError(_fault(folder, job).read_text(encoding="utf-8"))
    raise WordRBMError(
        f"The worker that read {job.files[0]} died with exit code {process.exitcode}; it may have "
        "run out of memory or disk: try again with fewer --workers."
    )


def _stop(processes: Iterable[BaseProcess]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _fault(folder: Path, job: Job) -> Path:
    return folder / f"{job.number:06}.fault"
