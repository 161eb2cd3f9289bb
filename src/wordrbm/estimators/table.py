"""A table of categories as windows of words.

Column i of a table holds values ``0 .. K_i - 1``. Laid end to end, the values of all columns are
one vocabulary: value x of column i is the word ``offset_i + x``, with ``offset_i = K_0 + .. +
K_{i-1}``. A row of n values is then a window of n words whose position i only ever holds words
of column i.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from wordrbm.estimators.refused import NoNumbers, Refused
from wordrbm.sampling import column_offsets
from wordrbm.shapes import Words

MOST_WORDS = 2**31 - 1  # words are 32-bit integers
MOST_UNASKED = 10_000_000  # values of a column that nobody asked for: memory is in proportion
MOST_A_ROW = 1000  # or so many for every row


@final
@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a table: how many values each has, and what it is called."""

    sizes: tuple[int, ...]
    names: tuple[str, ...]  # for sentences only

    @property
    def offsets(self) -> Int[np.ndarray, " O"]:
        """The first word of each column, and the number of all words."""
        return column_offsets(self.sizes)

    def words(self, X: Shaped[np.ndarray, "N n"]) -> Words:
        """Values as words; every value must be one its column knows."""
        X = categories(X, self.names)
        beyond = np.array(self.sizes) <= X
        if beyond.any():
            row, i = _first(beyond)
            _refuse(X, row, i, self.names, f"a whole number from 0 to {self.sizes[i] - 1}")
        return (X.astype(np.int64) + self.offsets[:-1]).astype(np.int32)

    def values(self, v: Words) -> Int[np.ndarray, "N n"]:
        """Words as values: the inverse of `words`."""
        return v - self.offsets[:-1]


def table_of(X: Shaped[np.ndarray, "N n"], names: Sequence[str], asked: Any) -> Table:
    """The columns of X, with as many values as were asked for or else as were seen."""
    X = categories(X, names)
    # Widened first: the largest of 8 bits has none above it.
    seen = X.max(axis=0).astype(np.float64) + 1
    if asked is None:
        _refuse_sparse(seen, len(X), names)
    return Table(sizes_of(X.shape[1], seen if asked is None else asked), tuple(names))


def sizes_of(n: int, asked: Any) -> tuple[int, ...]:
    """How many values each of n columns has, from one number or one for each column."""
    try:
        sizes = np.broadcast_to(asked, n) if np.ndim(asked) == 0 else np.asarray(asked)
    except ValueError:  # lists within lists
        sizes = np.empty(0)
    whole = sizes.shape == (n,) and sizes.dtype.kind in "iuf" and np.all(sizes >= 1)
    if not (whole and np.all(sizes == np.floor(sizes)) and sizes.sum() <= MOST_WORDS):
        raise Refused(
            f"A table of {n} columns cannot have n_categories = {asked!r}; give a whole number of "
            f"at least 1, or one for each column, with at most {MOST_WORDS:,} in all."
        )
    return tuple(int(size) for size in sizes)


def _refuse_sparse(sizes: Float[np.ndarray, " n"], rows: int, names: Sequence[str]) -> None:
    """A column of ids or dates would fill the memory with vectors that no row has."""
    for size, name in zip(sizes, names, strict=True):
        if size > max(MOST_UNASKED, MOST_A_ROW * rows):
            raise Refused(
                f"column {name} holds {size - 1:g} in a table of {rows} rows, as if it held ids; "
                "encode the column with OrdinalEncoder, or set n_categories if it has so many "
                "values."
            )


def smoothed(counts: Int[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    """Frequencies with no zero: unseen values share what values seen once have in all.

    A value not yet seen is about as likely as one seen once was before [Good 1953], but never
    counts for more than one sighting, so a million unseen values do not drown the others.
    """
    unseen, once = int(np.count_nonzero(counts == 0)), int(np.count_nonzero(counts == 1))
    weight = np.maximum(counts, min(1.0, max(once, 1) / max(unseen, 1)))
    return weight / weight.sum()


def categories(X: Shaped[np.ndarray, "N n"], names: Sequence[str]) -> Shaped[np.ndarray, "N n"]:
    """The values as numbers; the first that is no category of any column is told."""
    X, expected = _numbers(X), "a whole number from 0 on"
    for wrong in (~np.isfinite(X), np.floor(X) != X):
        if wrong.any():
            _refuse(X, *_first(wrong), names, expected)
    if (X < 0).any():
        _refuse(X, *_first(X < 0), names, expected, "Negative values in data: ")
    return X


def _numbers(X: Shaped[np.ndarray, "N n"]) -> Shaped[np.ndarray, "N n"]:
    """Python's own numbers as doubles, None as NaN; numbers of numpy's as they are."""
    found = f"they are of {X.dtype}"
    try:
        if X.dtype.kind in "biufO":
            return X.astype(np.float64) if X.dtype.kind == "O" else X
    except (TypeError, ValueError, OverflowError) as error:
        found = str(error)
    raise NoNumbers(
        f"The values of the table are not all numbers ({found}); encode its columns with "
        "OrdinalEncoder."
    )


def _first(wrong: Bool[np.ndarray, "N n"]) -> tuple[int, int]:
    row, i = np.argwhere(wrong)[0]
    return int(row), int(i)


def _refuse(
    X: Shaped[np.ndarray, "N n"],
    row: int,
    i: int,
    names: Sequence[str],
    expected: str,
    opening: str = "",
) -> NoReturn:
    found = f"{X[row, i]:g}".replace("nan", "NaN")
    raise Refused(
        f"{opening}column {names[i]} holds {found} in row {row} where {expected} was expected; "
        "encode the column with OrdinalEncoder, or set n_categories to what may come."
    )
