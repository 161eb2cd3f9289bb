"""Windows in memory become a trained model: what both estimators do, with no file in sight.

A `Learner` holds what stays from one call to the next: the model, where its proposals come from,
and how far each row may go. Building it costs O(K); learning from more windows costs nothing
that grows with K.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from wordrbm.kernels.jumps import WordTables
from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.sampling import PooledMetropolis, word_tables
from wordrbm.sampling.proposals import Columns
from wordrbm.shapes import Probability, Words
from wordrbm.text.windows import Windows, read_batch
from wordrbm.training import Progress, TrainingSettings, TrainingState, start
from wordrbm.training.batches import Batches
from wordrbm.training.optimizer import RowRates
from wordrbm.training.trainer import row_rates_of, updates


@final
@dataclass(frozen=True, eq=False)
class Learner:
    """A model that can go on learning."""

    rbm: WordRepRBM
    transition: PooledMetropolis
    row_rates: RowRates
    words: WordTables

    def begin(self, windows: Windows, settings: TrainingSettings) -> TrainingState:
        """The state before the first update: chains stand on windows."""
        return start(self.rbm, _batches(windows, settings, 0), settings)

    def learn(
        self, windows: Windows, settings: TrainingSettings, state: TrainingState, threads: int
    ) -> Iterator[tuple[TrainingState, Progress]]:
        """Go on until the settings' number of updates is reached; the model changes in place."""
        batches = _batches(windows, settings, state.step)
        return updates(
            self.rbm, self.transition, batches, settings, state, self.row_rates,
            words=self.words, threads=threads,
        )  # fmt: skip


Tell = Callable[[Progress], None]


def learnt(
    learner: Learner, windows: Windows, settings: TrainingSettings, threads: int, tell: Tell
) -> WordRepRBM:
    """The learner's model after all updates of the settings; each one is told."""
    state = learner.begin(windows, settings)
    for _, progress in learner.learn(windows, settings, state, threads):
        tell(progress)
    return learner.rbm


def text_learner(q: Probability, settings: TrainingSettings) -> Learner:
    """For windows of text: every position holds any word, with probability q."""
    proposals = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
    return _learner(_fresh(q, settings), proposals, q, settings)


def further(rbm: WordRepRBM, q: Probability, settings: TrainingSettings) -> Learner:
    """For windows of text, from a model as it is now: a copy goes on learning."""
    proposals = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
    return _learner(copied(rbm), proposals, q, settings)


def copied(rbm: WordRepRBM) -> WordRepRBM:
    """The same model in memory of its own, laid out alike."""
    copies = {name: value.copy(order="K") for name, value in rbm.parameters().items()}
    return replace(rbm, **copies)


def table_learner(columns: Columns, settings: TrainingSettings) -> Learner:
    """For rows of a table: position i holds values of column i, with probabilities columns[i]."""
    return renewed(_fresh(np.concatenate(columns), settings), columns, settings)


def renewed(rbm: WordRepRBM, columns: Columns, settings: TrainingSettings) -> Learner:
    """The same model, learning with proposals and steps from these frequencies."""
    proposals = PooledMetropolis.from_columns(columns, steps=settings.mh_steps)
    # Of all that is read in a row of n values, one n-th is of column i.
    return _learner(rbm, proposals, np.concatenate(columns) / len(columns), settings)


def rows_as_windows(v: Words) -> Windows:
    """A table as a text in which every row is a run of its own."""
    N, n = v.shape
    return Windows(np.ascontiguousarray(v).ravel(), np.arange(N) * n, np.arange(N + 1), n)


def _fresh(q: Probability, settings: TrainingSettings) -> WordRepRBM:
    rng = np.random.default_rng(settings.seed)
    n, H, d = settings.window, settings.hidden, settings.dimension
    bias = settings.hidden_bias
    return init_wordrep(rng, n=n, H=H, d=d, word_probability=q, hidden_bias=bias)


def _learner(
    rbm: WordRepRBM, transition: PooledMetropolis, read: Probability, settings: TrainingSettings
) -> Learner:
    row_rates = row_rates_of(rbm, read, settings)
    return Learner(rbm, transition, row_rates, word_tables(transition.proposal, rbm.positions))


def _batches(windows: Windows, settings: TrainingSettings, begun: int) -> Batches:
    """The visit of these windows, begun at the given update: each once, then each once again."""

    def batches(first: int, size: int) -> Words:
        place = max(0, first - begun * settings.batch_size)  # windows of an earlier call are gone
        return read_batch(windows, settings.seed + begun, place, size)

    return batches
