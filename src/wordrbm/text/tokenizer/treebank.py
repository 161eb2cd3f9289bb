r"""Penn Treebank words: punctuation repaired, then a sentence split, memoised per piece.

A rule is a guarded substitution: its pattern is tried only if the text contains one of its trigger
strings. Searching for a substring is far cheaper than trying a pattern at every character, and most
rules about punctuation do not apply to most texts. For the same reason a pattern begins with a
character and looks back from there, instead of beginning with a lookbehind. Each repair answers an
error seen in real text (Reuters, Wikipedia, film reviews).

The rules put spaces around what is a word of its own; then the sentence is split at white space.
The words are those of NLTK's `NLTKWordTokenizer`, for every sentence: its 33 rules, some joined
where no sentence can tell, and in its order, which is part of them. Only its regular expression
engine differs from `re`, on ten characters below U+0250: `re` counts \x1c to \x1f as white space,
as `str.split` does, and the numbers ¹ ² ³ ¼ ½ ¾ as word characters; NLTK's counts neither.

The rules hardly look beyond white space, so a piece between two white spaces gives the same words
nearly everywhere, and pieces repeat: the words of a piece are computed once, between two letters
that stand for its neighbours, and cached. The rules do look beyond white space

    at the start      for a quote that opens the sentence: such a first piece has its own cache;
    at the end        for the final period and what closes after it: these are one piece;
    at a quote        for whether the white space beside it is a space;
    at an apostrophe  for what `rejoin_apostrophes` joins it with.

A sentence with one of the last two, or with a piece too long to cache, is tokenized uncached. A
cached value is a pure function of the piece; the caches are bounded in number and size.

Source: R. MacIntyre's Treebank tokenizer, 1995, as extended in NLTK 3.10.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple, final


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
_CLOSING_WORDS = frozenset(["''", "'", ")", "]", "}", '"', "»"])
# The Treebank splits a sentence-final "Inc." and "a.m." into word and period, but writes the
# country as "U.S. ." (17 times of 17 in CoNLL-2000).
_KEEP_FINAL_PERIOD = frozenset(["u.s", "u.k", "u.n", "e.u"])
CACHE_SIZE = 1 << 16  # pieces, some 13 MB
MAX_CACHED_LENGTH = 64  # characters
_CLOSING = "])}>\"'»”’"  # what may stand between the final period and the end
CONTRACTED = ["cannot", "gimme", "gonna", "gotta", "lemme", "wanna"]  # two words in one
_SPACED = r" \g<0> "
_TWO = r" \1 \2 "
_CLITICS = r"(?:re|ve|ll|m|t|s|d|n)\b"
_FIRST = r"can(?=not)|d(?='ye)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|more(?='n)|wan(?=na\s)"
# Every contraction above has an apostrophe or a double letter, upper or lower case.
_DOUBLED = ["'", *(a + b for pair in ("nN", "mM", "tT") for a, b in product(pair, repeat=2))]
_RULES = [
    # opening quotes
    substitution("«“‘„`", "[«“‘„]|`+", _SPACED),
    substitution(["``"], "``", _SPACED),
    substitution('"', r'\A"', " `` "),
    substitution(['"', "''"], r"""([ (\[{<])(?:"|'')""", r"\1 `` "),
    substitution("'", rf"(?<!\w)'(?!{_CLITICS})(?=\w)", "' ", ignore_case=True),
    # the final period of the sentence
    substitution(".", r"""([^.])\.([])}>"'»”’ ]*+)\s*$""", r"\1 . \2 "),
    # marks; a comma or colon before a digit is part of a number
    substitution(":,", r"([:,])(\D|$)", r" \1 \2"),
    substitution(["..", *";@#$%&?!‒–—―"], r"\.{2,}|[;@#$%&?!‒–—―]", _SPACED),
    substitution(["' "], "([^'])' ", r"\1 ' "),
    substitution([*"[](){}<>*»”’", "--"], r"[][(){}<>*»”’]|--", _SPACED),
    # closing quotes
    substitution(["''"], "''", _SPACED),
    substitution('"', '"', " '' "),
]
_CONTRACTIONS = [  # in a sentence with single spaces, also around it
    substitution("'", "([^' ])('[sSmMdD]?) ", _TWO.lstrip()),
    substitution("'", "([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", _TWO.lstrip()),
    substitution(_DOUBLED, rf"\b({_FIRST})(not|'ye|me|na|ta|'n)\b", _TWO, ignore_case=True),
    substitution("'", r" ('t)(is)\b", _TWO, ignore_case=True),
    substitution("'", r" ('t)(was)\b", _TWO, ignore_case=True),
]
_DIGITS = re.compile(r"\d+")
_JOINED = rf"(?:{AFTER_APOSTROPHE})(?:\b|[nN]')"  # also where "n't" is split off
_BEYOND = re.compile(rf"[^\S ] *[{re.escape(_CLOSING)}]|'[^\S ]|\s\Z|'\s+{_JOINED}")
# A word or number, perhaps a period, perhaps another mark: no other rule can apply.
_PART = rf"(?!(?:{'|'.join(CONTRACTED)})\b)\w+"
_SIMPLE = re.compile(rf"({_PART}(?:(?:[-.]|[,:](?=\d)){_PART})*)(\.?)([,;:?!]?)", re.IGNORECASE)


def treebank_split(sentence: str) -> list[str]:
    """Split a sentence into Treebank words: marks and parts of contractions on their own."""
    spaced = " ".join(substitute_all(_RULES, sentence).split())
    return substitute_all(_CONTRACTIONS, f" {spaced} ").split()


def _final_piece(pieces: list[str]) -> int:
    """The index of the last piece that is more than closing marks; -1 if there is none."""
    last = len(pieces) - 1
    while last >= 0 and not pieces[last].strip(_CLOSING):
        last -= 1
    return last


def _needs_whole_sentence(sentence: str, pieces: list[str]) -> bool:
    """Whether a rule may look beyond white space inside the sentence."""
    is_tidy = "' " not in sentence and " ".join(pieces) == sentence
    return not is_tidy and _BEYOND.search(sentence) is not None


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
    while last > 0 and words[last] in _CLOSING_WORDS:
        last -= 1
    if last > 0 and words[last] == "." and words[last - 1].lower() in _KEEP_FINAL_PERIOD:
        words[last - 1] += "."
    return words


@final
class SentenceTokenizer:
    """Splits sentences into normalized words; every distinct piece is normalized once.

    `normalize` maps a line of words between single spaces to another one, word by word.
    """

    def __init__(self, normalize: Callable[[str], str]) -> None:
        self._normalize = normalize
        self._start = lru_cache(CACHE_SIZE)(lambda piece: self._uncached(f"{piece} x")[:-1])
        self._inside = lru_cache(CACHE_SIZE)(self._tokenize_inside)
        self._end = lru_cache(CACHE_SIZE)(self._tokenize_end)

    def __call__(self, sentence: str) -> list[str]:
        """The normalized Treebank words of a sentence."""
        pieces = sentence.split()
        last = _final_piece(pieces)
        end = " ".join(pieces[last:])
        longest = max(map(len, (*pieces, end)))
        if last < 1 or _needs_whole_sentence(sentence, pieces) or longest > MAX_CACHED_LENGTH:
            return restore_final_period([*self._uncached(sentence)])
        first = self._start(pieces[0]) if sentence[0] in "\"'" else self._inside(pieces[0])
        inside = chain.from_iterable(map(self._inside, pieces[1:last]))
        return restore_final_period([*first, *inside, *self._end(end)])

    def _uncached(self, sentence: str) -> tuple[str, ...]:
        line = rejoin_apostrophes(f" {' '.join(treebank_split(sentence))} ")
        return tuple(self._normalize(line).split())

    def _tokenize_inside(self, piece: str) -> tuple[str, ...]:
        if simple := _SIMPLE.fullmatch(piece):
            word = self._normalize(simple[1]) + simple[2]
            return (word, simple[3]) if simple[3] else (word,)
        return self._uncached(f"x {piece} x")[1:-1]

    def _tokenize_end(self, pieces: str) -> tuple[str, ...]:
        simple = _SIMPLE.fullmatch(pieces)
        if simple and simple[2] and not simple[3]:
            return self._normalize(simple[1]), "."
        return self._uncached(f"x {pieces}")[1:]


def mask_digits(text: str) -> str:
    """Replace every run of digits by one `#`."""
    return _DIGITS.sub("#", text)


def lower_and_mask_digits(text: str) -> str:
    """Put a text in lower case and replace every run of digits by one `#`."""
    return mask_digits(text.lower())


tokenize_sentence = SentenceTokenizer(lower_and_mask_digits)
tokenize_with_digits = SentenceTokenizer(str.lower)
