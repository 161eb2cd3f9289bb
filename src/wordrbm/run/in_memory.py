"""Train a word-representation RBM on windows in memory, without any file.

An `InMemoryTrainer` holds what lasts from one call to the next: the model, its proposals and the
learning rate of each row. Making one costs O(K); training on more windows costs nothing that
grows with K.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from wordrbm.kernels.bigrams import WordTables
from wordrbm.kernels.optimizer import RowRates
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains, Metropolis, PooledMetropolis, sweep, word_tables
from wordrbm.sampling.proposals import Columns
from wordrbm.shapes import Array, Probability, Words
from wordrbm.text.windows import Windows, read_batch
from wordrbm.training import Progress, TrainingSettings, TrainingState, start
from wordrbm.training.batches import Batches
from wordrbm.training.optimizer import row_rates_of
from wordrbm.training.spectral import initial_model, random_model
from wordrbm.training.trainer import averaged, updates

OnUpdate = Callable[[Progress], None]  # called after every update; may raise `Stopped`


@final
@dataclass(frozen=True, eq=False)
class InMemoryTrainer:
    """A model, its proposals and its row rates; training can continue from call to call."""

    rbm: WordRepRBM
    transition: PooledMetropolis
    row_rates: RowRates
    words: WordTables

    @classmethod
    def for_text(
        cls, windows: Windows, q: Probability, settings: TrainingSettings,
        init: WordRepRBM | None = None,
    ) -> "InMemoryTrainer":  # fmt: skip
        """A model of text, fresh or a copy of `init`: a position holds any word, as often as q."""
        if init is None:
            rbm = initial_model(settings, _batches(windows, settings, 0), len(windows), q)
        else:
            rbm = copy_model(init)
        proposals = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
        return cls._make(rbm, proposals, q, settings)

    @classmethod
    def for_table(
        cls, columns: Columns, settings: TrainingSettings, rbm: WordRepRBM | None = None
    ) -> "InMemoryTrainer":
        """A model of a table, random or `rbm` itself: position i holds values of column i."""
        frequency = np.concatenate(columns)
        proposals = PooledMetropolis.from_columns(columns, steps=settings.mh_steps)
        # Of all values in a row of n columns, one n-th is of column i.
        if rbm is None:
            rbm = random_model(np.random.default_rng(settings.seed), settings, frequency)
        return cls._make(rbm, proposals, frequency / len(columns), settings)

    @classmethod
    def _make(
        cls, rbm: WordRepRBM, transition: PooledMetropolis, frequency: Probability,
        settings: TrainingSettings,
    ) -> "InMemoryTrainer":  # fmt: skip
        row_rates = row_rates_of(rbm, frequency, settings)
        return cls(rbm, transition, row_rates, word_tables(transition.proposal, rbm.positions))

    def initial_state(self, windows: Windows, settings: TrainingSettings) -> TrainingState:
        """The state before the first update: persistent chains start at windows of the data."""
        return start(self.rbm, _batches(windows, settings, 0), settings)

    def train(
        self, windows: Windows, settings: TrainingSettings, state: TrainingState, threads: int
    ) -> Iterator[tuple[TrainingState, Progress]]:
        """Update the model in place until the settings' number of windows is read."""
        batches = _batches(windows, settings, state.step)
        return updates(
            self.rbm, self.transition, batches, settings, state, self.row_rates,
            words=self.words, threads=threads,
        )  # fmt: skip

    def train_from_start(
        self, windows: Windows, settings: TrainingSettings, threads: int, on_update: OnUpdate
    ) -> WordRepRBM:
        """Run all updates of the settings; returns the model, averaged if they say so."""
        state = self.initial_state(windows, settings)
        for next_state, progress in self.train(windows, settings, state, threads):
            state = next_state
            on_update(progress)
        return averaged(self.rbm, state)

    def sample(self, chains: Chains, count: int, sweeps: int, seed: int) -> Words:
        """Samples of the model: `count` chains, started from the given ones, after some sweeps.

        Every sample has a chain and proposals of its own [Dahl 2012, section 4]: those that start
        from the same persistent chain separate in the first sweep.
        """
        pooled, stream = self.transition, seed_stream(seed, 0, 0)
        transition = Metropolis(pooled.steps, pooled.proposal, pooled.log_q)
        start = np.random.default_rng(seed).permutation(max(count, len(chains.v)))[:count]
        state = Chains(*(part[start % len(chains.v)] for part in chains))
        for _ in range(sweeps):
            state, _ = sweep(stream, self.rbm, transition, state)
        return state.v

    def writable(self) -> "InMemoryTrainer":
        """A trainer whose arrays can be written to: read-only ones are copied.

        Arrays of a model that was stored and memory-mapped may be read-only; the compiled update
        writes in place and would end the process.
        """
        rbm = WordRepRBM(**{name: writable(x) for name, x in self.rbm.parameters().items()})
        return replace(self, rbm=rbm, row_rates=RowRates(*map(writable, self.row_rates)))


def writable(array: Array) -> Array:
    """The array itself if it can be written to, else a copy."""
    return array if array.flags.writeable else np.array(array)


def writable_state(state: TrainingState) -> TrainingState:
    """A state whose chains and velocity can be written to."""
    velocity = {name: writable(x) for name, x in state.velocity.items()}
    return state._replace(chains=Chains(*map(writable, state.chains)), velocity=velocity)


def copy_model(rbm: WordRepRBM) -> WordRepRBM:
    """The same model in memory of its own."""
    return replace(rbm, **{name: np.array(value) for name, value in rbm.parameters().items()})


def rows_as_windows(v: Words) -> Windows:
    """A table as a text in which every row is a span of its own."""
    N, n = v.shape
    return Windows(np.ascontiguousarray(v).ravel(), np.arange(N) * n, np.arange(N + 1), n)


def _batches(windows: Windows, settings: TrainingSettings, first_step: int) -> Batches:
    """The shuffled windows from update `first_step` on: each once, then each once again."""

    def batches(first: int, size: int) -> Words:
        # Windows of an earlier call have been read.
        position = max(0, first - first_step * settings.batch_size)
        return read_batch(windows, settings.seed + first_step, position, size)

    return batches
