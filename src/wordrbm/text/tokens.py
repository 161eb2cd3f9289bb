"""A text becomes tokens: sentences, Penn Treebank words, lower case, numbers as `#`.

Source: Dahl, Adams and Larochelle 2012, section 6.2: NLTK for sentences and words, corrections
of a few common punctuation errors, lower case, and every run of digits inside a word replaced
by one `#` (1,234.5 is #,#.#; 1990s is #s). A pure function of the text: the parameters of the
sentence splitter are fixed here and nothing is ever downloaded.
"""

import re
from collections.abc import Iterator

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from wordrbm.text import corrections
from wordrbm.text.abbreviations import ABBREVIATIONS, BEFORE_NUMBERS, SENTENCE_STARTERS

_SEEN_LOWER_CASE = 1 << 4 | 1 << 5 | 1 << 6  # Punkt's mark of a word also seen in lower case
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_DIGITS = re.compile(r"\d+")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}


def tokenize(text: str) -> list[str]:
    """The normalised tokens of a text, sentences and paragraphs run together."""
    lines = [_words(sentence) for sentence in _sentences(corrections.before(text))]
    return _without_numbers(" ".join(lines)).split()


def normalise(word: str) -> str:
    """A word of a treebank as `tokenize` would have it: 1\\/2 is #/#, -LRB- is a bracket."""
    word = _without_numbers(word).replace("\\/", "/").replace("\\*", "*")
    return _BRACKETS.get(word, word)


def _without_numbers(text: str) -> str:
    return _DIGITS.sub("#", text.lower())


def _sentences(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPH.split(text):
        yield from _SENTENCES.tokenize(paragraph)


def _words(sentence: str) -> str:
    words = corrections.end_of_sentence(_WORDS.tokenize(sentence))
    return corrections.after(f" {' '.join(words)} ")


def _punkt() -> PunktSentenceTokenizer:
    parameters = PunktParameters()
    parameters.abbrev_types = corrections.AbbreviationSet(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)
    parameters.collocations = {(word, "##number##") for word in BEFORE_NUMBERS}
    # So that "Plan B. The end" is two sentences and "John F. Kennedy" is not.
    parameters.ortho_context = _Orthography.fromkeys(SENTENCE_STARTERS, _SEEN_LOWER_CASE)
    return PunktSentenceTokenizer(parameters)


class _Orthography(dict[str, int]):
    """What is known of a word's capitals; asking for another word must not store it."""

    def __missing__(self, word: str) -> int:
        return 0


class _PennWords(NLTKWordTokenizer):  # type: ignore[misc]
    """NLTK's word rules, unchanged, on the standard `re`: half the time of NLTK's guarded one."""

    def __init__(self) -> None:
        for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
            rules = getattr(NLTKWordTokenizer, name)
            setattr(self, name, [_standard(rule) for rule in rules])
        self.PARENS_BRACKETS = _standard(NLTKWordTokenizer.PARENS_BRACKETS)
        self.DOUBLE_DASHES = _standard(NLTKWordTokenizer.DOUBLE_DASHES)


def _standard(rule: tuple[re.Pattern[str], str]) -> tuple[re.Pattern[str], str]:
    return re.compile(rule[0].pattern), rule[1]


_SENTENCES = _punkt()
_WORDS = _PennWords()
