"""Averages taken row by row, when rows are named, are the averages of every update."""

import copy

import numpy as np
import pytest

from tests.conftest import K
from wordrbm.kernels.optimizer import STRIDE, average_decay
from wordrbm.training.optimizer import Averages


@pytest.mark.parametrize("power", [1, 2, 5, 32])
@pytest.mark.parametrize("steps", [8, 120, 125])
def test_lazy_averages_are_the_weighted_means_of_all_samples(rng, wordrep, power, steps):
    """sum_s (s^p - (s-1)^p) x_s / t^p, written out, for rows that are named now and then."""
    averages = Averages.start(wordrep, ["D", "b"], power)
    seen = []
    for step in range(steps):
        # Words named at nearly every update, once in several samples, and never: the last one.
        v = rng.choice(K - 1, p=[0.94, 0.02, 0.02, 0.02], size=(1, 2))
        gradient = wordrep.gradient(v, rng.random((1, 3)), rng.normal(size=1))
        averages.before_step(wordrep, [gradient], step)
        wordrep.D[np.unique(v)] += rng.normal(size=(len(np.unique(v)), wordrep.D.shape[1]))
        wordrep.b[np.unique(v)] += 1.0
        wordrep.U[...] += rng.normal(size=wordrep.U.shape)
        wordrep.c[...] += 1.0
        averages.after_step(wordrep, step + 1)
        if (step + 1) % STRIDE == 0:
            seen.append(copy.deepcopy(wordrep.parameters()))
    weight = np.diff(np.arange(len(seen) + 1.0) ** power) / float(len(seen)) ** power
    found = averages.model(wordrep, steps).parameters()
    for name, value in found.items():
        expected = sum(w * x[name] for w, x in zip(weight, seen, strict=True))
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("step", [0, 1, STRIDE - 1])
def test_the_averages_before_the_first_sample_are_the_parameters(wordrep, step):
    averages = Averages.start(wordrep, ["D", "b"], 32)
    wordrep.D[0] += 1.0
    wordrep.c[...] += 1.0
    found = averages.model(wordrep, step).parameters()
    for name, value in wordrep.parameters().items():
        np.testing.assert_array_equal(found[name], value)


def test_a_whole_power_by_squaring():
    assert average_decay(3, 4, 32) == pytest.approx(0.75**32)
    assert average_decay(0, 4, 32) == 0.0
    assert average_decay(4, 4, 7) == 1.0
