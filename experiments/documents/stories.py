"""News stories as counts of their most frequent words.

Words are runs of letters with hyphens and apostrophes inside, small and capital letters apart. The
stories of the last file are the test set.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from experiments.documents import study
from experiments.documents.counts import as_matrix, damped
from experiments.documents.runs import VALIDATION, Splits
from wordrbm.errors import WordRBMError

WORD = re.compile("[A-Za-z]+(?:['-][A-Za-z]+)*")


def read_stories(folder: Path, size: int, tested: int) -> Splits:
    """Damped counts of the `size` most frequent words; the first `tested` stories of the test."""
    files = sorted(folder.glob("*.jsonl.gz"))
    if len(files) < 2:
        raise WordRBMError(f"{folder} has {len(files)} files *.jsonl.gz; at least 2 are needed.")
    frequency: Counter[str] = Counter()
    for words in _stories(files[:-1]):
        frequency.update(words)
    index = {word: k for k, (word, _) in enumerate(frequency.most_common(size))}
    train, test = (
        as_matrix(
            [counts for words in _stories(part)
             if (counts := Counter(index[word] for word in words if word in index))],
            len(index),
        )
        for part in (files[:-1], files[-1:])
    )  # fmt: skip
    counts = damped(train)
    fit, validation = study.split_validation(counts, min(VALIDATION, counts.shape[0] // 10))
    return Splits(fit, validation, counts, damped(test)[:tested])


def _stories(files: list[Path]) -> Iterator[list[str]]:
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield WORD.findall(json.loads(line)["text"])
