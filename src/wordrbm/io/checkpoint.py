"""Checkpoints of a training run: model, persistent chains, optimizer state and step.

Random streams and the order of the data are functions of (seed, step), so nothing else is needed
to resume with the same bits. The last two checkpoints are kept.
"""

from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.io.model_file import (
    StoredModel,
    current_settings,
    metadata_of,
    rbm_from_arrays,
    shapes_for,
)
from wordrbm.io.run_differences import changed_values, refuse_other_run
from wordrbm.io.tensors import Shape, read_metadata, read_tensors, write_tensors
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains
from wordrbm.shapes import Array
from wordrbm.storage import make_folder, remove_temporaries, write_errors
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, TrainingState
from wordrbm.training.local_training import rank_settings
from wordrbm.training.optimizer import Averages

FOLDER = "checkpoints"
MAX_CHECKPOINTS = 2
State = TypeVar("State")


class RunIdentity(NamedTuple):
    """What a training run was started with; a resume must agree with all of it."""

    settings: TrainingSettings
    vocabulary: Vocabulary
    corpus: str  # SHA-256 of the word ids
    periodic: dict[str, int] | None = None  # how the ranks are averaged, if they are

    @property
    def extra_metadata(self) -> dict[str, Any]:
        """Return what the metadata of its files say beside settings, vocabulary and corpus."""
        return {"periodic": self.periodic} if self.periodic else {}

    def facts(self) -> dict[str, Any]:
        """Return all of it as values to compare."""
        facts = {"vocabulary": self.vocabulary.digest(), "corpus": self.corpus}
        return self.settings.model_dump() | facts | (self.periodic or {})


class RunState(NamedTuple):
    """The state of a training run; acceptance rates of its last update are only reported."""

    rbm: WordRepRBM
    state: TrainingState
    acceptance: float
    jump_acceptance: float = 0.0


def save_checkpoint(run: Path, current: RunState, identity: RunIdentity) -> None:
    """Write a checkpoint and remove all but the last two.

    Those of later updates go too: they could not be read when this run resumed.
    """
    model = StoredModel(current.rbm, identity.vocabulary, identity.settings, identity.corpus)
    metadata = {**state_metadata(current), **metadata_of(model), **identity.extra_metadata}
    write_checkpoint(run, state_tensors(current), metadata)


def write_checkpoint(run: Path, tensors: dict[str, Array], metadata: dict[str, Any]) -> None:
    """Write the state after update `metadata["step"]` and remove all but the last two."""
    folder = run / FOLDER
    make_folder(folder)
    latest = folder / f"{metadata['step']:012d}.safetensors"
    write_tensors(latest, tensors, {"kind": "checkpoint", **metadata})
    checkpoints = list_checkpoints(run)
    recent = [path for path in checkpoints if path <= latest][-MAX_CHECKPOINTS:]
    with write_errors(folder):
        for path in set(checkpoints).difference(recent):
            path.unlink()


def state_metadata(current: RunState) -> dict[str, Any]:
    """Return the numbers of a state that are no arrays."""
    rates = {"acceptance": current.acceptance, "jump_acceptance": current.jump_acceptance}
    return {"step": current.state.step, **rates}


def state_tensors(current: RunState) -> dict[str, Array]:
    """Return the arrays of a state by their names in a checkpoint."""
    rbm, state = current.rbm, current.state
    tensors = {
        **rbm.parameters(),
        **{f"velocity.{name}": rbm.shaped(name, x) for name, x in state.velocity.items()},
        "chains.v": state.chains.v,
        "chains.h": state.chains.h.astype(np.uint8),  # states are 0 or 1
    }
    if state.averages is not None:
        values = state.averages.value.items()
        tensors |= {f"average.{name}": rbm.shaped(name, x) for name, x in values}
        tensors["average.covered"] = state.averages.covered
    return tensors


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

    def read(path: Path, metadata: dict[str, Any]) -> RunState:
        arrays = read_tensors(path, _shapes(identity))
        return state_from_tensors(path, arrays, metadata, identity)

    return latest_state(run, lambda path, metadata: check_same_run(path, metadata, identity), read)


def latest_state(
    run: Path,
    check: Callable[[Path, dict[str, Any]], None],
    read: Callable[[Path, dict[str, Any]], State],
) -> State | None:
    """Read the latest checkpoint that can be read, None without one.

    `check` raises if a checkpoint is another run's; `read` raises if it is damaged.
    """
    checkpoints = list_checkpoints(run)
    for path in reversed(checkpoints):
        try:
            metadata = read_metadata(path)
        except WordRBMError:
            continue  # damaged: the one before it is as good, only older
        check(path, metadata)
        with suppress(WordRBMError):
            return read(path, metadata)
    if checkpoints:
        raise WordRBMError(
            f"None of the {len(checkpoints)} checkpoints in {run / FOLDER} can be read; remove "
            "that folder to train from the beginning."
        )
    return None


