"""Text to tokens: sentences, Penn Treebank words, lower case, numbers as `#`.

Source: Dahl, Adams and Larochelle 2012, section 6.2: NLTK's sentence and word tokenizers, repairs
of common punctuation errors, lower case, and every run of digits inside a word replaced by one `#`
(1,234.5 is #,#.#; 1990s is #s). A pure function of the text: the same tokens in training and in
use, whatever was tokenized before, and nothing is downloaded. All text passes through here, so a
`<br />` means the same everywhere.

Documents that are classified keep their digits, where 9/10 and 2/10 are not alike; `mask_digits`
of such a token is the one without them.
"""

import re

from wordrbm.text.tokenizer.sentences import split_sentences
from wordrbm.text.tokenizer.treebank import (
    clean_text,
    mask_digits,
    tokenize_sentence,
    tokenize_with_digits,
)

__all__ = ["mask_digits", "normalize_token", "tokenize"]

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}


def tokenize(text: str, *, keep_digits: bool = False) -> list[str]:
    """Tokenize and normalize a text; sentence and paragraph boundaries leave no mark."""
    split = tokenize_with_digits if keep_digits else tokenize_sentence
    tokens: list[str] = []
    for paragraph in _PARAGRAPH.split(clean_text(text)):
        for sentence in split_sentences(paragraph):
            tokens += split(sentence)
    return tokens


def normalize_token(token: str, *, keep_digits: bool = False) -> str:
    """Normalize a Treebank token as `tokenize` would: 1\\/2 becomes #/#, -LRB- a bracket."""
    token = token.lower().replace("\\/", "/").replace("\\*", "*")
    return _BRACKETS.get(token, token if keep_digits else mask_digits(token))
