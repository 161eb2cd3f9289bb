"""Topic models of documents on disk: a model folder, and checkpoints of its training.

model.safetensors   D (K, d), U (H, d), b (K,), c (H,) float32, frequency (K,) float64
vocabulary.tsv      the unknown word and the K words of the rows, named by its SHA-256
training.json       what was read and measured, once `wordrbm documents train` has written it

The metadata has the kind `documents`, sizes, settings, how words are counted, and the SHA-256 of
the vocabulary and of the counts. A checkpoint holds the arrays of `training.document_state`.
"""

import hashlib
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import latest_state, write_checkpoint
from wordrbm.io.model_folder import MODEL, VOCABULARY, check_parameters
from wordrbm.io.run_differences import changed_values, refuse_other_run
from wordrbm.io.tensors import read_metadata, read_tensors, write_tensors
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Probability
from wordrbm.storage import make_folder
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.document_state import restore_state, state_arrays
from wordrbm.training.document_trainer import DocumentSettings, DocumentTrainer

KIND = "documents"
REPORT = "training.json"
OPTION_NAMES = {"hidden": "topics"}  # of settings that users know by another name


class DocumentRunIdentity(NamedTuple):
    """What a run was started with; a resume must agree with all of it."""

    settings: DocumentSettings
    vocabulary: Vocabulary
    corpus: str  # SHA-256 of the counts
    counting: dict[str, bool]  # `text`: words are tokens of text; `log_counts`: n is log(1 + n)
    vectors: str | None = None  # SHA-256 of the word vectors it begins with

    def metadata(self) -> dict[str, Any]:
        """Return all of it as values that JSON has."""
        return {
            "settings": self.settings.model_dump(),
            "vocabulary": self.vocabulary.digest(),
            "corpus": self.corpus,
            "counting": self.counting,
            "vectors": self.vectors,
        }


class StoredTopics(NamedTuple):
    """What the folder of a topic model holds."""

    rbm: ReplicatedSoftmaxRBM
    frequency: Probability  # of every word in the training documents
    identity: DocumentRunIdentity

    @property
    def words(self) -> tuple[str, ...]:
        """The word of each row of the model."""
        return self.identity.vocabulary.words[1:]


def write_topics(folder: Path, model: StoredTopics) -> None:
    """Write a model folder; the model file comes last, so its presence means all is there."""
    make_folder(folder)
    model.identity.vocabulary.write(folder / VOCABULARY)
    (H, d), K = model.rbm.U.shape, model.rbm.b.size
    metadata = {"kind": KIND, "sizes": {"H": H, "d": d, "K": K}, **model.identity.metadata()}
    arrays = {name: np.asarray(getattr(model.rbm, name), np.float32) for name in "DUbc"}
    write_tensors(folder / MODEL, arrays | {"frequency": model.frequency}, metadata)


def read_topics(folder: Path) -> StoredTopics:
    """Read a model folder, checking every file against the metadata."""
    path = folder / MODEL
    metadata = read_metadata(path)
    if (kind := metadata.get("kind")) != KIND:
        raise WordRBMError(
            f"{path} is a {short_repr(kind)}, not a topic model; give a folder made by "
            "`wordrbm documents train`."
        )
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    if vocabulary.digest() != metadata.get("vocabulary"):
        raise WordRBMError(
            f"{folder / VOCABULARY} is not the vocabulary {MODEL} was trained with; put back the "
            "file that `wordrbm documents train` wrote."
        )
    identity = _identity(path, metadata, vocabulary)
    K, H = len(vocabulary) - 1, identity.settings.hidden
    d = identity.settings.dimension or H
    shapes = {"D": (K, d), "U": (H, d), "b": (K,), "c": (H,), "frequency": (K,)}
    arrays = read_tensors(path, shapes)
    check_parameters(path, [arrays[name] for name in "DUbc"])
    frequency = arrays["frequency"]
    is_probability = frequency.dtype == np.float64 and np.isfinite(frequency).all()
    if not is_probability or not (frequency > 0).all() or abs(frequency.sum() - 1) > 1e-6:
        raise WordRBMError(f"{path} holds no word frequencies; train the model again.")
    rbm = ReplicatedSoftmaxRBM(*(arrays[name] for name in "DUbc"))
    return StoredTopics(rbm, frequency, identity)


def _identity(path: Path, metadata: dict[str, Any], vocabulary: Vocabulary) -> DocumentRunIdentity:
    """What the metadata of a model say of its training, checked."""
    counting, stored = metadata.get("counting"), metadata.get("settings")
    is_complete = isinstance(counting, dict) and set(counting) == {"text", "log_counts"}
    if not is_complete or not all(type(value) is bool for value in counting.values()):  # type: ignore[union-attr]
        raise WordRBMError(f"{path} does not say how words are counted; train the model again.")
    try:
        settings = DocumentSettings.model_validate(stored)
    except WordRBMError as error:
        fault = str(error)[:200].rstrip(".")
        raise WordRBMError(f"{path} is damaged: {fault}; train the model again.") from None
    vectors = metadata.get("vectors")
    return DocumentRunIdentity(
        settings, vocabulary, str(metadata.get("corpus", "")), counting,  # type: ignore[arg-type]
        None if vectors is None else str(vectors),
    )  # fmt: skip


def counts_digest(counts: Any) -> str:
    """The SHA-256 of a csr matrix: its shape, and its arrays in one type each."""
    digest = hashlib.sha256(repr(tuple(map(int, counts.shape))).encode())
    for array, dtype in ((counts.indptr, "<i8"), (counts.indices, "<i8"), (counts.data, "<f8")):
        digest.update(np.ascontiguousarray(array, dtype).data)
    return digest.hexdigest()


def save_document_checkpoint(
    run: Path, trainer: DocumentTrainer, identity: DocumentRunIdentity
) -> None:
    """Write a checkpoint and remove all but the last two."""
    metadata = {"step": trainer.step, "of": KIND, **identity.metadata()}
    write_checkpoint(run, state_arrays(trainer), metadata)


def latest_document_checkpoint(
    run: Path, fresh: DocumentTrainer, identity: DocumentRunIdentity
) -> DocumentTrainer | None:
    """A fresh trainer brought to the latest checkpoint that can be read, None without one."""
    shapes = {name: array.shape for name, array in state_arrays(fresh).items()}

    def read(path: Path, metadata: dict[str, Any]) -> DocumentTrainer:
        step = metadata.get("step")
        arrays = read_tensors(path, shapes)
        trainer = restore_state(fresh, arrays, step) if type(step) is int else None
        if trainer is None:
            raise WordRBMError(f"{path} holds no state of this training.")
        return trainer

    return latest_state(run, lambda path, found: check_same_documents(path, found, identity), read)


def check_same_documents(
    path: Path, metadata: dict[str, Any], identity: DocumentRunIdentity
) -> None:
    """Raise if a file belongs to another run, naming every difference."""
    old, new = metadata, identity.metadata()
    differences: list[str] = []
    if KIND not in (old.get("kind"), old.get("of")):
        differences.append("it is no topic model of documents")
    for part in ("settings", "counting"):
        stored = old.get(part)
        differences += changed_values(
            stored if isinstance(stored, dict) else {}, new[part], OPTION_NAMES
        )
    for part, name in (
        ("vocabulary", "the vocabulary is another"),
        ("corpus", "the documents are others, or read in another order"),
        ("vectors", "the word vectors it began with are others"),
    ):
        if old.get(part) != new[part]:
            differences.append(name)
    refuse_other_run(path, differences)
