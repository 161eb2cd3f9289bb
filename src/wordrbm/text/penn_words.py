r"""The Penn Treebank's words of one sentence, by a chain of substitutions.

Each rule puts spaces around what is to be a word of its own; then the sentence is split at white
space. The words are those of NLTK's `NLTKWordTokenizer`, for every sentence: its 33 rules, some
joined where no sentence can tell, and in its order, which is part of them. Its engine alone
differs from `re`, on ten characters below U+0250: `re` counts \x1c to \x1f as white space, as
`str.split` does, and the numbers ¹ ² ³ ¼ ½ ¾ as word characters; NLTK's counts neither.

Source: R. MacIntyre's Treebank tokeniser, 1995, as extended in NLTK 3.10.
"""

from itertools import product

from wordrbm.text.substitutions import apply_all, substitution

CLOSING = "])}>\"'»”’"  # what may stand between the last full stop and the end
CONTRACTED = ["cannot", "gimme", "gonna", "gotta", "lemme", "wanna"]  # two words in one
_APART = r" \g<0> "
_TWO = r" \1 \2 "
_CLITICS = r"(?:re|ve|ll|m|t|s|d|n)\b"
_FIRST = r"can(?=not)|d(?='ye)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|more(?='n)|wan(?=na\s)"
# Every contraction above has an apostrophe or a double letter, large or small.
_DOUBLED = ["'", *(a + b for pair in ("nN", "mM", "tT") for a, b in product(pair, repeat=2))]
_RULES = [
    # quotes that open
    substitution("«“‘„`", "[«“‘„]|`+", _APART),
    substitution(["``"], "``", _APART),
    substitution('"', r'\A"', " `` "),
    substitution(['"', "''"], r"""([ (\[{<])(?:"|'')""", r"\1 `` "),
    substitution("'", rf"(?<!\w)'(?!{_CLITICS})(?=\w)", "' ", ignore_case=True),
    # the full stop that ends the sentence
    substitution(".", r"""([^.])\.([])}>"'»”’ ]*+)\s*$""", r"\1 . \2 "),
    # marks; a comma or colon before a digit is part of a number
    substitution(":,", r"([:,])(\D|$)", r" \1 \2"),
    substitution(["..", *";@#$%&?!‒–—―"], r"\.{2,}|[;@#$%&?!‒–—―]", _APART),
    substitution(["' "], "([^'])' ", r"\1 ' "),
    substitution([*"[](){}<>*»”’", "--"], r"[][(){}<>*»”’]|--", _APART),
    # quotes that close
    substitution(["''"], "''", _APART),
    substitution('"', '"', " '' "),
]
_CONTRACTIONS = [  # in a sentence with single spaces, also around it
    substitution("'", "([^' ])('[sSmMdD]?) ", _TWO.lstrip()),
    substitution("'", "([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", _TWO.lstrip()),
    substitution(_DOUBLED, rf"\b({_FIRST})(not|'ye|me|na|ta|'n)\b", _TWO, ignore_case=True),
    substitution("'", r" ('t)(is)\b", _TWO, ignore_case=True),
    substitution("'", r" ('t)(was)\b", _TWO, ignore_case=True),
]


def split_words(sentence: str) -> list[str]:
    """The words of a sentence, marks and the parts of contractions apart."""
    spaced = " ".join(apply_all(_RULES, sentence).split())
    return apply_all(_CONTRACTIONS, f" {spaced} ").split()
