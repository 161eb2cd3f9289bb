"""A whole mixing study: what was asked for in, numbers and pictures out."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.analysis.ensemble import means, sampled_study
from wordrbm.analysis.mixing import Case, Place, cases_of, study
from wordrbm.analysis.mixing_pictures import draw_study
from wordrbm.analysis.mixing_report import detail, summary, write_curves
from wordrbm.analysis.pace import steps_in_the_same_time
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Independence, Transition
from wordrbm.shapes import Probability, Words
from wordrbm.storage import make_folder, write_text
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import ProgressCallback

CALLS = (1, 3, 10)  # of an operator that can only be sampled


class Asked(NamedTuple):
    """What a study is of."""

    operators: Mapping[str, Transition]
    windows: Words
    timed: Words  # windows of the chains whose moves are timed
    steps: Sequence[int]
    seed: int
    chains: int  # of an operator that can only be sampled


class Found(NamedTuple):
    """All its numbers: a row for each operator, and every position."""

    cases: list[Case]
    places: list[Place]
    rows: list[dict[str, Any]]
    sampled: dict[str, list[dict[str, float]]]
    details: list[dict[str, Any]]


def whole_study(
    rbm: AbstractRBM, vocabulary: Vocabulary, q: Probability, asked: Asked, show: ProgressCallback
) -> Found:
    """Exact where there is a closed form, by many chains where there is none."""
    exact = {name: way for name, way in asked.operators.items() if isinstance(way, Independence)}
    same_time = steps_in_the_same_time(rbm, exact, asked.timed)
    cases, places, sampled = cases_of(rbm, asked.windows, asked.seed), [], {}
    total = len(cases) * rbm.positions * len(asked.operators)
    for place in study(rbm, exact, cases, asked.steps, same_time):
        places.append(place)
        show(len(places) / total, place.operator)
    for name in [name for name in asked.operators if name not in exact]:
        way = asked.operators[name]
        points = []
        for point in sampled_study(asked.seed, rbm, way, cases, q, CALLS, asked.chains):
            points.append(point)
            show((len(places) + len(points) / len(CALLS)) / total, name)
        sampled[name] = means(points, asked.chains)
    rows = summary(places, asked.steps, same_time)
    return Found(cases, places, rows, sampled, detail(places, cases, vocabulary, asked.steps))


def save_study(out: Path, found: Found, vocabulary: Vocabulary, steps: Sequence[int]) -> list[Path]:
    """Write the numbers as JSON and CSV, and the pictures, whose paths it gives."""
    make_folder(out)
    numbers = {"operators": found.rows, "sampled": found.sampled, "positions": found.details}
    write_text(out / "mixing.json", json.dumps(numbers, indent=1))
    write_curves(out / "mixing.csv", found.details)
    return draw_study(out, found.places, found.cases, vocabulary, steps) if found.places else []
