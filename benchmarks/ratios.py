"""Ratios measured side by side: rounds that alternate between the things compared.

A busy machine slows the things of one round alike, so the ratio is taken round by round; what is
told is the median of the rounds, with the least and the most.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

Measure = Callable[[], float]  # seconds, for one unit of work
Round = dict[str, float]  # what each measure gave, one after the other


class Figure(NamedTuple):
    """One line of the table; the numbers are missing where nothing could be measured."""

    ratio: float | None
    least: float | None
    most: float | None
    unit: str = ""  # none for a ratio
    goal: str = ""
    note: str = ""


def alternate(measures: Mapping[str, Measure], rounds: int) -> list[Round]:
    """Take every measure in turn, so many times."""
    return [{name: measure() for name, measure in measures.items()} for _ in range(rounds)]


def ratio(rounds: Sequence[Round], name: str, base: str, **told: str) -> Figure:
    """One measure over another, round by round."""
    return spread([one[name] / one[base] for one in rounds], **told)


def middle(rounds: Sequence[Round], name: str) -> float:
    """The median of one measure, for a note beside its ratio."""
    return median(one[name] for one in rounds)


def spread(values: Sequence[float], **told: str) -> Figure:
    """The median of some values, with the least and the most."""
    return Figure(median(values), min(values), max(values), **told)


def absent(why: str) -> Figure:
    """The line of a thing that could not be measured."""
    return Figure(None, None, None, note=why)
