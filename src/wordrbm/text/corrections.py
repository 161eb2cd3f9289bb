"""Repairs of punctuation around the NLTK tokenisers: before the sentences, and after the words.

Each rule answers an error seen in real text (Reuters, Wikipedia, film reviews); the aim is the
Penn Treebank's form, which NLTK's rules expect to be given and to give.
"""

import re

from wordrbm.text.abbreviations import KEPT_AT_THE_END

# One character for another. The C1 controls are Windows-1252 read as Latin-1.
_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("“„‟\x93", " `` "),
        **dict.fromkeys("”\x94", "''"),
        **dict.fromkeys("‘‛\x91", " ` "),
        **dict.fromkeys("’´ʼ\x92", "'"),
        **dict.fromkeys("—―\x97", " -- "),
        **dict.fromkeys("‐‑‒−", "-"),
        **dict.fromkeys("…\x85", " ... "),
        **{mark: f" {mark} " for mark in "£€¥«»"},
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\x00"),  # unseen
        **dict.fromkeys("\ue000\ue001\ue002"),  # taken: see _SHIELDS
    }
)
# NLTK cuts at & $ %, the Treebank not in S&P, US$ and 20%-owned: meanwhile they hide.
_SHIELDS = [
    ("&", "\ue000", re.compile(r"(?<=[A-Z])&(?=[A-Z])"), "\ue000"),
    ("$", "\ue001", re.compile(r"\b(US|AU|NZ|HK|NT|[ACMRS])\$ ?(?=\d)"), "\\1\ue001 "),
    ("%", "\ue002", re.compile(r"(?<=\d)%(?=-[a-z\d])"), "\ue002"),
]
_UNSHIELD = str.maketrans({shield: mark for mark, shield, _, _ in _SHIELDS})
_BEFORE = [
    (re.compile(r"<br ?/?>", re.IGNORECASE), "\n\n"),
    (re.compile(r"(?<=\d)[–\x96](?=\d)"), "-"),  # a range of numbers
    (re.compile(r"[–\x96]|-{2,}"), " -- "),
    (re.compile(r"\. \. \. \.(?: \.)*|\.{4,}"), " ... . "),
    (re.compile(r"\. \. \.|(?<!\.)\.{2,3}(?!\.)"), " ... "),
    (re.compile(r"[_=~*]{2,}|(?<!\w)_|_(?!\w)"), " "),  # rules and emphasis, not words
    (re.compile(r"\b([Nn]os?\.)(?=\d)"), r"\1 "),  # "No.1"
    (re.compile(r"(?<=[a-z\d][a-z\d)])(\.['\")]*)(?=[A-Z][a-z])"), r"\1 "),  # "end.The"
]
_GLUED = re.compile(r" ' (?=(?:\d\ds?|em|til|tis|twas|cause|n) )")
_CLOSING = frozenset(["''", "'", ")", "]", "}", '"', "»"])


def before(text: str) -> str:
    """Repair a text before its sentences are sought."""
    if not text.isascii() or "\x00" in text:  # the one ASCII character of the table
        text = text.translate(_CHARACTERS)
    for pattern, replacement in _BEFORE:
        text = pattern.sub(replacement, text)
    for mark, _, pattern, replacement in _SHIELDS:
        if mark in text:
            text = pattern.sub(replacement, text)
    return text


def after(line: str) -> str:
    """Repair words between single spaces: "' 80s" and "' em" are one word each."""
    line = line if line.isascii() else line.translate(_UNSHIELD)
    return _GLUED.sub(" '", line) if " ' " in line else line


def end_of_sentence(words: list[str]) -> list[str]:
    """Give a last abbreviation its own full stop back: [u.s, .] becomes [u.s., .]."""
    at = len(words) - 1
    while at > 0 and words[at] in _CLOSING:
        at -= 1
    if at > 0 and words[at] == "." and words[at - 1].lower() in KEPT_AT_THE_END:
        words[at - 1] += "."
    return words
