"""Punctuation repairs before sentence splitting and after word splitting.

Each rule answers an error seen in real text (Reuters, Wikipedia, film reviews); the aim is the
Penn Treebank's form, which NLTK's rules expect as input and give as output.

A rule is a guarded substitution: its pattern is tried only if the text contains one of its trigger
strings. Searching for a substring is far cheaper than trying a pattern at every character, and most
rules about punctuation do not apply to most texts. For the same reason a pattern begins with a
character and looks back from there, instead of beginning with a lookbehind.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Substitution(NamedTuple):
    """A pattern, its replacement, and the substrings without one of which it cannot match."""

    triggers: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str


def substitution(
    triggers: Iterable[str], pattern: str, replacement: str, *, ignore_case: bool = False
) -> Substitution:
    """Compile a substitution; a string of triggers stands for its single characters."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    return Substitution(tuple(triggers), re.compile(pattern, flags), replacement)


def substitute_all(rules: Iterable[Substitution], text: str) -> str:
    """Apply substitutions one after the other."""
    for triggers, pattern, replacement in rules:
        for trigger in triggers:
            if trigger in text:
                text = pattern.sub(replacement, text)
                break
    return text


# One character for another. The C1 controls are Windows-1252 read as Latin-1.
_CHARACTERS = {
    **dict.fromkeys("“„‟\x93", " `` "),
    **dict.fromkeys("”\x94", "''"),
    **dict.fromkeys("‘‛\x91", " ` "),
    **dict.fromkeys("’´ʼ\x92", "'"),
    **dict.fromkeys("—―\x97", " -- "),
    **dict.fromkeys("‐‑‒−", "-"),
    **dict.fromkeys("…\x85", " ... "),
    **{mark: f" {mark} " for mark in "£€¥«»"},
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\x00", ""),  # invisible
    **dict.fromkeys("\ue000\ue001\ue002", ""),  # reserved: see _SHIELDS
}
_CHARACTER = re.compile(f"[{''.join(_CHARACTERS)}]")
# NLTK splits at & $ %, the Treebank does not in S&P, US$ and 20%-owned: there a private-use
# character takes their place until the words are split.
_SHIELDS = {"&": "\ue000", "$": "\ue001", "%": "\ue002"}
_UNSHIELD = str.maketrans({shield: mark for mark, shield in _SHIELDS.items()})
_CURRENCIES = r"(?:(?<=\b[ACMRS]\$)|(?<=\b(?:US|AU|NZ|HK|NT)\$))"
_REPAIRS = [
    substitution("<", r"<br\s*/?>", "\n\n", ignore_case=True),
    substitution("–\x96", r"[–\x96](?<=\d.)(?=\d)", "-"),  # a range of numbers
    substitution(["–", "\x96", "--"], r"[–\x96]|-{2,}", " -- "),
    substitution([". .", "...."], r"\. \. \. \.(?: \.)*|\.{4,}", " ... . "),
    substitution([". .", ".."], r"\. \. \.|\.(?<!\.\.)\.{1,2}(?!\.)", " ... "),
    substitution("_=~*", r"[_=~*]{2,}|_(?<!\w_)|_(?!\w)", " "),  # rules and emphasis, not words
    substitution(".", r"\.(?:(?<=\b[Nn]o\.)|(?<=\b[Nn]os\.))(?=\d)", ". "),  # "No.1"
    substitution(".", r"\.(?<=[a-z\d][a-z\d)]\.)['\")]*(?=[A-Z][a-z])", r"\g<0> "),  # "end.The"
    substitution("&", r"&(?<=[A-Z]&)(?=[A-Z])", _SHIELDS["&"]),
    substitution("$", rf"\${_CURRENCIES} ?(?=\d)", f"{_SHIELDS['$']} "),
    substitution("%", r"%(?<=\d%)(?=-[a-z\d])", _SHIELDS["%"]),
]
AFTER_APOSTROPHE = r"\d\ds?|em|til|tis|twas|cause|n"
_DETACHED = re.compile(rf" ' (?=(?:{AFTER_APOSTROPHE}) )")
_CLOSING = frozenset(["''", "'", ")", "]", "}", '"', "»"])
# The Treebank splits a sentence-final "Inc." and "a.m." into word and period, but writes the
# country as "U.S. ." (17 times of 17 in CoNLL-2000).
_KEEP_FINAL_PERIOD = frozenset(["u.s", "u.k", "u.n", "e.u"])


def clean_text(text: str) -> str:
    """Repair a text before it is split into sentences."""
    if not text.isascii() or "\x00" in text:  # the one ASCII character of the table
        text = _CHARACTER.sub(lambda match: _CHARACTERS[match.group()], text)
    return substitute_all(_REPAIRS, text)


def rejoin_apostrophes(line: str) -> str:
    """Rejoin "' 80s" and "' em" in a line of words between single spaces; undo the shields."""
    line = line if line.isascii() else line.translate(_UNSHIELD)
    return _DETACHED.sub(" '", line) if " ' " in line else line


def restore_final_period(words: list[str]) -> list[str]:
    """Give a sentence-final "U.S." its own period back: [u.s, .] becomes [u.s., .]."""
    last = len(words) - 1
    while last > 0 and words[last] in _CLOSING:
        last -= 1
    if last > 0 and words[last] == "." and words[last - 1].lower() in _KEEP_FINAL_PERIOD:
        words[last - 1] += "."
    return words
