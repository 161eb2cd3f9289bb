"""Exact training by processes of one machine, on tables that all of them have mapped.

The ranks work as the threads of one process do: each computes the gradients of its shards, and
when all have, each applies its share of all gradients, in the order of the shards. Parameters,
velocities, running averages and gradients are in memory that all ranks share, so nothing is sent
but a few flags, at the two times when they wait for each other. Chains are not shared: each rank
has those of its shards.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar, final

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.kernels.pcd_gradient import ShardGradient
from wordrbm.kernels.update import BAD_ID, DIVERGED, UpdateState
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.training.exchange import Requests, complete_shards
from wordrbm.training.optimizer import Averages, Velocity
from wordrbm.training.transport import Transport

Model = TypeVar("Model", bound=AbstractRBM)


class SharingTransport(Transport, Protocol):
    """Messages between processes that may have memory in common."""

    def share_arrays(self, arrays: Sequence[Array]) -> list[Array] | None:
        """The arrays of the first rank, in memory that all ranks have mapped; None without it."""
        ...


@final
class TableExchange:
    """All processes together make the updates of one, of tables that they share."""

    def __init__(self, transport: SharingTransport) -> None:
        self._transport = transport
        self.rank, self.world = transport.rank, transport.world
        self.wanted = self.agreed = Requests()
        self._compiled = False

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update; `wanted` is known to all after the next."""
        self.wanted = wanted._replace(save=wanted.save and not self.agreed.save)
        return self.agreed

    def begin(self, state: UpdateState) -> UpdateState:
        shared = self._transport.share_arrays(state.gradient)
        if shared is None:
            raise WordRBMError(
                "The processes cannot share the memory for their gradients; raise `ulimit -f`, or "
                "set WORDRBM_SHARED_MEMORY=0, which sends them instead."
            )
        return state._replace(gradient=ShardGradient(*shared), shares_tables=True)

    def gather_gradients(self, state: UpdateState) -> None:
        """Wait until the gradients of all shards are there."""
        if not self._compiled:
            self._transport.meet()  # one of them may have compiled for longer than the timeout
            self._compiled = True
        flags = self._transport.all_gather(np.array([state.flags[BAD_ID], *self.wanted], np.int64))
        state.flags[BAD_ID] = flags[:, 0].max()
        self.agreed = Requests(bool(flags[:, 1].any()), bool(flags[:, 2].any()))

    def gather_parameters(self, step: int, state: UpdateState) -> None:
        """Wait until all ranks have applied their shares of the gradients."""
        diverged = self._transport.all_gather(state.flags[DIVERGED : DIVERGED + 1])
        state.flags[DIVERGED] = diverged.max()

    def complete(self, chains: Chains, velocity: object, shards: int) -> None:
        """Fetch the chains of other ranks, for a score or a checkpoint."""
        for array in chains:
            complete_shards(array.reshape(shards, -1), self._transport)


def share_tables(
    model: Model, velocity: Velocity, averages: Averages | None, transport: SharingTransport
) -> tuple[Model, Velocity, Averages | None] | None:
    """What the ranks of `TableExchange` update, in memory that all share; None without it; O(K)."""
    tables = {name: model.table(name) for name in model.parameters()}
    own = [*tables.values(), *velocity.values()]
    own += [*averages.value.values(), averages.covered] if averages else []
    arrays = transport.share_arrays(own)
    if arrays is None:
        return None
    shared = iter(arrays)
    shaped = {name: model.shaped(name, next(shared)) for name in tables}
    velocity = {name: next(shared) for name in velocity}
    if averages:
        value = {name: next(shared) for name in averages.value}
        averages = replace(averages, value=value, covered=next(shared))
    return replace(model, **shaped), velocity, averages  # type: ignore[type-var]
