"""A chain of substitutions in a text, each tried only if the text holds one of its signs.

To look for a sign is far cheaper than to try a pattern at every character, and most rules about
punctuation have nothing to do in most texts. A pattern is also quicker to find if it begins with
a character and looks back from there than if it begins with a look back.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Substitution(NamedTuple):
    """A pattern, what takes its place, and the signs without one of which it cannot match."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str


def substitution(
    signs: Iterable[str], pattern: str, replacement: str, *, ignore_case: bool = False
) -> Substitution:
    """A substitution; a string as signs is so many signs of one character."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    return Substitution(tuple(signs), re.compile(pattern, flags), replacement)


def apply_all(chain: Iterable[Substitution], text: str) -> str:
    """The text after one substitution after the other."""
    for signs, pattern, replacement in chain:
        for sign in signs:
            if sign in text:
                text = pattern.sub(replacement, text)
                break
    return text
