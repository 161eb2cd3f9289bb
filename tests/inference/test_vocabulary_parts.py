"""Scores of words do not depend on how the vocabulary is shared among threads."""

import numpy as np
import pytest

from wordrbm.inference import scoring, text_model
from wordrbm.inference.text_model import TextModel, vocabulary_parts, word_log_scores
from wordrbm.models import init_wordrep
from wordrbm.models.cloze import VOCAB_BLOCK
from wordrbm.text.vocabulary import Vocabulary

K = 5 * VOCAB_BLOCK + 7


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(5)
    vocabulary = Vocabulary.build([(f"w{k}", K - k) for k in range(K - 1)], 9)
    rbm = init_wordrep(rng, n=3, H=6, d=4, word_probability=vocabulary.probability())
    return TextModel.from_rbm(rbm, vocabulary)


@pytest.mark.parametrize("count", [1, VOCAB_BLOCK, 2 * VOCAB_BLOCK + 1, 100_001])
def test_parts_are_whole_blocks_that_cover_the_vocabulary(count):
    parts = vocabulary_parts(count)
    assert len(parts) <= text_model.VOCABULARY_PARTS
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert parts[-1].stop == count
    assert all(part.start % VOCAB_BLOCK == 0 for part in parts)


def test_the_same_digits_in_any_number_of_parts(model, monkeypatch):
    texts = np.array([[3, 600, 2, 500, 1]])
    found = []
    for parts in (1, 2, 16):
        monkeypatch.setattr(text_model, "VOCABULARY_PARTS", parts)
        found.append([word_log_scores(model, texts, blank) for blank in range(5)])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    scores = np.array(found[0])[:, 0]
    own = scores[np.arange(5), texts[0]]
    nats = np.logaddexp.reduce(scores, axis=1) - own
    np.testing.assert_allclose(scoring.word_surprisals(model, texts[0]), nats, rtol=1e-9)
