"""A classifier on disk: a model's folder for each class, and `classifier.json` over them.

CLASSIFIER/class-0/   as `wordrbm train` writes it: every command that takes a model takes it
CLASSIFIER/class-1/
CLASSIFIER/classifier.json   the classes' names, the middles, the last layer and what it sees;
                             written last
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.estimators.class_models import ClassModels
from wordrbm.estimators.layer import Layer
from wordrbm.estimators.views import VIEWS, View, comparisons
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, write_text
from wordrbm.trained_model import TrainedModel, load, save

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
        classes, view = _names(head["classes"]), VIEWS[head["view"]]
        layer = Layer(**{name: _numbers(head["layer"][name]) for name in LAYER})
        middle = _numbers(head["middle"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        _refuse(folder, str(error)[:100])
    models = load_models(folder, len(classes))
    found = Kept(classes, ClassModels(models, middle), view, layer)
    _check(found, folder)
    return found


def _names(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise TypeError("the classes are no list of names")
    if len(given) < 2 or len(set(given)) < len(given):
        raise ValueError("two classes or more are needed, each with a name of its own")
    for name in given:
        name.encode()  # half of a pair of surrogates cannot be shown
    return tuple(given)


def _numbers(given: object) -> Array:
    found = np.array(given)
    if found.dtype.kind not in "if":
        raise TypeError("what should be numbers are none")
    return found.astype(np.float64)


def _refuse(folder: Path, why: str) -> NoReturn:
    raise WordRBMError(
        f"{folder / NAME} is damaged ({why}); take an untouched copy, or fit it again."
    )


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
    except (ValueError, RecursionError, IsADirectoryError):
        found = None
    if not isinstance(found, dict) or found.get("format") != "wordrbm classifier":
        raise WordRBMError(f"{path} is no classifier; give a folder `wordrbm sentiment` wrote.")
    if (version := found.get("version")) != VERSION:
        older = isinstance(version, int) and version < VERSION
        remedy = "run `wordrbm sentiment` again" if older else "use a newer wordrbm"
        raise WordRBMError(f"{path} has version {version!r}, and {VERSION} is known; {remedy}.")
    return found


def _check(kept: Kept, folder: Path) -> None:
    """Whether the models are alike, and the numbers as many as they ask for, and finite."""
    models, layer, middle = kept.models.models, kept.layer, kept.models.middle
    alike = {(x.vocabulary.digest(), x.rbm.positions, x.rbm.c.size) for x in models}
    if len(alike) > 1:
        _refuse(folder, "its models have different words, windows or hidden units")
    C, units = len(kept.classes), models[0].rbm.c.size + 1
    if middle.shape != (C, units):
        _refuse(folder, f"{middle.shape} middles where {(C, units)} were expected")
    F, rows = kept.view.size(kept.models), comparisons(C)
    expected = {"mean": (F,), "scale": (F,), "weight": (rows, F), "bias": (rows,)}
    if {name: getattr(layer, name).shape for name in LAYER} != expected:
        _refuse(folder, "its last layer does not fit the models")
    numbers = [middle, *(getattr(layer, name) for name in LAYER)]
    if not all(np.isfinite(one).all() for one in numbers) or layer.scale.min() <= 0:
        _refuse(folder, "a number is not finite, or a scale not above zero")
