"""What the page shows: a model, its map, and what else was given; slow results are cached."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import final

import numpy as np
from jaxtyping import Int32

from wordrbm.analysis.hidden_units import UnitActivity
from wordrbm.classification.classifier import Classifier
from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import window_ids
from wordrbm.inference.text_model import TextModel
from wordrbm.io.map_file import WordMap
from wordrbm.likelihood.heaviest import DistinctWindows, HeaviestWindows, log_masses
from wordrbm.tagging.tagger import Tagger
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.threads import StopCheck, available_cores, never_stop
from wordrbm.trained_model import TrainedModel

LOCK_SECONDS = 20.0  # that a request waits for another one to be computed
TEXT_WINDOWS = 400_000  # of the text, among which the heaviest are found


class Busy(WordRBMError):  # noqa: N818 - an outcome, not a fault
    """Another request is still being computed."""


@final
@dataclass(frozen=True, eq=False)
class Session:
    """A model and its map; a corpus, a classifier and a tagger where they were given."""

    model: TrainedModel
    word_map: WordMap
    corpus: PreparedCorpus | None = None
    classifier: Classifier | None = None
    tagger: Tagger | None = None
    paths: dict[str, str] = field(default_factory=dict)  # as the user gave them
    lock: Lock = field(default_factory=Lock)

    @property
    def points(self) -> int:
        """How many words are on the map."""
        return len(self.word_map.xy)

    @property
    def folder(self) -> Path:
        """The folder of the model."""
        return self.model.folder or Path()

    @cached_property
    def text_model(self) -> TextModel:
        """The model of texts of any length."""
        return TextModel.from_rbm(self.model.rbm, self.model.vocabulary)

    @cached_property
    def activity(self) -> UnitActivity | None:
        """How often each unit is on in the corpus; None without a corpus."""
        if self.corpus is None:
            return None
        rbm = self.model.rbm
        return UnitActivity.measure(rbm, self.corpus.windows(rbm.positions, "train"))

    @cached_property
    def heaviest(self) -> HeaviestWindows | None:
        """The windows of the corpus with most of the model's mass; None without a corpus."""
        if self.corpus is None:
            return None
        rbm = self.model.rbm
        text = DistinctWindows.sample(self.corpus.windows(rbm.positions, "train"), TEXT_WINDOWS)
        return text.heaviest(log_masses(rbm, text.windows, threads=available_cores()))

    @contextmanager
    def exclusive(self, is_abandoned: StopCheck = never_stop) -> Iterator[None]:
        """Compute alone: two long answers at once would both take twice as long.

        A question that nobody waits for any more when its turn comes is not computed.
        """
        if not self.lock.acquire(timeout=LOCK_SECONDS):
            raise Busy("Another question is still being answered; ask again in a moment.")
        try:
            if is_abandoned():
                raise Busy("The question was withdrawn.")
            yield
        finally:
            self.lock.release()

    def window(self, words: list[str]) -> Int32[np.ndarray, "1 n"]:
        """A window of ids, given as exactly n words."""
        return window_ids(self.model.vocabulary, words, self.model.rbm.positions)
