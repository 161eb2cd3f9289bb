"""The chain field against sums over all labelings, finite differences, and CRFsuite."""

import itertools
import math

import numpy as np
import pytest

from wordrbm.kernels.chain import best, marginals
from wordrbm.tasks.tagging.crf import ChainField, Sentences, fit, loss

L, R, F = 3, 7, 2


def problem(seed=1, lengths=(4, 1, 0, 3), scale=1.0):
    rng = np.random.default_rng(seed)
    T = sum(lengths)
    counts = rng.integers(0, 4, size=T)
    first = np.append(0, np.cumsum(counts))
    attributes = rng.integers(R, size=first[-1]).astype(np.int32)
    sentences = Sentences(attributes, first, rng.normal(size=(T, F)), np.cumsum(lengths))
    field = ChainField(*(scale * rng.normal(size=(rows, L)) for rows in (R, F, L)))
    return sentences, field, rng.integers(L, size=T).astype(np.int32)


def nothing():
    return ChainField(*(np.zeros((rows, L)) for rows in (R, F, L)))


def referee(sentences, field):
    """log Z, the marginals, the pairs and the best labels, one labeling after another."""
    scores = np.zeros((len(sentences.first) - 1, L))
    for t in range(len(scores)):
        for place in range(sentences.first[t], sentences.first[t + 1]):
            scores[t] += field.W[sentences.attributes[place]]
        for f in range(F):
            scores[t] += sentences.dense[t, f] * field.V[f]
    log_Z, single, pairs, likeliest = 0.0, np.zeros_like(scores), np.zeros((L, L)), []
    begin = 0
    for end in sentences.ends:
        weights = {}
        for labels in itertools.product(range(L), repeat=end - begin):
            score = sum(scores[begin + t, k] for t, k in enumerate(labels))
            score += sum(field.A[pair] for pair in itertools.pairwise(labels))
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
def test_sums_over_all_labelings(seed):
    sentences, field, _ = problem(seed)
    scores, log_Z, single, pairs, likeliest = referee(sentences, field)
    np.testing.assert_allclose(field.scores(sentences), scores, atol=1e-12)
    found, between = scores.copy(), np.zeros((L, L))
    assert marginals(found, field.A, sentences.ends, between) == pytest.approx(log_Z, abs=1e-10)
    np.testing.assert_allclose(found, single, atol=1e-12)
    np.testing.assert_allclose(between, pairs, atol=1e-12)
    assert field.labels(sentences).tolist() == likeliest


def test_the_loss_is_that_of_the_labels():
    sentences, field, label = problem()
    scores, log_Z, _, _, _ = referee(sentences, field)
    right, begin = sum(scores[t, k] for t, k in enumerate(label)), 0
    for end in sentences.ends:
        right += sum(field.A[pair] for pair in itertools.pairwise(label[begin:end]))
        begin = end
    squares = sum((x**2).sum() for x in field.parts())
    expected = log_Z - right + 0.3 * squares
    assert loss(field, sentences, label, 0.3, nothing()) == pytest.approx(expected, abs=1e-9)


def test_the_gradient_is_the_slope_of_the_loss():
    sentences, field, label = problem()
    gradient = nothing()
    loss(field, sentences, label, 0.3, gradient)
    for name in ("W", "V", "A"):
        weights, slope = getattr(field, name), getattr(gradient, name)
        for place in np.ndindex(weights.shape):
            kept, ends = weights[place], []
            for step in (1e-5, -1e-5):
                weights[place] = kept + step
                ends.append(loss(field, sentences, label, 0.3, nothing()))
            weights[place] = kept
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


def test_large_scores_neither_overflow_nor_vanish():
    sentences, field, label = problem(scale=20.0)
    gradient = nothing()
    assert np.isfinite(loss(field, sentences, label, 0.0, gradient))
    assert all(np.isfinite(x).all() for x in (gradient.W, gradient.V, gradient.A))


def test_the_best_labels_of_a_long_sentence():
    rng = np.random.default_rng(3)
    scores, A, labels = rng.normal(size=(500, L)), rng.normal(size=(L, L)), np.zeros(500, np.int32)
    best(scores.copy(), A, np.array([500]), labels)

    def value(y):
        return scores[np.arange(500), y].sum() + A[y[:-1], y[1:]].sum()

    for t in range(500):  # no change of one label, or of two neighbours, makes it better
        for pair in itertools.product(range(L), repeat=2):
            other = labels.copy()
            other[t : t + 2] = pair[: len(other[t : t + 2])]
            assert value(other) <= value(labels) + 1e-9


def test_it_is_crfsuites_optimum(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    sentences, _, label = problem(5, lengths=(6, 4, 5, 3, 7, 1, 2))
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0.0, "c2": 0.2, "epsilon": 1e-12, "delta": 1e-14, "max_iterations": 2000,
        "feature.possible_states": 1, "feature.minfreq": -1e9, "feature.possible_transitions": 1,
    })  # fmt: skip
    begin, items = 0, []
    for end in sentences.ends:
        sequence = []
        for t in range(begin, end):
            own = sentences.attributes[sentences.first[t] : sentences.first[t + 1]]
            item = {f"dense{f}": float(sentences.dense[t, f]) for f in range(F)}
            for a in own.tolist():
                item[f"a{a}"] = item.get(f"a{a}", 0.0) + 1.0
            sequence.append(item)
        trainer.append(sequence, [str(k) for k in label[begin:end]])
        items.append(sequence)
        begin = end
    trainer.train(str(tmp_path / "model"))
    field = fit(sentences, label, (R, L), 0.2, delta=1e-14)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    state, between = tagger.info().state_features, tagger.info().transitions
    for (name, k), weight in state.items():
        table = field.W if name.startswith("a") else field.V
        assert table[int(name.removeprefix("a").removeprefix("dense")), int(k)] == pytest.approx(
            weight, abs=1e-3
        )
    for (one, other), weight in between.items():
        assert field.A[int(one), int(other)] == pytest.approx(weight, abs=1e-3)
    theirs = nothing()
    for (name, k), weight in state.items():
        table = theirs.W if name.startswith("a") else theirs.V
        table[int(name.removeprefix("a").removeprefix("dense")), int(k)] = weight
    for (one, other), weight in between.items():
        theirs.A[int(one), int(other)] = weight
    ours, their_loss = (loss(x, sentences, label, 0.2, nothing()) for x in (field, theirs))
    assert ours == pytest.approx(their_loss, rel=1e-6)
    begin = 0
    for end, sequence in zip(sentences.ends, items, strict=True):
        assert [int(k) for k in tagger.tag(sequence)] == field.labels(sentences)[begin:end].tolist()
        begin = end
