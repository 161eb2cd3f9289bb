"""What may not be written to is copied before it is learnt on.

A model that its caller stored and mapped into memory again may have arrays that can only be
read; the compiled loops of an update write in place and would end the process. What can be written
to stays what it is, so this costs nothing that grows with K but once after such a load.
"""

from dataclasses import replace

import numpy as np

from wordrbm.estimators.learning import Learner
from wordrbm.models import WordRepRBM
from wordrbm.models.wordrep import position_inner
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.training import TrainingState
from wordrbm.training.optimizer import RowRates


def thawed(array: Array) -> Array:
    """The array itself if it can be written to, else a copy."""
    return array if array.flags.writeable else np.array(array)


def thawed_learner(learner: Learner) -> Learner:
    """A learner whose model and row steps can be written to."""
    rbm = WordRepRBM(**{name: thawed(x) for name, x in learner.rbm.parameters().items()})
    rbm = replace(rbm, U=position_inner(rbm.U))  # pickling lays it out otherwise
    steps = learner.row_rates
    row_rates = RowRates(thawed(steps.rate_scale), thawed(steps.max_weight), thawed(steps.total))
    return replace(learner, rbm=rbm, row_rates=row_rates)


def thawed_state(state: TrainingState) -> TrainingState:
    """A state whose chains and velocity can be written to."""
    velocity = {name: thawed(x) for name, x in state.velocity.items()}
    return state._replace(chains=Chains(*map(thawed, state.chains)), velocity=velocity)
