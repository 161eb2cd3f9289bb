"""The CRF against sums over all labelings, finite differences and CRFsuite; L-BFGS."""

import itertools
import math

import numpy as np
import pytest

from wordrbm.kernels.crf import forward_backward, viterbi
from wordrbm.tagging.crf import LinearChainCRF, SentenceBatch, crf_loss, fit_crf, minimize

L, R, F = 3, 7, 2


def problem(seed=1, lengths=(4, 1, 0, 3), scale=1.0):
    rng = np.random.default_rng(seed)
    T = sum(lengths)
    counts = rng.integers(0, 4, size=T)
    offsets = np.append(0, np.cumsum(counts))
    attributes = rng.integers(R, size=offsets[-1]).astype(np.int32)
    batch = SentenceBatch(attributes, offsets, rng.normal(size=(T, F)), np.cumsum(lengths))
    crf = LinearChainCRF(*(scale * rng.normal(size=(rows, L)) for rows in (R, F, L)))
    return batch, crf, rng.integers(L, size=T).astype(np.int32)


def zeros():
    return LinearChainCRF(*(np.zeros((rows, L)) for rows in (R, F, L)))


def referee(batch, crf):
    """log Z, the marginals, the pairs and the best labels, one labeling after another."""
    scores = np.zeros((len(batch.offsets) - 1, L))
    for t in range(len(scores)):
        for place in range(batch.offsets[t], batch.offsets[t + 1]):
            scores[t] += crf.W[batch.attributes[place]]
        for f in range(F):
            scores[t] += batch.dense[t, f] * crf.V[f]
    log_Z, single, pairs, likeliest = 0.0, np.zeros_like(scores), np.zeros((L, L)), []
    begin = 0
    for end in batch.ends:
        weights = {}
        for labels in itertools.product(range(L), repeat=end - begin):
            score = sum(scores[begin + t, k] for t, k in enumerate(labels))
            score += sum(crf.A[pair] for pair in itertools.pairwise(labels))
            weights[labels] = score
        Z = sum(math.exp(score) for score in weights.values())
        log_Z += math.log(Z)
        for labels, score in weights.items():
            for t, k in enumerate(labels):
                single[begin + t, k] += math.exp(score) / Z
            for pair in itertools.pairwise(labels):
                pairs[pair] += math.exp(score) / Z
        likeliest += max(weights, key=weights.get)
        begin = end
    return scores, log_Z, single, pairs, likeliest


@pytest.mark.parametrize("seed", range(5))
def test_inference_by_enumeration(seed):
    batch, crf, _ = problem(seed)
    scores, log_Z, single, pairs, likeliest = referee(batch, crf)
    np.testing.assert_allclose(crf.scores(batch), scores, atol=1e-12)
    marginals, transitions = scores.copy(), np.zeros((L, L))
    assert forward_backward(marginals, crf.A, batch.ends, transitions) == pytest.approx(
        log_Z, abs=1e-10
    )
    np.testing.assert_allclose(marginals, single, atol=1e-12)
    np.testing.assert_allclose(transitions, pairs, atol=1e-12)
    assert crf.decode(batch).tolist() == likeliest


def test_the_loss_is_the_negative_log_likelihood_with_its_penalty():
    batch, crf, label = problem()
    scores, log_Z, _, _, _ = referee(batch, crf)
    right, begin = sum(scores[t, k] for t, k in enumerate(label)), 0
    for end in batch.ends:
        right += sum(crf.A[pair] for pair in itertools.pairwise(label[begin:end]))
        begin = end
    squares = sum((x**2).sum() for x in crf.arrays())
    expected = log_Z - right + 0.3 * squares
    assert crf_loss(crf, batch, label, 0.3, zeros()) == pytest.approx(expected, abs=1e-9)


def test_the_gradient_by_finite_differences():
    batch, crf, label = problem()
    gradient = zeros()
    crf_loss(crf, batch, label, 0.3, gradient)
    for name in ("W", "V", "A"):
        weights, slope = getattr(crf, name), getattr(gradient, name)
        for place in np.ndindex(weights.shape):
            value, ends = weights[place], []
            for step in (1e-5, -1e-5):
                weights[place] = value + step
                ends.append(crf_loss(crf, batch, label, 0.3, zeros()))
            weights[place] = value
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


def test_large_scores_do_not_overflow():
    batch, crf, label = problem(scale=20.0)
    gradient = zeros()
    assert np.isfinite(crf_loss(crf, batch, label, 0.0, gradient))
    assert all(np.isfinite(x).all() for x in (gradient.W, gradient.V, gradient.A))


def test_viterbi_labels_are_a_local_optimum_of_a_long_sentence():
    rng = np.random.default_rng(3)
    scores, A, labels = rng.normal(size=(500, L)), rng.normal(size=(L, L)), np.zeros(500, np.int32)
    viterbi(scores.copy(), A, np.array([500]), labels)

    def value(y):
        return scores[np.arange(500), y].sum() + A[y[:-1], y[1:]].sum()

    for t in range(500):  # no change of one label, or of two neighbours, makes it better
        for pair in itertools.product(range(L), repeat=2):
            other = labels.copy()
            other[t : t + 2] = pair[: len(other[t : t + 2])]
            assert value(other) <= value(labels) + 1e-9


