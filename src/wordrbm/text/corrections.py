"""Repairs of punctuation around the rules of NLTK: before the sentences, and after the words.

Each rule answers an error seen in real text (Reuters, Wikipedia, film reviews); the aim is the
Penn Treebank's form, which NLTK's rules expect to be given and to give.
"""

import re

from wordrbm.text.abbreviations import KEPT_AT_THE_END
from wordrbm.text.substitutions import apply_all, substitution

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
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\x00", ""),  # unseen
    **dict.fromkeys("\ue000\ue001\ue002", ""),  # taken: see _SHIELDS
}
_CHARACTER = re.compile(f"[{''.join(_CHARACTERS)}]")
# NLTK cuts at & $ %, the Treebank not in S&P, US$ and 20%-owned: meanwhile they hide.
_SHIELDS = {"&": "\ue000", "$": "\ue001", "%": "\ue002"}
_UNSHIELD = str.maketrans({shield: mark for mark, shield in _SHIELDS.items()})
_CURRENCIES = r"(?:(?<=\b[ACMRS]\$)|(?<=\b(?:US|AU|NZ|HK|NT)\$))"
_BEFORE = [
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
_GLUED = re.compile(rf" ' (?=(?:{AFTER_APOSTROPHE}) )")
_CLOSING = frozenset(["''", "'", ")", "]", "}", '"', "»"])


def before(text: str) -> str:
    """Repair a text before its sentences are sought."""
    if not text.isascii() or "\x00" in text:  # the one ASCII character of the table
        text = _CHARACTER.sub(lambda match: _CHARACTERS[match.group()], text)
    return apply_all(_BEFORE, text)


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
