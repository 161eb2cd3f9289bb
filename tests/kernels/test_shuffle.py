import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordrbm.kernels import shuffle

seeds = st.integers(0, 2**64 - 1)
BITS = (1 << 64) - 1


def slow_mix(x):
    """splitmix64's finaliser in plain integers."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & BITS
    return x ^ (x >> 31)


def visit(seed, first, size, length):
    out = np.empty(length, np.int64)
    shuffle.shuffled_indices(np.uint64(seed), first, size, out)
    return out


@settings(deadline=None)  # the first call may compile
@given(seeds)
def test_the_mixer_is_splitmix64(x):
    assert int(shuffle.splitmix(np.uint64(x))) == slow_mix(x)


def test_the_mixer_gives_the_published_numbers():
    """The first outputs of splitmix64 seeded with 1234567 (Rosetta Code, after Vigna)."""
    golden, expected = 0x9E3779B97F4A7C15, [6457827717110365317, 3203168211198807973]
    states = [(1234567 + golden * k) & BITS for k in (1, 2)]
    assert [int(shuffle.splitmix(np.uint64(state))) for state in states] == expected


@settings(deadline=None)  # the first call may compile
@given(seeds, st.integers(1, 3_000), st.integers(0, 10**6))
def test_every_index_comes_once_an_epoch(seed, size, epoch):
    order_of_epoch = visit(seed, epoch * size, size, size)
    assert sorted(order_of_epoch.tolist()) == list(range(size))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 4096, 4097, 1_000_003])
def test_every_index_comes_once_at_awkward_sizes(size):
    assert np.bincount(visit(7, 0, size, size), minlength=size).tolist() == [1] * size


@settings(deadline=None)  # the first call may compile
@given(seeds, st.integers(1, 2**41), st.integers(0, 2**50))
def test_any_size_stays_within_bounds_and_depends_on_the_visit_alone(seed, size, first):
    found = visit(seed, first, size, 7)
    assert ((found >= 0) & (found < size)).all()
    one_by_one = [visit(seed, first + i, size, 1)[0] for i in range(7)]
    assert found.tolist() == one_by_one


def test_the_order_looks_random():
    """Uniform in every stretch, no stride, no memory: 5 sigma of what chance would give."""
    size = 100_003
    found = visit(3, 0, size, size)
    for part in np.array_split(found / size, 10):
        assert abs(part.mean() - 0.5) < 5 * (1 / 12 / part.size) ** 0.5
    steps = np.diff(found) % size
    assert np.bincount(steps, minlength=size).max() < 12  # Poisson of mean 1
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 5 / size**0.5
    assert np.count_nonzero(found == np.arange(size)) < 10  # fixed points, Poisson of mean 1
    assert abs(np.bincount(found[:1000] & 1)[0] - 500) < 5 * 250**0.5


def test_epochs_and_seeds_differ():
    size = 10_007
    orders = [visit(1, 0, size, size), visit(1, size, size, size), visit(2, 0, size, size)]
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        assert np.count_nonzero(orders[a] == orders[b]) < 12
        assert abs(np.corrcoef(orders[a], orders[b])[0, 1]) < 5 / size**0.5


def test_small_sizes_reach_every_order():
    """Over 2,400 keys each of the 24 orders of 4 comes about 100 times (5 sigma: 50)."""
    found = {}
    for seed in range(2_400):
        key = tuple(visit(seed, 0, 4, 4).tolist())
        found[key] = found.get(key, 0) + 1
    assert len(found) == 24
    assert min(found.values()) > 50
    assert max(found.values()) < 150
