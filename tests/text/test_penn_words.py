"""The words of a sentence against NLTK's own, on the standard engine and on its own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer

from tests.text.hostile import texts
from tests.text.nltk_referee import WORDS
from wordrbm.text.penn_words import CONTRACTED, split_words

# Not what only the standard engine counts as white space (\x1c to \x1f) or as part of a word.
same_in_both = st.characters(max_codepoint=0x24F, exclude_characters="\x1c\x1d\x1e\x1f¹²³¼½¾")


@settings(max_examples=1000)
@given(texts)
def test_words_are_those_of_nltk_on_the_standard_engine(sentence):
    assert split_words(sentence) == WORDS.tokenize(sentence)


@given(st.text(same_in_both))
def test_words_are_those_of_nltk_on_its_own_engine(sentence):
    assert split_words(sentence) == NLTKWordTokenizer().tokenize(sentence)


@pytest.mark.parametrize("mark", "\x1c\x1d\x1e\x1f")
def test_separators_are_white_space_as_for_python(mark):
    assert split_words(f"5.{mark}") == ["5", "."]


def test_the_contracted_words_are_all_there_are_without_an_apostrophe():
    assert all(len(split_words(f"x {word} x")) == 4 for word in CONTRACTED)
    assert len(CONTRACTED) == len([rule for rule in WORDS.CONTRACTIONS2 if "'" not in rule.pattern])
