"""Files grouped into jobs, and jobs run one after the other or side by side.

The grouping depends on the files alone, never on the number of workers, so the output does not
either. Jobs that an earlier prepare finished are kept, if they are what would be made now.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wordrbm.storage import path_status
from wordrbm.text import jobrun, workers
from wordrbm.text.appearing import GONE, finished_parts, remove
from wordrbm.text.compression import is_compressed
from wordrbm.text.jobfolder import PART, Job, folder_of, is_finished
from wordrbm.text.jobrun import Meter
from wordrbm.text.settings import PrepareSettings
from wordrbm.text.workers import SECONDS_BETWEEN_LOOKS, Worker

JOB_BYTES = 16_000_000
COMPRESSION = 3  # how much longer a compressed text is than its file, about


def group(files: Iterable[Path]) -> list[Job]:
    """Consecutive files together up to about 16 MB of text; a bigger file is a job of its own."""
    groups: list[list[Path]] = []
    sizes: list[int] = []  # on disk
    weight = JOB_BYTES + 1  # so that the first file begins the first group
    for path in files:
        size = path_status(path).size
        text = size * COMPRESSION if is_compressed(path) else size
        if weight + text > JOB_BYTES:
            groups.append([])
            sizes.append(0)
            weight = 0
        groups[-1].append(path)
        sizes[-1] += size
        weight += text
    rows = enumerate(zip(groups, sizes, strict=True))
    return [Job(number, tuple(paths), size) for number, (paths, size) in rows]


def still_to_do(jobs: Sequence[Job], work: Path, settings: PrepareSettings) -> list[Job]:
    """Clear away what a killed prepare left half done, and list what is not done yet."""
    for path in [*work.glob(f"*{GONE}"), *work.glob(f"*{PART}")]:  # before any look: see jobfolder
        remove(path)
    finished = {folder_of(work, job) for job in jobs if is_finished(work, job, settings)}
    for path in finished_parts(work):
        if path not in finished:
            remove(path)
    return [job for job in jobs if folder_of(work, job) not in finished]


def run_all(
    jobs: Sequence[Job], work: Path, settings: PrepareSettings, count: int
) -> Iterator[Meter]:
    """Run jobs into their folders; yields a few times a second how far all are."""
    if min(count, len(jobs)) <= 1:
        yield from _one_by_one(jobs, work, settings)
    else:
        yield from _side_by_side(jobs, work, settings, count)


def _one_by_one(jobs: Sequence[Job], work: Path, settings: PrepareSettings) -> Iterator[Meter]:
    finished, shown = Meter(0, 0), time.monotonic()
    for job in jobs:
        meter = Meter(0, 0)
        for meter in jobrun.run(job, work, settings):
            if time.monotonic() - shown > SECONDS_BETWEEN_LOOKS:
                shown = time.monotonic()
                yield finished.plus(meter)
        finished = finished.plus(meter)
    yield finished


def _side_by_side(
    jobs: Sequence[Job], work: Path, settings: PrepareSettings, count: int
) -> Iterator[Meter]:
    context = workers.context()
    meters = context.RawArray("q", 2 * len(jobs))  # each process writes only its own two numbers
    waiting, running = list(enumerate(jobs))[::-1], dict[int, Worker]()
    try:
        while waiting or running:
            while waiting and len(running) < count:
                place, job = waiting.pop()
                running[place] = workers.start(context, job, work, settings, meters, place)
            workers.wait_for(running.values(), SECONDS_BETWEEN_LOOKS)
            for place in [at for at, worker in running.items() if not worker.process.is_alive()]:
                workers.finish(running.pop(place), jobs[place])
            yield Meter(sum(meters[0::2]), sum(meters[1::2]))
    finally:
        workers.stop(running.values())
