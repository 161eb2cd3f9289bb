"""Text to tokens: sentences, Penn Treebank words, lower case, numbers as `#`.

Source: Dahl, Adams and Larochelle 2012, section 6.2: NLTK's sentence and word tokenizers, repairs
of common punctuation errors, lower case, and every run of digits inside a word replaced by one `#`
(1,234.5 is #,#.#; 1990s is #s). A pure function of the text: the same tokens in training and in
use, whatever was tokenized before, and nothing is downloaded. All text passes through here, so a
`<br />` means the same everywhere.
"""

import re

from wordrbm.text.tokenizer.sentences import split_sentences
from wordrbm.text.tokenizer.treebank import clean_text, lower_and_mask_digits, tokenize_sentence

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}


def tokenize(text: str) -> list[str]:
    """Tokenize and normalize a text; sentence and paragraph boundaries leave no mark."""
    tokens: list[str] = []
    for paragraph in _PARAGRAPH.split(clean_text(text)):
        for sentence in split_sentences(paragraph):
            tokens += tokenize_sentence(sentence)
    return tokens


def normalize_token(token: str) -> str:
    """Normalize a Treebank token as `tokenize` would: 1\\/2 becomes #/#, -LRB- a bracket."""
    token = lower_and_mask_digits(token).replace("\\/", "/").replace("\\*", "*")
    return _BRACKETS.get(token, token)
