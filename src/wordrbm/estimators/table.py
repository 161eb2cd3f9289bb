"""A table of categories as windows of words: counts and conditionals of its columns.

Column i of a table holds values ``0 .. K_i - 1``. Laid end to end, the values of all columns are
one vocabulary: value x of column i is the word ``offset_i + x``, with ``offset_i = K_0 + .. +
K_{i-1}``. A row of n values is then a window of n words whose position i only ever holds words
of column i. Given the other columns, column i is a softmax over its own values alone,

    P(v_i = x | rest) = exp(b_x + sum_j softplus(a_j + (U[i] D[x])_j)) / sum over the column

with ``a = c + sum_{k != i} U[k] D[v_k]``, at a cost of O(K_i H d) a row.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, final

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from wordrbm.errors import InvalidInput
from wordrbm.estimators.errors import NotNumeric
from wordrbm.inference.precision import BLANK, evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import word_logits
from wordrbm.run.in_memory import writable
from wordrbm.sampling import column_offsets
from wordrbm.shapes import Words

MAX_WORDS = 2**31 - 1  # words are 32-bit integers
MAX_INFERRED = 10_000_000  # values of a column without n_categories: memory is in proportion
MAX_INFERRED_PER_ROW = 1000  # or so many for every row

Rows: TypeAlias = Shaped[np.ndarray, "N n"]  # values of a table


@final
@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a table: how many values each has, and their names."""

    sizes: tuple[int, ...]
    names: tuple[str, ...]  # for messages only

    @property
    def offsets(self) -> Int[np.ndarray, " O"]:
        """The first word of each column, and the number of all words."""
        return column_offsets(self.sizes)

    def words(self, X: Rows) -> Words:
        """Values as words; a value beyond the size of its column is refused."""
        X = categories(X, self.names)
        beyond = np.array(self.sizes) <= X
        if beyond.any():
            row, i = _first(beyond)
            _refuse(X, row, i, self.names, f"a whole number from 0 to {self.sizes[i] - 1}")
        return (X.astype(np.int64) + self.offsets[:-1]).astype(np.int32)

    def values(self, v: Words) -> Int[np.ndarray, "N n"]:
        """Words as values: the inverse of `words`."""
        return v - self.offsets[:-1]


def table_of(X: Rows, names: Sequence[str], n_categories: Any) -> Table:
    """The columns of X, with `n_categories` values or else as many as occur."""
    X = categories(X, names)
    if n_categories is None:
        # Widened first: the largest number of 8 bits has none above it.
        n_categories = X.max(axis=0).astype(np.float64) + 1
        _refuse_sparse(n_categories, len(X), names)
    return Table(sizes_of(X.shape[1], n_categories), tuple(names))


def sizes_of(n: int, n_categories: Any) -> tuple[int, ...]:
    """How many values each of n columns has, from one number or one for each column."""
    try:
        scalar = np.ndim(n_categories) == 0
        sizes = np.broadcast_to(n_categories, n) if scalar else np.asarray(n_categories)
    except ValueError:  # lists within lists
        sizes = np.empty(0)
    is_size = sizes.shape == (n,) and sizes.dtype.kind in "iuf" and np.all(sizes >= 1)
    if not (is_size and np.all(sizes == np.floor(sizes)) and sizes.sum() <= MAX_WORDS):
        raise InvalidInput(
            f"A table of {n} columns cannot have n_categories = {n_categories!r}; give a whole "
            f"number of at least 1, or one for each column, with at most {MAX_WORDS:,} in all."
        )
    return tuple(int(size) for size in sizes)


def _refuse_sparse(sizes: Float[np.ndarray, " n"], rows: int, names: Sequence[str]) -> None:
    """A column of ids or dates would fill the memory with vectors that no row has."""
    for size, name in zip(sizes, names, strict=True):
        if size > max(MAX_INFERRED, MAX_INFERRED_PER_ROW * rows):
            raise InvalidInput(
                f"column {name} holds {size - 1:g} in a table of {rows} rows, as if it held ids; "
                "encode the column with OrdinalEncoder, or set n_categories if it has so many "
                "values."
            )


