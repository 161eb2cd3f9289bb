"""NLTK's sentence splitter and word tokeniser, with fixed parameters, on the standard `re`.

The rules are NLTK's own, unchanged. Recent NLTK runs them on a guarded engine that raises after
five seconds of wall clock, so that a long paragraph fails on a busy machine and not on an idle
one; on the standard engine the same rules are a pure function of the text, and twice as fast.
The engines differ on ten characters below U+0250: `re` counts \\x1c to \\x1f as white space, as
`str.split` does, and the numbers ¹ ² ³ ¼ ½ ¾ as word characters; NLTK's engine counts neither.

Source: T. Kiss and J. Strunk. Unsupervised multilingual sentence boundary detection.
Computational Linguistics 32(4), 2006 (Punkt); R. MacIntyre's Treebank tokeniser.
"""

import re
from typing import Any

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import (
    PunktLanguageVars,
    PunktParameters,
    PunktSentenceTokenizer,
    PunktToken,
)

from wordrbm.text.abbreviations import ABBREVIATIONS, BEFORE_NUMBERS, SENTENCE_STARTERS

_SEEN_LOWER_CASE = 1 << 4 | 1 << 5 | 1 << 6  # Punkt's mark of a word also seen in lower case
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]").fullmatch


def sentence_splitter() -> PunktSentenceTokenizer:
    """Punkt, knowing the abbreviations and sentence starters of `abbreviations.py`."""
    parameters = PunktParameters()
    parameters.abbrev_types = Abbreviations(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)
    parameters.collocations = {(word, "##number##") for word in BEFORE_NUMBERS}
    # So that "Plan B. The end" is two sentences and "John F. Kennedy" is not.
    parameters.ortho_context = _Capitals.fromkeys(SENTENCE_STARTERS, _SEEN_LOWER_CASE)
    return PunktSentenceTokenizer(parameters, lang_vars=_Language(), token_cls=_Token)


class Abbreviations(frozenset[str]):
    """Known abbreviations, and all words of single letters with full stops between: u.s, l.l.c."""

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or (
            isinstance(word, str) and "." in word and _INITIALS(word) is not None
        )


class _Capitals(dict[str, int]):
    """What is known of a word's capitals; asking for another word must not store it."""

    def __missing__(self, word: str) -> int:
        return 0


def _standard(pattern: Any, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern.pattern, flags)


class _Language(PunktLanguageVars):  # type: ignore[misc]
    """Punkt's patterns of text."""

    re_boundary_realignment = _standard(PunktLanguageVars.re_boundary_realignment, re.MULTILINE)

    def __init__(self) -> None:
        plain = PunktLanguageVars()
        self._re_period_context = _standard(plain.period_context_re(), re.VERBOSE)
        self._re_word_tokenizer = _standard(plain._word_tokenizer_re(), re.VERBOSE)


class _Token(PunktToken):  # type: ignore[misc]
    """Punkt's patterns of words."""

    _RE_ELLIPSIS = _standard(PunktToken._RE_ELLIPSIS)
    _RE_NUMERIC = _standard(PunktToken._RE_NUMERIC)
    _RE_INITIAL = _standard(PunktToken._RE_INITIAL)
    _RE_ALPHA = _standard(PunktToken._RE_ALPHA)


class WordSplitter(NLTKWordTokenizer):  # type: ignore[misc]
    """The Treebank's words of one sentence."""

    def __init__(self) -> None:
        for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
            rules = getattr(NLTKWordTokenizer, name)
            setattr(self, name, [(_standard(pattern), to) for pattern, to in rules])
        for name in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
            pattern, to = getattr(NLTKWordTokenizer, name)
            setattr(self, name, (_standard(pattern), to))
