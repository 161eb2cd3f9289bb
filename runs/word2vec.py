"""word2vec by gensim on a prepared corpus, for the chunking experiment to compare with.

    python runs/word2vec.py CORPUS OUT [--dimension 50] [--epochs 2]

Skip-gram and CBOW over the same stream of words, sentences of a story taken as they are stored.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.io import Vectors
from wordrbm.io.word2vec import write_word2vec
from wordrbm.text.corpus import SPLITS, PreparedCorpus

PIECE = 10_000


class Runs:
    """The training runs of a corpus as lists of words, `<unk>` among them.

    In pieces, for gensim leaves out what is beyond 10,000 words. With two workers the vectors
    differ a little from run to run."""

    def __init__(self, corpus):
        self.ids, self.words = corpus.ids, corpus.vocabulary.words
        self.runs = corpus.spans[corpus.spans[:, 2] == SPLITS["train"]]

    def __iter__(self):
        for begin, end, _ in self.runs.tolist():
            for first in range(begin, end, PIECE):
                yield [self.words[k] for k in self.ids[first : min(end, first + PIECE)].tolist()]


def main():
    from gensim.models import Word2Vec

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dimension", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=2)
    given = parser.parse_args()
    runs = Runs(PreparedCorpus.open(given.corpus))
    for name, skip in (("skipgram", 1), ("cbow", 0)):
        path = given.out / f"{name}.txt"
        if path.exists():
            continue
        found = Word2Vec(
            runs, vector_size=given.dimension, sg=skip, window=5, min_count=1, workers=2,
            epochs=given.epochs, seed=1,
        )  # fmt: skip
        words = tuple(found.wv.index_to_key)
        write_word2vec(Vectors(words, np.asarray(found.wv.vectors, np.float32)), path, "word2vec")
        print(name, found.wv.most_similar("hotel", topn=5))


if __name__ == "__main__":
    main()
