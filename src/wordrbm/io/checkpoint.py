"""Checkpoints of a training run: model, persistent chains, optimizer state and step.

Random streams and the order of the data are functions of (seed, step), so nothing else is needed
to resume with the same bits. The last two checkpoints are kept.
"""

from contextlib import suppress
from math import isfinite
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.model_file import (
    StoredModel,
    current_settings,
    metadata_of,
    rbm_from_arrays,
    shapes_for,
)
from wordrbm.io.tensors import Shape, read_metadata, read_tensors, write_tensors
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, remove_temporaries, write_errors
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, TrainingState
from wordrbm.training.averaging import Averages

FOLDER = "checkpoints"
MAX_CHECKPOINTS = 2
MAX_LISTED = 20  # differences listed in a message


class RunIdentity(NamedTuple):
    """What a training run was started with; a resume must agree with all of it."""

    settings: TrainingSettings
    vocabulary: Vocabulary
    corpus: str  # SHA-256 of the word ids


class RunState(NamedTuple):
    """The state of a training run; acceptance rates of its last update are only reported."""

    rbm: WordRepRBM
    state: TrainingState
    acceptance: float
    jump_acceptance: float = 0.0


def save_checkpoint(run: Path, current: RunState, identity: RunIdentity) -> None:
    """Write a checkpoint and remove the expired ones."""
    folder, state = run / FOLDER, current.state
    make_folder(folder)
    tensors = {
        **current.rbm.parameters(),
        "velocity.U": current.rbm.shaped("U", state.velocity["U"]),
        "velocity.c": state.velocity["c"],
        "chains.v": state.chains.v,
        "chains.h": state.chains.h.astype(np.uint8),  # states are 0 or 1
        **_average_tensors(current.rbm, state.averages),
    }
    model = StoredModel(current.rbm, identity.vocabulary, identity.settings, identity.corpus)
    metadata = {"kind": "checkpoint", "step": state.step, "acceptance": current.acceptance}
    metadata |= {"jump_acceptance": current.jump_acceptance, **metadata_of(model)}
    path = folder / f"{state.step:012d}.safetensors"
    write_tensors(path, tensors, metadata)
    with write_errors(folder):
        for old in _expired(list_checkpoints(run), path):
            old.unlink()


def _expired(checkpoints: list[Path], latest: Path) -> list[Path]:
    """Return the oldest, and later ones, which could not be read when this run resumed."""
    recent = [path for path in checkpoints if path <= latest][-MAX_CHECKPOINTS:]
    return [path for path in checkpoints if path not in recent]


def list_checkpoints(run: Path) -> list[Path]:
    """Return the checkpoints of a run, oldest first."""
    return sorted((run / FOLDER).glob("[0-9]*.safetensors"))


def remove_checkpoints(run: Path) -> None:
    """Remove the checkpoints of a run; other files in their folder are left alone."""
    remove_temporaries(run / FOLDER)
    with write_errors(run / FOLDER):
        for path in list_checkpoints(run):
            path.unlink(missing_ok=True)
    with suppress(OSError):  # not there, or not empty
        (run / FOLDER).rmdir()


def latest_checkpoint(run: Path, identity: RunIdentity) -> RunState | None:
    """Load the latest checkpoint that can be read, None without one; another run's is refused."""
    checkpoints = list_checkpoints(run)
    for path in reversed(checkpoints):
        try:
            metadata = read_metadata(path)
        except WordRBMError:
            continue  # damaged: the one before it is as good, only older
        check_same_run(path, metadata, identity)
        with suppress(WordRBMError):
            return _load(path, metadata, identity)
    if checkpoints:
        raise WordRBMError(
            f"None of the {len(checkpoints)} checkpoints in {run / FOLDER} can be read; remove "
            "that folder to train from the beginning."
        )
    return None


def _load(path: Path, metadata: dict[str, Any], identity: RunIdentity) -> RunState:
    """Load model and state, which must fit the run."""
    arrays = read_tensors(path, _shapes(identity))
    rbm = rbm_from_arrays(path, arrays)
    step = metadata.get("step")
    acceptances = metadata.get("acceptance"), metadata.get("jump_acceptance", 0.0)
    fits = type(step) is int and 0 <= step <= identity.settings.steps
    fits &= all(type(rate) is float and isfinite(rate) for rate in acceptances)
    fits = fits and _is_state(arrays, len(identity.vocabulary)) and _are_averages(arrays, step)
    if not fits:
        raise WordRBMError(f"{path} holds a state that does not fit its model; remove this file.")
    velocity = {name: np.empty_like(rbm.table(name)) for name in ("U", "c")}
    for name, values in velocity.items():
        rbm.shaped(name, values)[...] = arrays[f"velocity.{name}"]
    chains = Chains(arrays["chains.v"], arrays["chains.h"].astype(rbm.c.dtype))
    averages = _averages(rbm, arrays, identity.settings)
    state = TrainingState(int(metadata["step"]), chains, velocity, averages)
    return RunState(rbm, state, float(metadata["acceptance"]), float(acceptances[1] or 0.0))


