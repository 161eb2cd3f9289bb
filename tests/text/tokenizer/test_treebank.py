"""Treebank words against NLTK's own, on the standard engine and on its own, cached and not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer

from tests.text.tokenizer.hostile import parts, texts
from tests.text.tokenizer.nltk_referee import WORDS
from wordrbm.text.tokenizer import treebank
from wordrbm.text.tokenizer.treebank import (
    CACHE_SIZE,
    CONTRACTED,
    MAX_CACHED_LENGTH,
    lower_and_mask_digits,
    tokenize_sentence,
    treebank_split,
)

# Not what only the standard engine counts as white space (\x1c to \x1f) or as part of a word.
same_in_both = st.characters(max_codepoint=0x24F, exclude_characters="\x1c\x1d\x1e\x1f¹²³¼½¾")


@settings(max_examples=1000)
@given(texts)
def test_words_are_those_of_nltk_on_the_standard_engine(sentence):
    assert treebank_split(sentence) == WORDS.tokenize(sentence)


@given(st.text(same_in_both))
def test_words_are_those_of_nltk_on_its_own_engine(sentence):
    assert treebank_split(sentence) == NLTKWordTokenizer().tokenize(sentence)


@pytest.mark.parametrize("mark", "\x1c\x1d\x1e\x1f")
def test_separators_are_white_space_as_for_python(mark):
    assert treebank_split(f"5.{mark}") == ["5", "."]


def test_all_contractions_without_an_apostrophe_are_listed():
    assert all(len(treebank_split(f"x {word} x")) == 4 for word in CONTRACTED)
    assert len(CONTRACTED) == len([rule for rule in WORDS.CONTRACTIONS2 if "'" not in rule.pattern])


def uncached(sentence):
    """The words of a sentence by NLTK and the repairs, without a cache."""
    words = treebank.restore_final_period(WORDS.tokenize(sentence))
    return lower_and_mask_digits(treebank.rejoin_apostrophes(f" {' '.join(words)} ")).split()


pieces = st.lists(parts, min_size=1, max_size=4).map("".join)
sentences = st.lists(pieces, max_size=6).map(" ".join)


@settings(max_examples=2000)
@given(texts | sentences)
def test_cached_words_are_those_of_the_whole_sentence(sentence):
    assert tokenize_sentence(sentence) == uncached(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        '""So," he said.',  # quotes that open the sentence
        "''So,'' he said.",
        ' "So," he said.',
        '\t"So," he said.',
        "He left the U.S . ) '",  # the end, over several pieces
        "He left.\n\" ) '",
        "He left.  \" ) '",
        "the dog's' bone is his's'",  # an apostrophe before a space, another white space, the end
        "the dog's'\nbone",
        "the dog's'\n bone ",
        "the firms' 80 shares",  # an apostrophe joined with the next piece
        "the firms' \n80s were",
        "rock 'n ' n roll",
        "rock ' nn't roll",
        "ΑΣ ΑΣ. ΑΣ's İs ΑΣ'",  # letters whose lower case depends on what follows
        "cannot, Gonna. wanna wanna. wanna, so-cannot.be",
        "x" * (MAX_CACHED_LENGTH + 1) + '" he said.',
    ],
)
def test_rules_look_beyond_a_piece_where_they_must(sentence):
    for text in (sentence, sentence + " So.", "So: " + sentence):
        assert tokenize_sentence(text) == uncached(text)


def test_the_caches_are_bounded_and_hold_no_long_piece():
    for cache in (tokenize_sentence._inside, tokenize_sentence._start, tokenize_sentence._end):
        before = cache.cache_info()
        first, inside, last = (letter * MAX_CACHED_LENGTH for letter in "bcd")
        tokenize_sentence(f'"{first} it is {inside}, so {last}.')
        assert cache.cache_info() == before
        assert before.maxsize == CACHE_SIZE


def test_much_white_space_takes_linear_time():
    for gap in ("\t", " ", "\n ", "' ", ") "):
        assert tokenize_sentence(f"so it is{gap * 100_000}.")[:3] == ["so", "it", "is"]
