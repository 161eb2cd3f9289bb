"""The splitters against NLTK's own, on its own engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktSentenceTokenizer

from wordrbm.text.splitters import Abbreviations, WordSplitter, sentence_splitter

parts = ["Mr.", "U.S.", "J.", "No.", "5.", "5", "The", "the", "Smith", "end", "...", "?", "!", '"']
parts += ["'", ")", "(", ",", "--", "\n", " ", " ", " ", "can't", "'s", "$", "cannot", "é", "“"]
texts = st.lists(st.sampled_from(parts), max_size=30).map("".join)
# Not what only the standard engine counts as white space (\x1c to \x1f) or as part of a word.
characters = st.characters(max_codepoint=0x24F, exclude_characters="\x1c\x1d\x1e\x1f¹²³¼½¾")
SENTENCES, WORDS = sentence_splitter(), WordSplitter()
NLTK_SENTENCES = PunktSentenceTokenizer(SENTENCES._params)


@given(texts | st.text(characters))
def test_sentences_are_those_of_nltk(text):
    assert SENTENCES.tokenize(text) == NLTK_SENTENCES.tokenize(text)


@given(texts | st.text(characters))
def test_words_are_those_of_nltk(text):
    assert WORDS.tokenize(text) == NLTKWordTokenizer().tokenize(text)


@pytest.mark.parametrize("mark", "\x1c\x1d\x1e\x1f")
def test_separators_are_white_space_as_for_python(mark):
    assert WORDS.tokenize(f"5.{mark}") == ["5", "."]
    assert SENTENCES.tokenize(f"The end.{mark}The next.") == ["The end.", "The next."]


def test_initials_are_abbreviations_whoever_they_are():
    known = Abbreviations(["mr"])
    assert all(word in known for word in ["mr", "u.s", "l.l.c", "x.y.z"])
    assert not any(word in known for word in ["end", "", ".", "a", "a.bc", "u.s.", None, 7])


def test_asking_about_words_stores_nothing():
    before = len(SENTENCES._params.ortho_context)
    SENTENCES.tokenize("He met J. Zorblatt in the U.S. Zorblatt said no. Then Mr. Zed left.")
    assert len(SENTENCES._params.ortho_context) == before
