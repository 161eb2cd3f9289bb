"""A run in the middle: the model, its chains, the optimiser and one integer, the update reached.

Random streams and the order of the data are functions of (seed, step), so nothing else is needed
to go on with the same bits. The last two checkpoints are kept.
"""

from contextlib import suppress
from math import isfinite
from pathlib import Path
from reprlib import repr as brief
from typing import Any, NamedTuple

import numpy as np

from wordrbm.artifacts.modelfile import (
    TrainedModel,
    as_now,
    describe,
    from_parameters,
    shapes_of,
)
from wordrbm.artifacts.tensors import Shape, read_head, read_tensors, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, remove_temporaries, write_errors
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, TrainingState
from wordrbm.training.averaging import Averages

FOLDER = "checkpoints"
KEPT = 2
MOST_TOLD = 20  # differences named in a sentence


class Origin(NamedTuple):
    """What a run was started with; a resume must agree with all of it."""

    settings: TrainingSettings
    vocabulary: Vocabulary
    corpus: str  # the SHA-256 of the ids


class Saved(NamedTuple):
    """A run in the middle; acceptances of its last update are only there to be reported."""

    rbm: WordRepRBM
    state: TrainingState
    acceptance: float
    jump_acceptance: float = 0.0


def save_checkpoint(run: Path, saved: Saved, origin: Origin) -> None:
    """Write a checkpoint beside the others and let go of the oldest."""
    folder, state = run / FOLDER, saved.state
    make_folder(folder)
    tensors = {
        **saved.rbm.parameters(),
        "velocity.U": state.velocity["U"],
        "velocity.c": state.velocity["c"],
        "chains.v": state.chains.v,
        "chains.h": state.chains.h.astype(np.uint8),  # states are 0 or 1
        **_average_tensors(state.averages),
    }
    head = {"kind": "checkpoint", "step": state.step, "acceptance": saved.acceptance}
    head["jump_acceptance"] = saved.jump_acceptance
    head |= describe(TrainedModel(saved.rbm, origin.vocabulary, origin.settings, origin.corpus))
    path = folder / f"{state.step:012d}.safetensors"
    write_tensors(path, tensors, head)
    with write_errors(folder):
        for other in _to_let_go(list_checkpoints(run), path):
            other.unlink()


def _to_let_go(checkpoints: list[Path], newest: Path) -> list[Path]:
    """The oldest; and those of later updates, which could not be read when this run went on."""
    kept = [path for path in checkpoints if path <= newest][-KEPT:]
    return [path for path in checkpoints if path not in kept]


def list_checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted((run / FOLDER).glob("[0-9]*.safetensors"))


def remove_checkpoints(run: Path) -> None:
    """Let go of the checkpoints; whatever else lies in their folder is not ours to remove."""
    remove_temporaries(run / FOLDER)
    with write_errors(run / FOLDER):
        for path in list_checkpoints(run):
            path.unlink(missing_ok=True)
    with suppress(OSError):  # not there, or not empty
        (run / FOLDER).rmdir()


def newest_checkpoint(run: Path, origin: Origin) -> Saved | None:
    """The newest checkpoint that can be read, none if there is none; another run's is refused."""
    checkpoints = list_checkpoints(run)
    for path in reversed(checkpoints):
        try:
            head = read_head(path)
        except WordRBMError:
            continue  # damaged: the one before it is as good, only older
        refuse_other_run(path, head, origin)
        with suppress(WordRBMError):
            return _load(path, head, origin)
    if checkpoints:
        raise WordRBMError(
            f"None of the {len(checkpoints)} checkpoints in {run / FOLDER} can be read; remove "
            "that folder to train from the beginning."
        )
    return None


