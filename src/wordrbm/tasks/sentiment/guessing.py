"""Unlabelled documents with guessed classes, and class models told apart by them too.

What has learnt from labelled documents, class models told apart and NB-SVM, guesses a class for
each unlabelled one; the tenth of which it is least sure is left out. From where they were before,
the models are then told apart by labelled and guessed documents together [Scudder 1965; Lee 2013].
Every fold has guesses of its own, made without its labels.

References
    H. Scudder. Probability of error of some adaptive pattern-recognition machines. IEEE
    Transactions on Information Theory 11, 1965.
    D.-H. Lee. Pseudo-label. ICML workshop on challenges in representation learning, 2013.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64, Int32

from wordrbm.estimators.apart import Apart, told_apart
from wordrbm.estimators.class_models import ClassModels, Texts, centred, texts_of
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Labels, nb_svm
from wordrbm.tasks.sentiment.guesses import GUESS_PASSES, LEFT_OUT, TEACHER_PENALTY, keep_guesses
from wordrbm.tasks.sentiment.kept import class_models, told_models
from wordrbm.tasks.sentiment.starts import Source, vocabulary_for
from wordrbm.tasks.sentiment.variant import Cell

Scores = Float64[np.ndarray, "U C"]  # how far a document is on the side of each class
Guess = Int32[np.ndarray, " U"]  # a class, or -1


def ngram_scores(ngrams: Any, more: Any, label: Labels, seen: Labels) -> Scores:
    """What NB-SVM says of unlabelled documents, after the labelled ones that it may see."""
    machine = nb_svm(TEACHER_PENALTY).fit(ngrams[seen], label[seen])
    found = machine.decision_function(more).reshape(more.shape[0], -1).astype(np.float64)
    return np.hstack([-found, found]) if found.shape[1] == 1 else found


def guessed(scores: Sequence[Scores]) -> Guess:
    """The class that several say together, each as loud as the others; -1 for the least sure."""
    total = sum(score / max(float(score.std()), 1e-12) for score in scores)
    second, first = np.sort(total, axis=1)[:, -2:].T
    sure = first - second >= np.quantile(first - second, LEFT_OUT)
    return np.where(sure, np.argmax(total, axis=1), -1).astype(np.int32)


def guess_and_learn(cell: Cell, source: Source, by_ngrams: Scores) -> None:
    """Guess, tell the models of a cell apart by the guesses too, and keep what they say."""
    data, n = source.data, cell.variant.window
    assert data.unlabelled is not None
    words = vocabulary_for(cell.variant, data)
    train, more, test = (
        texts_of(p.read, words, n) for p in (data.train, data.unlabelled, data.test)
    )
    energies = told_models(cell, data, source.out).energies(more, source.pause)
    guess = guessed([by_ngrams, energies.mean(axis=1, keepdims=True) - energies])
    own = np.flatnonzero(data.fold != cell.fold)
    texts = train.chosen(own).and_then(more.chosen(np.flatnonzero(guess >= 0)))
    label = np.append(data.train.label[own], guess[guess >= 0])
    models = _learnt(cell, source, texts, label)
    scored = train if cell.fold is None else train.chosen(np.flatnonzero(data.fold == cell.fold))
    parts = {"train": scored} | ({"test": test} if cell.fold is None else {})
    found = {part: models.energies(one, source.pause) for part, one in parts.items()}
    keep_guesses(cell, data, source.out, guess, found, models)


def _learnt(cell: Cell, source: Source, texts: Texts, label: Labels) -> ClassModels:
    """The models as they were before they were told apart, now told apart by all these."""
    before, name = class_models(cell, source.data, source.out), f"{cell.name}, guesses"
    how = Apart(passes=GUESS_PASSES)
    found = told_apart(before, texts, label, how, lambda windows: source.gain(windows, name))
    return centred(found, texts, label, source.pause)


def guessing_work(data: Data) -> int:
    """About how many windows that reads."""
    assert data.unlabelled is not None
    words = len(data.train.read.ids) + len(data.unlabelled.read.ids)
    return len(data.classes) * GUESS_PASSES * words
