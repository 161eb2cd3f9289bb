"""A tagger on disk: a folder that needs no other file.

tagger.safetensors    the CRF's weights; the header has labels, scales and sizes
attributes.txt        the attribute of each row, one a line
vectors.safetensors   the vectors, if it has any, and words.txt, their words
model/                the model of its hidden units, if it has one
member1/ ...          the last three of each member of an ensemble
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors
from wordrbm.io.tensors import read_metadata, read_tensors, write_tensors
from wordrbm.storage import make_folder, read_errors, write_text
from wordrbm.tagging.conll import Splits
from wordrbm.tagging.crf import LinearChainCRF
from wordrbm.tagging.features import AttributeIndex, FeatureConfig
from wordrbm.tagging.tagger import Tagger
from wordrbm.trained_model import TrainedModel, load, save

FILE, ATTRIBUTES = "tagger.safetensors", "attributes.txt"
VECTORS, WORDS, MODEL, MEMBER = "vectors.safetensors", "words.txt", "model", "member{}"
KIND = "tagger"


def save_tagger(folder: Path, tagger: Tagger, digest: str) -> None:
    """Write a tagger; its weights are removed first and written last, so that they mark it whole.

    `digest` says what it was trained on, see `training_digest`.
    """
    make_folder(folder)
    (folder / FILE).unlink(missing_ok=True)
    features, crf = tagger.features, tagger.crf
    members = [
        _save_features(folder / MEMBER.format(number), member)
        for number, member in enumerate(features.ensemble, start=1)
    ]
    write_text(folder / ATTRIBUTES, "\n".join(tagger.attributes.row))
    header = {
        "kind": KIND, "digest": digest, "labels": list(tagger.labels),
        "attributes": len(tagger.attributes), "dense": len(crf.V),
        **_save_features(folder, features), "members": members,
    }  # fmt: skip
    if tagger.attributes.spelling:
        header["spelling"] = True
    if features.iobes:
        header["iobes"] = True
    write_tensors(folder / FILE, {"W": crf.W, "V": crf.V, "A": crf.A}, header)


def _save_features(folder: Path, features: FeatureConfig) -> dict[str, Any]:
    """Write vectors and model; returns what the header says of them."""
    make_folder(folder)
    vectors, model = features.vectors, features.model
    if vectors is not None:
        write_tensors(folder / VECTORS, {"matrix": vectors.matrix}, {"kind": "vectors"})
        write_text(folder / WORDS, "\n".join(vectors.words))
    if model is not None:
        save(folder / MODEL, model)
    return {
        "scale": features.scale, "hidden_scale": features.hidden_scale,
        "vectors": None if vectors is None else list(vectors.matrix.shape),
        "model": model is not None,
    }  # fmt: skip


def saved_digest(folder: Path) -> str | None:
    """The digest of the tagger in a folder; None if there is no complete one."""
    return str(_read_header(folder)["digest"]) if (folder / FILE).exists() else None


def load_tagger(folder: Path) -> Tagger:
    """Read a tagger; a damaged one is refused."""
    header = _read_header(folder)
    try:
        tagger = _load(folder, header)
        _validate(tagger)
        return tagger
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise WordRBMError(
            f"{folder} is damaged ({str(error)[:80]}); use an intact copy, or train it again."
        ) from None


def _read_header(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    if not path.exists():
        raise WordRBMError(f"There is no {path}; give a folder written by `wordrbm tagger train`.")
    header = read_metadata(path)
    if header.get("kind") != KIND or not isinstance(header.get("digest"), str):
        raise WordRBMError(f"{folder} holds no tagger; give one that `wordrbm tagger train` wrote.")
    return header


def _load(folder: Path, header: dict[str, Any]) -> Tagger:
    R, F, L = header["attributes"], header["dense"], len(header["labels"])
    tensors = read_tensors(folder / FILE, {"W": (R, L), "V": (F, L), "A": (L, L)})
    names = _read_lines(folder / ATTRIBUTES, R)
    spelling, iobes = (header.get(name, False) is True for name in ("spelling", "iobes"))
    ensemble = tuple(
        _load_features(folder / MEMBER.format(number), member)
        for number, member in enumerate(header.get("members", []), start=1)
    )
    features = _load_features(folder, header)._replace(
        ensemble=ensemble, spelling=spelling, iobes=iobes
    )
    crf = LinearChainCRF(*(np.asarray(tensors[name], np.float64) for name in "WVA"))
    index = AttributeIndex({name: row for row, name in enumerate(names)}, spelling)
    return Tagger(index, tuple(header["labels"]), crf, features)


def _load_features(folder: Path, header: dict[str, Any]) -> FeatureConfig:
    """Vectors, model and scales of a tagger, or of a member of an ensemble."""
    vectors = None
    if header["vectors"] is not None:
        matrix = read_tensors(folder / VECTORS, {"matrix": tuple(header["vectors"])})["matrix"]
        vectors = Vectors(tuple(_read_lines(folder / WORDS, len(matrix))), matrix)
    model = load(folder / MODEL) if header["model"] else None
    return FeatureConfig(vectors, model, float(header["scale"]), float(header["hidden_scale"]))


def _validate(tagger: Tagger) -> None:
    """Check what shapes alone do not guarantee."""
    if not all(isinstance(label, str) for label in tagger.labels):
        raise ValueError("a label is not a string")
    if len(set(tagger.labels)) < len(tagger.labels):
        raise ValueError("two labels have the same name")
    if len(tagger.crf.W) != len(tagger.attributes) or not tagger.attributes.columns:
        raise ValueError("attributes are missing")
    if not all(np.isfinite(x).all() for x in tagger.crf.arrays()):
        raise ValueError("a weight is not finite")
    scales = [(member.scale, member.hidden_scale) for member in tagger.features.components]
    if not np.isfinite(scales).all():
        raise ValueError("a scale is not finite")
    if tagger.features.dense_features([["a"]]).shape[1] != len(tagger.crf.V):
        raise ValueError("the weights do not fit these vectors and hidden units")


def _read_lines(path: Path, expected: int) -> list[str]:
    with read_errors(path):
        lines = path.read_bytes().decode("utf-8").split("\n")
    if len(lines) != expected:
        raise ValueError(f"{path.name} has {len(lines)} lines, not {expected}")
    return lines


def training_digest(splits: Splits, features: FeatureConfig) -> str:
    """SHA-256 of what a tagger is trained on and how; scales and penalty are left out."""
    sha = hashlib.sha256(splits.digest().encode())
    sha.update(b"ensemble" * len(features.ensemble) + b"spelling" * features.spelling)
    sha.update(b"iobes" * features.iobes)
    for member in features.components:
        if member.vectors is not None:
            words = "\n".join(member.vectors.words).encode()
            sha.update(hashlib.sha256(words + member.vectors.matrix.tobytes()).digest())
        if member.model is not None:
            sha.update(_model_digest(member.model))
        if member.finetune is not None:
            # The name of the class is in the digest of every tagger on disk: do not rename it.
            sha.update(repr(member.finetune).encode())
    return sha.hexdigest()


def _model_digest(model: TrainedModel) -> bytes:
    sha = hashlib.sha256(model.vocabulary.digest().encode())
    for name, x in model.rbm.parameters().items():
        sha.update(name.encode() + x.tobytes())
    return sha.digest()
