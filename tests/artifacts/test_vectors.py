import numpy as np
import pytest

from wordrbm.artifacts import Vectors
from wordrbm.artifacts.export import export
from wordrbm.errors import WordRBMError

WORDS = ("<unk>", "the", "café", "#,#.#", "n't", "naïve")


@pytest.fixture
def vectors(rng):
    return Vectors(WORDS, rng.normal(size=(len(WORDS), 5)).astype(np.float32))


def test_similarity_is_the_cosine(vectors):
    x, y = vectors["the"], vectors["café"]
    expected = x @ y / np.sqrt((x @ x) * (y @ y))
    assert vectors.similarity("the", "café") == pytest.approx(float(expected), rel=1e-6)


def test_neighbours_come_nearest_first_without_the_word_and_the_unknown(vectors):
    found = vectors.most_similar("the", 10)
    expected = sorted(
        (word for word in WORDS[1:] if word != "the"),
        key=lambda word: -vectors.similarity("the", word),
    )
    assert [word for word, _ in found] == expected


def test_neighbours_among_the_most_frequent(vectors):
    assert {word for word, _ in vectors.most_similar("naïve", 5, among=3)} == {"the", "café"}


def test_a_word_outside_is_refused_with_advice(vectors):
    assert "Café" not in vectors
    with pytest.raises(WordRBMError, match="lower case"):
        vectors["Café"]


@pytest.mark.parametrize("form", ["word2vec", "word2vec-binary"])
def test_gensim_reads_what_is_exported(tmp_path, vectors, form):
    gensim = pytest.importorskip("gensim.models")
    export(vectors, tmp_path / "vectors", form)
    loaded = gensim.KeyedVectors.load_word2vec_format(
        tmp_path / "vectors", binary=form.endswith("binary")
    )
    assert tuple(loaded.index_to_key) == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors.matrix)


def test_a_word_with_a_space_cannot_be_exported(tmp_path):
    spaced = Vectors(("<unk>", "new york"), np.zeros((2, 2), np.float32))
    with pytest.raises(WordRBMError, match="white space"):
        export(spaced, tmp_path / "vectors", "word2vec")
    assert not list(tmp_path.iterdir())
