"""Cloze scores of documents, against exact conditionals and a loop over documents."""

from collections import defaultdict

import numpy as np
import pytest
from experiments.sentiment import cloze
from experiments.sentiment.cloze import Candidates, cloze_scores

from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.documents import DocumentIds, offsets_from
from wordrbm.models import cloze as exact
from wordrbm.models.wordrep import init_wordrep
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

K = 30


@pytest.fixture
def vocabulary():
    return Vocabulary.build([(f"w{k:02}", 300 // (k + 1)) for k in range(K - 1)], 40)


def random_rbm(vocabulary, seed):
    q = vocabulary.probability()
    rbm = init_wordrep(np.random.default_rng(seed), n=5, H=6, d=4, word_probability=q)
    rbm.D[:] *= 10.0
    rbm.U[:] *= 5.0
    return rbm


def test_all_words_as_candidates_are_exact(vocabulary):
    rbm, q = random_rbm(vocabulary, 1), vocabulary.probability()
    v = np.random.default_rng(2).integers(0, K, (40, 5)).astype(np.int32)
    expected = exact.cloze_log_probability(rbm, v)
    for i in range(5):
        log_p = cloze.cloze_log_probability(rbm, v, i, Candidates.draw(q, head=K))
        np.testing.assert_allclose(log_p, expected[:, i], rtol=1e-5, atol=1e-5)


def test_a_word_counts_once_in_its_document():
    document, word = np.array([0, 0, 0, 1, 1]), np.array([4, 4, 2, 4, 3], np.int32)
    weights = cloze.word_weights(document, word, K)
    np.testing.assert_allclose(weights, [0.25, 0.25, 0.5, 0.5, 0.5])


def test_the_sum_over_candidates_is_unbiased(vocabulary):
    q, x = vocabulary.probability(), np.random.default_rng(3).normal(size=K)
    words, log_weight = Candidates.draw(q, head=5, tail=200_000)
    assert len(words) == 200_005
    assert np.exp(x[words] + log_weight).sum() == pytest.approx(np.exp(x).sum(), rel=0.02)


def test_documents_are_scored_one_by_one(vocabulary, monkeypatch):
    monkeypatch.setattr(cloze, "BLOCK_WORDS", 16)
    trained = [TrainedModel(random_rbm(vocabulary, s), vocabulary, TrainingSettings(window=5))
               for s in (1, 2)]  # fmt: skip
    models = ClassModels(tuple(trained), np.zeros(2))
    lengths = np.array([5, 0, 9, 6, 40])
    ids = np.random.default_rng(4).integers(0, K, lengths.sum()).astype(np.int32)
    documents = DocumentIds(ids, offsets_from(lengths))
    scores = cloze_scores(models, documents, lambda: None)
    assert scores[1].tolist() == [0.0, 0.0]
    for number in (0, 2, 3, 4):
        v = np.lib.stride_tricks.sliding_window_view(documents[number], 5)
        for c, model in enumerate(trained):
            log_p, by_word = exact.cloze_log_probability(model.rbm, v)[:, 2], defaultdict(list)
            for word, value in zip(v[:, 2].tolist(), log_p, strict=True):
                by_word[word].append(value)
            expected = -np.mean([np.mean(values) for values in by_word.values()])
            assert scores[number, c] == pytest.approx(expected, rel=1e-5)
