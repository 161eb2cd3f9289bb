import pytest
from benchmarks.bound import dense_flops, pool_flops, seconds_per_flop, share
from benchmarks.running import ENDLESS


def test_the_flops_of_the_default_update():
    """Seven products of a window with U: 2 x 3 x 50 x 250 each; 256 proposals of 50 numbers."""
    assert dense_flops(n=3, d=50, H=250, r=1.0) == 7 * 75_000
    assert dense_flops(n=3, d=50, H=250, r=0.5) == 5 * 75_000
    assert pool_flops(n=3, d=50, P=256) == 76_800


def test_an_update_at_half_the_rate_of_the_products_is_at_half_the_bound():
    flops = 1_000
    needed = ENDLESS.batch_size * flops * 1e-9
    rounds = [{"flop": 1e-9, "update": 2 * needed}, {"flop": 1e-9, "update": 4 * needed}]
    assert share(rounds, flops)[:3] == pytest.approx((0.375, 0.25, 0.5))


def test_the_rate_is_of_one_product():
    assert 1e-14 < seconds_per_flop(64)() < 1e-6
