from dataclasses import replace

import numpy as np
import pytest

from tests import reference
from wordrbm.estimators.conditional import column_log_probability, value_log_probability

PARTS = [slice(0, 2), slice(2, 5)]  # the words of each column


@pytest.mark.parametrize("i", [0, 1])
def test_a_column_given_the_rest_is_the_referees(wordrep, i):
    """The referee's cloze over all words, kept to the column."""
    v = np.array([[0, 2], [1, 4], [1, 3]])
    found = column_log_probability(wordrep, v, i, PARTS[i])
    for row, log_p in zip(v, found, strict=True):
        p = reference.cloze(wordrep, row, i)[PARTS[i]]
        np.testing.assert_allclose(np.exp(log_p), p / p.sum(), rtol=1e-9)
    here = found[np.arange(3), v[:, i] - PARTS[i].start]
    np.testing.assert_allclose(value_log_probability(wordrep, v, i, PARTS[i]), here, rtol=1e-12)


def test_products_are_in_double_precision(wordrep):
    narrow = {name: x.astype(np.float32) for name, x in wordrep.parameters().items()}
    wide = {name: x.astype(np.float64) for name, x in narrow.items()}
    v = np.array([[0, 2], [1, 4]])
    a, b = (
        column_log_probability(replace(wordrep, **numbers), v, 1, PARTS[1])
        for numbers in (narrow, wide)
    )
    np.testing.assert_allclose(a, b, rtol=1e-12)
