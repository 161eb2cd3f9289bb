"""What is said of a token in words: itself, its neighbours, and the same of their parts of speech.

    words       w-2 w-1 w0 w+1 w+2, w-1|w0, w0|w+1
    each other  the same five, all four pairs and three triples of neighbours

[Turian et al. 2010]. Beyond a sentence's ends stand marks. The words are the first column; every
column between words and labels is another.

References
    J. Turian, L. Ratinov, Y. Bengio. Word representations: a simple and general method for
    semi-supervised learning. ACL 2010.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Int32, Int64

REACH = 2  # tokens to either side
WORD_GROUPS = ((-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1))
OTHER_GROUPS = (
    (-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2),
    (-2, -1, 0), (-1, 0, 1), (0, 1, 2),
)  # fmt: skip


def attributes(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """The attributes of every token of a sentence, given without its labels."""
    found: list[list[str]] = [[] for _ in columns[0]]
    for number, column in enumerate(columns):
        padded = ["<s2>", "<s1>", *column, "</s1>", "</s2>"]
        for group in OTHER_GROUPS if number else WORD_GROUPS:
            name = f"{number}[{','.join(map(str, group))}]="
            for t, own in enumerate(found):
                own.append(name + "|".join(padded[t + REACH + k] for k in group))
    return found


@final
@dataclass(frozen=True, eq=False)
class Index:
    """The number of every attribute that was seen in training."""

    number: dict[str, int]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[Sequence[str]]]) -> "Index":
        """Number the attributes as they are first seen."""
        number: dict[str, int] = {}
        for columns in sentences:
            for own in attributes(columns):
                for attribute in own:
                    number.setdefault(attribute, len(number))
        return cls(number)

    def __len__(self) -> int:
        return len(self.number)

    @property
    def columns(self) -> int:
        """How many columns there are without the labels, as the attributes' names have it."""
        return 1 + max(int(name[: name.index("[")]) for name in self.number)

    def numbers(
        self, sentences: Iterable[Sequence[Sequence[str]]]
    ) -> tuple[Int32[np.ndarray, " P"], Int64[np.ndarray, " T+1"]]:
        """The known attributes of all tokens, and where each token's begin."""
        found: list[int] = []
        first = [0]
        for columns in sentences:
            for own in attributes(columns):
                found += [self.number[name] for name in own if name in self.number]
                first.append(len(found))
        return np.array(found, np.int32), np.array(first, np.int64)
