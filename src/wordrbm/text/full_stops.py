"""Whether a full stop, question or exclamation mark ends a sentence.

A question or exclamation mark does, and so does a full stop, but for these:

    after an abbreviation or an ellipsis   only before a capital word known to open sentences
    after a number or an initial           not before a mark, nor before a word in small letters
    after an initial                       nor before a capital word, if it is not known to open any
    after "No" and its like                not before a number

A word known to open sentences opens one after a number or an initial in small letters too. These
are Punkt's decisions when its parameters are the lists of `abbreviations.py` and each word that
opens sentences counts as seen in small letters; then most of Punkt's cases cannot arise.

Source: T. Kiss and J. Strunk. Unsupervised multilingual sentence boundary detection.
Computational Linguistics 32(4), 2006, sections 3 and 4, as in NLTK 3.10.
"""

import re
from itertools import pairwise

from wordrbm.text.abbreviations import ABBREVIATIONS, BEFORE_NUMBERS, SENTENCE_STARTERS

CLOSING = "\"')\\]}‘’“”«»"  # what may close a sentence after its full stop, for a set in a pattern
# What ends a word though no white space does: marks, dashes, dots, and a comma before one of them.
OTHER_MARKS = rf"[{CLOSING};*:@({{\[?!]"
_REPEATED = r"-{2,}|\.{2,}|(?:\.\s){2,}\."
_WORD_ENDS = rf"\s|$|{OTHER_MARKS}|{_REPEATED}"
_WORDS = re.compile(
    rf"""{_REPEATED}|(?=[^("`{{\[:;&#*@)}}\]\-,])\S+?(?={_WORD_ENDS}|,(?={_WORD_ENDS}))|\S"""
)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*").fullmatch
_INITIAL = re.compile(r"[^\W\d]\.").fullmatch
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]").fullmatch
_ELLIPSIS = re.compile(r"\.{2,}").fullmatch
_EXTRAORDINARY = ABBREVIATIONS | BEFORE_NUMBERS


def is_ordinary(word: str) -> bool:
    """Whether a word is such that any mark after it ends a sentence, as most are."""
    return len(word) > 1 and word.isalpha() and word.lower() not in _EXTRAORDINARY


def ends_within(context: str) -> bool:
    """Whether a sentence ends in a short text, before its last word."""
    words = [word for line in context.split("\n") for word in _WORDS.findall(line)]
    return any(_ends(word, following) for word, following in pairwise(words))


def _ends(word: str, following: str) -> bool:
    if not word.endswith(".") or word == ".":
        return word in (".", "?", "!")
    stem = word[:-1].lower()
    starts = following.lower().removesuffix(".") in SENTENCE_STARTERS
    if stem in BEFORE_NUMBERS and _NUMBER(following):
        return False
    if _ELLIPSIS(word) or is_abbreviation(stem):
        return starts and following[0].isupper()
    if _INITIAL(word) or _NUMBER(word):
        return starts or _opens(following, after_initial=_INITIAL(word) is not None)
    return True


def is_abbreviation(stem: str) -> bool:
    """Whether a word without its full stop is known, or is letters with full stops between."""
    last = stem.rsplit("-", 1)[-1]  # "ex-Gen."
    return any(part in ABBREVIATIONS or _INITIALS(part) for part in (stem, last))


def _opens(word: str, *, after_initial: bool) -> bool:
    """Whether a word not known to open sentences may open one after a number or an initial."""
    if word in (";", ":", ",", ".", "!", "?") or word[0].islower():
        return False
    return not (after_initial and word[0].isupper())
