"""The folder of a training run: who may write in it, what belongs there, when it is finished."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.io import checkpoint
from wordrbm.io.checkpoint import RunIdentity, remove_checkpoints
from wordrbm.io.model_folder import LIKELIHOOD, MAP, METRICS, MODEL, TIMES, VOCABULARY
from wordrbm.io.tensors import read_metadata
from wordrbm.storage import folder_lock, is_temporary, make_folder, remove_temporaries
from wordrbm.trained_model import load

RUN_FILES = {VOCABULARY, METRICS, TIMES, MODEL, LIKELIHOOD, MAP, checkpoint.FOLDER}


@contextmanager
def run_folder(out: Path, *, resume: bool, files: Collection[str] = RUN_FILES) -> Iterator[None]:
    """Create and lock the folder of a run; removes temporary files of a killed process."""
    check_run_folder(out, resume=resume, files=files)
    make_folder(out)
    with folder_lock(out, "a training run"):
        # again: another run may have ended in the meantime
        check_run_folder(out, resume=resume, files=files)
        remove_temporaries(out)
        remove_temporaries(out / checkpoint.FOLDER)
        yield


def is_finished(out: Path, identity: RunIdentity) -> bool:
    """Whether the run has written its model; then its checkpoints are removed."""
    if not (out / MODEL).exists():
        return False
    checkpoint.check_same_run(out / MODEL, read_metadata(out / MODEL), identity)
    if not (out / VOCABULARY).exists():
        identity.vocabulary.write(out / VOCABULARY)
    load(out)  # a finished run is one whose model can be used
    remove_checkpoints(out)
    return True


def check_run_folder(out: Path, *, resume: bool, files: Collection[str] = RUN_FILES) -> None:
    """Refuse a folder that is neither new nor the folder of a run, whose files these are."""
    if out.exists() and not out.is_dir():
        raise WordRBMError(f"{out} is a file; name a folder to train into.")
    names = (
        {path.name for path in out.iterdir() if not is_temporary(path)} if out.exists() else set()
    )
    if MODEL in names and not resume:
        raise WordRBMError(f"{out} already holds a trained model; train into another folder.")
    if names and not resume:
        raise WordRBMError(
            f"{out} is not empty; give --resume to go on with the run in it, or another folder."
        )
    if foreign := names.difference(files):
        raise WordRBMError(
            f"{out} holds {min(foreign)}, which no training run wrote; give the folder of the run "
            "to go on with, or a new one."
        )
