"""What the first call of `partial_fit` fixed and no later one may change.

The sizes of the model and the number of its chains are in its arrays. Rates, steps, batches and
threads may change from call to call.
"""

from typing import Any

from wordrbm.estimators.parameters import chains_of, checked
from wordrbm.estimators.refused import Refused
from wordrbm.estimators.table import Table, sizes_of
from wordrbm.training import TrainingState


def refuse_other_sizes(estimator: Any, table: Table, state: TrainingState) -> None:
    """Stop if parameters now ask for another model than the one that is there."""
    now, rbm = checked(estimator), estimator.rbm_
    sizes = table.sizes
    asked = sizes if estimator.n_categories is None else estimator.n_categories
    pairs = {
        "n_components": (rbm.c.size, now["hidden"]),
        "dimension": (rbm.D.shape[1], now["dimension"]),
        "n_categories": (sizes, sizes_of(len(sizes), asked)),
        "chains": (len(state.chains.v), chains_of(estimator)),
    }
    changed = [f"{name} from {was} to {is_}" for name, (was, is_) in pairs.items() if was != is_]
    if changed:
        raise Refused(
            f"The parameters changed after the first call ({', '.join(changed)}); set them back, "
            "or call fit to begin afresh."
        )
