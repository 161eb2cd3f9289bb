"""The reservoir of a run: recently read windows, a function of the step alone."""

import numpy as np
import pytest

from wordrbm.sampling import AliasTable, word_tables
from wordrbm.training import TrainingSettings
from wordrbm.training.batches import RENEWAL, recent_windows

B, R, WORDS = 8, 40, 1000
PERIOD = RENEWAL * R // B
SETTINGS = TrainingSettings(
    window=2, batch_size=B, chains=B, reservoir=R, jumps=2, bigram_share=0.3
)


@pytest.fixture
def batches():
    """Window g is (g, g): what was asked for can be seen."""
    return lambda first, size: np.repeat(np.arange(first, first + size)[:, None], 2, axis=1)


@pytest.fixture
def recent(batches):
    return recent_windows(batches, word_tables(AliasTable.build(np.ones(WORDS)), 2), SETTINGS)


def held(jumps):
    return jumps.reservoir.table.windows.rows[:, 0].tolist()


def test_it_holds_the_windows_read_just_before(recent):
    assert held(recent.at(0)) == list(range(R))  # none was read before the first block
    assert held(recent.at(PERIOD - 1)) == list(range(R))
    last = 2 * PERIOD * B
    assert held(recent.at(2 * PERIOD + 3)) == list(range(last - R, last))


def test_it_is_a_function_of_the_step_alone(recent, batches):
    """A run that goes on in the middle of a block has the reservoir of one that never stopped."""
    for step in range(0, 4 * PERIOD, 7):
        before = held(recent.at(step))
        again = recent_windows(batches, recent.jumps.reservoir.table.words, SETTINGS)
        assert held(again.at(step)) == before
        tables = [x.jumps.reservoir.table.bigrams for x in (recent, again)]
        for one, other in zip(*tables, strict=True):
            np.testing.assert_array_equal(one, other)


def test_without_jumps_there_is_none(batches):
    chosen = TrainingSettings(window=2, jumps=0)
    assert recent_windows(batches, word_tables(AliasTable.build(np.ones(WORDS)), 2), chosen) is None
