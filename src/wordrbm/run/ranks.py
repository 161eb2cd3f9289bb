"""What a training run asks of the other processes that take part in it.

`SingleProcess` is a run without any; `ExactRanks` and `PeriodicRanks` are those of a
`ProcessGroup`. Only the first rank writes files; failures and stops are of all of them.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar, final

import numpy as np

from wordrbm.models import WordRepRBM
from wordrbm.run.evaluation import is_score_due
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.training import TrainingSettings, TrainingState
from wordrbm.training.batches import Batches
from wordrbm.training.exchange import ExactExchange, Exchange, Requests
from wordrbm.training.local_training import SCHEDULE, AveragingSchedule, RankBatches, rank_settings
from wordrbm.training.optimizer import part_slice
from wordrbm.training.periodic import PeriodicExchange
from wordrbm.training.table_exchange import SharingTransport, TableExchange, share_tables

T = TypeVar("T")
Start: TypeAlias = Callable[[], TrainingState]


class TrainingGroup(SharingTransport, Protocol):
    """What `training.distributed.ProcessGroup` does, for a run that need not know torch."""

    @property
    def is_first(self) -> bool: ...

    def on_all(self, function: Callable[[], T]) -> T: ...

    def on_first(self, function: Callable[[], T]) -> T | None: ...

    def check_same(self, facts: dict[str, Any]) -> None: ...

    def broadcast(
        self, arrays: dict[str, Array], message: dict[str, Any]
    ) -> tuple[dict[str, Array], dict[str, Any]]: ...


class Ranks(Protocol):
    """The processes of a run."""

    @property
    def is_first(self) -> bool:
        """Whether this process writes the files."""
        ...

    @property
    def exchange(self) -> Exchange | None: ...

    def on_all(self, function: Callable[[], T]) -> T:
        """Call a function on every rank; what one raises all raise."""
        ...

    def on_first(self, function: Callable[[], T]) -> T | None:
        """Call a function on the first rank, while the others wait; what it raises all raise."""
        ...

    def check_same(self, facts: dict[str, Any]) -> None:
        """Refuse ranks that were started with something else."""
        ...

    def broadcast(
        self, arrays: dict[str, Array], message: dict[str, Any]
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """The arrays and the message of the first rank."""
        ...

    def place(self, model: WordRepRBM, state: TrainingState) -> tuple[WordRepRBM, TrainingState]:
        """The model and the state in memory that all ranks share, if they share tables."""
        ...

    def agree(self, wanted: Requests, step: int) -> Requests:
        """What all ranks do after this update, given what this one wants."""
        ...

    def complete(self, state: TrainingState, settings: TrainingSettings) -> TrainingState:
        """The state with the parts that other ranks hold."""
        ...

    def divide(self, settings: TrainingSettings) -> TrainingSettings:
        """The settings of the updates that this rank makes."""
        ...

    def select(self, batches: Batches, batch_size: int) -> Batches:
        """The batches that this rank reads."""
        ...

    def divide_chains(self, state: TrainingState, started: Start) -> TrainingState:
        """The state with the chains of this rank; `started` gives it before the first update."""
        ...

    @property
    def periodic(self) -> dict[str, int] | None:
        """How the ranks are averaged, if they are: what a resume must agree with."""
        ...


class Undivided:
    """A run whose settings, batches and chains are the same on every rank."""

    def place(self, model: WordRepRBM, state: TrainingState) -> tuple[WordRepRBM, TrainingState]:
        return model, state

    def divide(self, settings: TrainingSettings) -> TrainingSettings:
        return settings

    def select(self, batches: Batches, batch_size: int) -> Batches:
        return batches

    def divide_chains(self, state: TrainingState, started: Start) -> TrainingState:
        return state


@final
class SingleProcess(Undivided):
    """A run in this process alone."""

    is_first = True
    exchange: Exchange | None = None
    periodic: dict[str, int] | None = None

    def on_all(self, function: Callable[[], T]) -> T:
        return function()

    def on_first(self, function: Callable[[], T]) -> T | None:
        return function()

    def check_same(self, facts: dict[str, Any]) -> None:
        pass

    def broadcast(
        self, arrays: dict[str, Array], message: dict[str, Any]
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        return arrays, message

    def agree(self, wanted: Requests, step: int) -> Requests:
        return wanted

    def complete(self, state: TrainingState, settings: TrainingSettings) -> TrainingState:
        return state


@final
class ExactRanks(Undivided):
    """Ranks that share the shards of every update: the bytes are those of one process."""

    periodic: dict[str, int] | None = None

    def __init__(self, group: TrainingGroup) -> None:
        self.is_first, self._group = group.is_first, group
        self.exchange: ExactExchange | TableExchange = ExactExchange(group)
        self.on_all, self.on_first = group.on_all, group.on_first
        self.check_same, self.broadcast = group.check_same, group.broadcast

    def place(self, model: WordRepRBM, state: TrainingState) -> tuple[WordRepRBM, TrainingState]:
        shared = share_tables(model, state.velocity, state.averages, self._group)
        if shared is None:
            return model, state
        self.exchange = TableExchange(self._group)
        model, velocity, averages = shared
        return model, state._replace(velocity=velocity, averages=averages)

    def agree(self, wanted: Requests, step: int) -> Requests:
        return self.exchange.agree(wanted, step)

    def complete(self, state: TrainingState, settings: TrainingSettings) -> TrainingState:
        self.exchange.complete(state.chains, state.velocity, settings.shards)
        return state


@final
class PeriodicRanks:
    """Ranks that train on their own, and are averaged after some updates and before a score."""

    def __init__(self, group: TrainingGroup, average_every: int) -> None:
        self._group = group
        self._local: TrainingSettings | None = None
        schedule = AveragingSchedule(average_every, self._is_score_due)
        self.is_first, self.exchange = group.is_first, PeriodicExchange(group, schedule)
        self.on_all, self.on_first = group.on_all, group.on_first
        self.check_same, self.broadcast = group.check_same, group.broadcast
        self.agree = self.exchange.agree
        self.periodic = {
            "average_every": average_every,
            "world_size": group.world,
            "averaging_schedule": SCHEDULE,
        }

    def _is_score_due(self, step: int) -> bool:
        assert self._local is not None
        return is_score_due(step, self._local.steps, self._local.evaluations)

    def complete(self, state: TrainingState, settings: TrainingSettings) -> TrainingState:
        """The state with the chains of all ranks in their order, on the first with all averages."""
        v, h = (self._group.all_gather(np.ascontiguousarray(x)) for x in state.chains)
        chains = Chains(v.reshape(-1, v.shape[2]), h.reshape(-1, h.shape[2]))
        averages = state.averages and self.exchange.complete(state.averages)
        return state._replace(chains=chains, averages=averages)

    def divide(self, settings: TrainingSettings) -> TrainingSettings:
        """The updates are divided among the ranks; each has random numbers of its own."""
        self._local = rank_settings(settings, self._group.rank, self._group.world)
        return self._local

    def place(self, model: WordRepRBM, state: TrainingState) -> tuple[WordRepRBM, TrainingState]:
        return model, state

    def select(self, batches: Batches, batch_size: int) -> Batches:
        return RankBatches(batches, self._group.rank, self._group.world, batch_size)

    def divide_chains(self, state: TrainingState, started: Start) -> TrainingState:
        if state.step == 0:
            return started()
        part = part_slice(self._group.rank, self._group.world, len(state.chains.v))
        return state._replace(chains=Chains(state.chains.v[part], state.chains.h[part]))


def ranks_of(group: TrainingGroup, average_every: int | None) -> Ranks:
    """The ranks of a group: exact, or averaged after so many updates."""
    return PeriodicRanks(group, average_every) if average_every else ExactRanks(group)
