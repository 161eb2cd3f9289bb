"""Do words of one kind stand together? The share of nearest neighbours that are of the same kind.

The paper says that days of the week, months and number words end up close to each other
[Dahl 2012, section 6.2]; this counts it.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from wordrbm.io.vectors import Vectors

GROUPS: Mapping[str, list[str]] = {
    "days": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    "months": [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
    "numbers": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    "modals": ["can", "could", "may", "might", "must", "shall", "should", "will", "would"],
}


class Togetherness(NamedTuple):
    """How many of the nearest neighbours are of the same kind, averaged over the group's words."""

    inside: float
    of: int
    missing: tuple[str, ...]  # words of the group that the vocabulary lacks


def togetherness(vectors: Vectors, group: Collection[str], count: int = 5) -> Togetherness:
    """The mean number of `count` nearest neighbours inside the group."""
    known = [word for word in group if word in vectors]
    missing = tuple(word for word in group if word not in vectors)
    inside = [
        sum(neighbour in group for neighbour, _ in vectors.most_similar(word, count))
        for word in known
    ]
    return Togetherness(sum(inside) / len(inside) if inside else 0.0, count, missing)
