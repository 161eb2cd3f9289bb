"""The gradient of the log-likelihood, sparse where the model is large.

A window touches n words, so the gradient in a table with one row per word is a list of rows:
their numbers and their values, with repeats. Nothing here has K entries.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.shapes import Array


class Rows(NamedTuple):
    """Values to add to the named rows of a table; a row may be named many times."""

    number: Int[np.ndarray, " R"]
    values: Float[np.ndarray, "R r"]


class Gradient(NamedTuple):
    """``sum_b weight_b * -dE(v_b, h_b)/dtheta``, by parameter name."""

    dense: Mapping[str, Array]  # same shape as the parameter
    rows: Mapping[str, Rows]  # rows of the parameter seen as a table, see `AbstractRBM.table`


def to_dense(gradient: Gradient, name: str, shape: tuple[int, ...]) -> Array:
    """The whole gradient of one parameter, repeats summed. For referees: it costs O(K)."""
    if name in gradient.dense:
        return gradient.dense[name]
    number, values = gradient.rows[name]
    table = np.zeros((int(np.prod(shape)) // values.shape[1], values.shape[1]), values.dtype)
    np.add.at(table, number, values)
    return table.reshape(shape)
