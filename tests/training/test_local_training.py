"""What a rank of periodic mode trains on, and when it is averaged with the others."""

import numpy as np
import pytest

from wordrbm.training import TrainingSettings
from wordrbm.training.local_training import (
    DOUBLINGS,
    OCCURRENCES_PER_READ,
    TARGET,
    AveragingSchedule,
    RankBatches,
    rank_settings,
)
from wordrbm.training.optimizer import FREQUENCY_EXPONENT


def test_a_rank_alone_has_the_settings_of_the_run():
    settings = TrainingSettings(windows=512 * 100)
    assert rank_settings(settings, 0, 1) == settings


@pytest.mark.parametrize(("world", "shards"), [(2, 2), (3, 1), (4, 1), (7, 1), (16, 1), (10**6, 1)])
def test_an_update_of_a_rank_is_its_share_of_an_exact_one_or_a_shard(world, shards):
    settings = TrainingSettings(windows=10**9)
    ranks = [rank_settings(settings, rank, world) for rank in range(3)]
    first = ranks[0]
    assert len({rank.seed for rank in ranks}) == 3
    assert all(rank.model_copy(update={"seed": first.seed}) == first for rank in ranks)
    assert (first.shards, first.batch_size, first.chains) == (shards, 128 * shards, 64 * shards)
    TrainingSettings(**first.model_dump())  # shards divide batches and chains
    assert 0 <= first.windows * world - settings.windows < first.batch_size * world


@pytest.mark.parametrize("every", [1, 3, 6, 25, 100, 400])
def test_rows_of_a_level_are_merged_after_equal_intervals(every):
    schedule = AveragingSchedule(every)
    steps = range(1, 2001)
    complete = [step for step in steps if schedule.is_complete(step)]
    levels = max(schedule.levels_due(step) for step in steps)
    for level in range(levels):
        due = [step for step in steps if schedule.levels_due(step) > level]
        assert set(np.diff([0, *due])) == {schedule.base * 2**level}
    assert complete == due
    assert levels == 1 + DOUBLINGS or schedule.base == 1
    assert every / 2 < complete[0] <= every
    assert schedule.longest == complete[0]


def test_all_levels_are_merged_before_a_score():
    schedule = AveragingSchedule(100, lambda step: step == 7)
    assert [step for step in range(1, 30) if schedule.is_complete(step)] == [7]
    assert schedule.levels_due(7) == schedule.levels_due(schedule.longest)


def test_a_row_is_merged_once_it_is_expected_to_have_occurred_a_few_times():
    read = np.array([3.0, 1.0, 0.1, 0.03, 0.01, 1e-4, 1e-9])  # of the row, in an update of a rank
    rate_scale = ((1.0 + read) ** FREQUENCY_EXPONENT).astype(np.float32)
    for every in (1, 6, 100, 400):
        schedule = AveragingSchedule(every)
        levels = schedule.row_levels(rate_scale)
        assert levels.tolist() == sorted(levels)
        between = schedule.base * 2.0**levels
        occurrences = OCCURRENCES_PER_READ * read * between
        longest, shortest = between == schedule.longest, levels == 0
        assert (between <= schedule.longest).all()
        assert (occurrences[~shortest] <= TARGET).all()
        assert (occurrences[~longest] > TARGET / 2).all()


@pytest.mark.parametrize("world", [1, 2, 3])
def test_the_ranks_read_every_batch_once(world):
    B, text = 4, np.arange(400).reshape(-1, 2)
    parts = [RankBatches(lambda i, k: text[i : i + k], rank, world, B) for rank in range(world)]
    size = B * (len(text) // B // world)
    read = np.concatenate([part(0, size) for part in parts])
    assert len(np.unique(read[:, 0])) == size * world
    for part in parts:
        np.testing.assert_array_equal(part(3, 9), part(0, 12)[3:])
