import numpy as np
import pytest
from benchmarks import word2vec

from tests.corpora import prepared


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


def test_sentences_are_the_training_words_in_order(corpus):
    found = [word for sentence in word2vec.sentences_of(corpus, 10**9) for word in sentence]
    runs = [slice(start, end) for start, end, part in corpus.spans if part == 0]
    ids = np.concatenate([corpus.ids[run] for run in runs])
    assert found == [corpus.vocabulary.words[k] for k in ids]


@pytest.mark.parametrize("words", [1, 100, 401])
def test_as_many_words_as_were_asked_for(corpus, words):
    assert sum(map(len, word2vec.sentences_of(corpus, words))) == words


def test_no_sentence_is_longer_than_word2vec_reads(corpus, monkeypatch):
    monkeypatch.setattr(word2vec, "LONGEST", 50)
    assert max(map(len, word2vec.sentences_of(corpus, 1_000))) == 50


def test_word2vec_has_the_whole_vocabulary(corpus):
    model = word2vec.untrained(corpus, sample=0.0)
    seen = corpus.vocabulary.counts > 0
    assert len(model.wv) == seen.sum()
    assert model.vector_size == 50
