"""A classifier on disk: a model's folder for each class, and `classifier.json` over them.

CLASSIFIER/class-0/   as `wordrbm train` writes it: every command that takes a model takes it
CLASSIFIER/class-1/
CLASSIFIER/classifier.json   the classes' names, the middles, the last layer; written last
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordrbm.artifacts import TrainedModel, load
from wordrbm.artifacts.modelfile import save
from wordrbm.errors import WordRBMError
from wordrbm.estimators.class_models import ClassModels
from wordrbm.estimators.layer import Layer
from wordrbm.storage import make_folder, write_text

NAME, VERSION = "classifier.json", 1
LAYER = ("mean", "scale", "weight", "bias")


class Kept(NamedTuple):
    """What a fitted classifier comes to."""

    classes: tuple[str, ...]
    models: ClassModels
    layer: Layer


def save_classifier(folder: Path, kept: Kept) -> None:
    """Write the folder; the file over the models goes first and comes last."""
    make_folder(folder)
    (folder / NAME).unlink(missing_ok=True)  # a save that ends early leaves no mixture of two
    save_models(folder, kept.models.models)
    head = {
        "format": "wordrbm classifier",
        "version": VERSION,
        "classes": list(kept.classes),
        "middle": kept.models.middle.tolist(),
        "layer": {name: getattr(kept.layer, name).tolist() for name in LAYER},
    }
    write_text(folder / NAME, json.dumps(head, indent=1))


def load_classifier(folder: Path) -> Kept:
    """Read it back, every part checked."""
    head = _head(folder / NAME)
    try:
        classes = tuple(str(name) for name in head["classes"])
        if len(set(classes)) < len(classes):
            raise ValueError("two classes have one name")
        layer = Layer(**{name: np.array(head["layer"][name], np.float64) for name in LAYER})
        middle = np.array(head["middle"], np.float64)
        _check(len(classes), middle, layer)
    except (KeyError, TypeError, ValueError) as error:
        raise WordRBMError(
            f"{folder / NAME} is damaged ({error}); take an untouched copy, or fit it again."
        ) from None
    models = load_models(folder, len(classes))
    words = {model.vocabulary.digest() for model in models}
    if len(words) > 1 or len({model.rbm.positions for model in models}) > 1:
        raise WordRBMError(
            f"The models in {folder} have different words or windows; take an untouched copy."
        )
    return Kept(classes, ClassModels(models, middle), layer)


def save_models(folder: Path, models: Sequence[TrainedModel]) -> None:
    """A model's folder for each class."""
    for c, model in enumerate(models):
        save(folder / f"class-{c}", model)


def load_models(folder: Path, classes: int) -> tuple[TrainedModel, ...]:
    """The models of so many classes."""
    return tuple(load(folder / f"class-{c}") for c in range(classes))


def _head(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise WordRBMError(
            f"There is no {path}; give a folder that `wordrbm sentiment` wrote."
        ) from None
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != "wordrbm classifier":
        raise WordRBMError(f"{path} is no classifier; give a folder `wordrbm sentiment` wrote.")
    if found.get("version") != VERSION:
        raise WordRBMError(
            f"{path} has version {found.get('version')!r}, and {VERSION} is known; "
            "use a newer wordrbm."
        )
    return found


def _check(C: int, middle: Any, layer: Layer) -> None:
    features, rows = (1, 1) if C == 2 else (C, C)
    expected = {"mean": (features,), "scale": (features,), "weight": (rows, features)}
    for name, shape in (expected | {"bias": (rows,)}).items():
        if getattr(layer, name).shape != shape:
            raise ValueError(f"{name} is {getattr(layer, name).shape}, not {shape}")
    if C < 2 or middle.shape != (C,):
        raise ValueError(f"{middle.shape} middles for {C} classes")
    numbers = [middle, *(getattr(layer, name) for name in LAYER)]
    if not all(np.isfinite(one).all() for one in numbers) or not (layer.scale > 0).all():
        raise ValueError("a number is not finite, or a scale not above zero")
