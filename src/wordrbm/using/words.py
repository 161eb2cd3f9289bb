"""A sentence as a model reads it: tokens, then ids. Every use of a model on new text begins here.

    a str        is split by `tokenize`, exactly as the training text was
    a sequence   holds tokens, each put through `normalize_token` (lower case, digits as #)
    an unknown   token, one outside the vocabulary, becomes id 0, `<unk>`
    a blank      is a token of two or more underscores, or None in a sequence

A blank asks for a word. Only where it makes sense is it let through; elsewhere it is refused,
for a tokeniser that drops it would silently answer for another text.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import WordRBMError
from wordrbm.shapes import Words
from wordrbm.text.tokenizer import normalize_token, tokenize
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.precise import BLANK

Sentence: TypeAlias = str | Iterable[str]
TextWithBlanks: TypeAlias = str | Iterable[str | None]

_UNDERSCORES = re.compile(r"_{2,}")
_STAND_IN = "\ue003"  # a blank while the text is split: the tokeniser drops underscores


def words_of(sentence: Sentence) -> list[str]:
    """The tokens of a sentence; a blank is refused."""
    found = words_and_blanks(sentence)
    words = [word for word in found if word is not None]
    if len(words) < len(found):
        raise WordRBMError(
            f"A blank was found in {shown(sentence)} where every word must be known; fill it "
            "first, or leave it out."
        )
    return words


def words_and_blanks(text: TextWithBlanks) -> list[str | None]:
    """The tokens of a text, None for every blank."""
    if isinstance(text, str):
        return _split(text)
    if not isinstance(text, Iterable) or isinstance(text, bytes | Mapping | Set):
        raise WordRBMError(
            f"{shown(text)} was found where a text was expected; give a str or a list of tokens."
        )
    words = [_word_or_none(token) for token in text]
    return [None if word is None else normalize_token(word) for word in words]


def ids_of(vocabulary: Vocabulary, words: Iterable[str | None]) -> Int32[np.ndarray, " T"]:
    """The ids of tokens, 0 for an unknown one and `BLANK` for a blank."""
    index = vocabulary.index
    return np.array([BLANK if word is None else index.get(word, 0) for word in words], np.int32)


def decode(vocabulary: Vocabulary, v: Words) -> list[list[str]]:
    """The words of windows of ids."""
    return [[vocabulary.words[k] for k in window] for window in v.tolist()]


def several(sentences: Any, name: str = "sentences") -> Iterable[Any]:
    """The sentences as they are, once it is sure that there can be several of them."""
    if isinstance(sentences, str | bytes):
        raise WordRBMError(
            f"A single text, {shown(sentences)}, was found where several {name} were "
            "expected; put it in a list."
        )
    if not isinstance(sentences, Iterable) or isinstance(sentences, Mapping):
        raise WordRBMError(
            f"{shown(sentences)} was found where several {name} were expected; give a list "
            "of them, each a str or a list of tokens."
        )
    if getattr(sentences, "ndim", 1) != 1:  # a frame would give the names of its columns
        raise WordRBMError(
            f"A {type(sentences).__name__} of shape {sentences.shape} was found where several "  # type: ignore[attr-defined]
            f"{name} were expected; give one column, as in df['text']."
        )
    return sentences


def is_blank(token: Any) -> bool:
    """Whether a token stands for a word to be found."""
    return token is None or (isinstance(token, str) and bool(_UNDERSCORES.fullmatch(token)))


def whole_number(name: str, value: Any, least: int) -> int:
    """A count that was asked for, if it can be one."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise WordRBMError(f"The {name} is {value!r}; use a whole number of {least} or more.")
    return int(value)


def _split(text: str) -> list[str | None]:
    if not _UNDERSCORES.search(text):
        return list(tokenize(text))
    tokens = tokenize(_UNDERSCORES.sub(_STAND_IN, text.replace(_STAND_IN, "")))
    for token in tokens:
        if _STAND_IN in token and token != _STAND_IN:
            raise WordRBMError(
                f"{token.replace(_STAND_IN, '___')!r} has a blank inside a word; a blank stands "
                "for a whole word, so put spaces around it."
            )
    return [None if token == _STAND_IN else token for token in tokens]


def _word_or_none(token: Any) -> str | None:
    if is_blank(token):
        return None
    if not isinstance(token, str):
        raise WordRBMError(
            f"{shown(token)} was found among the tokens of a sentence; tokens are str, and word "
            "ids belong in an integer array."
        )
    return token


def shown(found: Any) -> str:
    text = repr(found)
    return text if len(text) <= 60 else f"{text[:60]}..."
