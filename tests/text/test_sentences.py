"""The sentences against NLTK's own."""

import pytest
from hypothesis import given, settings

from tests.text.hostile import texts
from tests.text.nltk_referee import SENTENCES
from wordrbm.text.sentences import split_sentences


@settings(max_examples=1000)
@given(texts)
def test_sentences_are_those_of_nltk(text):
    assert list(split_sentences(text)) == SENTENCES.tokenize(text)


@pytest.mark.parametrize("mark", "\x1c\x1d\x1e\x1f")
def test_separators_are_white_space_as_for_python(mark):
    assert list(split_sentences(f"The end.{mark}The next.")) == ["The end.", "The next."]


def test_what_closes_after_the_full_stop_belongs_to_the_sentence():
    text = "(It is \"so.\") She (he?) left. 'Yes.' No."
    assert list(split_sentences(text)) == ['(It is "so.")', "She (he?)", "left.", "'Yes.'", "No."]


def test_marks_without_white_space_between_are_one_end():
    assert list(split_sentences("Really?!?! Yes!!! so ")) == ["Really?!?!", "Yes!!!", "so"]


@pytest.mark.parametrize("text", ["?!" * 50_000, ". " * 50_000, "x." * 50_000, " " * 99_999 + "."])
def test_marks_and_white_space_without_end_take_linear_time(text):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