def test_the_minimum_is_crfsuites(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    batch, _, label = problem(5, lengths=(6, 4, 5, 3, 7, 1, 2))
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0.0, "c2": 0.2, "epsilon": 1e-12, "delta": 1e-14, "max_iterations": 2000,
        "feature.possible_states": 1, "feature.minfreq": -1e9, "feature.possible_transitions": 1,
    })  # fmt: skip
    begin, items = 0, []
    for end in batch.ends:
        sequence = []
        for t in range(begin, end):
            rows = batch.attributes[batch.offsets[t] : batch.offsets[t + 1]]
            item = {f"dense{f}": float(batch.dense[t, f]) for f in range(F)}
            for a in rows.tolist():
                item[f"a{a}"] = item.get(f"a{a}", 0.0) + 1.0
            sequence.append(item)
        trainer.append(sequence, [str(k) for k in label[begin:end]])
        items.append(sequence)
        begin = end
    trainer.train(str(tmp_path / "model"))
    crf = fit_crf(batch, label, (R, L), 0.2, delta=1e-14)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    state, transitions = tagger.info().state_features, tagger.info().transitions
    for (name, k), weight in state.items():
        table = crf.W if name.startswith("a") else crf.V
        assert table[int(name.removeprefix("a").removeprefix("dense")), int(k)] == pytest.approx(
            weight, abs=1e-3
        )
    for (one, other), weight in transitions.items():
        assert crf.A[int(one), int(other)] == pytest.approx(weight, abs=1e-3)
    theirs = zeros()
    for (name, k), weight in state.items():
        table = theirs.W if name.startswith("a") else theirs.V
        table[int(name.removeprefix("a").removeprefix("dense")), int(k)] = weight
    for (one, other), weight in transitions.items():
        theirs.A[int(one), int(other)] = weight
    ours, their_loss = (crf_loss(x, batch, label, 0.2, zeros()) for x in (crf, theirs))
    assert ours == pytest.approx(their_loss, rel=1e-6)
    begin = 0
    for end, sequence in zip(batch.ends, items, strict=True):
        assert [int(k) for k in tagger.tag(sequence)] == crf.decode(batch)[begin:end].tolist()
        begin = end


def quadratic(N=60, seed=1):
    """A quadratic with curvatures from 1 to 1000, its minimum, and its evaluations."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(N, N)))[0]
    A = rotation @ np.diag(np.geomspace(1, 1000, N)) @ rotation.T
    optimum, evaluations = rng.normal(size=N), []

    def value(x, g):
        g[:] = A @ (x - optimum)
        evaluations.append(1)
        return float(0.5 * (x - optimum) @ g) + 3.0

    return value, optimum, evaluations


def test_the_minimum_of_a_quadratic():
    value, optimum, _ = quadratic()
    minimum = minimize(value, np.zeros(60), delta=1e-14, max_iterations=1000)
    np.testing.assert_allclose(minimum, optimum, atol=1e-4)


def test_curvature_saves_evaluations():
    value, _, evaluations = quadratic()
    minimize(value, np.zeros(60), delta=1e-9, max_iterations=1000)
    assert len(evaluations) < 250


def test_values_never_rise_and_all_are_reported():
    reported = []
    value, _, _ = quadratic()
    minimize(
        value,
        np.zeros(60),
        delta=1e-6,
        max_iterations=25,
        callback=lambda step, x: reported.append((step, x)),
    )
    assert [step for step, _ in reported] == list(range(1, len(reported) + 1))
    assert len(reported) <= 25
    assert all(np.diff([x for _, x in reported]) <= 0)


def test_at_the_minimum_one_evaluation_is_enough():
    value, optimum, evaluations = quadratic()
    np.testing.assert_array_equal(
        minimize(value, optimum.copy(), delta=1e-5, max_iterations=10), optimum
    )
    assert len(evaluations) == 1


def test_a_start_without_descent_ends():
    def edge(x, g):
        g[:] = 1.0
        return 0.0 if np.array_equal(x, np.zeros(3)) else 1.0

    np.testing.assert_allclose(
        minimize(edge, np.zeros(3), delta=1e-5, max_iterations=10), 0.0, atol=1e-12
    )


@pytest.mark.parametrize("limit", [0, 1])
def test_the_number_of_iterations_is_limited(limit):
    value, _, evaluations = quadratic()
    minimize(value, np.zeros(60), delta=1e-9, max_iterations=limit)
    assert len(evaluations) <= 1 + limit * 20


def test_points_with_infinite_values_are_never_accepted():
    def cliff(x, g):
        g[:] = 2 * (x - 3.0)
        return float(((x - 3.0) ** 2).sum()) if np.abs(x).max() < 3.5 else -np.inf

    minimum = minimize(cliff, np.full(4, -3.0), delta=1e-12, max_iterations=100)
    np.testing.assert_allclose(minimum, 3.0, atol=1e-3)


def test_very_steep_functions():
    value, optimum, _ = quadratic()

    def steep(x, g):
        minimum = value(x, g)
        g *= 1e16
        return 1e16 * minimum

    minimum = minimize(steep, np.zeros(60), delta=1e-14, max_iterations=1000)
    np.testing.assert_allclose(minimum, optimum, atol=1e-4)


def test_marginals_by_enumeration():
    batch, crf, _ = problem(3)
    np.testing.assert_allclose(crf.marginals(batch), referee(batch, crf)[2], atol=1e-12)
