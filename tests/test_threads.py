"""A pool of threads: all jobs run, one failure or a stop request cancels the rest."""

import pytest

from wordrbm.errors import Stopped
from wordrbm.threads import SharedProgress, run_all


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
