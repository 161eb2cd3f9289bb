"""Jobs run one after the other, or each in a process of its own.

A process per job (started by a fork server where there is one) gives its memory back, can be
stopped at once, and its death is noticed instead of waited for. A `ProcessPoolExecutor` cannot end
running workers before Python 3.14.
"""

import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import write_errors
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare import jobs as job_runner
from wordrbm.text.prepare.jobs import Job, JobProgress, Stage

Context: TypeAlias = ForkServerContext | SpawnContext
Counters: TypeAlias = MutableSequence[int]
POLL_SECONDS = 0.25
_MAIN_LOCK = threading.Lock()  # so that no thread restores what another has hidden


def run_jobs(
    jobs: Sequence[Job], work: Path, settings: PrepareSettings, workers: int
) -> Iterator[JobProgress]:
    """Run jobs into their folders; yields their summed progress a few times a second."""
    if min(workers, len(jobs)) <= 1:
        yield from _run_serial(jobs, work, settings)
    else:
        yield from _run_parallel(jobs, work, settings, workers)


def _run_serial(
    jobs: Sequence[Job], work: Path, settings: PrepareSettings
) -> Iterator[JobProgress]:
    finished, reported = JobProgress(0, 0), time.monotonic()
    for job in jobs:
        progress = JobProgress(0, 0)
        for progress in job_runner.run_job(job, work, settings):
            if time.monotonic() - reported > POLL_SECONDS:
                reported = time.monotonic()
                yield finished + progress
        finished += progress
    yield finished


def _run_parallel(
    jobs: Sequence[Job], work: Path, settings: PrepareSettings, workers: int
) -> Iterator[JobProgress]:
    pending, running, finished = list(jobs)[::-1], list[Worker](), JobProgress(0, 0)
    try:
        while pending or running:
            while pending and len(running) < workers:
                running.append(start_worker(pending.pop(), work, settings))
            wait([worker.process.sentinel for worker in running], timeout=POLL_SECONDS)
            for worker in [worker for worker in running if not worker.process.is_alive()]:
                running.remove(worker)
                finish(worker)
                finished += worker.progress()
            yield sum((worker.progress() for worker in running), finished)
    finally:
        stop(running)


class Worker(NamedTuple):
    """The process of a job, the bytes and tokens it has read, and the pipe for its error."""

    job: Job
    process: BaseProcess
    counters: Counters  # shared memory
    errors: Connection

    def progress(self) -> JobProgress:
        """How much the process has read so far."""
        return JobProgress(self.counters[0], self.counters[1])


def start_context() -> Context:
    """How processes are started: not by fork, which may hang with threads or compiled code."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])  # so that a start is a fork
    return context


def start_worker(job: Job, work: Path, settings: PrepareSettings) -> Worker:
    """Start a process for a job; the first start also starts the fork server."""
    context = start_context()
    counters = context.RawArray("q", 2)
    errors, sender = context.Pipe(duplex=False)
    arguments = (job, work, settings, counters, sender)
    process = context.Process(target=_run_worker, args=arguments, daemon=True)
    try:
        with _hide_main():
            process.start()
    except (OSError, EOFError) as error:  # the fork server is gone, or memory is short
        reason = str(error) or "the process that starts them is gone"
        raise WordRBMError(f"A worker could not be started: {reason}; try again.") from error
    sender.close()  # the process has its own
    return Worker(job, process, counters, errors)


@contextmanager
def _hide_main() -> Iterator[None]:
    """Put an empty module in the place of the user's `__main__`."""
    # A new process runs the file of `__main__` again, so that a script without a guard would
    # prepare once more in every worker. Nothing a worker is sent is defined there.
    with _MAIN_LOCK:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _run_worker(
    job: Job, work: Path, settings: PrepareSettings, counters: Counters, errors: Connection
) -> None:
    """Run a job in this process, unless the parent is gone; an error is sent as a sentence."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops us
    parent, checked = multiprocessing.parent_process(), time.monotonic()
    assert parent is not None
    try:
        with write_errors(work):
            for progress in job_runner.run_job(job, work, settings):
                counters[:] = [progress.bytes, progress.tokens]
                is_due = time.monotonic() - checked > POLL_SECONDS
                if is_due or progress.stage is Stage.COMMITTING:
                    checked = time.monotonic()
                    if not parent.is_alive():
                        return
    except WordRBMError as error:
        with suppress(OSError):  # nobody is left to receive it
            errors.send_bytes(str(error).encode("utf-8", "surrogatepass"))  # a path may need it


def finish(worker: Worker) -> None:
    """Join a worker that ended, raising its error."""
    worker.process.join()
    with worker.errors, suppress(EOFError):  # a worker that succeeded sends nothing
        if worker.errors.poll():
            raise WordRBMError(worker.errors.recv_bytes().decode("utf-8", "surrogatepass"))
    if (code := worker.process.exitcode) != 0:
        raise WordRBMError(
            f"The worker reading {worker.job.files[0]} died with exit code {code}; it may have run "
            "out of memory: try again with fewer --workers."
        )


def stop(workers: Iterable[Worker]) -> None:
    """Terminate workers at once."""
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.process.join()
        worker.errors.close()
