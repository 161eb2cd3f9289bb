"""Save and load a trained model: `model.safetensors`, `vocabulary.tsv` and `likelihood.json`.

The last is log Z as `wordrbm likelihood` estimated it. It names the model by the SHA-256 of its
parameters, so that a file left by another model is noticed.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import (
    KIND,
    LIKELIHOOD,
    MODEL,
    VOCABULARY,
    check_parameters,
    parameter_shapes,
    read_model_metadata,
)
from wordrbm.io.tensors import Shape, read_tensors, write_tensors
from wordrbm.models import WordRepRBM
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, read_errors, write_text
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, check_settings

LIKELIHOOD_FORMAT = {"format": "wordrbm likelihood", "version": 1}
# Values of the settings that did not exist when older models were trained.
OLDER_SETTINGS: dict[str, Any] = {
    "jumps": 0, "averaging": 0, "hidden_bias": 0.0, "warmup_share": None, "objective": "sml",
    "initialization": "random", "bigram_share": 0.0,
} | {
    name: TrainingSettings.model_fields[name].default
    for name in ("reservoir", "ranking_weight", "candidates")
}  # fmt: skip
# Settings of cluster proposals, which training no longer has.
REMOVED_SETTINGS = {"operator", "cluster_steps", "single_words", "word_groups"}
RENAMED_SETTINGS = {"ngrams": "windows"}


class StoredModel(NamedTuple):
    """What a model folder holds: parameters, vocabulary, training settings, corpus digest."""

    rbm: WordRepRBM
    vocabulary: Vocabulary
    settings: TrainingSettings
    corpus: str  # SHA-256 of the word ids of the training corpus


def write_model(folder: Path, model: StoredModel, extra: Mapping[str, Any] | None = None) -> None:
    """Write a model folder; the model file comes last, so its presence means all is there.

    `extra` is added to the metadata.
    """
    make_folder(folder)
    model.vocabulary.write(folder / VOCABULARY)
    metadata = {"kind": KIND, **metadata_of(model), **(extra or {})}
    write_tensors(folder / MODEL, model.rbm.parameters(), metadata)


def read_model(folder: Path) -> StoredModel:
    """Read a model folder, checking every file against the metadata."""
    metadata, vocabulary = read_model_metadata(folder)
    path, stored = folder / MODEL, metadata.get("settings")
    if not isinstance(stored, dict):
        raise WordRBMError(f"{path} has no settings in its metadata; train the model again.")
    settings = check_settings(current_settings(stored))
    rbm = rbm_from_arrays(path, read_tensors(path, shapes_for(len(vocabulary), settings)))
    return StoredModel(rbm, vocabulary, settings, str(metadata.get("corpus", "")))


def metadata_of(model: StoredModel) -> dict[str, Any]:
    """Return sizes and settings of a model, and the SHA-256 of its vocabulary and corpus."""
    n, H, d = model.rbm.U.shape
    return {
        "sizes": {"n": n, "H": H, "d": d, "K": model.rbm.b.size},
        "settings": model.settings.model_dump(),
        "vocabulary": model.vocabulary.digest(),
        "corpus": model.corpus,
    }


def current_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings stored by an older version under the names of this one."""
    return OLDER_SETTINGS | {
        RENAMED_SETTINGS.get(name, name): value
        for name, value in settings.items()
        if name not in REMOVED_SETTINGS
    }


def shapes_for(K: int, settings: TrainingSettings) -> dict[str, Shape]:
    """Return the shapes of the parameters of a model of K words with these settings."""
    return parameter_shapes(K, settings.window, settings.hidden, settings.dimension)


def rbm_from_arrays(path: Path, arrays: dict[str, Array]) -> WordRepRBM:
    """Build the RBM from the arrays of a file: finite, and of one floating-point type."""
    D, U, b, c = (arrays[name] for name in "DUbc")
    check_parameters(path, (D, U, b, c))
    return WordRepRBM(D=D, U=U, b=b, c=c)


def parameter_digest(rbm: WordRepRBM) -> str:
    """The SHA-256 of the names, types, shapes and numbers of the parameters."""
    digest = hashlib.sha256()
    for name, array in sorted(rbm.parameters().items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def write_likelihood(folder: Path, rbm: WordRepRBM, result: Mapping[str, Any]) -> None:
    """Write an estimate of log Z; `result` has at least the number `log_Z`."""
    content = {**LIKELIHOOD_FORMAT, "model": parameter_digest(rbm), **result}
    write_text(folder / LIKELIHOOD, json.dumps(content, indent=1, allow_nan=False) + "\n")


def read_log_Z(folder: Path | None, rbm: WordRepRBM) -> float:
    """Read the log Z of a model; if it is not stored, the error says how to estimate it."""
    log_Z: float = read_likelihood(folder, rbm)["log_Z"]
    return log_Z


def read_likelihood(folder: Path | None, rbm: WordRepRBM) -> dict[str, Any]:
    """Read all that `wordrbm likelihood` stored of a model; the error says how to estimate it."""
    argument = folder or "MODEL"
    advice = f"run `wordrbm likelihood {argument} CORPUS` with the corpus it was trained on"
    if folder is None or not (folder / LIKELIHOOD).is_file():
        raise WordRBMError(f"The log Z of this model is not known; {advice}, then load it again.")
    path = folder / LIKELIHOOD
    try:
        with read_errors(path):
            content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # no UTF-8, no JSON, a number too long, nested too deep
        content = None
    content = content if isinstance(content, dict) else {}
    log_Z = content.get("log_Z")
    is_ours = content == content | LIKELIHOOD_FORMAT
    if not is_ours or not isinstance(log_Z, float) or not math.isfinite(log_Z):
        raise WordRBMError(f"{path} does not hold a log Z that this program can read; {advice}.")
    if content.get("model") != parameter_digest(rbm):
        raise WordRBMError(f"{path} is of another model than the one beside it; {advice}.")
    return content
