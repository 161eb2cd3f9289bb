"""Attributes and dense features of tokens."""

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors
from wordrbm.models import init_wordrep
from wordrbm.tagging.features import (
    AttributeIndex,
    FeatureConfig,
    attributes,
    hidden_features,
    lookup,
    window_vectors,
    word_shape,
)
from wordrbm.text.tokenizer import normalize_token
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

COLUMNS = (("He", "runs", "home"), ("PRP", "VBZ", "NN"))


def test_attributes_of_a_token():
    result = attributes(COLUMNS)[1]
    assert len(result) == 7 + 12
    for expected in (
        "0[0]=runs", "0[-2]=<s1>", "0[2]=</s1>", "0[-1,0]=He|runs", "0[0,1]=runs|home",
        "1[0]=VBZ", "1[-1,0,1]=PRP|VBZ|NN", "1[1,2]=NN|</s1>", "1[-2,-1,0]=<s1>|PRP|VBZ",
    ):  # fmt: skip
        assert expected in result
    assert len(attributes(COLUMNS[:1])[0]) == 7


def test_attributes_that_do_not_occur_in_training_are_left_out():
    index = AttributeIndex.build([COLUMNS])
    batch = index.encode([COLUMNS, (("She", "runs"), ("PRP", "VBZ"))])
    rows, offsets = batch.attributes, batch.offsets
    assert offsets.tolist()[:4] == [0, 19, 38, 57]
    assert len(offsets) == 6
    names = {row: name for name, row in index.row.items()}
    assert "0[1]=runs" in {names[k] for k in rows[offsets[3] : offsets[4]]}
    assert "0[0]=She" not in index.row
    assert len(index) == len(set(rows[:57].tolist()))


@pytest.mark.parametrize(
    ("word", "expected"),
    [("-LRB-", "("), ("-rrb-", ")"), ("1\\/2", "#/#"), ("The", "the"), ("-", "-"), ("8.9", "#.#")],
)
def test_treebank_tokens_are_normalised_as_in_text(word, expected):
    assert normalize_token(word) == expected


def test_window_vectors_have_the_standard_deviation_given():
    rng = np.random.default_rng(1)
    vectors = Vectors(("<unk>", "he", "runs"), rng.normal(size=(3, 4)).astype(np.float32))
    result = window_vectors([["He", "runs", "Xyz"], ["runs"]], vectors, 0.1)
    assert result.shape == (4, 20)
    scale = 0.1 / vectors.matrix.std()
    np.testing.assert_allclose(result[1, 4:8], scale * vectors["he"], rtol=1e-5)
    np.testing.assert_allclose(result[0, 16:], scale * vectors["<unk>"], rtol=1e-5)
    assert not result[0, :8].any()
    assert not result[3, :8].any()
    assert [lookup(word, vectors) for word in ("He", "runs", "Xyz")] == [1, 2, None]


@pytest.mark.parametrize("n", [3, 5])
def test_hidden_features_are_of_the_centred_window(n):
    vocabulary = Vocabulary.build([(word, 5) for word in "abcdef"], 1)
    rng = np.random.default_rng(2)
    rbm = init_wordrep(rng, n=n, H=6, d=4, word_probability=vocabulary.probability())
    model = TrainedModel(rbm, vocabulary, TrainingSettings(window=n, hidden=6, dimension=4))
    words = list("abcdefab")
    result = hidden_features([words, ["a", "b"]], model)
    assert result.shape == (10, 6)
    expected = model.hidden([words])[0]
    np.testing.assert_array_equal(result[n // 2 : 8 - n // 2], expected)
    assert not result[: n // 2].any()
    assert not result[8 - n // 2 :].any()


@pytest.mark.parametrize(
    ("word", "shape"),
    [("London", "Xx"), ("McDonald's", "XxXx'x"), ("3.5", "d.d"), ("F-16", "X-d"), ("été", "x")],
)
def test_word_shapes(word, shape):
    assert word_shape(word) == shape


def test_spelling_attributes_come_after_the_others():
    plain, spelt = attributes(COLUMNS), attributes(COLUMNS, spelling=True)
    assert [token[: len(before)] for token, before in zip(spelt, plain, strict=True)] == plain
    assert spelt[1][len(plain[1]) :] == [
        "0[-1]shape=Xx", "0[0]shape=x", "0[1]shape=x", "0[-1,0]shape=Xx|x", "0[0,1]shape=x|x",
        "0[0]prefix=r", "0[0]suffix=s", "0[0]prefix=ru", "0[0]suffix=ns",
        "0[0]prefix=run", "0[0]suffix=uns",
    ]  # fmt: skip
    index = AttributeIndex.build([COLUMNS], spelling=True)
    assert index.columns == 2
    offsets = index.encode([COLUMNS]).offsets
    assert offsets[2] - offsets[1] == len(spelt[1])


def test_vectors_that_cannot_be_scaled_are_refused():
    for number in (0.0, 1.0, 1e-45):
        vectors = Vectors(("a", "b"), np.full((2, 2), number, np.float32))
        with pytest.raises(WordRBMError, match="cannot be scaled"):
            FeatureConfig(vectors).dense_features([["a"]])