def state_from_tensors(
    path: Path, arrays: dict[str, Array], metadata: dict[str, Any], identity: RunIdentity
) -> RunState:
    """Return the state whose arrays and numbers these are; `path` names where they come from."""
    settings = identity.settings
    rbm = rbm_from_arrays(path, arrays)
    step: Any = metadata.get("step")
    rates: list[Any] = [metadata.get("acceptance"), metadata.get("jump_acceptance", 0.0)]
    fits = type(step) is int and 0 <= step <= settings.steps
    fits &= all(type(rate) is float and isfinite(rate) for rate in rates)
    if not (fits and _is_state(arrays, len(identity.vocabulary), step)):
        raise WordRBMError(f"{path} holds a state that does not fit its model; remove this file.")
    velocity = {name: _table(rbm, name, arrays[f"velocity.{name}"]) for name in ("U", "c")}
    chains = Chains(arrays["chains.v"], arrays["chains.h"].astype(rbm.c.dtype))
    averages = None
    if settings.averaging:
        value = {name: _table(rbm, name, arrays[f"average.{name}"]) for name in rbm.parameters()}
        averages = Averages(settings.averaging, value, ("D", "b"), arrays["average.covered"])
    state = TrainingState(step, chains, velocity, averages)
    return RunState(rbm, state, *rates)


def _table(rbm: WordRepRBM, name: str, values: Array) -> Array:
    """Copy values of the shape of a parameter into the layout of `WordRepRBM.table`."""
    table = np.empty_like(rbm.table(name))
    rbm.shaped(name, table)[...] = values
    return table


def _shapes(identity: RunIdentity) -> dict[str, Shape]:
    """Return the shapes of all arrays of a checkpoint."""
    settings, K = identity.settings, len(identity.vocabulary)
    shapes = shapes_for(K, settings)
    averages = {**shapes, "covered": (K,)} if settings.averaging else {}
    world = (identity.periodic or {}).get("world_size", 1)
    chains = rank_settings(settings, 0, world).chains * world
    return {
        **shapes,
        **{f"velocity.{name}": shapes[name] for name in ("U", "c")},
        "chains.v": (chains, settings.window),
        "chains.h": (chains, settings.hidden),
        **{f"average.{name}": shape for name, shape in averages.items()},
    }


def _is_state(arrays: dict[str, Array], K: int, step: int) -> bool:
    """Whether the arrays are a state of training after `step` updates.

    Chains hold word ids and binary hidden states, velocities and averages are finite and of the
    model's dtype, and averages cover no later update.
    """
    v, h, dtype = arrays["chains.v"], arrays["chains.h"], arrays["c"].dtype
    covered = arrays.get("average.covered", np.zeros(1, np.int64))
    tables = [x for name, x in arrays.items() if name.startswith(("velocity.", "average."))]
    fits = all(x.dtype == dtype and np.isfinite(x).all() for x in tables if x is not covered)
    fits &= covered.dtype == np.int64 and covered.min() >= 0 and covered.max() <= step
    fits &= v.dtype == np.int32 and v.min() >= 0 and v.max() < K
    return bool(fits and np.isin(h, (0, 1)).all())


def check_same_run(path: Path, metadata: dict[str, Any], identity: RunIdentity) -> None:
    """Raise if a file belongs to another run, naming every difference."""
    old, new = metadata.get("settings"), identity.settings.model_dump()
    old = old if isinstance(old, dict) else {}
    clustered = old.get("operator", "unigram") != "unigram"
    old = current_settings(old)
    differences = ["it proposed words by clusters, which training no longer does"] * clustered
    differences += changed_values(old, new)
    differences += _periodic_differences(metadata.get("periodic"), identity.periodic)
    if metadata.get("vocabulary") != identity.vocabulary.digest():
        differences.append("the vocabulary is another")
    if metadata.get("corpus") != identity.corpus:
        differences.append("the corpus is another")
    refuse_other_run(path, differences)


def _periodic_differences(stored: Any, current: dict[str, int] | None) -> list[str]:
    """Name what differs in how the ranks of a run are averaged."""
    old, new = (x if isinstance(x, dict) else {} for x in (stored, current))
    return [
        f"{name} was {short_repr(old.get(name))} and is now {new.get(name)!r}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
