"""How often the neighbours of a word have its part of speech, for rare and for frequent words.

    python runs/rare_words.py CONLL --model MODEL [--model MODEL ...] [--beside VECTORS.txt ...]

CONLL is a file of columns, word and part of speech first (CoNLL-2000's train.txt). A word has the
tag that it has most often there. Printed for words by how often the corpus has them: how many of
the five nearest neighbours, among the tagged words, have the same tag; and how many would if
neighbours were drawn at random.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from wordrbm import load_vectors
from wordrbm.io.word2vec import read_word2vec
from wordrbm.tagging.conll import read_conll

BANDS = [(0, 200), (200, 2_000), (2_000, 20_000), (20_000, 10**12)]
NEIGHBOURS = 5


def tags(path):
    """The most frequent part of speech of every word of a file of columns, in lower case."""
    counts = defaultdict(Counter)
    for sentence in read_conll(path):
        for word, tag in zip(*sentence.columns[:2], strict=True):
            counts[word.lower()][tag] += 1
    return {word: found.most_common(1)[0][0] for word, found in counts.items()}


def corpus_counts(model):
    """How often the corpus has each word of a model's vocabulary."""
    lines = (model / "vocabulary.tsv").read_text("utf-8").splitlines()
    return {word: int(count) for word, count in (line.split("\t")[:2] for line in lines)}


def agreement(vectors, tag_of, words):
    """For each of `words`: how many of its nearest tagged neighbours have its tag."""
    known = [word for word in tag_of if word in vectors]
    rows = np.stack([vectors[word] for word in known])
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    tag = np.array([tag_of[word] for word in known])
    place = {word: k for k, word in enumerate(known)}
    chosen = np.array([place[word] for word in words if word in place])
    cosine = rows[chosen] @ rows.T
    cosine[np.arange(len(chosen)), chosen] = -np.inf
    nearest = np.argpartition(-cosine, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    share = Counter(tag.tolist())
    chance = np.mean([share[own] - 1 for own in tag[chosen]]) / (len(tag) - 1)
    return (tag[nearest] == tag[chosen][:, None]).sum(axis=1), NEIGHBOURS * chance


def main():
    """Print a table: a row for each file of vectors, a column for each band of counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("conll", type=Path)
    parser.add_argument("--model", type=Path, action="append", required=True)
    parser.add_argument("--beside", type=Path, action="append", default=[])
    arguments = parser.parse_args()
    tag_of, counts = tags(arguments.conll), corpus_counts(arguments.model[0])
    named = [(path.name, load_vectors(path)) for path in arguments.model]
    named += [(path.name, read_word2vec(path)) for path in arguments.beside]
    for name, vectors in named:
        for low, high in BANDS:
            words = [word for word in tag_of if low < counts.get(word, 0) <= high]
            same, chance = agreement(vectors, tag_of, words)
            spread = same.std() / np.sqrt(len(same))
            print(
                f"{name}, {low} to {high}: {len(same)} words, "
                f"{same.mean():.2f} ± {spread:.2f} of {NEIGHBOURS}, by chance {chance:.2f}"
            )


if __name__ == "__main__":
    main()
