import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.text.tokenizer import nltk_referee
from tests.text.tokenizer.hostile import texts
from wordrbm.text.tokenizer import mask_digits, normalize_token, tokenize

GOLDEN = {
    # Penn contractions and possessives
    "They can't say it's theirs.": "they ca n't say it 's theirs .",
    "I'll go, we've won, he'd know.": "i 'll go , we 've won , he 'd know .",
    "You cannot; the firms' shares won't.": "you can not ; the firms ' shares wo n't .",
    # abbreviations keep their full stop, and only sentences lose theirs
    "Mr. Smith of XYZ Corp. met Gen. Lee.": "mr. smith of xyz corp. met gen. lee .",
    "The U.S. Senate met at 5 p.m. Monday.": "the u.s. senate met at # p.m. monday .",
    "J. P. Morgan hired John F. Kennedy.": "j. p. morgan hired john f. kennedy .",
    "It is No. 5, or No.6. He said no. Then": "it is no. # , or no. # . he said no . then",
    "Plan B. The end": "plan b . the end",
    # at a sentence's end the Treebank gives the country two full stops, all else one
    "He left the U.S. The rest stayed.": "he left the u.s. . the rest stayed .",
    "She works for Apple Inc.\n\nAnd he, too": "she works for apple inc . and he , too",
    '"I like the U.S."': "`` i like the u.s. . ''",
    # money and numbers
    "It cost $1,234.5 in the 1990s.": "it cost $ #,#.# in the #s .",
    "£5m or €3.50, 7%": "£ #m or € #.# , # %",
    "From 1990–95, a 3-year-old F-16": "from #-# , a #-year-old f-#",
    "the '80s and ’90s": "the '#s and '#s",
    # marks inside a name or a compound
    "AT&T and S&P's 20%-owned R & D, US$5": "at&t and s&p 's #%-owned r & d , us$ #",
    "Cats&dogs, 5% or C$ 7.": "cats & dogs , # % or c$ # .",
    # quotes, straight and typographic
    '"Yes," he said, "no."': "`` yes , '' he said , `` no . ''",
    "“Don’t,” she said.": "`` do n't , '' she said .",
    "‘the end’ was 'the end'": "` the end ' was ' the end '",
    "give 'em time": "give 'em time",
    # dashes and dots
    "end—or not – perhaps -- or ---- so": "end -- or not -- perhaps -- or -- so",
    "wait… what... who . . . and....": "wait ... what ... who ... and ... .",
    "well-known, state-of-the-art": "well-known , state-of-the-art",
    # missing spaces, markup, rules
    "the end.The next": "the end . the next",
    'the end."The next': "the end . '' the next",
    "see amazon.com or xom.n": "see amazon.com or xom.n",
    "good.<br /><br />Bad": "good . bad",
    "He gave it 10.<br\n/>nice": "he gave it # . nice",
    "Corp.<BR  />its": "corp . its",
    "_really_ good_name ______ *** x": "really good_name x",
    "zero\u200bwidth so\u00adft\ufeff": "zerowidth soft",
    "\x93Yes\x94, it\x92s \x96 so": "`` yes '' , it 's -- so",
    "zero\x00byte": "zerobyte",
    "zero\x00byte café": "zerobyte café",
    "": "",
    " \n\n \t": "",
}


@pytest.mark.parametrize("text", GOLDEN)
def test_a_text_gives_the_tokens_of_the_treebank(text):
    assert " ".join(tokenize(text)) == GOLDEN[text]


@settings(max_examples=2000)
@given(texts)
def test_tokens_are_the_referees(text):
    assert tokenize(text) == nltk_referee.tokens(text)


def test_a_text_becomes_tokens_without_nltk():
    """It takes seconds to load."""
    program = (
        "import sys; from wordrbm.text.tokenizer import tokenize;"
        "tokenize('\"I can\\'t,\" Mr. X. said (on the 5th). No.');"
        "print('nltk' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"], done.stderr


@pytest.mark.parametrize(
    ("word", "expected"),
    [("U.S.", "u.s."), ("1,234.5", "#,#.#"), ("1990s", "#s"), ("3\\/4", "#/#"), ("-LRB-", "(")],
)
def test_a_penn_word_is_normalised(word, expected):
    assert normalize_token(word) == expected


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_tokens_have_no_white_space_no_digit_and_some_character(text):
    for token in tokenize(text):
        assert token
        assert not re.search(r"\s|\d", token)
        assert token.encode("utf-8")


@given(st.text("abcAB .,'\"$-12\n", max_size=60))
def test_normalising_again_changes_nothing(text):
    tokens = tokenize(text)
    assert [normalize_token(token) for token in tokens] == tokens


@given(st.text("abcAB .,'\"$/12\n", max_size=60))
def test_tokens_that_keep_their_digits_differ_in_these_alone(text):
    tokens = tokenize(text, keep_digits=True)
    assert [mask_digits(token) for token in tokens] == tokenize(text)
    assert [normalize_token(token, keep_digits=True) for token in tokens] == tokens


def test_ratings_and_years_keep_their_digits():
    assert tokenize("An 8/10, in 1999.", keep_digits=True) == ["an", "8/10", ",", "in", "1999", "."]
    assert normalize_token("3\\/4", keep_digits=True) == "3/4"


def test_a_text_gives_the_same_tokens_whatever_was_read_before():
    text = "Then X. Zorblatt came. Zorblatt left the U.S. Zorblatt slept."
    first = tokenize(text)
    tokenize("zorblatt was seen in lower case. zorblatt. The Zorblatt.")
    assert tokenize(text) == first


def test_a_paragraph_of_any_length_is_read_in_linear_time():
    """NLTK's own engine gives up after five seconds of wall clock, wherever it then is."""
    sentence = "It is a story of the U.S. and Mr. Smith, who didn't know. "
    assert tokenize(sentence * 4_000) == tokenize(sentence) * 4_000
