"""A pool of threads: all jobs run, one failure or a stop request cancels the rest."""

import pytest

from wordrbm.errors import Stopped, WordRBMError
from wordrbm.threads import (
    SharedProgress,
    available_cores,
    one_blas_thread,
    run_all,
    worker_count,
)


def never():
    return False


def test_all_jobs_run_and_progress_stays_below_one():
    shown, done = [], []
    progress = SharedProgress(2, lambda fraction, note: shown.append((fraction, note)), never)

    def job(number):
        def run():
            progress.report(1.0, f"job {number}")
            done.append(number)

        return run

    run_all([job(number) for number in range(3)], 2, progress)
    assert sorted(done) == [0, 1, 2]
    assert [fraction for fraction, _ in shown] == [0.5, 0.999, 0.999]
    assert {note for _, note in shown} == {"job 0", "job 1", "job 2"}


def test_the_first_failure_cancels_the_rest():
    progress, done = SharedProgress(1, lambda fraction, note: None, never), []

    def fail():
        raise ValueError("broken")

    def work():
        progress.check_stop()
        done.append(1)

    with pytest.raises(ValueError, match="broken"):
        run_all([fail, *[work] * 50], 1, progress)
    assert progress.cancelled
    assert len(done) < 50
    with pytest.raises(Stopped):
        progress.check_stop()


def test_a_stop_request_ends_the_work():
    progress = SharedProgress(1, lambda fraction, note: None, lambda: True)
    with pytest.raises(Stopped, match="the same command continues"):
        run_all([lambda: progress.report(1.0, "job")], 1, progress)


def test_one_thread_in_every_blas_that_is_loaded():
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    with one_blas_thread():
        threads = [x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"]
    assert threads
    assert set(threads) == {1}


def test_workers_are_counted_or_checked():
    assert worker_count(None) == available_cores() >= 1
    assert worker_count(3) == 3
    with pytest.raises(WordRBMError, match="use 1 or more"):
        worker_count(0)
