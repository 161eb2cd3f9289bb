"""The two halves of an update: every shard compares, then every part climbs.

`PlainUpdate` works for any model and any operator, through their own methods; `compiled.py` has the
same for the word-representation RBM with pooled proposals from one alias table.
"""

from typing import Protocol, final

import numpy as np

from wordrbm.kernels.stream import seed_stream
from wordrbm.models import AbstractRBM, Gradient, WordRepRBM
from wordrbm.sampling import AliasTable, Chains, PooledMetropolis, Transition, TransitionInfo
from wordrbm.shapes import Words
from wordrbm.training.compiled import CompiledUpdate
from wordrbm.training.gradient import shard_gradient
from wordrbm.training.optimizer import Rates, RowSteps, Velocity, ascend
from wordrbm.training.settings import TrainingSettings


class Update(Protocol):
    """What one update is made of. Shards may compare at once; then parts may climb at once."""

    def compare(
        self, step: int, shard: int, read: Words, before: Chains, after: Chains
    ) -> TransitionInfo:
        """Move a shard's chains into `after`, and keep its gradient for the climb."""

    def climb(self, part: int, parts: int, velocity: Velocity, rates: Rates) -> bool:
        """This part's share of the step; whether its dense numbers are still sane."""


def update_of(
    model: AbstractRBM, transition: Transition, settings: TrainingSettings, row_steps: RowSteps
) -> Update:
    """The compiled update where there is one for this model and operator, else the plain one."""
    if (
        isinstance(model, WordRepRBM)
        and isinstance(transition, PooledMetropolis)
        and isinstance(transition.proposal, AliasTable)
        and np.may_share_memory(model.stacked, model.U)
    ):
        return CompiledUpdate(model, transition, transition.proposal, settings, row_steps)
    return PlainUpdate(model, transition, settings, row_steps)


@final
class PlainUpdate:
    """Any model, any operator."""

    def __init__(
        self,
        model: AbstractRBM,
        transition: Transition,
        settings: TrainingSettings,
        row_steps: RowSteps,
    ) -> None:
        self._model, self._transition, self._row_steps = model, transition, row_steps
        self._settings = settings
        self._gradients: dict[int, Gradient] = {}

    def compare(
        self, step: int, shard: int, read: Words, before: Chains, after: Chains
    ) -> TransitionInfo:
        stream = seed_stream(self._settings.seed, step, shard)
        with np.errstate(over="ignore", invalid="ignore"):  # a lost run is told in a sentence
            result = shard_gradient(stream, self._model, self._transition, read, before)
        self._gradients[shard] = result.gradient
        after.v[...], after.h[...] = result.chains
        return result.info

    def climb(self, part: int, parts: int, velocity: Velocity, rates: Rates) -> bool:
        gradients = [self._gradients[shard] for shard in range(self._settings.shards)]
        B = self._settings.batch_size
        return ascend(
            self._model, gradients, velocity, rates, self._row_steps, B, part=part, parts=parts
        )
