"""A text becomes tokens: sentences, Penn Treebank words, lower case, numbers as `#`.

Source: Dahl, Adams and Larochelle 2012, section 6.2: NLTK for sentences and words, corrections
of a few common punctuation errors, lower case, and every run of digits inside a word replaced
by one `#` (1,234.5 is #,#.#; 1990s is #s). A pure function of the text: the same words for
training and for use, whatever was read before, and nothing is ever downloaded.
"""

import re
from collections.abc import Iterator

from wordrbm.text import corrections
from wordrbm.text.splitters import WordSplitter, sentence_splitter

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


_SENTENCES = sentence_splitter()
_WORDS = WordSplitter()
