"""The folder of a training run: what may lie in it, and that one process at a time writes there.

A killed process leaves at most a checkpoint that is whole and files half-written under names of
their own; both are known here, so that the same command with `--resume` goes on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import FOLDER, RunIdentity, check_same_run, remove_checkpoints
from wordrbm.io.model_folder import LIKELIHOOD, METRICS, MODEL, TIMES, VOCABULARY
from wordrbm.io.tensors import read_metadata
from wordrbm.storage import folder_lock, is_temporary, make_folder, remove_temporaries
from wordrbm.trained_model import load

OURS = {VOCABULARY, METRICS, TIMES, MODEL, LIKELIHOOD, FOLDER}


@contextmanager
def run_folder(out: Path, *, resume: bool) -> Iterator[None]:
    """Hold the folder of a run, made if it is new, tidied if a process was killed in it."""
    refuse_other_folder(out, resume=resume)
    make_folder(out)
    with folder_lock(out, "a training run"):
        refuse_other_folder(out, resume=resume)  # another run may have ended in the meantime
        remove_temporaries(out)
        remove_temporaries(out / FOLDER)
        yield


def is_finished(out: Path, origin: RunIdentity) -> bool:
    """Whether the run has its model, which must be of this run; the last traces then go."""
    if not (out / MODEL).exists():
        return False
    check_same_run(out / MODEL, read_metadata(out / MODEL), origin)
    if not (out / VOCABULARY).exists():
        origin.vocabulary.write(out / VOCABULARY)
    load(out)  # a finished run is one whose model can be used
    remove_checkpoints(out)
    return True


def refuse_other_folder(out: Path, *, resume: bool) -> None:
    """Write only into a new folder, or into one that holds a run and nothing else."""
    if out.exists() and not out.is_dir():
        raise WordRBMError(f"{out} is a file; name a folder to train into.")
    found = (
        {path.name for path in out.iterdir() if not is_temporary(path)} if out.exists() else set()
    )
    if MODEL in found and not resume:
        raise WordRBMError(f"{out} already holds a trained model; train into another folder.")
    if found and not resume:
        raise WordRBMError(
            f"{out} is not empty; give --resume to go on with the run in it, or another folder."
        )
    if found - OURS:
        raise WordRBMError(
            f"{out} holds {min(found - OURS)}, which no training run wrote; give the folder of the "
            "run to go on with, or a new one."
        )
