"""The reference for the tokenizer: NLTK's own rules, unchanged, on the standard `re`.

Recent NLTK runs its rules on a guarded engine that raises after five seconds of wall clock; on
the standard engine they are a pure function of the text. `tokens` puts the repairs of the
package around them sentence by sentence, without a cache.
"""

import re

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import (
    PunktLanguageVars,
    PunktParameters,
    PunktSentenceTokenizer,
    PunktToken,
)

from wordrbm.text.tokenizer import treebank
from wordrbm.text.tokenizer.sentences import ABBREVIATIONS, BEFORE_NUMBERS, SENTENCE_STARTERS

SEEN_LOWER_CASE = 1 << 4 | 1 << 5 | 1 << 6  # Punkt's mark of a word also seen in lower case
INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]").fullmatch
PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")


def standard(pattern, flags=0):
    return re.compile(pattern.pattern, flags)


class Abbreviations(frozenset):
    """Known abbreviations, and all words of single letters with full stops between."""

    def __contains__(self, word):
        return super().__contains__(word) or INITIALS(word) is not None


class Language(PunktLanguageVars):
    re_boundary_realignment = standard(PunktLanguageVars.re_boundary_realignment, re.MULTILINE)

    def __init__(self):
        plain = PunktLanguageVars()
        self._re_period_context = standard(plain.period_context_re(), re.VERBOSE)
        self._re_word_tokenizer = standard(plain._word_tokenizer_re(), re.VERBOSE)


class Token(PunktToken):
    _RE_ELLIPSIS = standard(PunktToken._RE_ELLIPSIS)
    _RE_NUMERIC = standard(PunktToken._RE_NUMERIC)
    _RE_INITIAL = standard(PunktToken._RE_INITIAL)
    _RE_ALPHA = standard(PunktToken._RE_ALPHA)


class Words(NLTKWordTokenizer):
    def __init__(self):
        for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
            rules = getattr(NLTKWordTokenizer, name)
            setattr(self, name, [(standard(pattern), to) for pattern, to in rules])
        for name in ("PARENS_BRACKETS", "DOUBLE_DASHES"):
            pattern, to = getattr(NLTKWordTokenizer, name)
            setattr(self, name, (standard(pattern), to))


def punkt_parameters():
    """Punkt's parameters for the lists of the package."""
    parameters = PunktParameters()
    parameters.abbrev_types = Abbreviations(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)
    parameters.collocations = {(word, "##number##") for word in BEFORE_NUMBERS}
    # So that "Plan B. The end" is two sentences and "John F. Kennedy" is not.
    parameters.ortho_context.update(dict.fromkeys(SENTENCE_STARTERS, SEEN_LOWER_CASE))
    return parameters


SENTENCES = PunktSentenceTokenizer(punkt_parameters(), lang_vars=Language(), token_cls=Token)
WORDS = Words()


def tokens(text):
    """What `tokenize` has to give, the slow way."""
    lines = []
    for paragraph in PARAGRAPH.split(treebank.clean_text(text)):
        for sentence in SENTENCES.tokenize(paragraph):
            words = treebank.restore_final_period(WORDS.tokenize(sentence))
            lines.append(treebank.rejoin_apostrophes(f" {' '.join(words)} "))
    return re.sub(r"\d+", "#", " ".join(lines).lower()).split()
