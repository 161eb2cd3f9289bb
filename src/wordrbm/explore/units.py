"""Answers about hidden units: what turns one on, and a free energy as a sum over all of them."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from wordrbm.analysis.hidden_units import check_unit, free_energy_terms, unit_words
from wordrbm.explore.session import Session
from wordrbm.explore.words import Word
from wordrbm.settings import StrictModel

AMONG, TOP, NAMES = 20_000, 10, 3  # frequent words, those shown of a unit, those that name it

Window = Annotated[list[Word], Field(min_length=1, max_length=50)]


class UnitRequest(StrictModel):
    """A hidden unit by its number, from 0."""

    unit: Annotated[int, Field(ge=0, le=10_000_000)]


class EnergyRequest(StrictModel):
    """A window of n words, and the same window with words changed."""

    window: Window
    changed: Window


def list_units(session: Session) -> dict[str, Any]:
    """Every unit with its bias, its on-rate where a corpus was given, and a few of its words."""
    rbm, activity, words = session.model.rbm, session.activity, session.model.vocabulary.words
    D, middle = rbm.D[1:AMONG], rbm.positions // 2
    best = np.argsort(-(D @ rbm.U[middle].T), axis=0, kind="stable")[:NAMES]
    return {
        "windows": activity.count if activity else 0,
        "units": [
            {
                "unit": j,
                "bias": float(rbm.c[j]),
                "on_rate": float(activity.on_rate[j]) if activity else None,
                "words": [words[k + 1] for k in best[:, j].tolist()],
            }
            for j in range(rbm.c.size)
        ],
    }


def describe_unit(session: Session, request: UnitRequest) -> dict[str, Any]:
    """The words that turn a unit on and off at each position, and its top windows of the corpus."""
    model, j = session.model, request.unit
    check_unit(model.rbm, j)
    activity = session.activity
    positions = unit_words(model.rbm, model.vocabulary.words, j, TOP, among=AMONG)
    answer: dict[str, Any] = {
        "unit": j,
        "bias": float(model.rbm.c[j]),
        "positions": [place._asdict() for place in positions],
        "on_rate": None,
        "windows": [],
    }
    if activity is not None:
        rows = zip(model.words(activity.windows[j]), activity.means[j].tolist(), strict=True)
        answer["on_rate"] = float(activity.on_rate[j])
        answer["windows"] = [{"words": words, "mean": mean} for words, mean in rows]
    return answer


def compare_energies(session: Session, request: EnergyRequest) -> dict[str, Any]:
    """The free energy of two windows, term by term: word biases and one term a unit."""
    v = np.concatenate([session.window(request.window), session.window(request.changed)])
    terms = free_energy_terms(session.model.rbm, v)
    return {
        "words": session.model.words(v),
        "bias": (-terms.bias).tolist(),
        "units": (-terms.softplus).tolist(),
        "total": terms.total().tolist(),
    }
