"""A mixing study as numbers: one row for each operator, and everything as CSV."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.analysis.mixing import NEAR, Case, Place
from wordrbm.storage import atomic_write
from wordrbm.text.vocabulary import Vocabulary

FAR = float("inf")  # steps that were not found


def summary(
    places: Sequence[Place], steps: Sequence[int], same_time: Mapping[str, int]
) -> list[dict[str, Any]]:
    """What a screen has room for: means over all positions, and the worst of them."""
    rows = []
    for name in dict.fromkeys(place.operator for place in places):
        own = [place for place in places if place.operator == name]
        distance = np.array([place.distance for place in own])
        row: dict[str, Any] = {
            "operator": name,
            "acceptance": float(np.mean([place.acceptance for place in own])),
            "spectral_gap": float(np.median([place.gap for place in own])),
            "smallest_gap": float(np.min([place.gap for place in own])),
            "autocorrelation_time": float(np.median([place.autocorrelation_time for place in own])),
        }
        for near, at in zip(NEAR, zip(*[place.near for place in own], strict=True), strict=True):
            found = [FAR if t is None else float(t) for t in at]
            row[f"steps_to_{near}"] = {"median": _told(np.median(found)), "most": _told(max(found))}
        row["distance"] = {
            str(t): {"mean": float(distance[:, k].mean()), "worst": float(distance[:, k].max())}
            for k, t in enumerate(steps)
        }
        after = [place.same_time for place in own]
        row["same_time"] = {
            "steps": same_time[name], "mean": float(np.mean(after)), "worst": max(after),
        }  # fmt: skip
        rows.append(row)
    return rows


def _told(steps: Any) -> float | None:
    return None if steps == FAR else float(steps)


def slowest_case(places: Sequence[Place], operator: str) -> int:
    """The case whose mean total variation falls last, by the sum over the steps."""
    totals: dict[int, float] = {}
    for place in places:
        if place.operator == operator:
            totals[place.case] = totals.get(place.case, 0.0) + float(place.distance.sum())
    return max(totals, key=lambda case: totals[case])


def detail(
    places: Sequence[Place], cases: Sequence[Case], vocabulary: Vocabulary, steps: Sequence[int]
) -> list[dict[str, Any]]:
    """Every position with its words and its curves."""
    words = vocabulary.words
    return [
        {
            "operator": place.operator,
            "case": place.case,
            "window": [words[k] for k in cases[place.case].words],
            "position": place.position,
            "acceptance": place.acceptance,
            "spectral_gap": place.gap,
            "autocorrelation_time": place.autocorrelation_time,
            **{f"steps_to_{near}": t for near, t in zip(NEAR, place.near, strict=True)},
            "holding_word": words[place.wanted],
            "steps": list(steps),
            "divergence": place.divergence.tolist(),
            "distance": place.distance.tolist(),
        }
        for place in places
    ]


def write_curves(path: Path, details: Sequence[Mapping[str, Any]]) -> None:
    """One line for each operator, case, position and number of steps."""
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["operator", "case", "window", "position", "steps", "divergence", "distance"])
        for row in details:
            head = [row["operator"], row["case"], " ".join(row["window"]), row["position"]]
            curves = zip(row["steps"], row["divergence"], row["distance"], strict=True)
            out.writerows([*head, *point] for point in curves)
