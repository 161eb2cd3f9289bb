"""word2vec by gensim on a prepared corpus, for the chunking experiment to compare with.

    python runs/word2vec.py CORPUS OUT [--dimension 50] [--window 5] [--epochs 2] [--workers 2]

Skip-gram and CBOW over the same stream of words, sentences of a story taken as they are stored;
the processor time of each is printed.
"""

import argparse
import time
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
    parser.add_argument("--window", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    runs = Runs(PreparedCorpus.open(options.corpus))
    for name, skip in (("skipgram", 1), ("cbow", 0)):
        path = options.out / f"{name}.txt"
        if path.exists():
            continue
        started = time.process_time()
        model = Word2Vec(
            runs, vector_size=options.dimension, sg=skip, window=options.window, min_count=1,
            workers=options.workers, epochs=options.epochs, seed=1,
        )  # fmt: skip
        seconds = time.process_time() - started
        vectors = Vectors(tuple(model.wv.index_to_key), np.asarray(model.wv.vectors, np.float32))
        write_word2vec(vectors, path, "word2vec")
        print(name, f"{seconds:.0f} CPU s", model.wv.most_similar("hotel", topn=5))


if __name__ == "__main__":
    main()
