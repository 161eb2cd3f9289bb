"""What a rank of periodic mode trains on, and when it is averaged with the others."""

import numpy as np
import pytest

from wordrbm.training import TrainingSettings
from wordrbm.training.local_training import (
    FIRST_INTERVAL,
    GROWTH,
    AveragingSchedule,
    RankBatches,
    rank_settings,
)


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


@pytest.mark.parametrize("every", [1, 3, FIRST_INTERVAL, 25, 100, 400])
def test_intervals_grow_with_the_updates_made_until_they_are_as_long_as_asked_for(every):
    schedule = AveragingSchedule(every)
    due = [step for step in range(1, 30_000) if schedule.is_due(step)]
    for before, after in zip([0, *due], due, strict=False):
        share = max(FIRST_INTERVAL, GROWTH * before)
        assert after - before == every if share >= every else abs(after - before - share) <= 0.5


@pytest.mark.parametrize("world", [1, 2, 3])
def test_the_ranks_read_every_batch_once(world):
    B, text = 4, np.arange(400).reshape(-1, 2)
    parts = [RankBatches(lambda i, k: text[i : i + k], rank, world, B) for rank in range(world)]
    size = B * (len(text) // B // world)
    read = np.concatenate([part(0, size) for part in parts])
    assert len(np.unique(read[:, 0])) == size * world
    for part in parts:
        np.testing.assert_array_equal(part(3, 9), part(0, 12)[3:])
