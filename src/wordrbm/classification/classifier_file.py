"""A classifier on disk: a model folder for each class, and `classifier.json`.

CLASSIFIER/class-0/   as `wordrbm train` writes it: every command that takes a model takes it
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

FILE, VERSION = "classifier.json", 3
HEAD = ("mean", "scale", "weight", "bias")


def save_classifier(folder: Path, classifier: Classifier) -> None:
    """Write the folder; an earlier `classifier.json` is removed first, a new one comes last."""
    make_folder(folder)
    (folder / FILE).unlink(missing_ok=True)  # an interrupted save leaves no mixture of two
    save_models(folder, classifier.models.models)
    metadata = {
        "format": "wordrbm classifier",
        "version": VERSION,
        "classes": list(classifier.classes),
        "center": classifier.models.center.tolist(),
        "head": {name: getattr(classifier.head, name).tolist() for name in HEAD},
    }
    write_text(folder / FILE, json.dumps(metadata, indent=1))


def load_classifier(folder: Path) -> Classifier:
    """Read a classifier, every part checked."""
    metadata = _metadata(folder / FILE)
    try:
        classes, center = _names(metadata["classes"]), _numbers(metadata["center"])
        head = LogisticHead(**{name: _numbers(metadata["head"][name]) for name in HEAD})
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        _refuse(folder, str(error)[:100])
    if center.shape != (len(classes),):
        _refuse(folder, f"centres of shape {center.shape} for {len(classes)} classes")
    classifier = Classifier(classes, ClassModels(load_models(folder, len(classes)), center), head)
    _check(classifier, folder)
    return classifier


def save_models(folder: Path, models: Sequence[TrainedModel]) -> None:
    """Write a model folder for each class."""
    for c, model in enumerate(models):
        save(folder / f"class-{c}", model)


def load_models(folder: Path, classes: int) -> tuple[TrainedModel, ...]:
    """Read the models of that many classes."""
    return tuple(load(folder / f"class-{c}") for c in range(classes))


def _metadata(path: Path) -> dict[str, Any]:
    advice = "give a folder that `wordrbm classifier train` wrote"
    try:
        metadata = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise WordRBMError(f"There is no {path}; {advice}.") from None
    except (ValueError, RecursionError, IsADirectoryError):
        metadata = None
    if not isinstance(metadata, dict) or metadata.get("format") != "wordrbm classifier":
        raise WordRBMError(f"{path} is no classifier; {advice}.")
    head: dict[str, Any] = metadata
    if (version := metadata.get("version")) == 2:
        head = _from_version_2(metadata, path)
    elif version != VERSION:
        older = isinstance(version, int) and version < VERSION
        remedy = "train the classifier again" if older else "use a newer wordrbm"
        raise WordRBMError(f"{path} has version {version!r}, and {VERSION} is known; {remedy}.")
    return head


def _from_version_2(metadata: dict[str, Any], path: Path) -> dict[str, Any]:
    """Version 2 had the terms of each centre, and heads over single hidden units ("by unit")."""
    if metadata.get("view") == "by unit":
        raise WordRBMError(
            f"{path} has a head over single hidden units, which is no longer supported; train the "
            "classifier again."
        )
    try:
        center = _numbers(metadata["middle"]).sum(axis=1).tolist()
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        _refuse(path.parent, str(error)[:100])
    return {**metadata, "center": center, "head": metadata.get("layer")}


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("the classes are no list of names")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError("two classes or more are needed, each with a name of its own")
    for name in names:
        name.encode()  # half of a surrogate pair cannot be shown
    return tuple(names)


def _numbers(values: object) -> Array:
    array = np.array(values)
    if array.dtype.kind not in "if":
        raise TypeError("a field does not hold numbers")
    return array.astype(np.float64)


def _refuse(folder: Path, why: str) -> NoReturn:
    raise WordRBMError(
        f"{folder / FILE} is damaged ({why}); take an untouched copy, or train it again."
    )


def _check(classifier: Classifier, folder: Path) -> None:
    """Raise unless the models are alike, and the numbers fit them and are finite."""
    models, head, center = classifier.models.models, classifier.head, classifier.models.center
    kinds = {(x.vocabulary.digest(), x.rbm.positions, x.rbm.c.size) for x in models}
    if len(kinds) > 1:
        _refuse(folder, "its models have different words, windows or hidden units")
    F = contrast_count(len(classifier.classes))
    expected = {"mean": (F,), "scale": (F,), "weight": (F, F), "bias": (F,)}
    if {name: getattr(head, name).shape for name in HEAD} != expected:
        _refuse(folder, "its logistic head does not fit the models")
    arrays = [center, *(getattr(head, name) for name in HEAD)]
    if not all(np.isfinite(array).all() for array in arrays) or head.scale.min() <= 0:
        _refuse(folder, "a number is not finite, or a scale not above zero")
