"""Fine-tuning against gradients of the enumerated likelihood and explicit AdaGrad hyper."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.tagging.sentences import letter_task, scores, single
from wordrbm.inference.features import sliding_windows
from wordrbm.kernels.tagger_finetune import (
    Hyperparameters,
    TaggerParameters,
    TrainingSentences,
    concat_features,
    hidden_means,
    sgd_steps,
)
from wordrbm.models import WordRepRBM
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.crf import LinearChainCRF, crf_loss
from wordrbm.tagging.features import (
    EncodedSentences,
    FeatureConfig,
    FinetuneSettings,
    hidden_features,
    model_tokens,
)
from wordrbm.tagging.finetune import CHUNKS_PER_EPOCH
from wordrbm.tagging.tagger import Tagger, train_tagger
from wordrbm.tagging.tagger_file import load_tagger, save_tagger

L, F, H, D_, N, K = 3, 2, 4, 2, 3, 6
LENGTHS = (4, 1, 3, 2)
NAMES = ("W", "V", "A", "U", "c")


@pytest.fixture
def problem():
    """Sentences without repeated attributes: one step a sentence is one step a parameter."""
    rng = np.random.default_rng(5)
    T, S = sum(LENGTHS), len(LENGTHS)
    begin = np.append(0, np.cumsum(LENGTHS))
    attributes = np.concatenate([rng.permutation(9)[: 2 * size] for size in LENGTHS])
    ids = rng.integers(K, size=T)
    windows = [ids[t : t + N] for s in range(S) for t in range(begin[s], begin[s + 1] - N + 1)]
    counts = [max(size - N + 1, 0) for size in LENGTHS]
    data = TrainingSentences(
        attributes.astype(np.int32), np.arange(0, 2 * T + 1, 2), single(rng, T, F),
        rng.integers(L, size=T).astype(np.int32), begin, np.array(windows, np.int32),
        np.append(0, np.cumsum(counts)),
    )  # fmt: skip
    parameters = TaggerParameters(
        single(rng, 9, L), single(rng, F + H, L), rng.normal(size=(L, L)),
        single(rng, N * D_, H), single(rng, H),
    )  # fmt: skip
    return SimpleNamespace(data=data, parameters=parameters, D=single(rng, K, D_))


def minus_log_likelihood(s, data, D, parameters, k):
    """-log P of a sentence's labels by enumeration of all labelings, in double precision."""
    begin, end = data.token_offsets[s], data.token_offsets[s + 1]
    scores = np.zeros((end - begin, L))
    for t in range(end - begin):
        for place in range(
            data.attribute_offsets[begin + t], data.attribute_offsets[begin + t + 1]
        ):
            scores[t] += parameters.W[data.attributes[place]]
        for f in range(F):
            scores[t] += data.dense[begin + t, f] * parameters.V[f]
    for w in range(data.window_offsets[s], data.window_offsets[s + 1]):
        t = w - data.window_offsets[s] + N // 2
        for j in range(H):
            x = parameters.c[j]
            for i in range(N):
                for r in range(D_):
                    x = x + D[data.v[w, i], r] * parameters.U[i * D_ + r, j]
            scores[t] += k / (1.0 + math.exp(-x)) * parameters.V[F + j]
    weights = {
        labels: math.exp(
            sum(scores[t, y] for t, y in enumerate(labels))
            + sum(parameters.A[pair] for pair in itertools.pairwise(labels))
        )
        for labels in itertools.product(range(L), repeat=end - begin)
    }
    right = tuple(data.labels[begin:end].tolist())
    return math.log(sum(weights.values())) - math.log(weights[right])


def slope(s, data, D, parameters, k, name, place):
    table, ends = getattr(parameters, name), []
    value = table[place]
    for step in (1e-5, -1e-5):
        table[place] = value + step
        ends.append(minus_log_likelihood(s, data, D, parameters, k))
    table[place] = value
    return (ends[0] - ends[1]) / 2e-5


