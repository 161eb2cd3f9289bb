"""An update allocates and changes the same amount whatever K is."""

import tracemalloc

import numpy as np
import pytest

from wordrbm.models import init_softmax, init_wordrep
from wordrbm.sampling import Metropolis, PooledMetropolis
from wordrbm.training import check_settings, start, train

# A reservoir so small that every update stores other windows, and counts their bigrams anew.
BIGRAMS = {"jumps": 3, "bigram_share": 0.3, "reservoir": 4}


def running(K, build, operator, **changes):
    """A run over random windows of K words, past its first update."""
    sizes = {"batch_size": 16, "chains": 16, "shards": 2, "mh_steps": 8, "windows": 16 * 50}
    chosen = check_settings({**sizes, **changes})
    q = np.full(K, 1 / K)
    model = build(np.random.default_rng(1), n=3, H=6, word_probability=q)
    text = np.random.default_rng(2).integers(K, size=(500, 3)).astype(np.int32)

    def batches(first, size):
        return text[(first + np.arange(size)) % len(text)]

    transition = operator.from_probability(q, steps=chosen.mh_steps)
    updates = train(model, transition, batches, chosen, start(model, batches, chosen), q=q)
    next(updates)
    return model, updates


def peak(K, build, operator, **changes):
    """The most memory that one update takes beyond what is already there."""
    _, updates = running(K, build, operator, **changes)
    tracemalloc.start()
    try:
        next(updates)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def wordrep(rng, **sizes):
    return init_wordrep(rng, d=4, **sizes)


@pytest.mark.parametrize("operator", [Metropolis, PooledMetropolis])
@pytest.mark.parametrize("build", [wordrep, init_softmax])
def test_an_update_allocates_nothing_that_grows_with_k(build, operator):
    small, large = peak(1_000, build, operator), peak(200_000, build, operator)
    assert large < 1.1 * small + 10_000


def test_jumps_from_bigrams_allocate_nothing_that_grows_with_k():
    small, large = (peak(K, wordrep, PooledMetropolis, **BIGRAMS) for K in (1_000, 200_000))
    assert large < 1.1 * small + 10_000


@pytest.mark.parametrize(("changes", "proposals"), [({}, 16), (BIGRAMS, 2 * 16)])
def test_an_update_changes_only_rows_of_the_two_phases(changes, proposals):
    model, updates = running(200_000, wordrep, PooledMetropolis, **changes)
    before = model.D.copy()
    next(updates)
    changed = np.flatnonzero((before != model.D).any(axis=1))
    assert (
        0 < len(changed) <= (16 + 16 + proposals + 64) * 3
    )  # windows read, chains, proposals, candidates