def _load(path: Path, head: dict[str, Any], origin: Origin) -> Saved:
    """The model and the state, if they fit the run."""
    found = read_tensors(path, _shapes(origin))
    rbm = from_parameters(path, found)
    step = head.get("step")
    acceptances = head.get("acceptance"), head.get("jump_acceptance", 0.0)
    fits = type(step) is int and 0 <= step <= origin.settings.steps
    fits &= all(type(share) is float and isfinite(share) for share in acceptances)
    fits = fits and _is_state(found, len(origin.vocabulary)) and _are_averages(found, step)
    if not fits:
        raise WordRBMError(f"{path} holds a state that does not fit its model; remove this file.")
    velocity = {name: np.empty_like(rbm.parameters()[name]) for name in ("U", "c")}
    for name, speed in velocity.items():
        speed[...] = found[f"velocity.{name}"]
    chains = Chains(found["chains.v"], found["chains.h"].astype(rbm.c.dtype))
    averages = _averages(rbm, found, origin.settings)
    state = TrainingState(int(head["step"]), chains, velocity, averages)
    return Saved(rbm, state, float(head["acceptance"]), float(acceptances[1] or 0.0))


def _average_tensors(averages: Averages | None) -> dict[str, Array]:
    """The arrays of the averages, if the run takes some."""
    if averages is None:
        return {}
    tensors = {f"average.{name}": value for name, value in averages.value.items()}
    return {**tensors, "average.covered": averages.covered}


def _averages(
    rbm: WordRepRBM, found: dict[str, Array], settings: TrainingSettings
) -> Averages | None:
    """The averages of a checkpoint, laid out in memory as the parameters are."""
    if not settings.averaging:
        return None
    value = {name: np.empty_like(x) for name, x in rbm.parameters().items()}
    for name, average in value.items():
        average[...] = found[f"average.{name}"]
    return Averages(settings.averaging, value, ("D", "b"), found["average.covered"])


def _shapes(origin: Origin) -> dict[str, Shape]:
    """The arrays of a checkpoint of a run."""
    settings = origin.settings
    shapes = shapes_of(len(origin.vocabulary), settings)
    return shapes | {
        "velocity.U": shapes["U"],
        "velocity.c": shapes["c"],
        "chains.v": (settings.chains, settings.window),
        "chains.h": (settings.chains, settings.hidden),
        **_average_shapes(origin),
    }


def _average_shapes(origin: Origin) -> dict[str, Shape]:
    """The arrays of the averages."""
    if not origin.settings.averaging:
        return {}
    K = len(origin.vocabulary)
    shapes = shapes_of(K, origin.settings) | {"covered": (K,)}
    return {f"average.{name}": shape for name, shape in shapes.items()}


def _are_averages(found: dict[str, Array], step: Any) -> bool:
    """Whether the averages are finite numbers of the model's kind, of updates that were made."""
    if "average.covered" not in found:
        return True
    covered = found["average.covered"]
    fits = covered.dtype == np.int64 and covered.min() >= 0 and covered.max() <= step
    for name in "DUbc":
        value = found[f"average.{name}"]
        fits &= value.dtype == found["c"].dtype and np.isfinite(value).all()
    return bool(fits)


def _is_state(found: dict[str, Array], K: int) -> bool:
    """Whether the words of the chains are words, their states 0 or 1, and the speeds finite."""
    v, h = found["chains.v"], found["chains.h"]
    speeds = [found["velocity.U"], found["velocity.c"]]
    fits = all(speed.dtype == found["c"].dtype and np.isfinite(speed).all() for speed in speeds)
    fits &= v.dtype == np.int32 and v.min() >= 0 and v.max() < K
    return bool(fits and np.isin(h, (0, 1)).all())


def refuse_other_run(path: Path, head: dict[str, Any], origin: Origin) -> None:
    """Name every difference between the run a file is of and this one."""
    then, now = head.get("settings"), origin.settings.model_dump()
    then = as_now(then) if isinstance(then, dict) else {}
    differences = [
        f"{name if name in now else brief(name)} was {brief(then.get(name))} "
        f"and is now {now.get(name)!r}"
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]
    if head.get("vocabulary") != origin.vocabulary.digest():
        differences.append("the vocabulary is another")
    if head.get("corpus") != origin.corpus:
        differences.append("the corpus is another")
    if len(differences) > MOST_TOLD:
        differences[MOST_TOLD:] = [f"and {len(differences) - MOST_TOLD} more"]
    if differences:
        raise WordRBMError(
            f"{path} belongs to another run: {'; '.join(differences)}; resume with the same "
            "settings and corpus, or train into another folder."
        )
