"""When a run is lost: numbers that are not finite, or have run away, or scores that have.

Checked in three places: small dense parameters after every update, the large tables where they
are saved (that costs O(K), so never in an update), and held-out scores when they are taken.
"""

from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.models import AbstractRBM
from wordrbm.training.optimizer import MAX_WEIGHT
from wordrbm.training.settings import TrainingSettings

WORST_SCORE = 10.0  # times the perplexity of knowing only how frequent words are


def refuse_lost_parameters(
    model: AbstractRBM, names: Iterable[str], step: int, settings: TrainingSettings
) -> None:
    """Stop when a number of these parameters is not finite or larger than any sane one."""
    for name in names:
        largest = float(np.abs(model.parameters()[name]).max())
        if not largest < MAX_WEIGHT:
            _refuse(f"the largest number in {name} is {largest:g}", step, settings)


def refuse_lost_score(
    perplexity: float, unigram: float, step: int, settings: TrainingSettings
) -> None:
    """Stop when the model knows far less than the words' frequencies do."""
    if not perplexity < WORST_SCORE * unigram:
        found = f"the held-out cloze perplexity is {perplexity:g}, of word frequencies {unigram:g}"
        _refuse(found, step, settings)


def refuse_lost_joint(bound: float, unigram: float, step: int, settings: TrainingSettings) -> None:
    """Stop when the joint distribution is surely far worse than the words' frequencies.

    A model that overfits a small text may be a little worse. Without jumps nothing keeps the joint
    from getting lost; such a run is told by its scores alone.
    """
    if settings.jumps and not bound > unigram - settings.window * np.log(WORST_SCORE):
        found = (
            f"the held-out log-likelihood is at most {bound:.2f} nats a window, of word "
            f"frequencies {unigram:.2f}"
        )
        _refuse(found, step, settings)


def _refuse(found: str, step: int, settings: TrainingSettings) -> NoReturn:
    raise WordRBMError(
        f"Training diverged by update {step}: {found}; lower hidden_rate (now "
        f"{settings.hidden_rate:g}) and word_rate (now {settings.word_rate:g}) threefold and train "
        "again."
    )
