"""A run in the middle: the model, its chains, the optimiser and one integer, the update reached.

Random streams and the order of the data are functions of (seed, step), so nothing else is needed
to go on with the same bits. The last two checkpoints are kept.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordrbm.artifacts.modelfile import NAMES, describe, from_parameters
from wordrbm.artifacts.tensors import read_head, read_tensors, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM
from wordrbm.sampling import Chains
from wordrbm.storage import make_folder
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training import TrainingSettings, TrainingState

FOLDER = "checkpoints"
KEPT = 2
STATE_NAMES = {"velocity.U", "velocity.c", "chains.v", "chains.h"}


class Origin(NamedTuple):
    """What a run was started with; a resume must agree with all of it."""

    settings: TrainingSettings
    vocabulary: Vocabulary
    corpus: str  # the SHA-256 of the ids


def save_checkpoint(run: Path, rbm: WordRepRBM, state: TrainingState, origin: Origin) -> None:
    """Write a checkpoint beside the others and let go of the oldest."""
    folder = run / FOLDER
    make_folder(folder)
    tensors = {
        **rbm.parameters(),
        "velocity.U": state.velocity["U"],
        "velocity.c": state.velocity["c"],
        "chains.v": state.chains.v,
        "chains.h": state.chains.h.astype(np.uint8),  # states are 0 or 1
    }
    head = {"kind": "checkpoint", "step": state.step, "corpus": origin.corpus}
    head |= describe(rbm, origin.vocabulary, origin.settings)
    write_tensors(folder / f"{state.step:012d}.safetensors", tensors, head)
    for old in list_checkpoints(run)[:-KEPT]:
        old.unlink()


def list_checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted((run / FOLDER).glob("[0-9]*.safetensors"))


def remove_checkpoints(run: Path) -> None:
    """Let go of the checkpoints; whatever else lies in their folder is not ours to remove."""
    for path in list_checkpoints(run):
        path.unlink(missing_ok=True)
    with suppress(OSError):  # not there, or not empty
        (run / FOLDER).rmdir()


def newest_checkpoint(run: Path, origin: Origin) -> tuple[WordRepRBM, TrainingState] | None:
    """The newest checkpoint that can be read, none if there is none; another run's is refused."""
    for path in reversed(list_checkpoints(run)):
        try:
            head = read_head(path)
        except WordRBMError:
            continue  # damaged: the one before it is as good, only older
        _refuse_other_run(path, head, origin)
        with suppress(WordRBMError):
            return _load(path, head, origin)
    return None


def _load(path: Path, head: dict[str, Any], origin: Origin) -> tuple[WordRepRBM, TrainingState]:
    """The model and the state, if they fit the run."""
    found = read_tensors(path, NAMES | STATE_NAMES)
    rbm = from_parameters(path, found, len(origin.vocabulary), origin.settings)
    v, h = found["chains.v"], found["chains.h"].astype(rbm.c.dtype)
    velocity = {name: np.empty_like(rbm.parameters()[name]) for name in ("U", "c")}
    step, settings = head.get("step", -1), origin.settings
    fits = isinstance(step, int) and 0 <= step <= settings.steps
    fits &= v.shape == (settings.chains, settings.window) and v.dtype == np.int32
    fits &= h.shape == (settings.chains, settings.hidden)
    fits &= all(found[f"velocity.{name}"].shape == speed.shape for name, speed in velocity.items())
    if not (fits and v.min() >= 0 and v.max() < len(origin.vocabulary)):
        raise WordRBMError(f"{path} holds a state that does not fit its model; remove this file.")
    for name, speed in velocity.items():
        speed[...] = found[f"velocity.{name}"]
    return rbm, TrainingState(step, Chains(v, h), velocity)


def _refuse_other_run(path: Path, head: dict[str, Any], origin: Origin) -> None:
    then, now = head.get("settings"), origin.settings.model_dump()
    then = then if isinstance(then, dict) else {}
    differences = [
        f"{name} was {then.get(name)!r} and is now {now.get(name)!r}"
        for name in sorted(then.keys() | now.keys())
        if then.get(name) != now.get(name)
    ]
    if head.get("vocabulary") != origin.vocabulary.digest():
        differences.append("the vocabulary is another")
    if head.get("corpus") != origin.corpus:
        differences.append("the corpus is another")
    if differences:
        raise WordRBMError(
            f"{path} belongs to another run: {'; '.join(differences)}; resume with the same "
            "settings and corpus, or train into another folder."
        )
