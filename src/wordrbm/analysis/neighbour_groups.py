"""Neighbour purity: how many nearest neighbours of a group of words are in the same group.

The paper says that days of the week, months and number words end up close to each other
[Dahl 2012, section 6.2]; this counts it.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from wordrbm.io.vectors import Vectors

GROUPS: Mapping[str, list[str]] = {
    "days": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    "months": [
        "january", "february", "march", "april", "may", "june",
        "july", "august", "september", "october", "november", "december",
    ],
    "numbers": ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    "modals": ["can", "could", "may", "might", "must", "shall", "should", "will", "would"],
}  # fmt: skip


class NeighbourPurity(NamedTuple):
    """The mean number of `k` nearest neighbours that are in the group."""

    inside: float
    k: int
    missing: tuple[str, ...]  # words of the group that the vocabulary lacks


def neighbour_purity(vectors: Vectors, group: Collection[str], k: int = 5) -> NeighbourPurity:
    """The mean number of `k` nearest neighbours inside the group, over its words."""
    known = [word for word in group if word in vectors]
    missing = tuple(word for word in group if word not in vectors)
    inside = [
        sum(neighbour in group for neighbour, _ in vectors.most_similar(word, k)) for word in known
    ]
    return NeighbourPurity(sum(inside) / len(inside) if inside else 0.0, k, missing)
