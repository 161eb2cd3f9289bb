"""Attributes and dense features of tokens."""

import numpy as np
import pytest

from wordrbm.artifacts import TrainedModel, Vectors
from wordrbm.models import init_wordrep
from wordrbm.tasks.tagging.attributes import Index, attributes
from wordrbm.tasks.tagging.dense import around, coverage, units
from wordrbm.text.tokenizer import normalize_token
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings

COLUMNS = (("He", "runs", "home"), ("PRP", "VBZ", "NN"))


def test_attributes_of_a_token():
    found = attributes(COLUMNS)[1]
    assert len(found) == 7 + 12
    for expected in (
        "0[0]=runs", "0[-2]=<s1>", "0[2]=</s1>", "0[-1,0]=He|runs", "0[0,1]=runs|home",
        "1[0]=VBZ", "1[-1,0,1]=PRP|VBZ|NN", "1[1,2]=NN|</s1>", "1[-2,-1,0]=<s1>|PRP|VBZ",
    ):  # fmt: skip
        assert expected in found
    assert len(attributes(COLUMNS[:1])[0]) == 7


def test_attributes_not_seen_in_training_are_left_out():
    index = Index.of([COLUMNS])
    own, first = index.numbers([COLUMNS, (("She", "runs"), ("PRP", "VBZ"))])
    assert first.tolist()[:4] == [0, 19, 38, 57]
    assert len(first) == 6
    names = {number: name for name, number in index.number.items()}
    assert "0[1]=runs" in {names[k] for k in own[first[3] : first[4]]}
    assert "0[0]=She" not in index.number
    assert len(index) == len(set(own[:57].tolist()))


@pytest.mark.parametrize(
    ("word", "expected"),
    [("-LRB-", "("), ("-rrb-", ")"), ("1\\/2", "#/#"), ("The", "the"), ("-", "-"), ("8.9", "#.#")],
)
def test_words_of_a_treebank_are_spelt_as_in_text(word, expected):
    assert normalize_token(word) == expected


def test_vectors_around_a_token_have_the_deviation_asked_for():
    rng = np.random.default_rng(1)
    vectors = Vectors(("<unk>", "he", "runs"), rng.normal(size=(3, 4)).astype(np.float32))
    found = around([["He", "runs", "Xyz"], ["runs"]], vectors, 0.1)
    assert found.shape == (4, 20)
    scale = 0.1 / vectors.matrix.std()
    np.testing.assert_allclose(found[1, 4:8], scale * vectors["he"], rtol=1e-5)
    np.testing.assert_allclose(found[0, 16:], scale * vectors["<unk>"], rtol=1e-5)
    assert not found[0, :8].any()
    assert not found[3, :8].any()
    assert coverage([["He", "runs", "Xyz"], ["runs"]], vectors) == 0.75


@pytest.mark.parametrize("n", [3, 5])
def test_units_are_of_the_window_around_a_token(n):
    vocabulary = Vocabulary.build([(word, 5) for word in "abcdef"], 1)
    rng = np.random.default_rng(2)
    rbm = init_wordrep(rng, n=n, H=6, d=4, word_probability=vocabulary.probability())
    model = TrainedModel(rbm, vocabulary, TrainingSettings(window=n, hidden=6, dimension=4))
    words = list("abcdefab")
    found = units([words, ["a", "b"]], model)
    assert found.shape == (10, 6)
    expected = model.hidden([words])[0]
    np.testing.assert_array_equal(found[n // 2 : 8 - n // 2], expected)
    assert not found[: n // 2].any()
    assert not found[8 - n // 2 :].any()
