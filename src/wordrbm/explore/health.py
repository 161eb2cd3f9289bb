"""Answers about a training: its curves, likelihood, heaviest windows, and how fast chains mix."""

from typing import Annotated, Any

from pydantic import Field

from wordrbm.analysis import OPERATOR_NAMES
from wordrbm.analysis.history import read_run
from wordrbm.analysis.mixing import (
    MixingCase,
    build_operator,
    draw_cases,
    position_records,
    study_mixing,
)
from wordrbm.errors import WordRBMError
from wordrbm.explore.session import Session
from wordrbm.explore.units import Window
from wordrbm.io.model_file import read_likelihood
from wordrbm.settings import StrictModel

STEPS = (0, 1, 2, 3, 5, 8, 13, 20, 32, 50, 80, 130, 200, 320, 500, 800, 1300, 2000, 5000, 10_000)
LIKELIHOOD = (
    "log_Z", "standard_error", "interval", "held_out", "windows", "warnings", "heaviest_windows",
)  # fmt: skip


class MixingRequest(StrictModel):
    """A window of n words, and the seed of its hidden states."""

    window: Window
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    operator: Annotated[str, Field(max_length=20)] = OPERATOR_NAMES[0]


def report_health(session: Session) -> dict[str, Any]:
    """Scores taken while training, the stored likelihood, and the heaviest windows."""
    return {
        "settings": session.model.settings.model_dump(mode="json"),
        "records": _records(session),
        "likelihood": _likelihood(session),
        "heaviest": _heaviest(session),
    }


def _records(session: Session) -> list[dict[str, Any]]:
    try:
        return [dict(record) for record in read_run(session.folder, "run").records]
    except WordRBMError:  # a model saved from Python has no history
        return []


def _likelihood(session: Session) -> dict[str, Any] | None:
    try:
        stored = read_likelihood(session.model.folder, session.model.rbm)
    except WordRBMError:  # not estimated yet: the page says how
        return None
    return {name: stored[name] for name in LIKELIHOOD if name in stored}


def _heaviest(session: Session) -> dict[str, Any] | None:
    """The ten heaviest windows, from the corpus or else from the stored likelihood."""
    heaviest = session.heaviest
    if heaviest is None:
        stored = (_likelihood(session) or {}).get("heaviest_windows")
        return stored if isinstance(stored, dict) else None
    words = [" ".join(window) for window in session.model.words(heaviest.windows)]
    rows = zip(words, heaviest.shares.tolist(), heaviest.text_shares.tolist(), strict=True)
    return {
        "share_of_ten": heaviest.share_of_ten,
        "text_share_of_ten": heaviest.text_share_of_ten,
        "windows": [{"words": w, "share": s, "text_share": t} for w, s, t in rows],
    }


def study_window(session: Session, request: MixingRequest) -> dict[str, Any]:
    """How far the words of a chain are from P(v | h) after t steps, at every position, exactly."""
    model = session.model
    rbm, vocabulary = model.rbm, model.vocabulary
    operator = build_operator(request.operator, rbm, vocabulary.probability())
    cases: list[MixingCase] = draw_cases(rbm, session.window(request.window), request.seed)
    results = list(study_mixing(rbm, operator, cases, STEPS))
    return {
        "operator": request.operator,
        "mh_steps": model.settings.mh_steps,
        "positions": position_records(results, cases, vocabulary, STEPS),
    }
