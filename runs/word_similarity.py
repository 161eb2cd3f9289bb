"""Cosines of a model's vectors against word pairs judged by people, in several spaces.

    python runs/word_similarity.py MODEL [MODEL ...] --pairs FOLDER [--beside VECTORS.txt ...]
        [--analogies questions-words.txt]

A file of pairs has a line ``word TAB word TAB score``; words are put in lower case. Printed for
each file: Spearman's rank correlation times 100 on all pairs, on the half that the space was chosen
on and on the other half (drawn by a seed), and the share of pairs whose words are both known. Then
how many of the nearest five neighbours are of the same kind (`wordrbm neighbours --groups`), and
the share of analogies ``a b c d`` that are answered: d is the word of the 30,000 most frequent that
is nearest to b - a + c, of vectors of length one, a, b and c left out (Mikolov et al. 2013; gensim
ships their questions as ``test/test_data/questions-words.txt``).
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from wordrbm.analysis.neighbour_groups import GROUPS, neighbour_purity
from wordrbm.io import Vectors
from wordrbm.io.word2vec import read_word2vec
from wordrbm.trained_model import load

SEED = 0
FREQUENT = 30_000  # words that may answer an analogy


class Pair(NamedTuple):
    """Two words and how similar people find them."""

    word: str
    other: str
    score: float


class Agreement(NamedTuple):
    """Spearman's rank correlation times 100, and the share of pairs whose words are known."""

    spearman: float
    coverage: float


def read_pairs(path):
    """The pairs of a file, in lower case."""
    rows = (line.lower().split("\t") for line in path.read_text().splitlines() if line.strip())
    return [Pair(word, other, float(score)) for word, other, score in rows]


def halves(pairs):
    """The pairs in two halves, drawn by a seed: one to choose by, one to report."""
    order = np.random.default_rng(SEED).permutation(len(pairs))
    return [[pairs[k] for k in order[half::2]] for half in (0, 1)]


def agreement(vectors, pairs):
    """How well cosines rank the known pairs."""
    known = [pair for pair in pairs if pair.word in vectors and pair.other in vectors]
    cosine = [vectors.similarity(pair.word, pair.other) for pair in known]
    rank = spearmanr(cosine, [pair.score for pair in known]).statistic
    return Agreement(100 * float(rank), len(known) / len(pairs))


def read_analogies(path):
    """The questions of a file, four words each, in lower case; lines with ``:`` name a section."""
    lines = path.read_text().lower().splitlines()
    return [tuple(line.split()) for line in lines if line.strip() and not line.startswith(":")]


def analogy_accuracy(vectors, questions):
    """The share of known questions that are answered right, in percent."""
    directions = vectors.matrix[:FREQUENT] / np.maximum(
        np.linalg.norm(vectors.matrix[:FREQUENT], axis=1, keepdims=True), 1e-12
    )
    index = {word: row for row, word in enumerate(vectors.words[:FREQUENT])}
    known = [[index[w] for w in words] for words in questions if all(w in index for w in words)]
    right = 0
    for block in np.array_split(np.array(known).reshape(-1, 4), max(1, len(known) // 500)):
        a, b, c, d = block.T
        cosine = (directions[b] - directions[a] + directions[c]) @ directions.T
        cosine[np.arange(len(block))[:, None], block[:, :3]] = -np.inf
        right += int((cosine.argmax(axis=1) == d).sum())
    return 100 * right / max(1, len(known))


def spaces(model):
    """The vectors of a model in several metrics, centred by word frequency or not."""
    D, U = model.rbm.D.astype(np.float64), model.rbm.U.astype(np.float64)
    centred = D - model.vocabulary.probability() @ D
    variance, axes = np.linalg.eigh(np.einsum("nhd,nhe->de", U, U))
    root = (axes * np.sqrt(np.maximum(variance, 0.0))) @ axes.T
    rows = {
        "D, raw": D,
        "D, centred": centred,
        "G = sum U'U": D @ root,
        "G, centred": centred @ root,
        "whitened": model.vectors.matrix,
    }
    return {name: Vectors(model.vocabulary.words, rows[name]) for name in rows}


def purity(vectors):
    """Of five nearest neighbours, how many are of the same kind; the mean over the kinds."""
    return float(np.mean([neighbour_purity(vectors, group).inside for group in GROUPS.values()]))


def table_row(name, vectors, files, questions):
    """One line of the table."""
    cells = []
    for pairs in files.values():
        every = agreement(vectors, pairs)
        chosen, reported = (agreement(vectors, half).spearman for half in halves(pairs))
        cells.append(
            f"{every.spearman:5.1f} {chosen:5.1f} {reported:5.1f} {100 * every.coverage:5.1f} %"
        )
    cells.append(f"{purity(vectors):.2f}")
    if questions:
        cells.append(f"{analogy_accuracy(vectors, questions):.1f}")
    return f"{name:24} | {' | '.join(cells)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path, nargs="*")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--beside", type=Path, nargs="*", default=[])
    parser.add_argument("--analogies", type=Path)
    given = parser.parse_args()
    files = {path.name: read_pairs(path) for path in sorted(given.pairs.glob("*.txt"))}
    questions = read_analogies(given.analogies) if given.analogies else []
    print(f"{'':24} | {' | '.join(f'{name:25}' for name in files)} | groups | analogies")
    print(f"{'':24} | {' | '.join('  all  half other  known ' for _ in files)} |")
    for path in given.models:
        print(path.name)
        for name, vectors in spaces(load(path)).items():
            print(table_row(f"  {name}", vectors, files, questions), flush=True)
    for path in given.beside:
        print(table_row(path.name, read_word2vec(path), files, questions), flush=True)


if __name__ == "__main__":
    main()
