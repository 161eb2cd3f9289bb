"""Ranking against brute force, finite differences of its objective, and the truth it must find."""

import itertools

import numpy as np
import pytest

from tests import reference
from tests.conftest import K
from wordrbm.kernels.ranking import Candidates, Ranked, rank_position, thin
from wordrbm.models.exact import to_dense
from wordrbm.sampling import AliasTable, word_tables
from wordrbm.training import TrainingSettings
from wordrbm.training import ranking as module
from wordrbm.training.ranking import candidates_of, rank_words

P, WEIGHT = 3, 2.5


@pytest.fixture
def q(rng):
    return rng.dirichlet(np.ones(K))


@pytest.fixture
def candidates(q):
    """All candidates are kept, so that nothing but their draw is left to chance."""
    return Candidates(word_tables(AliasTable.build(q), 2), P, WEIGHT, thinning=0.0)


def put(monkeypatch, number):
    """Let the candidates of every position be these."""
    monkeypatch.setattr(
        module, "draw_candidates", lambda stream, words, i, out: out.__setitem__(..., number[i])
    )


def read_probability(model, q, window, i, number):
    """r_0, and r of each candidate, from sums over all hidden vectors."""
    tried = [list(window) for _ in range(len(number) + 1)]
    for other, k in zip(tried[1:], number, strict=True):
        other[i] = int(k)
    score = np.array([reference.mass(model, v) / q[v[i]] for v in tried])
    return score / score.sum()


def gradient_of(model, ranked, v):
    windows = np.concatenate([v, ranked.windows])
    weight = np.concatenate([ranked.read, ranked.weight])
    return model.gradient(windows, model.hidden_mean(windows), weight)


def test_weights_are_those_of_brute_force(rng, stream, wordrep, q, candidates, monkeypatch):
    v, number = rng.integers(K, size=(6, 2)), rng.integers(K, size=(2, P))
    put(monkeypatch, number)
    ranked = rank_words(stream, wordrep, candidates, v)
    for m, window in enumerate(v):
        i = 0 if m < 3 else 1  # the first half is ranked by its first word
        r = read_probability(wordrep, q, window, i, number[i])
        own = slice(m * P, (m + 1) * P)
        assert ranked.read[m] == pytest.approx(WEIGHT * (1 - r[0]))
        np.testing.assert_allclose(ranked.weight[own], -WEIGHT * r[1:])
        np.testing.assert_array_equal(ranked.windows[own, i], number[i])
        np.testing.assert_array_equal(ranked.windows[own, 1 - i], window[1 - i])


@pytest.mark.parametrize("name", ["wordrep", "softmax"])
def test_gradient_is_that_of_the_objective(rng, stream, q, candidates, monkeypatch, name, request):
    model = request.getfixturevalue(name)
    v, number = rng.integers(K, size=(4, 2)), rng.integers(K, size=(2, P))
    put(monkeypatch, number)

    def objective():
        return WEIGHT * sum(
            np.log(read_probability(model, q, window, int(m >= 2), number[int(m >= 2)])[0])
            for m, window in enumerate(v)
        )

    gradient = gradient_of(model, rank_words(stream, model, candidates, v), v)
    for parameter, value in model.parameters().items():
        exact = to_dense(model, gradient, parameter)
        for _ in range(5):
            place = tuple(rng.integers(size) for size in value.shape)
            before, sides = value[place], []
            for step in (1e-5, -1e-5):
                value[place] = before + step
                sides.append(objective())
            value[place] = before
            assert exact[place] == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-7)


def test_a_model_of_the_truth_has_no_gradient(stream, wordrep, q, candidates, monkeypatch):
    """Every window by its probability, every draw by its own: nothing is left to learn."""
    windows, p = np.array(reference.all_windows(wordrep)), reference.window_probability(wordrep)
    total = {name: np.zeros_like(x) for name, x in wordrep.parameters().items()}
    size = dict.fromkeys(total, 0.0)
    for number in itertools.product(range(K), repeat=2):
        put(monkeypatch, [number, number])
        few = candidates._replace(size=2)
        for v, mass in zip(windows, p, strict=True):
            twice = np.stack([v, v])  # each word of it is ranked once
            gradient = gradient_of(wordrep, rank_words(stream, wordrep, few, twice), twice)
            for name, value in total.items():
                part = mass * q[list(number)].prod() * to_dense(wordrep, gradient, name)
                value += part
                size[name] += np.abs(part).sum()
    for name, value in total.items():
        assert np.abs(value).max() < 1e-9 * size[name]


def test_thinning_keeps_the_mean(rng):
    probability, weight = rng.dirichlet(np.full(40, 0.3)), np.empty(40)
    total, U = np.zeros(40), 20_000
    for u in (np.arange(U) + 0.5) / U:
        thin(u, probability, 0.1, weight)
        assert set(weight[probability < 0.1]) <= {0.0, 0.1}
        total += weight
    np.testing.assert_allclose(total / U, probability, atol=2e-5)
    assert np.count_nonzero(weight) < 15


def test_settings_choose(candidates):
    assert candidates_of(TrainingSettings(objective="sml"), candidates.words).size == 0
    chosen = candidates_of(TrainingSettings(candidates=7, ranking_weight=3.0), candidates.words)
    assert (chosen.size, chosen.weight) == (7, 3.0)


def test_products_of_units_below_the_range_of_a_number(stream):
    """A word turns sixteen units off and others on: the score itself is a usual one."""
    H, sharp = 48, 7.0
    U = np.eye(H, dtype=np.float32)
    effect = np.where(np.arange(H) < 16, -sharp, sharp / 2).astype(np.float32)
    D, x = np.stack([effect, 0 * effect]), (np.full(H, 12.0) + effect).astype(np.float32)
    words = word_tables(AliasTable.build(np.ones(2)), 1)
    part = Ranked(
        np.zeros(1, "f4"), np.zeros(1, "f4"), np.zeros((1, H), "f4"), 0, np.ones(2, np.int32),
        np.zeros(2, "f4"), np.zeros((2, H), "f4"), U, D[:1],
    )  # fmt: skip
    candidates, v = Candidates(words, 2, 1.0, thinning=0.0), np.zeros((1, 1), np.int32)
    nothing = np.zeros(2, "f4"), np.zeros(H, "f4")
    rank_position(stream, D, *nothing, candidates, 0, v, x[None], part)
    gain = np.logaddexp(0, 12.0 + effect.astype(float)).sum() - H * np.logaddexp(0, 12.0)
    assert 1 - part.read[0] == pytest.approx(np.exp(gain) / (np.exp(gain) + 2), rel=1e-3)
