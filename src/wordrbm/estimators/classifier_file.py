"""A classifier on disk: a model's folder for each class, and `classifier.json` over them.

CLASSIFIER/class-0/   as `wordrbm train` writes it: every command that takes a model takes it
CLASSIFIER/class-1/
CLASSIFIER/classifier.json   the classes' names, the middles, the last layer and what it sees;
                             written last
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
from wordrbm.estimators.views import VIEWS, View
from wordrbm.storage import make_folder, write_text

NAME, VERSION = "classifier.json", 2
LAYER = ("mean", "scale", "weight", "bias")


class Kept(NamedTuple):
    """What a fitted classifier comes to."""

    classes: tuple[str, ...]
    models: ClassModels
    view: View
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
        "view": kept.view.name,
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
        middle, view = np.array(head["middle"], np.float64), VIEWS[head["view"]]
        if len(classes) < 2 or middle.ndim != 2:
            raise ValueError(f"{middle.shape} middles for {len(classes)} classes")
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
    found = Kept(classes, ClassModels(models, middle), view, layer)
    _check(found, folder)
    return found


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


def _check(kept: Kept, folder: Path) -> None:
    """Whether the numbers are as many as the models ask for, and can be used."""
    C, F = len(kept.classes), kept.view.size(kept.models)
    rows, layer, middle = 1 if C == 2 else C, kept.layer, kept.models.middle
    expected = {"mean": (F,), "scale": (F,), "weight": (rows, F), "bias": (rows,)}
    shapes = {name: getattr(layer, name).shape for name in LAYER}
    numbers = [middle, *(getattr(layer, name) for name in LAYER)]
    fits = shapes == expected and middle.shape == (C, kept.models.models[0].rbm.c.size + 1)
    if not fits or not all(np.isfinite(one).all() for one in numbers) or layer.scale.min() <= 0:
        raise WordRBMError(
            f"{folder / NAME} is damaged (its numbers do not fit the models, or are not finite); "
            "take an untouched copy, or fit it again."
        )
