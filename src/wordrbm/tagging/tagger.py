"""A tagger: token features, and the linear-chain CRF (or the average of several) over them."""

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.errors import WordRBMError
from wordrbm.tagging.crf import (
    Callback,
    LinearChainCRF,
    SentenceBatch,
    average_crfs,
    fit_crf,
    no_callback,
)
from wordrbm.tagging.features import AttributeIndex, Columns, EncodedSentences, FeatureConfig
from wordrbm.tagging.finetune import finetune_tagger
from wordrbm.tagging.label_scheme import iob2_name, iobes_to_iob2


class Tagger(NamedTuple):
    """A CRF, the names of its attributes and labels, and the features it was fitted with."""

    attributes: AttributeIndex
    labels: tuple[str, ...]  # of the CRF
    crf: LinearChainCRF
    features: FeatureConfig

    def tag(self, sentences: Sequence[Columns]) -> list[list[str]]:
        """The most probable labels of sentences that are given without labels."""
        if not sentences:
            return []
        batch = self.encode(sentences)
        sentence_ids = np.split(self.crf.decode(batch), batch.ends[:-1])
        labels = [[self.labels[k] for k in ids.tolist()] for ids in sentence_ids]
        return [iobes_to_iob2(x) for x in labels] if self.features.iobes else labels

    @property
    def output_labels(self) -> tuple[str, ...]:
        """The labels that `tag` returns, in alphabetical order."""
        return tuple(sorted(set(self._output_names())))

    def marginals(self, sentences: Sequence[Columns]) -> Float64[np.ndarray, "T M"]:
        """The marginals of the CRF's labels, added up by their IOB2 names, at every token."""
        column = {label: k for k, label in enumerate(self.output_labels)}
        result = np.zeros((sum(len(columns[0]) for columns in sentences), len(column)))
        p = self.crf.marginals(self.encode(sentences))
        for k, name in enumerate(self._output_names()):
            result[:, column[name]] += p[:, k]
        return result

    def _output_names(self) -> list[str]:
        """The output label of each label of the CRF."""
        return [iob2_name(x) if self.features.iobes else x for x in self.labels]

    def encode(self, sentences: Sequence[Columns]) -> SentenceBatch:
        """The attributes and dense features of sentences that are given without labels."""
        dense = self.features.dense_features([columns[0] for columns in sentences])
        return self.attributes.encode(sentences)._replace(dense=dense)


def train_tagger(
    sentences: EncodedSentences, features: FeatureConfig, c2: float,
    callback: Callback = no_callback,
) -> Tagger:  # fmt: skip
    """Fit a tagger, or every member of an ensemble; steps are counted across members."""
    step = count(1)

    def count_step(_: int, value: float) -> None:
        callback(next(step), value)

    if features.iobes:
        sentences = sentences.with_iobes()
        features = features._replace(iobes=sentences.iobes)
    fitted = [_fit_checked(sentences, member, c2, count_step) for member in features.components]
    crf, config = fitted[0]
    if features.ensemble:
        crf = average_crfs([member for member, _ in fitted])
        config = features._replace(ensemble=tuple(member for _, member in fitted))
    return Tagger(sentences.attributes, sentences.labels, crf, config)


def _fit_checked(
    sentences: EncodedSentences, features: FeatureConfig, c2: float, callback: Callback
) -> tuple[LinearChainCRF, FeatureConfig]:
    """A CRF and the features as trained; both must be finite."""
    if features.finetune:
        crf, features = finetune_tagger(sentences, features, c2, callback)
    else:
        batch = sentences.batch._replace(dense=features.dense_features(sentences.words))
        crf = fit_crf(batch, sentences.label_ids, sentences.sizes, c2, callback=callback)
    hidden = () if features.model is None else (features.model.rbm.U, features.model.rbm.c)
    if not all(np.isfinite(x).all() for x in (*crf.arrays(), *hidden)):
        raise WordRBMError(
            f"A tagger with c2 = {c2:g} diverged; use a larger penalty or smaller scales."
        )
    return crf, features
