"""A classifier on disk: a model folder for each class, and `classifier.json`.

CLASSIFIER/class-0/   as `wordrbm train` writes it: every command that takes a model takes it, and
                      reads each number of a text as #, where a classifier keeps its digits
CLASSIFIER/class-1/
CLASSIFIER/classifier.json   the names of the classes, the centres and the logistic head; written
                             last
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from wordrbm.classification.calibration import LogisticHead, contrast_count
from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.classifier import Classifier
from wordrbm.errors import WordRBMError
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, write_text
from wordrbm.trained_model import TrainedModel, load, save

FILE, FORMAT, VERSION = "classifier.json", "wordrbm classifier", 3
HEAD = ("mean", "scale", "weight", "bias")


def save_classifier(folder: Path, classifier: Classifier) -> None:
    """Write the folder; an earlier `classifier.json` is removed first, a new one comes last."""
    make_folder(folder)
    (folder / FILE).unlink(missing_ok=True)  # an interrupted save leaves no mixture of two
    save_models(folder, classifier.models.models)
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "classes": list(classifier.classes),
        "center": classifier.models.center.tolist(),
        "head": {name: getattr(classifier.head, name).tolist() for name in HEAD},
    }
    write_text(folder / FILE, json.dumps(metadata, indent=1))


def load_classifier(folder: Path) -> Classifier:
    """Read a classifier, every part checked."""
    path = folder / FILE
    metadata = _read_metadata(path)
    try:
        classes = _names(metadata["classes"])
        C, F = len(classes), contrast_count(len(classes))
        center = _numbers(metadata["center"], (C,))
        shapes = {"mean": (F,), "scale": (F,), "weight": (F, F), "bias": (F,)}
        head = LogisticHead(**{x: _numbers(metadata["head"][x], shapes[x]) for x in HEAD})
        if head.scale.min() <= 0:
            raise ValueError("a scale is not above zero")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        _refuse(path, str(error)[:100])
    models = load_models(folder, C)
    if len({(x.vocabulary.digest(), x.rbm.positions, x.rbm.c.size) for x in models}) > 1:
        _refuse(path, "its models have different words, windows or hidden units")
    return Classifier(classes, ClassModels(models, center), head)


def save_models(folder: Path, models: Sequence[TrainedModel]) -> None:
    """Write a model folder for each class."""
    for c, model in enumerate(models):
        save(folder / f"class-{c}", model)


def load_models(folder: Path, classes: int) -> tuple[TrainedModel, ...]:
    """Read the models of that many classes."""
    return tuple(load(folder / f"class-{c}") for c in range(classes))


def _read_metadata(path: Path) -> dict[str, Any]:
    advice = "give a folder that `wordrbm classifier train` wrote"
    try:
        metadata = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise WordRBMError(f"There is no {path}; {advice}.") from None
    except (ValueError, RecursionError, IsADirectoryError):
        metadata = None
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise WordRBMError(f"{path} is no classifier; {advice}.")
    if (version := metadata.get("version")) == 2:
        return _from_version_2(metadata, path)
    if version != VERSION:
        older = isinstance(version, int) and version < VERSION
        advice = "train the classifier again" if older else "use a newer wordrbm"
        raise WordRBMError(f"{path} has version {version!r}, and {VERSION} is known; {advice}.")
    return metadata


def _from_version_2(metadata: dict[str, Any], path: Path) -> dict[str, Any]:
    """Version 2 had the terms of each centre, and heads over single hidden units ("by unit")."""
    if metadata.get("view") == "by unit":
        raise WordRBMError(
            f"{path} has a head over single hidden units, which is no longer supported; train the "
            "classifier again."
        )
    try:
        center = np.array(metadata["middle"], np.float64).sum(axis=1).tolist()
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        _refuse(path, str(error)[:100])
    return {**metadata, "center": center, "head": metadata.get("layer")}


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("the classes are no list of names")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError("two classes or more are needed, each with a name of its own")
    "".join(names).encode()  # half of a surrogate pair cannot be shown
    return tuple(names)


def _numbers(values: object, shape: tuple[int, ...]) -> Array:
    array = np.array(values)
    if array.dtype.kind not in "if" or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"a field is no array of finite numbers of shape {shape}")
    return array.astype(np.float64)


def _refuse(path: Path, fault: str) -> NoReturn:
    raise WordRBMError(f"{path} is damaged ({fault}); take an untouched copy, or train it again.")
