"""Features of tokens for a CRF: attributes (strings), word vectors and hidden units (numbers).

    words          w-2 w-1 w0 w+1 w+2, w-1|w0, w0|w+1
    other columns  the same five, all four bigrams and three trigrams    [Turian et al. 2010]
    spelling       shapes of w-1 w0 w+1 and their two bigrams, prefixes and suffixes of w0, optional
    vectors        of w-2 .. w+2, scaled to a given standard deviation   [Turian et al. 2010]
    hidden units   means of the window centred on the token, if one fits [Dahl 2012, section 6.2]

Words are the first column; other columns are those between words and labels. Sentences are padded
with boundary symbols.

References
    J. Turian, L. Ratinov, Y. Bengio. Word representations: a simple and general method for
    semi-supervised learning. ACL 2010.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float32
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import is_blank
from wordrbm.io import Vectors
from wordrbm.settings import StrictSettings
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.crf import LabelIds, SentenceBatch
from wordrbm.tagging.label_scheme import iob2_to_iobes, is_iob2
from wordrbm.text.tokenizer import normalize_token
from wordrbm.text.vocabulary import UNKNOWN
from wordrbm.trained_model import TrainedModel

CONTEXT = 2  # tokens to either side
WORD_NGRAMS = ((-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1))
COLUMN_NGRAMS = (
    (-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2),
    (-2, -1, 0), (-1, 0, 1), (0, 1, 2),
)  # fmt: skip
SHAPE_NGRAMS = ((-1,), (0,), (1,), (-1, 0), (0, 1))
AFFIX_LENGTHS = (1, 2, 3, 4)

Columns = Sequence[Sequence[str]]  # of a sentence, without its labels
WordLists = Sequence[Sequence[str]]  # the words of several sentences
Dense = Float32[np.ndarray, "T F"]


def attributes(columns: Columns, *, spelling: bool = False) -> list[list[str]]:
    """The attributes of every token of a sentence that is given without its labels."""
    tokens: list[list[str]] = [[] for _ in columns[0]]
    for number, column in enumerate(columns):
        _add_ngrams(tokens, str(number), "", column, COLUMN_NGRAMS if number else WORD_NGRAMS)
    if spelling:
        _add_ngrams(tokens, "0", "shape", [word_shape(word) for word in columns[0]], SHAPE_NGRAMS)
        for token, word in zip(tokens, columns[0], strict=True):
            for length in (length for length in AFFIX_LENGTHS if length < len(word)):
                token += [f"0[0]prefix={word[:length]}", f"0[0]suffix={word[-length:]}"]
    return tokens


def word_shape(word: str) -> str:
    """Character classes, repeats collapsed: `McDonald's` is `XxXx'x`, `3.5` is `d.d`."""
    classes = (
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word
    )
    return "".join(character for character, _ in groupby(classes))


def _add_ngrams(
    tokens: list[list[str]], column: str, kind: str, values: Sequence[str],
    ngrams: Sequence[tuple[int, ...]],
) -> None:  # fmt: skip
    padded = ["<s2>", "<s1>", *values, "</s1>", "</s2>"]
    for offsets in ngrams:
        name = f"{column}[{','.join(map(str, offsets))}]{kind}="
        for t, token in enumerate(tokens):
            token.append(name + "|".join(padded[t + CONTEXT + k] for k in offsets))


@final
@dataclass(frozen=True, eq=False)
class AttributeIndex:
    """The row of every attribute that occurs in training."""

    row: dict[str, int]
    spelling: bool = False

    @classmethod
    def build(cls, sentences: Iterable[Columns], *, spelling: bool = False) -> "AttributeIndex":
        """Number attributes in order of first occurrence."""
        row: dict[str, int] = {}
        for columns in sentences:
            for token in attributes(columns, spelling=spelling):
                for attribute in token:
                    row.setdefault(attribute, len(row))
        return cls(row, spelling)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def columns(self) -> int:
        """Number of columns without the labels, read off the attributes' names."""
        return 1 + max(int(name[: name.index("[")]) for name in self.row)

    def encode(self, sentences: Sequence[Columns]) -> SentenceBatch:
        """The known attributes of all tokens as rows; without dense features."""
        rows: list[int] = []
        offsets = [0]
        for columns in sentences:
            for token in attributes(columns, spelling=self.spelling):
                rows += [self.row[name] for name in token if name in self.row]
                offsets.append(len(rows))
        dense = np.zeros((len(offsets) - 1, 0), np.float32)
        ends = np.cumsum([len(columns[0]) for columns in sentences])
        return SentenceBatch(np.array(rows, np.int32), np.array(offsets, np.int64), dense, ends)


