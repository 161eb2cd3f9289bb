"""A tagger: token features, and the linear-chain CRF (or the average of several) over them."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import WordRBMError
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.crf import LinearChainCRF, SentenceBatch, average_crfs, fit_crf
from wordrbm.tagging.features import AttributeIndex, Columns, FeatureConfig
from wordrbm.tagging.finetune import LabelledSentences, finetune_tagger

Callback = Callable[[int, float], None]  # iteration or chunk, value of the objective


class EncodedSentences(NamedTuple):
    """Training sentences as integers, shared by all taggers that are fitted to them."""

    attributes: AttributeIndex
    labels: tuple[str, ...]
    batch: SentenceBatch  # without dense features
    label_ids: Int32[np.ndarray, " T"]
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def build(cls, sentences: Sequence[Sentence], *, spelling: bool = False) -> "EncodedSentences":
        """Number the attributes and labels of sentences; `spelling` adds shapes and affixes."""
        columns = [sentence.columns[:-1] for sentence in sentences]
        index = AttributeIndex.build(columns, spelling=spelling)
        labels = sorted({label for sentence in sentences for label in sentence.labels})
        label_id = {label: k for k, label in enumerate(labels)}
        ids = [label_id[label] for sentence in sentences for label in sentence.labels]
        words = tuple(sentence.words for sentence in sentences)
        return cls(index, tuple(labels), encode(columns, index), np.array(ids, np.int32), words)

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of attributes and of labels."""
        return len(self.attributes), len(self.labels)


class Tagger(NamedTuple):
    """A CRF, the names of its attributes and labels, and the features it was fitted with."""

    attributes: AttributeIndex
    labels: tuple[str, ...]
    crf: LinearChainCRF
    features: FeatureConfig

    def tag(self, sentences: Sequence[Columns]) -> list[list[str]]:
        """The most probable labels of sentences that are given without labels."""
        if not sentences:
            return []
        dense = self.features.dense_features([columns[0] for columns in sentences])
        label_ids = self.crf.decode(encode(sentences, self.attributes)._replace(dense=dense))
        ends = np.cumsum([len(columns[0]) for columns in sentences])[:-1]
        return [[self.labels[k] for k in ids.tolist()] for ids in np.split(label_ids, ends)]


def encode(sentences: Sequence[Columns], index: AttributeIndex) -> SentenceBatch:
    """The attributes of sentences, without dense features."""
    attributes, offsets = index.encode(sentences)
    ends = np.cumsum([len(columns[0]) for columns in sentences])
    return SentenceBatch(attributes, offsets, np.zeros((len(offsets) - 1, 0), np.float32), ends)


def train_tagger(
    sentences: EncodedSentences, features: FeatureConfig, c2: float,
    callback: Callback = lambda step, value: None,
) -> Tagger:  # fmt: skip
    """Fit a tagger, or every member of an ensemble; steps are counted across members."""
    step = count(1)

    def count_step(_: int, value: float) -> None:
        callback(next(step), value)

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
    fit = _fit_fixed if features.finetune is None else _fit_finetuned
    crf, features = fit(sentences, features, c2, callback)
    hidden = () if features.model is None else (features.model.rbm.U, features.model.rbm.c)
    if not all(np.isfinite(x).all() for x in (*crf.arrays(), *hidden)):
        raise WordRBMError(
            f"A tagger with c2 = {c2:g} diverged; use a larger penalty or smaller scales."
        )
    return crf, features


def _fit_fixed(
    sentences: EncodedSentences, features: FeatureConfig, c2: float, callback: Callback
) -> tuple[LinearChainCRF, FeatureConfig]:
    batch = sentences.batch._replace(dense=features.dense_features(sentences.words))
    crf = fit_crf(batch, sentences.label_ids, sentences.sizes, c2, callback=callback)
    return crf, features


def _fit_finetuned(
    sentences: EncodedSentences, features: FeatureConfig, c2: float, callback: Callback
) -> tuple[LinearChainCRF, FeatureConfig]:
    model, settings = features.model, features.finetune
    assert model is not None
    assert settings is not None
    vectors_only = features._replace(model=None)
    batch = sentences.batch._replace(dense=vectors_only.dense_features(sentences.words))
    labelled = LabelledSentences(batch, sentences.label_ids, sentences.sizes)
    hidden_scale = features.hidden_scale
    crf, model = finetune_tagger(
        labelled, sentences.words, model, settings, c2, hidden_scale, callback
    )
    return crf, features._replace(model=model)