def good_turing_frequencies(counts: Int[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
    """Frequencies with no zero: unseen values share what values seen once have in all.

    A value not yet seen is about as likely as one seen once was before [Good 1953], but never
    counts for more than one occurrence, so a million unseen values do not outweigh the others.
    """
    unseen, singletons = int(np.count_nonzero(counts == 0)), int(np.count_nonzero(counts == 1))
    weight = np.maximum(counts, min(1.0, max(singletons, 1) / max(unseen, 1)))
    return weight / weight.sum()


def column_log_probability(
    rbm: WordRepRBM, v: Words, i: int, words: slice
) -> Iterator[Float[np.ndarray, " k"]]:
    """Yield ``log P(v_i = x | rest of the row)`` of every row, for all x of column i.

    `words` are the words of the column. What a row holds in it does not matter.
    """
    U = rbm.U[i : i + 1].astype(np.float64)  # so that the products are in double precision too
    masked = v.copy()
    masked[:, i] = BLANK
    for hidden_input in evaluate_in_double(WordRepRBM.hidden_input, rbm, masked):
        column = WordRepRBM(D=rbm.D[words], U=U, b=rbm.b[words], c=hidden_input)
        blocks = word_logits(column, np.zeros((1, 1), int), 0)
        logits = np.concatenate([block[0] for _, block in blocks])
        yield logits - np.logaddexp.reduce(logits)


class CategoryCounts:
    """Running counts of all values of a table, from which proposals are made.

    Any proposals leave the model's distribution unchanged, but values that were rare then and are
    common now would hardly be proposed, and the chains would lag behind the model. So proposals
    are refreshed whenever the rows have doubled: O(K) each time, log2(rows) times in all.
    """

    def __init__(self, table: Table) -> None:
        self._offsets = table.offsets
        self._counts = np.zeros(int(self._offsets[-1]), np.int64)
        self._rows = self._rows_at_refresh = 0

    def add(self, v: Words) -> Int[np.ndarray, " _"]:
        """Count the values of some rows; returns those that are new, at a cost free of K."""
        self._counts = writable(self._counts)  # they may be read-only, as in a memory map
        new = np.unique(v[self._counts[v] == 0])
        np.add.at(self._counts, v.ravel(), 1)
        self._rows += len(v)
        return new

    def log_frequency(self, words: Int[np.ndarray, " _"]) -> Float[np.ndarray, " _"]:
        """The logarithm of the fraction of rows that hold each of these values."""
        return np.log(self._counts[words] / self._rows)

    def needs_refresh(self) -> bool:
        """Whether the rows have doubled since the last call of `frequencies`."""
        return self._rows >= 2 * self._rows_at_refresh

    def frequencies(self) -> list[Float[np.ndarray, " _"]]:
        """The smoothed frequency of each value of each column, never zero."""
        self._rows_at_refresh = self._rows
        columns: list[Int[np.ndarray, " _"]] = np.split(self._counts, self._offsets[1:-1])
        return [good_turing_frequencies(counts) for counts in columns]


def categories(X: Rows, names: Sequence[str]) -> Rows:
    """The values as numbers; one that is no category of any column is refused."""
    X, expected = _numbers(X), "a whole number from 0 on"
    for wrong in (~np.isfinite(X), np.floor(X) != X):
        if wrong.any():
            _refuse(X, *_first(wrong), names, expected)
    if (X < 0).any():
        _refuse(X, *_first(X < 0), names, expected, "Negative values in data: ")
    return X


def _numbers(X: Rows) -> Rows:
    """Python's own numbers as doubles, None as NaN; NumPy's numbers unchanged."""
    fault = f"they are of {X.dtype}"
    try:
        if X.dtype.kind in "biufO":
            return X.astype(np.float64) if X.dtype.kind == "O" else X
    except (TypeError, ValueError, OverflowError) as error:
        fault = str(error)
    raise NotNumeric(
        f"The values of the table are not all numbers ({fault}); encode its columns with "
        "OrdinalEncoder."
    )


def _first(wrong: Bool[np.ndarray, "N n"]) -> tuple[int, int]:
    row, i = np.argwhere(wrong)[0]
    return int(row), int(i)


def _refuse(
    X: Rows, row: int, i: int, names: Sequence[str], expected: str, opening: str = ""
) -> NoReturn:
    value = f"{X[row, i]:g}".replace("nan", "NaN")
    raise InvalidInput(
        f"{opening}column {names[i]} holds {value} in row {row} where {expected} was expected; "
        "encode the column with OrdinalEncoder, or set n_categories to what may come."
    )