def referee(order, data, D, count, parameters, hyper):
    """AdaGrad steps by finite differences, parameter by parameter."""
    parameters = TaggerParameters(*(x.astype(np.float64) for x in parameters))
    grad_squared = TaggerParameters(*(np.ones_like(x) for x in parameters))
    for s in order:
        first, last = data.attribute_offsets[data.token_offsets[s : s + 2]]
        present, gradient = set(data.attributes[first:last]), {}
        for name in NAMES:
            for place in np.ndindex(getattr(parameters, name).shape):
                g = slope(s, data, D, parameters, hyper.hidden_scale, name, place)
                if name == "W":
                    g += (
                        2 * hyper.c2 / count[place[0]] * parameters.W[place]
                        if place[0] in present
                        else 0.0
                    )
                elif name in "VA":
                    g += 2 * hyper.c2 / len(LENGTHS) * getattr(parameters, name)[place]
                gradient[name, place] = g
        for (name, place), g in gradient.items():
            getattr(grad_squared, name)[place] += g * g
            rate = hyper.hidden_rate if name in "Uc" else hyper.rate
            getattr(parameters, name)[place] -= (
                rate * g / math.sqrt(getattr(grad_squared, name)[place])
            )
    return parameters


def test_steps_by_finite_differences_of_the_enumerated_likelihood(problem):
    data, D, parameters = problem.data, problem.D, problem.parameters
    count = np.bincount(data.attributes, minlength=9).astype(np.float32)
    order, hyper = np.array([2, 0, 3, 1, 0]), Hyperparameters(0.3, 0.2, 0.4, 1.7)
    expected = referee(order, data, D, count, parameters, hyper)
    grad_squared = TaggerParameters(*(np.ones_like(x) for x in parameters))
    first = minus_log_likelihood(2, data, D, parameters, 1.7)
    assert sgd_steps(order[:1], data, D, count, parameters, grad_squared, hyper) == pytest.approx(
        first, abs=1e-5
    )
    sgd_steps(order[1:], data, D, count, parameters, grad_squared, hyper)
    for name in NAMES:
        trained, right = getattr(parameters, name), getattr(expected, name)
        np.testing.assert_allclose(trained, right, atol=2e-5, err_msg=name)


def accuracy(tagger, sentences):
    """The fraction of sentences whose labels are all correct."""
    predicted = tagger.tag([sentence.columns[:-1] for sentence in sentences])
    correct = [tuple(p) == s.labels for s, p in zip(sentences, predicted, strict=True)]
    return sum(correct) / len(correct)


def tagger_of(model, sentences, settings) -> Tagger:
    config = FeatureConfig(None, model, finetune=settings)
    return train_tagger(EncodedSentences.build(sentences), config, 0.01)


@pytest.fixture(scope="module")
def example():
    """A model, its task, and a tagger fine-tuned to it."""
    model, sentences = letter_task()
    return model, sentences, tagger_of(model, sentences[:250], FinetuneSettings(epochs=20))


def test_finetuned_units_learn_a_new_distinction(example):
    model, sentences, finetuned = example
    plain = tagger_of(model, sentences[:250], None)
    assert accuracy(finetuned, sentences[250:]) > accuracy(plain, sentences[250:]) + 0.1


def test_only_the_hidden_units_are_trained(example):
    model, _, finetuned = example
    result = finetuned.features.model
    np.testing.assert_array_equal(result.rbm.D, model.rbm.D)
    assert np.abs(result.rbm.U - model.rbm.U).max() > 0.1
    assert result.rbm.U.dtype == np.float32
    assert result.vocabulary is model.vocabulary


def test_a_hidden_rate_of_zero_fixes_the_units(example):
    model, sentences, _ = example
    settings = FinetuneSettings(epochs=1, hidden_rate=0.0)
    result = tagger_of(model, sentences[:20], settings).features.model
    np.testing.assert_array_equal(result.rbm.U, model.rbm.U)
    np.testing.assert_array_equal(result.rbm.c, model.rbm.c)


