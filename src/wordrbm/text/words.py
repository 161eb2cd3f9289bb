r"""The normalised words of a sentence, looked up piece by piece.

The rules of `penn_words.py` hardly look beyond white space, so what stands between two white spaces
gives the same words nearly everywhere, and the pieces of a text repeat: the words of a piece are
worked out once, between two letters that stand for its neighbours, and remembered. The rules do
look beyond white space

    at the start      for a quote that opens the sentence: such a first piece is looked up as one;
    at the end        for the last full stop and what closes after it: these are looked up together;
    at a quote        for whether the white space beside it is a space;
    at an apostrophe  for what it is joined with by `corrections.py`.

A sentence with one of the last two, or with a piece too long to be worth it, is worked out as a
whole. What is remembered is a pure function of the piece, and bounded in number and size.
"""

import re
from functools import lru_cache
from itertools import chain

from wordrbm.text import corrections
from wordrbm.text.penn_words import CLOSING, CONTRACTED, split_words

REMEMBERED = 1 << 16  # pieces, some 13 MB
LONGEST = 64  # characters
_DIGITS = re.compile(r"\d+")
_JOINED = rf"(?:{corrections.AFTER_APOSTROPHE})(?:\b|[nN]')"  # also where "n't" is cut off
_BEYOND = re.compile(rf"[^\S ] *[{re.escape(CLOSING)}]|'[^\S ]|\s\Z|'\s+{_JOINED}")
# A word or number, perhaps a full stop, perhaps another mark: nothing else can be there to cut.
_PART = rf"(?!(?:{'|'.join(CONTRACTED)})\b)\w+"
_EASY = re.compile(rf"({_PART}(?:(?:[-.]|[,:](?=\d)){_PART})*)(\.?)([,;:?!]?)", re.IGNORECASE)


def words_of(sentence: str) -> list[str]:
    """The words of a sentence, in lower case, every run of digits one `#`."""
    pieces = sentence.split()
    last = _start_of_end(pieces)
    end = " ".join(pieces[last:])
    if last < 1 or _looks_beyond(sentence, pieces) or max(map(len, (*pieces, end))) > LONGEST:
        return corrections.end_of_sentence([*_work_out(sentence)])
    first = _at_start(pieces[0]) if sentence[0] in "\"'" else _inside(pieces[0])
    inside = chain.from_iterable(map(_inside, pieces[1:last]))
    return corrections.end_of_sentence([*first, *inside, *_at_end(end)])


def without_numbers(text: str) -> str:
    """A text in lower case, every run of digits one `#`."""
    return _DIGITS.sub("#", text.lower())


def _start_of_end(pieces: list[str]) -> int:
    """The place of the last piece that is more than closing marks; -1 if there is none."""
    last = len(pieces) - 1
    while last >= 0 and not pieces[last].strip(CLOSING):
        last -= 1
    return last


def _looks_beyond(sentence: str, pieces: list[str]) -> bool:
    """Whether a rule may look beyond white space inside the sentence."""
    tidy = "' " not in sentence and " ".join(pieces) == sentence
    return not tidy and _BEYOND.search(sentence) is not None


def _work_out(sentence: str) -> tuple[str, ...]:
    line = corrections.after(f" {' '.join(split_words(sentence))} ")
    return tuple(without_numbers(line).split())


@lru_cache(REMEMBERED)
def _inside(piece: str) -> tuple[str, ...]:
    if easy := _EASY.fullmatch(piece):
        word = without_numbers(easy[1]) + easy[2]
        return (word, easy[3]) if easy[3] else (word,)
    return _work_out(f"x {piece} x")[1:-1]


@lru_cache(REMEMBERED)
def _at_start(piece: str) -> tuple[str, ...]:
    return _work_out(f"{piece} x")[:-1]


@lru_cache(REMEMBERED)
def _at_end(pieces: str) -> tuple[str, ...]:
    easy = _EASY.fullmatch(pieces)
    if easy and easy[2] and not easy[3]:
        return without_numbers(easy[1]), "."
    return _work_out(f"x {pieces}")[1:]
