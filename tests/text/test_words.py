import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.text.hostile import parts, texts
from tests.text.nltk_referee import WORDS
from wordrbm.text import corrections, words
from wordrbm.text.words import LONGEST, REMEMBERED, without_numbers, words_of


def slowly(sentence):
    """The words of a sentence by NLTK and the corrections, at once."""
    found = corrections.end_of_sentence(WORDS.tokenize(sentence))
    return without_numbers(corrections.after(f" {' '.join(found)} ")).split()


pieces = st.lists(parts, min_size=1, max_size=4).map("".join)
sentences = st.lists(pieces, max_size=6).map(" ".join)


@settings(max_examples=2000)
@given(texts | sentences)
def test_words_looked_up_by_piece_are_those_of_the_whole_sentence(sentence):
    assert words_of(sentence) == slowly(sentence)


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
        "x" * (LONGEST + 1) + '" he said.',
    ],
)
def test_what_looks_beyond_a_piece_is_as_in_the_whole_sentence(sentence):
    for text in (sentence, sentence + " So.", "So: " + sentence):
        assert words_of(text) == slowly(text)


def test_few_pieces_are_remembered_and_no_long_ones():
    for memory in (words._inside, words._at_start, words._at_end):
        before = memory.cache_info()
        words_of(f'"{"b" * LONGEST} it is {"c" * LONGEST}, so {"d" * LONGEST}.')
        assert memory.cache_info() == before
        assert before.maxsize == REMEMBERED


def test_much_white_space_takes_linear_time():
    for gap in ("\t", " ", "\n ", "' ", ") "):
        assert words_of(f"so it is{gap * 100_000}.")[:3] == ["so", "it", "is"]
