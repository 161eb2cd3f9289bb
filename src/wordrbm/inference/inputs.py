"""Text or tokens to word ids, with checks of arguments: the input of all inference.

    a str        is split by `tokenize`, exactly as the training text was
    a sequence   holds tokens, each put through `normalize_token` (lower case, digits as #)
    an unknown   token, one outside the vocabulary, becomes id 0, `<unk>`
    a blank      is a token of two or more underscores, or None in a sequence

A blank stands for a word to predict. Where there is nothing to predict it is refused: a tokenizer
that drops it would silently answer for another text.
"""

import re
from collections.abc import Iterable, Mapping, Set
from reprlib import repr as short_repr
from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import InvalidInput, WordRBMError
from wordrbm.inference.precision import BLANK
from wordrbm.shapes import Words
from wordrbm.text.tokenizer import normalize_token, tokenize
from wordrbm.text.vocabulary import Vocabulary

Sentence: TypeAlias = str | Iterable[str]
TextWithBlanks: TypeAlias = str | Iterable[str | None]

_UNDERSCORES = re.compile(r"_{2,}")
_PLACEHOLDER = "\ue003"  # of a blank in the tokenizer, which drops underscores


def tokens_of(sentence: Sentence) -> list[str]:
    """Return the tokens of a sentence; a blank is refused."""
    with_blanks = tokens_with_blanks(sentence)
    tokens = [token for token in with_blanks if token is not None]
    if len(tokens) < len(with_blanks):
        raise WordRBMError(
            f"A blank was found in {short_repr(sentence)} where every word must be known; fill it "
            "first, or leave it out."
        )
    return tokens


def tokens_with_blanks(text: TextWithBlanks) -> list[str | None]:
    """Return the tokens of a text, None for every blank."""
    if isinstance(text, str):
        return _split(text)
    if not isinstance(text, Iterable) or isinstance(text, bytes | Mapping | Set):
        raise WordRBMError(
            f"{short_repr(text)} was found where a text was expected; give a str or a list of "
            "tokens."
        )
    tokens = [None if is_blank(token) else token for token in text]
    for token in tokens:
        if not isinstance(token, str | None):
            raise WordRBMError(
                f"{short_repr(token)} was found among the tokens of a sentence; tokens are str, "
                "and word ids belong in an integer array."
            )
    return [None if token is None else normalize_token(token) for token in tokens]


def token_ids(vocabulary: Vocabulary, tokens: Iterable[str | None]) -> Int32[np.ndarray, " T"]:
    """Return the ids of tokens, 0 for an out-of-vocabulary one and `BLANK` for a blank."""
    index = vocabulary.index
    ids = [BLANK if token is None else index.get(token, 0) for token in tokens]
    return np.array(ids, np.int32)


def window_ids(vocabulary: Vocabulary, words: Iterable[str], n: int) -> Int32[np.ndarray, "1 n"]:
    """Return a window of ids, given as exactly n words."""
    ids = token_ids(vocabulary, map(normalize_token, words))
    if ids.size != n:
        raise WordRBMError(
            f"A window of {ids.size} words was found; a window of this model has {n}, so give {n} "
            "words."
        )
    return ids[None]


def ids_with_blanks(
    vocabulary: Vocabulary, tokens: list[str | None], n: int
) -> Int32[np.ndarray, " T"]:
    """Return the ids of a text, which must have a blank and at least n words."""
    if None not in tokens:
        raise WordRBMError("The text has no blank; put ___ where a word is to be found.")
    if len(tokens) < n:
        raise WordRBMError(
            f"The text has {len(tokens)} words, blanks included, and a window of this model has "
            f"{n}; add more words, or ___ for those that are not known."
        )
    return token_ids(vocabulary, tokens)


def decode_windows(vocabulary: Vocabulary, v: Words) -> list[list[str]]:
    """Return the words of windows of ids."""
    return [[vocabulary.words[k] for k in window] for window in v.tolist()]


def check_iterable(sentences: Any, name: str = "sentences") -> Iterable[Any]:
    """Return the sentences unchanged; a single text, a mapping or a table is refused."""
    if isinstance(sentences, str | bytes):
        raise InvalidInput(
            f"A single text, {short_repr(sentences)}, was found where several {name} were "
            "expected; put it in a list."
        )
    if not isinstance(sentences, Iterable) or isinstance(sentences, Mapping):
        raise InvalidInput(
            f"{short_repr(sentences)} was found where several {name} were expected; give a list "
            "of them, each a str or a list of tokens."
        )
    if getattr(sentences, "ndim", 1) != 1:  # a frame would give the names of its columns
        raise InvalidInput(
            f"A {type(sentences).__name__} of shape {sentences.shape} was found where several "  # type: ignore[attr-defined]
            f"{name} were expected; give one column, as in df['text']."
        )
    return sentences


def is_blank(token: Any) -> bool:
    """Whether a token is a blank: None, or two or more underscores."""
    return token is None or (isinstance(token, str) and bool(_UNDERSCORES.fullmatch(token)))


def check_int(name: str, value: Any, minimum: int) -> int:
    """Return a count as an int, which must be a whole number of at least `minimum`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < minimum:
        raise WordRBMError(f"The {name} is {value!r}; use a whole number of {minimum} or more.")
    return int(value)


def _split(text: str) -> list[str | None]:
    if not _UNDERSCORES.search(text):
        return list(tokenize(text))
    tokens = tokenize(_UNDERSCORES.sub(_PLACEHOLDER, text.replace(_PLACEHOLDER, "")))
    for token in tokens:
        if _PLACEHOLDER in token and token != _PLACEHOLDER:
            raise WordRBMError(
                f"{token.replace(_PLACEHOLDER, '___')!r} has a blank inside a word; a blank stands "
                "for a whole word, so put spaces around it."
            )
    return [None if token == _PLACEHOLDER else token for token in tokens]
