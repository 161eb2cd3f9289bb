"""20 Newsgroups as counts of a published vocabulary, rebuilt from the posts.

The body of a post, from the first empty line on, in small letters; words are runs of letters
[a-z]. The published file of test counts is read as it is, and `agreement` says how many of its
documents the rebuilt counts equal.
"""

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from wordrbm.shapes import Array

WORD = re.compile("[a-z]+")


class Newsgroups(NamedTuple):
    """Counts and groups of the training posts, and of the published test documents."""

    train: Any
    train_group: Array
    test: Any
    test_group: Array
    agreement: float  # of published test documents, the share that the rebuilt counts equal


def read_newsgroups(folder: Path) -> Newsgroups:
    """Rebuild the counts; `folder` has the posts and `nvdm/` with the published files."""
    lines = (folder / "nvdm" / "vocab.new").read_text("utf-8").splitlines()
    index = {line.split()[0]: k for k, line in enumerate(lines)}
    train, train_group = _read_posts(folder / "train.jsonl.gz", index)
    rebuilt, rebuilt_group = _read_posts(folder / "test.jsonl.gz", index)
    names = sorted(set(train_group))
    test, test_group = _read_published(folder / "nvdm" / "test.feat.gz")
    known = {(names.index(g), _key(x)) for g, x in zip(rebuilt_group, rebuilt, strict=True)}
    same = [(g, _key(x)) in known for g, x in zip(test_group, test, strict=True)]
    return Newsgroups(
        as_matrix(train, len(index)), np.array([names.index(g) for g in train_group]),
        as_matrix(test, len(index)), np.array(test_group), float(np.mean(same)),
    )  # fmt: skip


def count_words(text: str, index: dict[str, int]) -> Counter[int]:
    """The counts of known words in the body of a post; its lines may be ended by tabs."""
    body = text.replace("\t", "\n").partition("\n\n")[2].lower()
    return Counter(index[word] for word in WORD.findall(body) if word in index)


def as_matrix(documents: list[Counter[int]], K: int) -> Any:
    """Counts as a csr matrix."""
    offsets = np.append(0, np.cumsum([len(x) for x in documents]))
    words = [word for x in documents for word in sorted(x)]
    times = [x[word] for x in documents for word in sorted(x)]
    return sparse.csr_matrix((times, words, offsets), (len(documents), K))


def damped(counts: Any) -> Any:
    """Counts replaced by ``round(log(1 + n))``, as in the published protocol."""
    changed = counts.copy()
    changed.data = np.floor(0.5 + np.log(1.0 + changed.data))
    return changed


def _read_posts(path: Path, index: dict[str, int]) -> tuple[list[Counter[int]], list[str]]:
    documents, groups = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for post in map(json.loads, lines):
            if counts := count_words(post["text"], index):
                documents.append(counts)
                groups.append(post["group"])
    return documents, groups


def _read_published(path: Path) -> tuple[list[Counter[int]], list[int]]:
    documents, groups = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            group, *entries = line.split()
            pairs = [entry.split(":") for entry in entries]
            documents.append(Counter({int(word) - 1: int(times) for word, times in pairs}))
            groups.append(int(group) - 1)
    return documents, groups


def _key(counts: Counter[int]) -> frozenset[tuple[int, int]]:
    return frozenset(counts.items())
