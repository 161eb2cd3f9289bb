"""Whether the chains still follow the model, at a cost that has no K.

When they do, what was dreamt has about the free energy of what was read. A model that learns faster
than its chains can move puts its mass where neither of them is; the free energy of the chains
then falls far below that of the rows, and the model knows less than the columns by themselves.
"""

import warnings

from sklearn.exceptions import ConvergenceWarning

from wordrbm.inference.precision import evaluate_in_double
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Words

MOST_ROWS = 1000
TOLERATED = 5.0  # nats


def warn_if_lost(rbm: WordRepRBM, read: Words, dreamt: Words) -> None:
    """Warn when the chains are much likelier under the model than the rows it has read."""
    read = read[:: max(1, len(read) // MOST_ROWS)]
    gap = float(
        evaluate_in_double(WordRepRBM.free_energy, rbm, read).mean()
        - evaluate_in_double(WordRepRBM.free_energy, rbm, dreamt).mean()
    )
    if gap > TOLERATED:
        warnings.warn(
            f"The free energy of the rows is {gap:.1f} above that of the chains, so the chains did "
            "not follow the model; raise mh_steps or chains, or lower word_rate and hidden_rate.",
            ConvergenceWarning,
            stacklevel=3,
        )
