"""The tokens against the Penn Treebank's own, on real data: set WORDRBM_DATA to its folder."""

import difflib
import gzip
import itertools
import os
from pathlib import Path

import pytest
from nltk.tokenize.treebank import TreebankWordDetokenizer

from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.tokenizer import normalize_token, tokenize

DATA = Path(os.environ.get("WORDRBM_DATA", ""))
pytestmark = pytest.mark.skipif(
    "WORDRBM_DATA" not in os.environ, reason="WORDRBM_DATA names no folder of real data"
)


def sentences(name):
    """The first column of a CoNLL-2000 file, sentence by sentence."""
    blocks = (DATA / "conll2000" / name).read_text().strip().split("\n\n")
    return [[line.split()[0] for line in block.split("\n")] for block in blocks]


def test_treebank_sentences_are_cut_as_the_treebank_cuts_them():
    same = total = 0
    for words in sentences("test.txt"):
        text = TreebankWordDetokenizer().detokenize(words).replace("\\/", "/")
        text = text.replace("U.S..", "U.S.")  # print has one full stop there
        expected = [normalize_token(word) for word in words]
        matcher = difflib.SequenceMatcher(None, expected, bracketed(tokenize(text)), autojunk=False)
        same += sum(block.size for block in matcher.get_matching_blocks())
        total += len(expected)
    assert same / total > 0.999


def bracketed(tokens):
    """The treebank's names of brackets survive in its printed sentences."""
    return [normalize_token(token) for token in tokens]


def test_a_small_vocabulary_of_news_and_encyclopedia_covers_the_treebank(tmp_path):
    shards = {"reuters_news/reuters-04-of-20": 1_500, "reuters_news/reuters-16-of-20": 1_500}
    for name, stories in {**shards, "enwiki/enwiki-02-of-20": 300}.items():
        with gzip.open(DATA / f"{name}.jsonl.gz", "rb") as lines:
            sample = b"".join(itertools.islice(lines, stories))
        (tmp_path / f"{Path(name).name}.jsonl").write_bytes(sample)
    list(prepare_corpus([tmp_path], tmp_path / "out", PrepareSettings(), workers=2))
    index = PreparedCorpus.open(tmp_path / "out").vocabulary.index
    words = itertools.chain(*sentences("train.txt"), *sentences("test.txt"))
    known = [normalize_token(word) in index for word in words]
    assert sum(known) / len(known) > 0.95
