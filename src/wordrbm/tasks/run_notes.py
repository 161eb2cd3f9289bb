"""What a run writes down as it goes: its scores in `metrics.jsonl`, its times in `times.jsonl`."""

from pathlib import Path
from typing import NamedTuple

from wordrbm.io.metrics import append_metrics, read_metrics, truncate_metrics
from wordrbm.io.model_folder import METRICS, TIMES
from wordrbm.tasks.scores import HeldOutScores
from wordrbm.training import Progress


class Report(NamedTuple):
    """What the caller may show after an update; scores are there only when they were taken."""

    step: int
    progress: Progress
    seconds: float  # spent on updates since this process began
    windows_per_second: float
    scores: HeldOutScores | None


def rewind_notes(run: Path, step: int) -> None:
    """Forget the notes on later updates, which a resumed run makes again."""
    truncate_metrics(run / METRICS, step)
    truncate_metrics(run / TIMES, step)


def is_noted(run: Path, step: int) -> bool:
    """Whether the scores after an update were written down."""
    return any(record["step"] == step for record in read_metrics(run / METRICS))


def note(run: Path, report: Report) -> None:
    """Append the scores, if there are any, and how long they took to come to."""
    if report.scores is None:
        return
    times = {
        "step": report.step,
        "seconds": round(report.seconds, 3),
        "windows_per_second": round(report.windows_per_second, 1),
    }
    append_metrics(run / TIMES, times)
    append_metrics(run / METRICS, record_of(report))


def record_of(report: Report) -> dict[str, float]:
    """The numbers of a scored update; two runs with one seed have the same ones."""
    assert report.scores is not None
    return {
        "step": report.step,
        "windows": report.progress.windows,
        "word_rate": report.progress.rates.word,
        "hidden_rate": report.progress.rates.hidden,
        "acceptance": report.progress.acceptance,
        "jump_acceptance": report.progress.jump_acceptance,
        **report.scores._asdict(),
    }
