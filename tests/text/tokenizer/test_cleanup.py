"""Punctuation repairs against the same patterns written plainly, tried on every text."""

import re

from hypothesis import given, settings

from tests.text.tokenizer.hostile import texts
from wordrbm.text.tokenizer import treebank
from wordrbm.text.tokenizer.treebank import substitute_all, substitution

PLAIN = [
    (re.compile(r"<br\s*/?>", re.IGNORECASE), "\n\n"),
    (re.compile(r"(?<=\d)[–\x96](?=\d)"), "-"),
    (re.compile(r"[–\x96]|-{2,}"), " -- "),
    (re.compile(r"\. \. \. \.(?: \.)*|\.{4,}"), " ... . "),
    (re.compile(r"\. \. \.|(?<!\.)\.{2,3}(?!\.)"), " ... "),
    (re.compile(r"[_=~*]{2,}|(?<!\w)_|_(?!\w)"), " "),
    (re.compile(r"\b([Nn]os?\.)(?=\d)"), r"\1 "),
    (re.compile(r"(?<=[a-z\d][a-z\d)])(\.['\")]*)(?=[A-Z][a-z])"), r"\1 "),
    (re.compile(r"(?<=[A-Z])&(?=[A-Z])"), "\ue000"),
    (re.compile(r"\b(US|AU|NZ|HK|NT|[ACMRS])\$ ?(?=\d)"), "\\1\ue001 "),
    (re.compile(r"(?<=\d)%(?=-[a-z\d])"), "\ue002"),
]


@settings(max_examples=1000)
@given(texts)
def test_a_text_is_cleaned_as_by_the_plain_patterns(text):
    expected = text.translate(str.maketrans(treebank._CHARACTERS))
    for pattern, replacement in PLAIN:
        expected = pattern.sub(replacement, expected)
    assert treebank.clean_text(text) == expected


def test_substitutions_are_applied_in_order():
    rules = [substitution("a", "a", "b"), substitution("b", "b+", "c")]
    assert substitute_all(rules, "aab d") == "c d"
    assert substitute_all(rules[::-1], "aab d") == "bbc d"


def test_a_pattern_is_tried_only_where_one_of_its_triggers_is():
    rule = substitution(["xx", "y"], r"\w", "!")
    results = [substitute_all([rule], text) for text in ("x", "xx", "y", "xyxx", "")]
    assert results == ["x", "!!", "!", "!!!!", ""]


def test_a_pattern_may_be_without_regard_to_case():
    assert substitute_all([substitution("aA", "A", "b", ignore_case=True)], "aA") == "bb"
