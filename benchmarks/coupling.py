"""What sharing proposals costs: the variance of the negative phase of the gradient.

Chains that walk over one pool are each a valid chain, but no longer independent of each other: the
mean over them varies more. From the same chains the words are moved again and again, by pools of
several sizes and by proposals drawn one by one; the figure is the total variance of the gradient's
U over that of proposals drawn one by one. `of all` is the same for the whole gradient, whose
windows are read afresh too: that is what an update feels.

The model is the one that the environment variable names, trained to the end, or one trained here
for a short while, whose walks accept far more.
"""

import os
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from benchmarks import corpora
from benchmarks.ratios import Figure, spread
from benchmarks.running import ENDLESS, Text, fresh, of_corpus, pooled
from wordrbm import load
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains, Metropolis, PooledMetropolis, Transition, draw_hidden, sweep
from wordrbm.shapes import Array
from wordrbm.training import start, train
from wordrbm.training.pcd_gradient import shard_gradient

NAMED = "WORDRBM_BENCH_MODEL"
CHAINS = ENDLESS.chains // ENDLESS.shards  # that share a pool
REPEATS, PLACES = 200, 5  # moves from one place, and places of the chains to move from
SHORT = 1_000  # updates, when no model is named


def measure() -> dict[str, Figure]:
    """Variance with pools of several sizes over that of proposals drawn one by one."""
    text = of_corpus(corpora.large())
    model = load(os.environ[NAMED]).rbm if NAMED in os.environ else _trained(text)
    steps = ENDLESS.mh_steps
    alone = Metropolis.from_probability(text.q, steps=steps)
    pools = {
        f"pool of {size:,}": PooledMetropolis.from_probability(text.q, steps=steps, size=size)
        for size in (128, 256, 512, 1024)
    }
    places = list(islice(_places(model, text), PLACES))
    given = [_variance(model, alone, text, place, same=True) for place in places]
    whole = [_variance(model, alone, text, place, same=False) for place in places]
    found = {}
    for name, pool in pools.items():
        one = [_variance(model, pool, text, place, same=True) for place in places]
        all_ = [_variance(model, pool, text, place, same=False) for place in places]
        found[name] = spread([a / b for a, b in zip(one, given, strict=True)])
        found[f"{name}, of all"] = spread([a / b for a, b in zip(all_, whole, strict=True)])
    return found


def _trained(text: Text) -> WordRepRBM:
    model = fresh(text)
    state = start(model, text.batches, ENDLESS)
    for _ in islice(train(model, pooled(text.q), text.batches, ENDLESS, state, q=text.q), SHORT):
        pass
    return model


def _places(model: WordRepRBM, text: Text) -> Iterator[Chains]:
    """Chains that have forgotten the windows they began with, ten sweeps apart."""
    stream = seed_stream(1, 0, 0)
    v = text.batches(0, CHAINS)
    chains = Chains(v, draw_hidden(stream, model.hidden_mean(v)))
    while True:
        for _ in range(10):
            chains, _ = sweep(stream, model, pooled(text.q), chains)
        yield chains


def _variance(
    model: WordRepRBM, operator: Transition, text: Text, place: Chains, *, same: bool
) -> float:
    """The total variance of the gradient of U, the windows read being the same or not."""
    at: Callable[[int], int] = lambda k: 0 if same else k * CHAINS  # noqa: E731
    total, squares = np.zeros(model.stacked.shape), np.zeros(model.stacked.shape)
    for k in range(REPEATS):
        stream = seed_stream(2, k, 0)
        result = shard_gradient(stream, model, operator, text.batches(at(k), CHAINS), place)
        found: Array = result.gradient.dense["U"].astype(np.float64)
        total += found
        squares += found**2
    return float((squares - total**2 / REPEATS).sum() / (REPEATS - 1))
