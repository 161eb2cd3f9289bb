"""Sentence boundaries of a paragraph: Punkt's decisions with fixed word lists.

A period, question or exclamation mark is a candidate if white space or another mark follows it; of
several with no white space between, only the last. A question or exclamation mark ends a sentence,
and so does a period, except

    after an abbreviation or an ellipsis   only before a capitalised known sentence starter
    after a number or an initial           not before a mark, nor before a lower-case word
    after an initial                       nor before a capitalised word, unless a known starter
    after "No" and its like                not before a number

A known sentence starter in lower case starts a sentence after a number or an initial too. Quotes
and brackets that close right after the end belong to the sentence that ends. These are NLTK's
boundaries, for every text, when Punkt's parameters are the lists below and each sentence starter
counts as seen in lower case; then most of Punkt's cases cannot arise.

The lists are written by hand so that nothing is downloaded or trained and the same text always
gives the same tokens. All lower case, without the final period. Words that are also common words
(mass, ill, miss, sun, sat, art, no) are missing or need a number after them: taking them for
abbreviations joins more sentences than it saves.

Source: T. Kiss and J. Strunk. Unsupervised multilingual sentence boundary detection.
Computational Linguistics 32(4), 2006, sections 3 and 4, as in NLTK 3.10.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import NamedTuple

_TITLES = """
    adj adm amb asst atty brig capt cdr cmdr cmdt col cpl cpt det dr drs esq fr gen gov govs hon
    insp lt maj messrs mlle mme mmes mr mrs ms msgr pfc pres prof profs pvt rep reps rev rt sen
    sens sgt sr sra srta st ste supt jr treas
"""
_COMPANIES = "assn assoc bancorp bros co corp cos dept inc intl ltd mfg mgmt univ"
_PLACES = """
    ala ariz ark ave blvd calif colo conn fla ft ga hwy kan kans ky mich minn mont mt neb nebr
    nev okla penn pkwy rd tenn tex va vt wis wisc wyo
"""
_DATES = "apr aug dec feb jan nov oct sep sept thu thur thurs tue tues"
_OTHERS = """
    al approx apt cf cont e.g est et.al etc ext feat i.e ibid incl misc op orig ph.d ph.ds
    trans viz vs lb lbs oz sq
"""
ABBREVIATIONS = frozenset(f"{_TITLES} {_COMPANIES} {_PLACES} {_DATES} {_OTHERS}".split())
# Abbreviations only before a number: "No. 5", but "He said no. Then".
_NUMBERED = "art cap ch ed eds fig figs mar no nos p para pp ref sec vol vols"
BEFORE_NUMBERS = frozenset(_NUMBERED.split())
# After an abbreviation a capital alone says little ("Mr. Smith"); one of these starts a sentence.
_STARTERS = """
    a about according after all also although among an and another any as asked at because before
    both but by despite during each earlier even every few following for from he her here his how
    however i if in instead it its last later many may meanwhile more most much no nor now of on
    one only or other our over separately several she since so some still such than that the their
    then there these they this those though three through thus to two under until was we were what
    when where whether which while who why will with without would yet you your
"""
SENTENCE_STARTERS = frozenset(_STARTERS.split())

_CLOSING = "\"')\\]}‘’“”«»"  # what may close a sentence after its period, for a set in a pattern
# What ends a word where no white space does: marks, dashes, dots, and a comma before one of them.
_OTHER_MARKS = rf"[{_CLOSING};*:@({{\[?!]"
_REPEATED = r"-{2,}|\.{2,}|(?:\.\s){2,}\."
_WORD_ENDS = rf"\s|$|{_OTHER_MARKS}|{_REPEATED}"
_WORDS = re.compile(
    rf"""{_REPEATED}|(?=[^("`{{\[:;&#*@)}}\]\-,])\S+?(?={_WORD_ENDS}|,(?={_WORD_ENDS}))|\S"""
)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*").fullmatch
_INITIAL = re.compile(r"[^\W\d]\.").fullmatch
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]").fullmatch
_ELLIPSIS = re.compile(r"\.{2,}").fullmatch
_SPECIAL = ABBREVIATIONS | BEFORE_NUMBERS
_CANDIDATE = re.compile(rf"[.?!](?=(?P<after>{_OTHER_MARKS}|\s+(?P<word>\S+)))")
_CLOSED = re.compile(rf"[{_CLOSING}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
_WHITE_SPACE = " \n\t\r\v\f"


class _Boundary(NamedTuple):
    """Where a sentence ends and where the next starts."""

    end: int
    start: int


def split_sentences(paragraph: str) -> Iterator[str]:
    """Split a paragraph into sentences, without the white space between them."""
    last = _Boundary(len(paragraph.rstrip()), len(paragraph))
    start = 0
    for boundary, following in pairwise([*_boundaries(paragraph), last]):
        closing = _CLOSED.match(paragraph, boundary.start, following.end)
        end = boundary.start + len(closing.group().rstrip()) if closing else boundary.end
        if start < end:
            yield paragraph[start:end]
        start = closing.end() if closing else boundary.start
    if start < last.end:
        yield paragraph[start : last.end]


def _boundaries(text: str) -> Iterator[_Boundary]:
    for start, match in _candidates(text):
        word = text[start : match.start()]
        if is_plain_word(word) or has_boundary(text[start : match.end("after")]):
            yield _Boundary(match.end(), match.start("word") if match["word"] else match.end())


def _candidates(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each mark that may end a sentence, and where the word before it starts."""
    start = end = 0  # of the word before the previous mark
    last = None
    for match in _CANDIDATE.finditer(text):
        space = max(map(text.rfind, _WHITE_SPACE, repeat(end), repeat(match.start())))
        following = space + 1 if space > end else start
        if last and end <= following:
            yield start, last
        start, end, last = following, match.start(), match
    if last:
        yield start, last


def is_plain_word(word: str) -> bool:
    """Whether any mark after this word ends a sentence, as for most words."""
    return len(word) > 1 and word.isalpha() and word.lower() not in _SPECIAL


def has_boundary(context: str) -> bool:
    """Whether a sentence ends in a short text, before its last word."""
    words = [word for line in context.split("\n") for word in _WORDS.findall(line)]
    return any(_is_boundary(word, following) for word, following in pairwise(words))


def _is_boundary(word: str, following: str) -> bool:
    if not word.endswith(".") or word == ".":
        return word in (".", "?", "!")
    stem = word[:-1].lower()
    is_starter = following.lower().removesuffix(".") in SENTENCE_STARTERS
    if stem in BEFORE_NUMBERS and _NUMBER(following):
        return False
    if _ELLIPSIS(word) or is_abbreviation(stem):
        return is_starter and following[0].isupper()
    if _INITIAL(word) or _NUMBER(word):
        return is_starter or _may_start_sentence(following, after_initial=bool(_INITIAL(word)))
    return True


def is_abbreviation(stem: str) -> bool:
    """Whether a word without its period is listed, or is letters with periods between."""
    last = stem.rsplit("-", 1)[-1]  # "ex-Gen."
    return any(part in ABBREVIATIONS or _INITIALS(part) for part in (stem, last))


def _may_start_sentence(word: str, *, after_initial: bool) -> bool:
    """Whether a word that is no known starter may start a sentence after a number or an initial."""
    if word in (";", ":", ",", ".", "!", "?") or word[0].islower():
        return False
    return not (after_initial and word[0].isupper())
