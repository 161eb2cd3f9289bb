"""Every export, read by the library it is for."""

import json

import numpy as np
import pytest
from safetensors import safe_open

from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors
from wordrbm.io.export import FORMATS, write_vectors

WORDS = ("<unk>", "the", "Café", "monday", "#.#", "n't", "$", "u.s.")


@pytest.fixture
def vectors(rng):
    return Vectors(WORDS, rng.normal(size=(len(WORDS), 5)).astype(np.float32))


def test_gensim_reads_glove(tmp_path, vectors):
    gensim = pytest.importorskip("gensim.models", reason="gensim is not installed")
    write_vectors(vectors, tmp_path / "glove.txt", "glove")
    loaded = gensim.KeyedVectors.load_word2vec_format(tmp_path / "glove.txt", no_header=True)
    assert tuple(loaded.index_to_key) == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors.matrix)


def test_safetensors_reads_safetensors(tmp_path, vectors):
    write_vectors(vectors, tmp_path / "v.safetensors", "safetensors")
    with safe_open(tmp_path / "v.safetensors", framework="numpy") as file:
        assert tuple(json.loads(file.metadata()["words"])) == WORDS
        np.testing.assert_array_equal(file.get_tensor("vectors"), vectors.matrix)


def test_model2vec_reads_model2vec(tmp_path, vectors):
    """A text is the mean of the vectors of its words; unknown words are left out."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    write_vectors(vectors, tmp_path / "static", "model2vec")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "static")
    assert model.tokens == WORDS
    found = model.encode(["The zebra hadn't $1.25 Monday", "zebra"])
    rows = [WORDS.index(word) for word in ("the", "n't", "$", "#.#", "monday")]
    np.testing.assert_allclose(found[0], vectors.matrix[rows].mean(0), atol=1e-6)
    assert not found[1].any()


def test_sentence_transformers_reads_model2vec(tmp_path, vectors):
    """The same folder; a word outside the vocabulary counts as the unknown word."""
    reason = "sentence-transformers is not installed: pip install sentence-transformers"
    library = pytest.importorskip("sentence_transformers", reason=reason)
    write_vectors(vectors, tmp_path / "static", "model2vec")
    model = library.SentenceTransformer(str(tmp_path / "static"), device="cpu")
    found = model.encode(["The zebra hadn't $1.25 Monday"])
    rows = [WORDS.index(x) for x in ("the", "<unk>", "<unk>", "n't", "$", "#.#", "monday")]
    np.testing.assert_allclose(found[0], vectors.matrix[rows].mean(0), atol=1e-6)


def test_spacy_reads_spacy(tmp_path, vectors):
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")
    write_vectors(vectors, tmp_path / "pipeline", "spacy")
    pipeline = spacy.load(tmp_path / "pipeline")
    words = pipeline("The zebra hadn't MONDAY")
    assert [word.has_vector for word in words] == [True, False, False, True, True]
    for token, word in ((words[0], "the"), (words[3], "n't"), (words[4], "monday")):
        np.testing.assert_array_equal(token.vector, vectors[word])
    assert pipeline.vocab.vectors.shape == (len(WORDS) - 1, 5)


def test_without_spacy_the_command_is_told(tmp_path, vectors, monkeypatch):
    monkeypatch.setattr("wordrbm.io.export.find_spec", lambda name: None)
    with pytest.raises(WordRBMError, match=r"pip install 'wordrbm\[spacy\]'"):
        write_vectors(vectors, tmp_path / "pipeline", "spacy")
    assert not list(tmp_path.iterdir())


def test_what_exists_is_not_overwritten_by_a_folder(tmp_path, vectors):
    (tmp_path / "static").mkdir()
    with pytest.raises(WordRBMError, match="already exists; give the name of a new folder"):
        write_vectors(vectors, tmp_path / "static", "model2vec")


def test_a_failed_export_leaves_nothing(tmp_path, vectors, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wordrbm.io.export.write_static_model", fail)
    with pytest.raises(WordRBMError, match="No space left"):
        write_vectors(vectors, tmp_path / "static", "model2vec")
    assert not list(tmp_path.iterdir())


def test_an_unknown_format_is_told(tmp_path, vectors):
    with pytest.raises(WordRBMError, match="use one of word2vec, word2vec-binary, glove"):
        write_vectors(vectors, tmp_path / "v", "fasttext")
    assert set(FORMATS) == {
        "word2vec", "word2vec-binary", "glove", "safetensors", "model2vec", "spacy",
    }  # fmt: skip
