"""Windows a second on one thread, over the bound that the machine's own matrix products set.

The dense arithmetic of an update for each of its B windows, with M chains and r = M / B, is

    hidden input of both     (1 + r) 2 n d H     context of the chains          r 2 n d H
    gradient of U from both  (1 + r) 2 n d H     gradient of D from both  (1 + r) 2 n d H
    scores of the pools      r 2 n P d

and the bound is the rate of a large single-precision product over it. Drawing, exponentials, the
walk and the gathers are not counted: they are what keeps an update below the bound.
"""

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, Measure, Round, alternate, middle, ratio
from benchmarks.running import ENDLESS, made_up, pooled, seconds, updating

PRODUCTS = 3  # in a round; the fastest tells the rate


def dense_flops(n: int, d: int, H: int, r: float) -> float:
    """Of one window and r chains, the pool's scores left out."""
    return (3 * (1 + r) + r) * 2 * n * d * H


def pool_flops(n: int, d: int, P: int) -> int:
    """Of the scores of one chain's pools of P proposals."""
    return 2 * n * P * d


def seconds_per_flop(rank: int) -> Measure:
    """Of the product of two square matrices of single precision, one thread."""
    left, right = np.random.default_rng(1).random((2, rank, rank), np.float32)

    def measure() -> float:
        with threadpool_limits(1, "blas"):
            return min(seconds(lambda: left @ right) for _ in range(PRODUCTS)) / (2 * rank**3)

    return measure


def measure(effort: Effort) -> dict[str, Figure]:
    """The rate over the bound, with the flops of the pool and without."""
    text = made_up(effort.K)
    with updating(text) as run:
        measures: dict[str, Measure] = {
            "flop": seconds_per_flop(effort.rank),
            "update": partial(run, effort.updates),
        }
        measures["flop"]()  # the first product wakes the library
        rounds = alternate(measures, effort.rounds)
    n, d, H = ENDLESS.window, ENDLESS.dimension, ENDLESS.hidden
    r = ENDLESS.chains / ENDLESS.batch_size
    dense, pool = dense_flops(n, d, H, r), r * pool_flops(n, d, pooled(text.q).size)
    note = f"{ENDLESS.batch_size / middle(rounds, 'update'):,.0f} windows/s, "
    note += f"{1e-9 / middle(rounds, 'flop'):.1f} GFLOP/s"
    return {
        "of the bound": share(rounds, dense + pool, goal="≥ 0.5", note=note),
        "of the bound, pool not counted": share(rounds, dense, note=f"{dense:,.0f} flops a window"),
    }


def share(rounds: list[Round], flops: float, **told: str) -> Figure:
    """Seconds that the flops of an update need, over the seconds it takes."""
    of_update = flops * ENDLESS.batch_size
    rounds = [{**one, "needed": of_update * one["flop"]} for one in rounds]
    return ratio(rounds, "needed", "update", **told)
