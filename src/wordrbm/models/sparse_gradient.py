"""Gradients of the log-likelihood: dense for small parameters, rows of the large tables.

A window has n words, so the gradient of a table with one row per word is a list of row numbers and
values, with repeats. Its size does not depend on K.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.shapes import Array


class Rows(NamedTuple):
    """Values to add to rows of a table; a row may occur many times."""

    number: Int[np.ndarray, " R"]
    values: Float[np.ndarray, "R r"]


class Gradient(NamedTuple):
    """``sum_b weight_b * -dE(v_b, h_b)/dtheta``, by parameter name."""

    dense: Mapping[str, Array]  # of the shape of `AbstractRBM.table`
    rows: Mapping[str, Rows]  # rows of `AbstractRBM.table`
