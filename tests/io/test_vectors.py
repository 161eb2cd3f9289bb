import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors, load_vectors
from wordrbm.io.tensors import read_metadata, write_tensors
from wordrbm.io.word2vec import write_word2vec
from wordrbm.trained_model import load

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
    with pytest.raises(WordRBMError, match="among is 0, below 1"):
        vectors.most_similar("naïve", among=0)
    with pytest.raises(WordRBMError, match="count is 0, below 1"):
        vectors.most_similar("naïve", 0)


def test_a_word_outside_is_refused_with_advice(vectors):
    assert "Café" not in vectors
    with pytest.raises(WordRBMError, match="lower case"):
        vectors["Café"]


@pytest.mark.parametrize("form", ["word2vec", "word2vec-binary"])
def test_gensim_reads_what_is_exported(tmp_path, vectors, form):
    gensim = pytest.importorskip("gensim.models")
    write_word2vec(vectors, tmp_path / "vectors", form)
    loaded = gensim.KeyedVectors.load_word2vec_format(
        tmp_path / "vectors", binary=form.endswith("binary")
    )
    assert tuple(loaded.index_to_key) == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors.matrix)


def test_a_word_with_a_space_cannot_be_exported(tmp_path):
    spaced = Vectors(("<unk>", "new york"), np.zeros((2, 2), np.float32))
    with pytest.raises(WordRBMError, match="white space"):
        write_word2vec(spaced, tmp_path / "vectors", "word2vec")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("raw", [False, True])
def test_vectors_loaded_by_themselves_are_those_of_the_model(folder, raw):
    model = load(folder)
    expected = model.raw_vectors if raw else model.vectors
    loaded = load_vectors(str(folder), raw=raw)
    assert loaded.words == model.vocabulary.words
    assert loaded.matrix.tobytes() == expected.matrix.tobytes()


def test_loading_vectors_imports_few_files_and_nothing_compiled(folder):
    program = (
        "import sys, wordrbm\n"
        f"wordrbm.load_vectors({str(folder)!r}).most_similar('cat')\n"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] == 'wordrbm'))\n"
        "print(*{'numba', 'scipy', 'pydantic', 'threadpoolctl'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules, heavy = (line.split() for line in done.stdout.split("\n")[:2])
    assert len(modules) <= 12, modules
    rooms = {name.split(".")[1] for name in modules if "." in name}
    assert not rooms & {"sampling", "training", "models", "kernels", "trained_model"}
    assert not heavy


@pytest.mark.parametrize("sizes", [None, {}, {"n": 2, "H": 3, "d": "5"}, {"n": 2, "H": 3, "d": 4}])
def test_vectors_of_a_file_without_its_sizes_are_refused(folder, sizes):
    path = folder / "model.safetensors"
    metadata, arrays = read_metadata(path), load_file(path)
    write_tensors(path, arrays, metadata | {"sizes": sizes})
    with pytest.raises(WordRBMError, match=r"no sizes|holds D as"):
        load_vectors(folder)
