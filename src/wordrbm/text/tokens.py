"""A text becomes tokens: sentences, Penn Treebank words, lower case, numbers as `#`.

Source: Dahl, Adams and Larochelle 2012, section 6.2: NLTK's sentences and words, corrections
of a few common punctuation errors, lower case, and every run of digits inside a word replaced
by one `#` (1,234.5 is #,#.#; 1990s is #s). A pure function of the text: the same words for
training and for use, whatever was read before, and nothing is ever downloaded.
"""

import re

from wordrbm.text import corrections
from wordrbm.text.sentences import split_sentences
from wordrbm.text.words import without_numbers, words_of

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}


def tokenize(text: str) -> list[str]:
    """The normalised tokens of a text, sentences and paragraphs run together."""
    tokens: list[str] = []
    for paragraph in _PARAGRAPH.split(corrections.before(text)):
        for sentence in split_sentences(paragraph):
            tokens += words_of(sentence)
    return tokens


def normalise(word: str) -> str:
    """A word of a treebank as `tokenize` would have it: 1\\/2 is #/#, -LRB- is a bracket."""
    word = without_numbers(word).replace("\\/", "/").replace("\\*", "*")
    return _BRACKETS.get(word, word)
