"""The update of the word-representation RBM with pooled proposals, each half one compiled call.

It keeps room for the gradients of all shards for the whole run, so an update allocates nothing but
its chains. Held equal to `PlainUpdate` by tests.
"""

from typing import final

import numpy as np

from wordrbm.kernels.climb import Limits, Pace, Speeds, climb
from wordrbm.kernels.shard import Found, Proposals, Weights, compare_shard
from wordrbm.models import WordRepRBM
from wordrbm.sampling import AliasTable, Chains, PooledMetropolis, TransitionInfo
from wordrbm.shapes import Words
from wordrbm.training.optimizer import LARGEST_WEIGHT, Rates, RowSteps, Velocity
from wordrbm.training.settings import TrainingSettings


@final
class CompiledUpdate:
    """The word-representation RBM with pooled proposals from one alias table."""

    def __init__(
        self,
        model: WordRepRBM,
        transition: PooledMetropolis,
        table: AliasTable,
        settings: TrainingSettings,
        row_steps: RowSteps,
    ) -> None:
        self._settings = settings
        self._weights = Weights(model.D, model.stacked, model.b, model.c)
        self._proposals = Proposals(
            table.keep, table.alias, transition.log_q, transition.size, transition.steps
        )
        self._limits = Limits(row_steps.damping, row_steps.most, row_steps.named)
        self._found = _room(model, settings)
        self._shards = [Found(*(x[s] for x in self._found)) for s in range(settings.shards)]

    def compare(
        self, step: int, shard: int, read: Words, before: Chains, after: Chains
    ) -> TransitionInfo:
        found = self._shards[shard]
        compare_shard(
            self._settings.seed, step, shard,
            self._weights, self._proposals, read, *before, *after, found,
        )  # fmt: skip
        return TransitionInfo(found.accepted, self._proposals.steps)

    def climb(self, part: int, parts: int, velocity: Velocity, rates: Rates) -> bool:
        H, nd = self._weights.U.shape
        speeds = Speeds(velocity["U"].ravel(order="K").reshape(H, nd), velocity["c"])
        pace = self._pace(rates)
        return bool(climb(part, parts, self._weights, speeds, self._found, self._limits, pace))

    def _pace(self, rates: Rates) -> Pace:
        number = self._weights.c.dtype.type
        return Pace(
            word=number(rates.word),
            word_shrink=number(rates.word * rates.l2),
            hidden=number(rates.hidden / self._settings.batch_size),
            hidden_shrink=number(rates.hidden * rates.l2),
            momentum=number(rates.momentum),
            bound=number(LARGEST_WEIGHT),
        )


def _room(model: WordRepRBM, settings: TrainingSettings) -> Found:
    """Room for what all shards find, one after another."""
    S, dtype = settings.shards, model.c.dtype
    (n, H, d), M = model.U.shape, settings.chains // settings.shards
    R = (settings.batch_size // S + M) * n
    return Found(
        U=np.empty((S, H, n * d), dtype),
        c=np.empty((S, H), dtype),
        number=np.empty((S, R), np.int32),
        D=np.empty((S, R, d), dtype),
        b=np.empty((S, R), dtype),
        accepted=np.empty((S, M, n), np.int32),
    )
