"""Preparing text against NLTK's word tokeniser, called sentence by sentence, on one core.

NLTK is given sentences that are cut already and does nothing else. `tokenize` corrects the text,
cuts it into sentences and words and normalises them; `prepare` also reads files, counts words
and writes the corpus. What is compared is words a second. Every round has a stretch of the text
of its own, so that nothing is read twice and what `tokenize` remembers is of earlier stretches.
"""

import gzip
import itertools
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nltk.tokenize.destructive import NLTKWordTokenizer

from benchmarks.ratios import Figure, ratio
from benchmarks.running import seconds
from wordrbm.cli.demo import speeches
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.tokenizer import tokenize
from wordrbm.text.tokenizer.sentences import split_sentences

NAMED = "WORDRBM_DATA"
NEWS = "reuters_news/reuters-04-of-20.jsonl.gz"
STORIES = 2_500  # 1.2 million words
ROUNDS = 5


def measure() -> dict[str, Figure]:
    """Seconds of NLTK over seconds of `tokenize` and of `prepare`, on every text there is."""
    found = {}
    for name, texts in every_text():
        stretches = [texts[at :: 2 * ROUNDS] for at in range(2 * ROUNDS)]
        for what, work in {"tokenize": tokenized, "prepare": prepared}.items():
            parts = [stretches.pop() for _ in range(ROUNDS)]
            rounds = [{"nltk": nltk_seconds(part), what: work(part)} for part in parts]
            told = f"{sum(map(len, itertools.chain(*parts))):,} characters"
            found[f"{what}, {name}"] = ratio(rounds, "nltk", what, goal="≥ 3", note=told)
    return found


def every_text() -> Iterator[tuple[str, list[str]]]:
    """The speeches, and news if the environment variable names the folder of data."""
    yield "speeches", [path.read_text("utf-8") for path in sorted(speeches().glob("*.txt"))]
    if NAMED in os.environ:
        with gzip.open(Path(os.environ[NAMED]) / NEWS, "rt", encoding="utf-8") as lines:
            yield "news", [json.loads(line)["text"] for line in itertools.islice(lines, STORIES)]


def nltk_seconds(texts: list[str]) -> float:
    """The seconds NLTK takes for the words of all sentences."""
    sentences = [one for text in texts for one in split_sentences(text)]
    nltk = NLTKWordTokenizer()
    return seconds(lambda: [nltk.tokenize(one) for one in sentences])


def tokenized(texts: list[str]) -> float:
    """The seconds `tokenize` takes."""
    return seconds(lambda: [tokenize(text) for text in texts])


def prepared(texts: list[str]) -> float:
    """The seconds `prepare` takes in one process, from JSON lines to a corpus on disk."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (folder / "texts.jsonl").write_text(lines, "utf-8")
        return seconds(lambda: list(prepare_corpus([folder], folder / "out", PrepareSettings(), 1)))
