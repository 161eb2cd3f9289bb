"""Chunks in a sequence of tags, and the F1 of the shared tasks: `conlleval` in Python.

A tag is `O`, or a prefix and a type, `B-NP`. A chunk begins at a B, at a tag of another type, or at
an I after O: the evaluation of the CoNLL-2000 shared task takes any sequence. E, the last token of
a chunk, and S, a single one, are known too; L and U are other names of theirs. A tag of any other
form, as parts of speech are, is a chunk of its own: the F1 over such tags is the share of tokens
that are right.

References
    E. Tjong Kim Sang, S. Buchholz. Introduction to the CoNLL-2000 shared task: chunking. 2000.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

PREFIXES, SAME = frozenset("BIESO"), {"L": "E", "U": "S"}

Span = tuple[str, int, int]  # type, first token, one past the last


class Counts(NamedTuple):
    """Chunks that are there, that were found, and that were found where they are."""

    there: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """Of what was found, what is right."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Of what is there, what was found."""
        return self.right / self.there if self.there else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        both = self.precision + self.recall
        return 2.0 * self.precision * self.recall / both if both else 0.0

    def record(self) -> dict[str, float]:
        """As results have it."""
        shares = {"f1": self.f1, "precision": self.precision, "recall": self.recall}
        return {**shares, "chunks": self.there}


class Evaluation(NamedTuple):
    """All chunks, and those of each type; the share of tags that are right."""

    overall: Counts
    types: dict[str, Counts]
    accuracy: float


def evaluate(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Evaluation:
    """Over sentences: the tags that are right, and those that were found."""
    there, found, right = Counter[str](), Counter[str](), Counter[str]()
    tags = same = 0
    for gold, guess in pairs:
        one, other = set(spans(gold)), set(spans(guess))
        there.update(kind for kind, _, _ in one)
        found.update(kind for kind, _, _ in other)
        right.update(kind for kind, _, _ in one & other)
        tags += len(gold)
        same += sum(a == b for a, b in zip(gold, guess, strict=True))
    types = {kind: Counts(there[kind], found[kind], right[kind]) for kind in sorted(there | found)}
    overall = Counts(there.total(), found.total(), right.total())
    return Evaluation(overall, types, same / tags if tags else 0.0)


def spans(tags: Sequence[str]) -> list[Span]:
    """The chunks of a sequence of tags."""
    found: list[Span] = []
    begin, before = 0, ("O", "")
    for place, tag in enumerate([*tags, "O"]):
        now = _parts(tag)
        if _ends(before, now):
            found.append((before[1], begin, place))
        if _begins(before, now):
            begin = place
        before = now
    return found


def _parts(tag: str) -> tuple[str, str]:
    prefix, _, kind = tag.partition("-")
    prefix = SAME.get(prefix, prefix)
    return (prefix, kind) if prefix in PREFIXES else ("S", tag)


def _ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
    """Whether a chunk ends between two tags."""
    if before[0] == "O":
        return False
    return before[0] in ("E", "S") or now[0] in ("B", "S", "O") or before[1] != now[1]


def _begins(before: tuple[str, str], now: tuple[str, str]) -> bool:
    """Whether a chunk begins at the second."""
    if now[0] == "O":
        return False
    return now[0] in ("B", "S") or before[0] in ("E", "S", "O") or before[1] != now[1]
