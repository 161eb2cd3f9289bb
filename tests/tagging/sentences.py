"""Artificial tagging tasks: chunks that words determine, labels that hidden units determine."""

import numpy as np

from wordrbm.models import WordRepRBM, init_wordrep
from wordrbm.tagging.conll import Sentence
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, save
from wordrbm.training.settings import TrainingSettings

LETTERS = "abcdefgh"

NOUNS, VERBS = ("cat", "dog", "bank", "firm", "price"), ("sees", "buys", "cut", "raised")


def sentence(rng):
    rows = []
    for part in range(rng.integers(1, 4)):
        if part % 2:
            rows.append((rng.choice(VERBS), "VB", "B-VP"))
        else:
            rows.append(("the", "DT", "B-NP"))
            if rng.random() < 0.5:
                rows.append(("new", "JJ", "I-NP"))
            rows.append((rng.choice(NOUNS), "NN", "I-NP"))
    return [*rows, (".", ".", "O")]


def write_task(folder, train=60, test=20, seed=1):
    """train.txt and test.txt in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for name, count in (("train", train), ("test", test)):
        blocks = ("\n".join(" ".join(row) for row in sentence(rng)) for _ in range(count))
        (folder / f"{name}.txt").write_text("\n\n".join(blocks) + "\n")
    return folder


def write_model(folder, seed):
    """A model of the words of the task, with random weights."""
    rng = np.random.default_rng(seed)
    words = Vocabulary.build([(word, 1) for word in ("the", "new", "cat", "dog", "sees", ".")], 1)
    rbm = init_wordrep(rng, n=3, H=5, d=4, word_probability=words.probability())
    save(folder, TrainedModel(rbm, words, TrainingSettings(window=3, hidden=5, dimension=4)))
    return folder


def single(rng, *shape):
    """Normal deviates in single precision."""
    return rng.normal(size=shape).astype(np.float32)


def letter_task():
    """Labels that depend on both ends of a window: whether they are the same letter."""
    rng = np.random.default_rng(3)
    vocabulary = Vocabulary.build([(word, 1) for word in LETTERS], 1)
    settings = TrainingSettings(window=3, dimension=4, hidden=12)
    D, U, c = single(rng, 9, 4), single(rng, 3, 12, 4), single(rng, 12)
    rbm = WordRepRBM(D, U, np.zeros(9, np.float32), c)
    sentences = []
    for _ in range(300):
        words = rng.choice(list(LETTERS), size=5).tolist()
        equal = [1 <= t < 4 and words[t - 1] == words[t + 1] for t in range(5)]
        sentences.append(Sentence((tuple(words), tuple("yes" if x else "no" for x in equal))))
    return TrainedModel(rbm, vocabulary, settings), sentences


def scores(tagger, sentences):
    """The scores of every label at every token."""
    dense = tagger.features.dense_features([sentence.words for sentence in sentences])
    batch = tagger.attributes.encode([sentence.columns[:-1] for sentence in sentences])
    return tagger.crf.scores(batch._replace(dense=dense))
