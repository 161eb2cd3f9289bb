import numpy as np
import pandas as pd
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import (
    check_int,
    check_iterable,
    token_ids,
    tokens_of,
    tokens_with_blanks,
)
from wordrbm.text.tokenizer import tokenize
from wordrbm.text.vocabulary import Vocabulary


def test_a_text_is_split_as_the_training_text_was():
    text = "Mr. Smith didn't pay $1,234.5 -- in the 1990s."
    assert tokens_of(text) == tokenize(text)


def test_tokens_are_normalised_one_by_one():
    assert tokens_of(["The", "1990s", "-LRB-", "new york"]) == ["the", "#s", "(", "new york"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The ___ said.", ["the", None, "said", "."]),
        ('__ said "____" to', [None, "said", "``", None, "''", "to"]),
        ("on ___, (___)?", ["on", None, ",", "(", None, ")", "?"]),
        ("___ ___", [None, None]),
        ("a _ b", ["a", "b"]),  # one underscore is emphasis, not a blank
        (["The", None, "___"], ["the", None, None]),
    ],
)
def test_blanks_are_kept(text, expected):
    assert tokens_with_blanks(text) == expected


def test_a_blank_inside_a_word_is_refused():
    with pytest.raises(WordRBMError, match="'___-year-old' has a blank inside"):
        tokens_with_blanks("the ___-year-old")


@pytest.mark.parametrize("sentence", ["the ___ said", ["the", None], ["the", "__"]])
def test_a_blank_where_none_may_be_is_refused(sentence):
    with pytest.raises(WordRBMError, match="A blank was found"):
        tokens_of(sentence)


def test_words_outside_become_id_0_and_blanks_keep_apart():
    vocabulary = Vocabulary.build([("the", 2), ("cat", 1)], 1)
    assert token_ids(vocabulary, ["cat", "zebra", None, "the"]).tolist() == [2, 0, -1, 1]


@pytest.mark.parametrize("wrong", [3, b"text", {"a": 1}, {"a", "b"}, ["a", 3], [["a"]]])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(WordRBMError, match="was found"):
        tokens_of(wrong)


FRAME = pd.DataFrame({"the first text": ["a b c"]})


@pytest.mark.parametrize(
    "wrong",
    ["a single text", b"bytes", 3, None, {"a": "b"}, FRAME, FRAME.to_numpy(), np.array("a b")],
)
def test_what_is_not_several_sentences_is_refused(wrong):
    with pytest.raises(WordRBMError, match="several sentences"):
        check_iterable(wrong)
    assert list(check_iterable(FRAME["the first text"])) == ["a b c"]


@pytest.mark.parametrize("wrong", [0, -1, 2.0, "3", True, None])
def test_a_count_is_a_check_int(wrong):
    assert check_int("count", np.int64(2), 1) == 2
    with pytest.raises(WordRBMError, match="whole number of 1 or more"):
        check_int("count", wrong, 1)
