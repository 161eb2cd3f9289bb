from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.text.hostile import texts
from tests.text.nltk_referee import SENTENCES
from wordrbm.text.abbreviations import ABBREVIATIONS, BEFORE_NUMBERS, SENTENCE_STARTERS
from wordrbm.text.full_stops import ends_within, is_abbreviation, is_ordinary

BEFORE = ["end", "J", "_", "5", "1,000", "p.m", "Mr", "no", "ex-Gen", "..", "?", "é", "(Corp"]
AFTER = ["The", "the", "The.", "He", "Smith", "smith", "5", "-5.", ",", "?", '"The', "Éa", "éa"]


@settings(max_examples=1000)
@given(texts)
def test_a_sentence_ends_where_punkt_says(text):
    assert ends_within(text) == SENTENCES.text_contains_sentbreak(text)


@pytest.mark.parametrize("mark", [". ", ".\n", "? ", "... ", '." '])
def test_a_pair_of_words_is_decided_as_by_punkt(mark):
    for before, after in product(BEFORE, AFTER):
        context = f"{before}{mark}{after}"
        assert ends_within(context) == SENTENCES.text_contains_sentbreak(context), context


@pytest.mark.parametrize("word", sorted(ABBREVIATIONS | BEFORE_NUMBERS | SENTENCE_STARTERS))
def test_every_word_of_the_lists_is_decided_as_by_punkt(word):
    for context in (f"{word}. The", f"{word}. Smith", f"{word}. 5", f"J. {word}", f"p.m. {word}"):
        for text in (context, context.title()):
            assert ends_within(text) == SENTENCES.text_contains_sentbreak(text)


@given(st.text(st.characters(categories=["L"]), min_size=1), st.sampled_from(".?!"), texts)
def test_any_mark_after_an_ordinary_word_ends_a_sentence(word, mark, after):
    if is_ordinary(word):
        assert SENTENCES.text_contains_sentbreak(f"{word}{mark} {after}x")


def test_a_word_that_may_be_an_abbreviation_or_an_initial_is_not_ordinary():
    assert is_ordinary("end")
    assert not any(map(is_ordinary, ["Mr", "no", "J", "p.m", "ex-Gen", "5", "(end", "a b", ""]))


def test_no_abbreviation_opens_sentences():
    """A word that is both would be read in another way than Punkt does when it ends in a stop."""
    assert not ABBREVIATIONS & SENTENCE_STARTERS


def test_initials_are_abbreviations_whoever_they_are():
    assert all(is_abbreviation(word) for word in ["mr", "u.s", "l.l.c", "x.y.z", "ex-gen"])
    assert not any(is_abbreviation(word) for word in ["end", "", ".", "a", "a.bc", "u.s."])