def _average_tensors(rbm: WordRepRBM, averages: Averages | None) -> dict[str, Array]:
    """Return the arrays of the parameter averages, if the run has them."""
    if averages is None:
        return {}
    tensors = {f"average.{name}": rbm.shaped(name, x) for name, x in averages.value.items()}
    return {**tensors, "average.covered": averages.covered}


def _averages(
    rbm: WordRepRBM, arrays: dict[str, Array], settings: TrainingSettings
) -> Averages | None:
    """Return the parameter averages of a checkpoint."""
    if not settings.averaging:
        return None
    value = {name: np.empty_like(rbm.table(name)) for name in rbm.parameters()}
    for name, average in value.items():
        rbm.shaped(name, average)[...] = arrays[f"average.{name}"]
    return Averages(settings.averaging, value, ("D", "b"), arrays["average.covered"])


def _shapes(identity: RunIdentity) -> dict[str, Shape]:
    """Return the shapes of all arrays of a checkpoint."""
    settings = identity.settings
    shapes = shapes_for(len(identity.vocabulary), settings)
    return shapes | {
        "velocity.U": shapes["U"],
        "velocity.c": shapes["c"],
        "chains.v": (settings.chains, settings.window),
        "chains.h": (settings.chains, settings.hidden),
        **_average_shapes(identity),
    }


def _average_shapes(identity: RunIdentity) -> dict[str, Shape]:
    """Return the shapes of the parameter averages."""
    if not identity.settings.averaging:
        return {}
    K = len(identity.vocabulary)
    shapes = shapes_for(K, identity.settings) | {"covered": (K,)}
    return {f"average.{name}": shape for name, shape in shapes.items()}


def _are_averages(arrays: dict[str, Array], step: Any) -> bool:
    """Whether the averages are finite, of the model's dtype, and cover no later step."""
    if "average.covered" not in arrays:
        return True
    covered = arrays["average.covered"]
    fits = covered.dtype == np.int64 and covered.min() >= 0 and covered.max() <= step
    for name in "DUbc":
        value = arrays[f"average.{name}"]
        fits &= value.dtype == arrays["c"].dtype and np.isfinite(value).all()
    return bool(fits)


def _is_state(arrays: dict[str, Array], K: int) -> bool:
    """Whether chains hold word ids and binary hidden states, and velocities are finite."""
    v, h = arrays["chains.v"], arrays["chains.h"]
    velocities, dtype = [arrays["velocity.U"], arrays["velocity.c"]], arrays["c"].dtype
    fits = all(x.dtype == dtype and np.isfinite(x).all() for x in velocities)
    fits &= v.dtype == np.int32 and v.min() >= 0 and v.max() < K
    return bool(fits and np.isin(h, (0, 1)).all())


def check_same_run(path: Path, metadata: dict[str, Any], identity: RunIdentity) -> None:
    """Raise if a file belongs to another run, naming every difference."""
    old, new = metadata.get("settings"), identity.settings.model_dump()
    old = old if isinstance(old, dict) else {}
    clustered = old.get("operator", "unigram") != "unigram"
    old = current_settings(old)
    differences = ["it proposed words by clusters, which training no longer does"] * clustered + [
        f"{name if name in new else short_repr(name)} was {short_repr(old.get(name))} "
        f"and is now {new.get(name)!r}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if metadata.get("vocabulary") != identity.vocabulary.digest():
        differences.append("the vocabulary is another")
    if metadata.get("corpus") != identity.corpus:
        differences.append("the corpus is another")
    if len(differences) > MAX_LISTED:
        differences[MAX_LISTED:] = [f"and {len(differences) - MAX_LISTED} more"]
    if differences:
        raise WordRBMError(
            f"{path} belongs to another run: {'; '.join(differences)}; resume with the same "
            "settings and corpus, or train into another folder."
        )
