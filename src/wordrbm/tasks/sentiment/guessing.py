"""Unlabelled documents with guessed classes, and class models told apart by them too.

What has learnt from labelled documents, class models told apart and NB-SVM, guesses a class for
each unlabelled one. Left out are the tenth of which it is least sure, empty ones, and copies of
documents for training or testing (a film may be there under two titles). From where they were
before, the models are then told apart by labelled and guessed documents together [Scudder 1965;
Lee 2013]. Every fold has guesses of its own, made without its labels.

References
    H. Scudder. Probability of error of some adaptive pattern-recognition machines. IEEE
    Transactions on Information Theory 11, 1965.
    D.-H. Lee. Pseudo-label. ICML workshop on challenges in representation learning, 2013.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64

from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.documents import DocumentIds
from wordrbm.classification.finetune import FinetuneSettings, finetune
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Labels, Sides, nb_svm
from wordrbm.tasks.sentiment.guesses import (
    GUESS_PASSES,
    LEFT_OUT,
    TEACHER_PENALTY,
    Guess,
    keep_guesses,
    with_guesses,
)
from wordrbm.tasks.sentiment.kept import class_models, told_models
from wordrbm.tasks.sentiment.stacking import decisions_of_all
from wordrbm.tasks.sentiment.starts import Source, vocabulary_for
from wordrbm.tasks.sentiment.variant import FOLDS, Cell
from wordrbm.text.vocabulary import Vocabulary

TINY = 1e-9

Scores = Float64[np.ndarray, "U C"]  # how far a document is on the side of each class
Asked = Bool[np.ndarray, " U"]  # whether a class is to be guessed


class Said(NamedTuple):
    """Of the unlabelled documents: which may be guessed, and what NB-SVM says, by fold."""

    asked: Asked
    by_ngrams: Mapping[int | None, Scores]


def may_be_guessed(data: Data) -> Asked:
    """Whether an unlabelled document has words, and is no copy of a labelled or a test document."""
    assert data.unlabelled is not None
    known = {tuple(words) for part in (data.train, data.test) for words in part.tokens()}
    known.add(())
    return np.array([tuple(words) not in known for words in data.unlabelled.tokens()], bool)


def ngram_scores(ngrams: Any, more: Any, label: Labels, seen: Labels) -> Scores:
    """What NB-SVM says of unlabelled documents, after the labelled ones that it may see."""
    found = decisions_of_all(nb_svm, TEACHER_PENALTY, Sides(ngrams[seen], more), label[seen])
    return np.hstack([-found, found]) if found.shape[1] == 1 else found


def guessed(scores: Sequence[Scores], asked: Asked) -> Guess:
    """The class that several say together, each as loud as the others; -1 for the least sure."""
    total = np.sum([_as_loud(score) for score in scores], axis=0)
    second, first = np.sort(total, axis=1)[:, -2:].T
    margin = np.where(asked, first - second, -1.0)
    least = np.quantile(margin[asked], LEFT_OUT) if asked.any() else 0.0
    return np.where(margin >= least, np.argmax(total, axis=1), -1).astype(np.int32)


def _as_loud(score: Scores) -> Scores:
    """From the mean of the classes, by how far documents differ; silent if they do not."""
    found = score - score.mean(axis=1, keepdims=True)
    spread = float((found - found.mean(axis=0)).std())
    return found / spread if spread > TINY else np.zeros_like(found)


def guess_and_learn(cell: Cell, source: Source, said: Said) -> None:
    """Guess, tell the models of a cell apart by the guesses too, and keep what they say."""
    data = source.data
    assert data.unlabelled is not None
    words = vocabulary_for(cell.variant, data)
    train, more = (
        x.read.encode(words).pad(cell.variant.window) for x in (data.train, data.unlabelled)
    )
    energies = told_models(cell, data, source.out).energies(more, source.pause)
    guess = guessed([said.by_ngrams[cell.fold], -energies], said.asked)
    own = np.flatnonzero(data.fold != cell.fold)
    texts = train.select(own).concat(more.select(np.flatnonzero(guess >= 0)))
    models = _learnt(cell, source, texts, with_guesses(data.train.label[own], guess))
    parts = _scored(cell, data, words, train)
    found = {part: models.energies(one, source.pause) for part, one in parts.items()}
    keep_guesses(cell, data, source.out, guess, found, models)


def _learnt(cell: Cell, source: Source, texts: DocumentIds, label: Labels) -> ClassModels:
    """The models as they were before they were told apart, now told apart by all these."""
    before, name = class_models(cell, source.data, source.out), f"{cell.name}, guesses"
    how = FinetuneSettings(epochs=GUESS_PASSES)
    return finetune(before, texts, label, how, lambda windows: source.gain(windows, name))


def _scored(
    cell: Cell, data: Data, words: Vocabulary, train: DocumentIds
) -> dict[str, DocumentIds]:
    """The documents whose energies are kept: those of the fold, or all and those for testing."""
    if cell.fold is not None:
        return {"train": train.select(np.flatnonzero(data.fold == cell.fold))}
    return {"train": train, "test": data.test.read.encode(words).pad(cell.variant.window)}


def guessing_work(cell: Cell, data: Data) -> float:
    """About how many windows that reads."""
    assert data.unlabelled is not None
    own = len(data.train.read.documents.ids) * (1.0 if cell.fold is None else 1.0 - 1.0 / FOLDS)
    more = len(data.unlabelled.read.documents.ids) * (1.0 - LEFT_OUT)
    return len(data.classes) * GUESS_PASSES * (own + more)
