import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.inference import whitening


def test_the_expected_vector_is_the_mean_by_enumeration(trained, monkeypatch):
    monkeypatch.setattr(whitening, "VOCAB_BLOCK", 2)
    p = reference.cloze(trained.rbm, [1, 0, 3], 1)
    for vectors, raw in ((trained.vectors, False), (trained.raw_vectors, True)):
        expected = sum(p[k] * vectors.matrix[k] for k in range(5))
        found = trained.infer_vector("the ___ said", raw=raw)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "sentence"), [("the ___ ___", "2 blanks"), ("the cat said", "no blank")]
)
def test_one_blank_is_asked_for(trained, text, sentence):
    with pytest.raises(WordRBMError, match=sentence):
        trained.infer_vector(text)


def test_the_nearest_words_of_a_words_own_vector_begin_with_it(trained):
    vectors = trained.vectors
    found = vectors.nearest(vectors["cat"] * 3, 4)
    assert found[0] == ("cat", pytest.approx(1.0))
    rest = vectors.most_similar("cat", 3)
    assert [word for word, _ in found[1:]] == [word for word, _ in rest]


def test_what_is_no_word_no_vector_or_no_count_is_told(trained):
    vectors = trained.vectors
    for ask in (
        lambda: vectors.nearest("abc"),
        lambda: vectors.nearest([1, "b"]),
        lambda: vectors.most_similar("cat", 2.5),
        lambda: vectors.most_similar("cat", 2, among=1.5),
        lambda: vectors.most_similar("cat", 0),
        lambda: vectors.most_similar(["cat"]),
        lambda: vectors.similarity("cat", None),
    ):
        with pytest.raises(WordRBMError, match=r"vector was expected|whole number|not in the"):
            ask()


@pytest.mark.parametrize("wrong", [np.zeros(6), np.ones(5), np.full(6, np.nan)])
def test_a_vector_without_direction_has_no_neighbours(trained, wrong):
    with pytest.raises(WordRBMError, match="finite numbers"):
        trained.vectors.nearest(wrong)
