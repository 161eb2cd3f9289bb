"""The corrections against the same patterns written plainly, and tried on every text."""

import re

from hypothesis import given, settings

from tests.text.hostile import texts
from wordrbm.text import corrections

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
def test_a_text_is_corrected_as_by_the_plain_patterns(text):
    expected = text.translate(str.maketrans(corrections._CHARACTERS))
    for pattern, replacement in PLAIN:
        expected = pattern.sub(replacement, expected)
    assert corrections.before(text) == expected
