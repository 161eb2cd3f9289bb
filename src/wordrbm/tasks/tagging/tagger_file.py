"""A tagger on disk: a folder that needs nothing beside it.

tagger.safetensors    the weights, and in its head the labels, scales and sizes
attributes.txt        the attribute of each row, a line each
vectors.safetensors   the vectors, if it has any, and words.txt, theirs
model/                the model of its hidden units, if it has one
"""

from pathlib import Path

import numpy as np

from wordrbm.artifacts import Vectors, load, save
from wordrbm.artifacts.tensors import read_head, read_tensors, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.storage import make_folder, write_text
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.crf import ChainField
from wordrbm.tasks.tagging.tagger import Representation, Tagger
from wordrbm.text.looking import reading

FILE, ATTRIBUTES = "tagger.safetensors", "attributes.txt"
VECTORS, WORDS, MODEL = "vectors.safetensors", "words.txt", "model"
KIND = "tagger"


def save_tagger(folder: Path, tagger: Tagger) -> None:
    """Write a tagger; its weights last, so that a folder with them is whole."""
    make_folder(folder)
    kind, field = tagger.representation, tagger.field
    if kind.vectors is not None:
        write_tensors(folder / VECTORS, {"matrix": kind.vectors.matrix}, {"kind": "vectors"})
        write_text(folder / WORDS, "\n".join(kind.vectors.words))
    if kind.model is not None:
        save(folder / MODEL, kind.model)
    write_text(folder / ATTRIBUTES, "\n".join(tagger.attributes.number))
    head = {
        "kind": KIND, "labels": list(tagger.labels), "attributes": len(tagger.attributes),
        "dense": len(field.V), "scale": kind.scale, "hidden_scale": kind.hidden_scale,
        "vectors": None if kind.vectors is None else list(kind.vectors.matrix.shape),
        "model": kind.model is not None,
    }  # fmt: skip
    write_tensors(folder / FILE, {"W": field.W, "V": field.V, "A": field.A}, head)


def load_tagger(folder: Path) -> Tagger:
    """Read a tagger; what is damaged is told."""
    head = read_head(folder / FILE)
    if head.get("kind") != KIND:
        raise WordRBMError(f"{folder} holds no tagger; give a folder made by wordrbm chunking.")
    R, F, L = head["attributes"], head["dense"], len(head["labels"])
    found = read_tensors(folder / FILE, {"W": (R, L), "V": (F, L), "A": (L, L)})
    names = _lines(folder / ATTRIBUTES, R)
    vectors = None
    if head["vectors"] is not None:
        matrix = read_tensors(folder / VECTORS, {"matrix": tuple(head["vectors"])})["matrix"]
        vectors = Vectors(tuple(_lines(folder / WORDS, len(matrix))), matrix)
    kind = Representation(
        vectors, load(folder / MODEL) if head["model"] else None,
        head["scale"], head["hidden_scale"],
    )  # fmt: skip
    field = ChainField(*(np.asarray(found[name], np.float64) for name in "WVA"))
    index = Index({name: number for number, name in enumerate(names)})
    return Tagger(index, tuple(head["labels"]), field, kind)


def _lines(path: Path, expected: int) -> list[str]:
    with reading(path):
        found = path.read_text("utf-8").split("\n")
    if len(found) != expected:
        raise WordRBMError(
            f"{path} has {len(found)} lines where {expected} were expected; make the tagger again."
        )
    return found
