"""Bad input and failed training of estimators, in the exceptions that scikit-learn expects."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxtyping import Int
from sklearn.exceptions import ConvergenceWarning

from wordrbm.errors import InvalidInput
from wordrbm.inference.precision import evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words

MAX_CHECKED_ROWS = 1000  # whose free energy is compared with that of the chains
MAX_GAP = 5.0  # nats


class NotNumeric(InvalidInput, TypeError):  # noqa: N818 - as its base
    """Values that are not numbers; scikit-learn expects a `TypeError` there."""


def warn_if_chains_lag(rbm: WordRepRBM, rows: Words, chains: Int[np.ndarray, "M n"]) -> None:
    """Warn when the chains are much likelier under the model than the rows it was trained on.

    A model that changes faster than its chains mix puts its mass where neither rows nor chains are;
    the free energy of the chains then falls far below that of the rows. The cost is free of K.
    """
    rows = rows[:: max(1, len(rows) // MAX_CHECKED_ROWS)]
    gap = float(
        evaluate_in_double(WordRepRBM.free_energy, rbm, rows).mean()
        - evaluate_in_double(WordRepRBM.free_energy, rbm, chains).mean()
    )
    if gap > MAX_GAP:
        warnings.warn(
            f"The free energy of the rows is {gap:.1f} above that of the chains, so the chains did "
            "not follow the model; raise mh_steps or chains, or lower word_rate and hidden_rate.",
            ConvergenceWarning,
            stacklevel=3,
        )


def warn_of_wordless(counts: Any) -> None:
    """Warn of documents that have no word of the model: nothing is known of their topics."""
    wordless = int((np.asarray(counts.sum(axis=1)) == 0).sum())
    if wordless:
        warnings.warn(
            f"{wordless:,} of {counts.shape[0]:,} documents have no word of the model, so all "
            "their topics have probability 0.5; leave them out.",
            UserWarning,
            stacklevel=3,
        )


@contextmanager
def restore_on_error(estimator: Any) -> Iterator[None]:
    """Restore the attributes of an estimator if the block raises."""
    before = dict(vars(estimator))
    try:
        yield
    except Exception:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
