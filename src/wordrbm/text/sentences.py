"""The sentences of a paragraph.

A sentence may end at a full stop, question or exclamation mark that has white space or another
mark after it. Of several with no white space between, only the last is asked about, together
with the word before and the word after: `full_stops.py` decides. Quotes and brackets that close
right after the end belong to the sentence that ends. The cuts are NLTK's, for every text.

Source: as `full_stops.py`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import NamedTuple

from wordrbm.text.full_stops import CLOSING, OTHER_MARKS, ends_within, is_ordinary

_CANDIDATE = re.compile(rf"[.?!](?=(?P<after>{OTHER_MARKS}|\s+(?P<word>\S+)))")
_CLOSED = re.compile(rf"[{CLOSING}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
_WHITE_SPACE = " \n\t\r\v\f"


class _Cut(NamedTuple):
    """Where a sentence ends and where the next begins."""

    end: int
    start: int


def split_sentences(paragraph: str) -> Iterator[str]:
    """The sentences, without the white space between them."""
    last = _Cut(len(paragraph.rstrip()), len(paragraph))
    start = 0
    for cut, following in pairwise([*_cuts(paragraph), last]):
        closing = _CLOSED.match(paragraph, cut.start, following.end)
        end = cut.start + len(closing.group().rstrip()) if closing else cut.end
        if start < end:
            yield paragraph[start:end]
        start = closing.end() if closing else cut.start
    if start < last.end:
        yield paragraph[start : last.end]


def _cuts(text: str) -> Iterator[_Cut]:
    for start, match in _candidates(text):
        word = text[start : match.start()]
        if is_ordinary(word) or ends_within(text[start : match.end("after")]):
            yield _Cut(match.end(), match.start("word") if match["word"] else match.end())


def _candidates(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each mark to be asked about, and where the word that it ends begins."""
    start = end = 0  # of the word before the mark met last
    last = None
    for match in _CANDIDATE.finditer(text):
        space = max(map(text.rfind, _WHITE_SPACE, repeat(end), repeat(match.start())))
        following = space + 1 if space > end else start
        if last and end <= following:
            yield start, last
        start, end, last = following, match.start(), match
    if last:
        yield start, last
