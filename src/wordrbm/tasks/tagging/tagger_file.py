"""A tagger on disk: a folder that needs nothing beside it.

tagger.safetensors    the weights, and in its head the labels, scales and sizes
attributes.txt        the attribute of each row, a line each
vectors.safetensors   the vectors, if it has any, and words.txt, theirs
model/                the model of its hidden units, if it has one
member1/ ...          of each of several taggers that decide together the last three
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from wordrbm.artifacts import Vectors, load, save
from wordrbm.artifacts.tensors import read_head, read_tensors, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.storage import make_folder, read_errors, write_text
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.crf import ChainField
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.tagger import Tagger

FILE, ATTRIBUTES = "tagger.safetensors", "attributes.txt"
VECTORS, WORDS, MODEL = "vectors.safetensors", "words.txt", "model"
KIND = "tagger"

T = TypeVar("T")


def save_tagger(folder: Path, tagger: Tagger, digest: str) -> None:
    """Write a tagger; its weights go first and come last, so that a folder with them is whole."""
    make_folder(folder)
    (folder / FILE).unlink(missing_ok=True)
    kind, field = tagger.representation, tagger.field
    members = [_save_words(folder / name, one) for name, one in _named(kind.members)]
    write_text(folder / ATTRIBUTES, "\n".join(tagger.attributes.number))
    head = {
        "kind": KIND, "digest": digest, "labels": list(tagger.labels),
        "attributes": len(tagger.attributes), "dense": len(field.V),
        **_save_words(folder, kind), "members": members,
    }  # fmt: skip
    write_tensors(folder / FILE, {"W": field.W, "V": field.V, "A": field.A}, head)


def _save_words(folder: Path, kind: Representation) -> dict[str, Any]:
    """Write what is known of words; what stands of it in the head."""
    make_folder(folder)
    if kind.vectors is not None:
        write_tensors(folder / VECTORS, {"matrix": kind.vectors.matrix}, {"kind": "vectors"})
        write_text(folder / WORDS, "\n".join(kind.vectors.words))
    if kind.model is not None:
        save(folder / MODEL, kind.model)
    return {
        "scale": kind.scale, "hidden_scale": kind.hidden_scale,
        "vectors": None if kind.vectors is None else list(kind.vectors.matrix.shape),
        "model": kind.model is not None,
    }  # fmt: skip


def _named(members: Sequence[T]) -> list[tuple[str, T]]:
    """The members with the names of their folders."""
    return [(f"member{number}", one) for number, one in enumerate(members, start=1)]


def digest_of(folder: Path) -> str | None:
    """What the tagger in a folder was made from; None if there is no whole one."""
    return str(_head(folder)["digest"]) if (folder / FILE).exists() else None


def load_tagger(folder: Path) -> Tagger:
    """Read a tagger; what is damaged is told."""
    head = _head(folder)
    try:
        tagger = _loaded(folder, head)
        _check(tagger)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise WordRBMError(
            f"{folder} is damaged ({str(error)[:80]}); take an untouched copy, or make it again."
        ) from None
    return tagger


def _head(folder: Path) -> dict[str, Any]:
    if not (folder / FILE).exists():
        raise WordRBMError(
            f"There is no {folder / FILE}; give a folder of OUT/taggers that "
            "`wordrbm chunking` wrote."
        )
    head = read_head(folder / FILE)
    if head.get("kind") != KIND or not isinstance(head.get("digest"), str):
        raise WordRBMError(f"{folder} holds no tagger; give one that `wordrbm chunking` wrote.")
    return head


def _loaded(folder: Path, head: dict[str, Any]) -> Tagger:
    R, F, L = head["attributes"], head["dense"], len(head["labels"])
    found = read_tensors(folder / FILE, {"W": (R, L), "V": (F, L), "A": (L, L)})
    names = _lines(folder / ATTRIBUTES, R)
    members = (_words(folder / name, own) for name, own in _named(head.get("members", [])))
    kind = _words(folder, head)._replace(members=tuple(members))
    field = ChainField(*(np.asarray(found[name], np.float64) for name in "WVA"))
    index = Index({name: number for number, name in enumerate(names)})
    return Tagger(index, tuple(head["labels"]), field, kind)


def _words(folder: Path, head: dict[str, Any]) -> Representation:
    """What is known of words."""
    vectors = None
    if head["vectors"] is not None:
        matrix = read_tensors(folder / VECTORS, {"matrix": tuple(head["vectors"])})["matrix"]
        vectors = Vectors(tuple(_lines(folder / WORDS, len(matrix))), matrix)
    model = load(folder / MODEL) if head["model"] else None
    return Representation(vectors, model, float(head["scale"]), float(head["hidden_scale"]))


def _check(tagger: Tagger) -> None:
    """What shapes alone do not say."""
    if not all(isinstance(label, str) for label in tagger.labels):
        raise ValueError("a label is no text")
    if len(set(tagger.labels)) < len(tagger.labels):
        raise ValueError("two labels have one name")
    if len(tagger.field.W) != len(tagger.attributes) or not tagger.attributes.columns:
        raise ValueError("attributes are missing")
    if not all(np.isfinite(x).all() for x in tagger.field.parts()):
        raise ValueError("a weight is not finite")
    scales = [(one.scale, one.hidden_scale) for one in tagger.representation.parts]
    if not np.isfinite(scales).all():
        raise ValueError("a scale is not finite")
    if tagger.representation.dense([["a"]]).shape[1] != len(tagger.field.V):
        raise ValueError("the weights are not of these vectors and hidden units")


def _lines(path: Path, expected: int) -> list[str]:
    with read_errors(path):
        found = path.read_bytes().decode("utf-8").split("\n")
    if len(found) != expected:
        raise ValueError(f"{path.name} has {len(found)} lines, not {expected}")
    return found
