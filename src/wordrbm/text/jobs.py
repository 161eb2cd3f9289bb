"""Files grouped into jobs, and jobs run one after the other or side by side.

The grouping depends on the files alone, never on the number of workers, so the output does not
either.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wordrbm.text import shard, workers
from wordrbm.text.shard import Job, Meter
from wordrbm.text.source import COMPRESSED
from wordrbm.text.workers import Worker

JOB_BYTES = 16_000_000
COMPRESSION = 3  # how much longer a compressed text is than its file, about
SECONDS_BETWEEN_LOOKS = 0.25


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


def run_all(jobs: Sequence[Job], folder: Path, field: str, count: int) -> Iterator[Meter]:
    """Run every job into shards in a folder; yields a few times a second how far all are."""
    if min(count, len(jobs)) == 1:
        yield from _one_by_one(jobs, folder, field)
    else:
        yield from _side_by_side(jobs, folder, field, count)


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


def _side_by_side(jobs: Sequence[Job], folder: Path, field: str, count: int) -> Iterator[Meter]:
    context = workers.context()
    meters = context.RawArray("q", 2 * len(jobs))  # each process writes only its own two numbers
    waiting, running = list(reversed(jobs)), dict[int, Worker]()
    try:
        while waiting or running:
            while waiting and len(running) < count:
                job = waiting.pop()
                running[job.number] = workers.start(context, job, folder, field, meters)
            workers.wait_for(running.values(), SECONDS_BETWEEN_LOOKS)
            for number in [n for n, worker in running.items() if not worker.process.is_alive()]:
                workers.finish(running.pop(number), jobs[number])
            yield Meter(sum(meters[0::2]), sum(meters[1::2]))
    finally:
        workers.stop(running.values())


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)