class EncodedSentences(NamedTuple):
    """Training sentences as integers, shared by all taggers that are fitted to them."""

    attributes: AttributeIndex
    labels: tuple[str, ...]
    batch: SentenceBatch  # without dense features
    label_ids: LabelIds
    words: tuple[tuple[str, ...], ...]
    iobes: bool = False  # whether labels are IOBES that were made from IOB2

    @classmethod
    def build(cls, sentences: Sequence[Sentence], *, spelling: bool = False) -> "EncodedSentences":
        """Number the attributes and labels of sentences; `spelling` adds shapes and affixes."""
        columns = [sentence.columns[:-1] for sentence in sentences]
        index = AttributeIndex.build(columns, spelling=spelling)
        labels, ids = _number_labels(sentence.labels for sentence in sentences)
        words = tuple(sentence.words for sentence in sentences)
        return cls(index, labels, index.encode(columns), ids, words)

    def with_iobes(self) -> "EncodedSentences":
        """A copy with labels in IOBES; itself where a sentence is not IOB2, or nothing changes."""
        ids = np.split(self.label_ids, self.batch.ends[:-1])
        sentences = [[self.labels[k] for k in sentence.tolist()] for sentence in ids]
        if not all(map(is_iob2, sentences)):
            return self
        labels, label_ids = _number_labels(map(iob2_to_iobes, sentences))
        if labels == self.labels:
            return self
        return self._replace(labels=labels, label_ids=label_ids, iobes=True)

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of attributes and of labels."""
        return len(self.attributes), len(self.labels)


def _number_labels(sentences: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], LabelIds]:
    """All labels in alphabetical order, and the number of each token's label."""
    tokens = [label for sentence in sentences for label in sentence]
    labels = tuple(sorted(set(tokens)))
    label_id = {label: k for k, label in enumerate(labels)}
    return labels, np.array([label_id[label] for label in tokens], np.int32)


def lookup(word: str, vectors: Vectors) -> int | None:
    """The row of a word: as it is, in lower case, or as the tokenizer normalises it."""
    rows = map(vectors.index.get, (word, word.lower(), normalize_token(word)))
    return next((row for row in rows if row is not None), None)


def model_tokens(words: Sequence[str]) -> list[str]:
    """Words as a model's vocabulary spells them; the blank symbol becomes an unknown word."""
    return [UNKNOWN if is_blank(word) else word for word in map(normalize_token, words)]


def vector_std(vectors: Vectors) -> float:
    """The standard deviation of all components of all vectors; it must be fit to divide by."""
    std = float(np.std(vectors.matrix, dtype=np.float64))
    if not 1e-30 < std < 1e30:
        raise WordRBMError(
            f"The vectors have a standard deviation of {std:g}, which cannot be scaled; give "
            "vectors whose components differ, of a usual size."
        )
    return std


def window_vectors(sentences: WordLists, vectors: Vectors, std: float) -> Dense:
    """The vectors of the five words around every token, scaled to `std`; zeros beyond the ends."""
    scaled = (vectors.matrix * (std / vector_std(vectors))).astype(np.float32)
    unknown, d = vectors.index.get(UNKNOWN), scaled.shape[1]
    blocks = []
    for words in sentences:
        padded = np.zeros((len(words) + 2 * CONTEXT, d), np.float32)
        for t, row in enumerate(lookup(word, vectors) for word in words):
            if row is not None or unknown is not None:
                padded[t + CONTEXT] = scaled[unknown if row is None else row]
        views = [padded[k : k + len(words)] for k in range(2 * CONTEXT + 1)]
        blocks.append(np.concatenate(views, axis=1))
    return np.concatenate(blocks)


def hidden_features(sentences: WordLists, model: TrainedModel) -> Dense:
    """The hidden means of the window centred on every token; zeros where none fits."""
    tokens = [model_tokens(words) for words in sentences]
    centre, blocks = model.rbm.positions // 2, []
    for words, means in zip(tokens, model.hidden(tokens), strict=True):
        block = np.zeros((len(words), model.rbm.c.size), np.float32)
        block[centre : centre + len(means)] = means
        blocks.append(block)
    return np.concatenate(blocks)


class FinetuneSettings(StrictSettings):
    """Joint training of hidden units and CRF: epochs, first learning rates, order of sentences."""

    epochs: int = Field(default=10, ge=1)
    rate: float = Field(default=0.3, ge=0)
    hidden_rate: float = Field(default=0.2, ge=0)
    seed: int = Field(default=0, ge=0)


class FeatureConfig(NamedTuple):
    """The features of a tagger beside words and columns, or those of each member of an ensemble."""

    vectors: Vectors | None = None
    model: TrainedModel | None = None  # its hidden units are features
    scale: float = 0.1  # standard deviation of vector components
    hidden_scale: float = 1.0  # factor on hidden means
    finetune: FinetuneSettings | None = None  # how hidden units are trained with the CRF, if so
    ensemble: tuple["FeatureConfig", ...] = ()
    spelling: bool = False  # word shapes and affixes among the attributes
    iobes: bool = False  # labels of the CRF are IOBES where those of the data are IOB2

    @property
    def components(self) -> "tuple[FeatureConfig, ...]":
        """The members of an ensemble, or the configuration itself where it is none."""
        return self.ensemble or (self,)

    def with_scales(self, scale: float, hidden_scale: float) -> "FeatureConfig":
        """A copy with other scales, also for every member of an ensemble."""
        ensemble = tuple(member.with_scales(scale, hidden_scale) for member in self.ensemble)
        return self._replace(scale=scale, hidden_scale=hidden_scale, ensemble=ensemble)

    def dense_features(self, words: WordLists) -> Dense:
        """Vectors and hidden means of every token, member after member."""
        blocks = [np.zeros((sum(map(len, words)), 0), np.float32)]
        for member in self.components:
            if member.vectors is not None:
                blocks.append(window_vectors(words, member.vectors, member.scale))
            if member.model is not None:
                scale = np.float32(member.hidden_scale)
                blocks.append(scale * hidden_features(words, member.model))
        return np.concatenate(blocks, axis=1)
