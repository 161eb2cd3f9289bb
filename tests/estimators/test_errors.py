import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from wordrbm.estimators.errors import warn_if_chains_lag
from wordrbm.models import WordRepRBM

ROWS, CHAINS = np.array([[0, 0]] * 5, np.int32), np.array([[1, 1]] * 3, np.int32)


def model(gap):
    """Two words of which the second is likelier by half the gap at each of two positions."""
    D, U = np.zeros((2, 1)), np.zeros((2, 1, 1))
    return WordRepRBM(D=D, U=U, b=np.array([0.0, gap / 2]), c=np.zeros(1))


def test_chains_far_below_the_rows_warn():
    with pytest.warns(ConvergenceWarning, match=r"is 6\.0 above that of the chains"):
        warn_if_chains_lag(model(6.0), ROWS, CHAINS)


def test_chains_near_the_rows_do_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gap in (4.0, 0.0, -6.0):
            warn_if_chains_lag(model(gap), ROWS, CHAINS)