def test_the_same_seed_gives_the_same_bits(example):
    model, sentences, _ = example
    first, same, different = (
        tagger_of(model, sentences[:50], FinetuneSettings(epochs=2, seed=seed))
        for seed in (1, 1, 2)
    )
    for a, b, c in zip(*(x.crf.arrays() for x in (first, same, different)), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.size == 0 or (a != c).any()


def test_sentences_shorter_than_a_window_are_encoded_too():
    model, _ = letter_task()
    short = [Sentence((("a",), ("yes",))), Sentence((("b", "c"), ("no", "yes")))] * 5
    assert accuracy(tagger_of(model, short, FinetuneSettings()), short) == 1.0


def test_every_chunk_is_reported(example):
    model, sentences, _ = example
    reported = []
    config = FeatureConfig(None, model, finetune=FinetuneSettings(epochs=2))
    some = sentences[:40]
    train_tagger(EncodedSentences.build(some), config, 0.1, lambda *x: reported.append(x))
    assert [step for step, _ in reported] == list(range(1, 31))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_training_and_tagging_centre_windows_alike(n):
    rng = np.random.default_rng(n)
    model, sentences = letter_task()
    rbm = WordRepRBM(model.rbm.D, single(rng, n, 12, 4), model.rbm.b, model.rbm.c)
    model = replace(model, rbm=rbm)
    words = [sentence.words[:size] for size, sentence in enumerate(sentences[:6])]
    windows = [sliding_windows(model.vocabulary.ids(tokens), n) for tokens in words]
    data = TrainingSentences(
        np.zeros(0, np.int32), np.zeros(16, int), np.zeros((15, 0), np.float32),
        np.zeros(15, np.int32), np.cumsum([0, *map(len, words)]), np.concatenate(windows),
        np.cumsum([0, *map(len, windows)]),
    )  # fmt: skip
    parameters = TaggerParameters(
        *[np.zeros((0, 2), np.float32)] * 3, np.ascontiguousarray(rbm.stacked.T), rbm.c
    )
    features = [
        concat_features(s, data, hidden_means(s, data, rbm.D, parameters)[1], 3.0) for s in range(6)
    ]
    np.testing.assert_allclose(
        np.concatenate(features), 3.0 * hidden_features(words, model), atol=1e-6
    )


def test_training_and_tagging_use_the_same_hidden_scale():
    model, sentences = letter_task()
    labelled, reported = [next(x for x in sentences if len(set(x.labels)) > 1)], []
    config = FeatureConfig(
        None, model, hidden_scale=3.0, finetune=FinetuneSettings(epochs=2, hidden_rate=0.0)
    )
    words = [x.words for x in labelled]
    encoded = EncodedSentences.build(labelled)
    train_tagger(encoded, config, 0.1, lambda step, value: reported.append(value))
    one_epoch = FinetuneSettings(epochs=1, hidden_rate=0.0)
    half = train_tagger(encoded, config._replace(finetune=one_epoch), 0.1)
    # the second epoch meets what one epoch has learnt, as its tagger scores it
    batch = half.attributes.encode([x.columns[:-1] for x in labelled])
    batch = batch._replace(dense=half.features.dense_features(words))
    empty = LinearChainCRF(*(np.zeros_like(x) for x in half.crf.arrays()))
    assert sum(reported[CHUNKS_PER_EPOCH:]) == pytest.approx(
        crf_loss(half.crf, batch, encoded.label_ids, 0.0, empty), rel=1e-4, abs=1e-4
    )


def test_a_model_in_double_precision_keeps_its_precision(tmp_path):
    model, sentences = letter_task()
    doubled = {name: x.astype(np.float64) for name, x in model.rbm.parameters().items()}
    model = replace(model, rbm=replace(model.rbm, **doubled))
    tagger = tagger_of(model, sentences[:20], FinetuneSettings(epochs=1))
    save_tagger(tmp_path, tagger, "mark")
    np.testing.assert_array_equal(
        scores(load_tagger(tmp_path), sentences[20:]), scores(tagger, sentences[20:])
    )


def test_the_blank_symbol_is_an_unknown_word():
    model, sentences = letter_task()
    sentence = Sentence((("a", "___", "b"), ("no", "no", "yes")))
    tagger = tagger_of(model, [*sentences[:20], sentence], FinetuneSettings(epochs=1))
    assert len(tagger.tag([sentence.columns[:-1]])[0]) == 3
    assert model_tokens(("A", "___", "1999")) == ["a", "<unk>", "#"]
