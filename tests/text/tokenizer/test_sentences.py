"""Sentence boundaries against NLTK's own."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.text.tokenizer.hostile import texts
from tests.text.tokenizer.nltk_referee import SENTENCES
from wordrbm.text.tokenizer.sentences import (
    ABBREVIATIONS,
    BEFORE_NUMBERS,
    SENTENCE_STARTERS,
    has_boundary,
    is_abbreviation,
    is_plain_word,
    split_sentences,
)

BEFORE = ["end", "J", "_", "5", "1,000", "p.m", "Mr", "no", "ex-Gen", "..", "?", "é", "(Corp"]
AFTER = ["The", "the", "The.", "He", "Smith", "smith", "5", "-5.", ",", "?", '"The', "Éa", "éa"]


@settings(max_examples=1000)
@given(texts)
def test_a_sentence_ends_where_punkt_says(text):
    assert has_boundary(text) == SENTENCES.text_contains_sentbreak(text)


@pytest.mark.parametrize("mark", [". ", ".\n", "? ", "... ", '." '])
def test_a_pair_of_words_is_decided_as_by_punkt(mark):
    for before, after in product(BEFORE, AFTER):
        context = f"{before}{mark}{after}"
        assert has_boundary(context) == SENTENCES.text_contains_sentbreak(context), context


@pytest.mark.parametrize("word", sorted(ABBREVIATIONS | BEFORE_NUMBERS | SENTENCE_STARTERS))
def test_every_word_of_the_lists_is_decided_as_by_punkt(word):
    for context in (f"{word}. The", f"{word}. Smith", f"{word}. 5", f"J. {word}", f"p.m. {word}"):
        for text in (context, context.title()):
            assert has_boundary(text) == SENTENCES.text_contains_sentbreak(text)


@given(st.text(st.characters(categories=["L"]), min_size=1), st.sampled_from(".?!"), texts)
def test_any_mark_after_a_plain_word_ends_a_sentence(word, mark, after):
    if is_plain_word(word):
        assert SENTENCES.text_contains_sentbreak(f"{word}{mark} {after}x")


def test_a_word_that_may_be_an_abbreviation_or_an_initial_is_not_plain():
    assert is_plain_word("end")
    assert not any(map(is_plain_word, ["Mr", "no", "J", "p.m", "ex-Gen", "5", "(end", "a b", ""]))


def test_no_abbreviation_is_a_sentence_starter():
    """A word that is both would be read in another way than Punkt does when it ends in a stop."""
    assert not ABBREVIATIONS & SENTENCE_STARTERS


def test_initials_are_abbreviations():
    assert all(is_abbreviation(word) for word in ["mr", "u.s", "l.l.c", "x.y.z", "ex-gen"])
    assert not any(is_abbreviation(word) for word in ["end", "", ".", "a", "a.bc", "u.s."])


@settings(max_examples=1000)
@given(texts)
def test_sentences_are_those_of_nltk(text):
    assert list(split_sentences(text)) == SENTENCES.tokenize(text)


@pytest.mark.parametrize("mark", "\x1c\x1d\x1e\x1f")
def test_separators_are_white_space_as_for_python(mark):
    assert list(split_sentences(f"The end.{mark}The next.")) == ["The end.", "The next."]


def test_closing_quotes_and_brackets_belong_to_the_sentence():
    text = "(It is \"so.\") She (he?) left. 'Yes.' No."
    assert list(split_sentences(text)) == ['(It is "so.")', "She (he?)", "left.", "'Yes.'", "No."]


def test_marks_without_white_space_between_are_one_boundary():
    assert list(split_sentences("Really?!?! Yes!!! so ")) == ["Really?!?!", "Yes!!!", "so"]


@pytest.mark.parametrize("text", ["?!" * 50_000, ". " * 50_000, "x." * 50_000, " " * 99_999 + "."])
def test_marks_and_white_space_without_end_take_linear_time(text):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
