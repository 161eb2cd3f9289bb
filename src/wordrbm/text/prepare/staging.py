"""The staging folder of a prepare: what survives a kill, what a resume may keep.

An output folder NAME appears complete or not at all. It is built in a hidden folder beside it,

    .NAME.partial/work.json   every setting and the inputs, absolute: a resume must have the same
    .NAME.partial/000007/     a committed job (jobs.py)
    .NAME.partial/result/     the corpus, renamed to NAME when complete

which one process at a time locks. Whatever ends the work early, committed jobs remain for a resume:
Ctrl-C and SIGTERM leave everything, an error leaves everything if there is a committed job and else
nothing, parent folders included.

A resume may loosen `encoding_errors` from strict to replace: text that was read strictly is the
same either way, so committed jobs stay valid and only files not yet read are read differently.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import (
    folder_lock,
    fsync,
    path_status,
    read_errors,
    read_limited,
    remove_temporaries,
    write_errors,
    write_text,
)
from wordrbm.text.corpus import MANIFEST, PreparedCorpus
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.jobs import (
    PART,
    Job,
    combined_hash,
    committed_folders,
    file_hashes,
    is_committed,
    job_folder,
)
from wordrbm.text.reader import REPLACE, STRICT

RESULT = "result"
KEY = "work.json"
MAX_KEY_BYTES = 1 << 28  # there may be a million input paths
REMOVED = ".gone"
PURPOSE = "a prepare"
REMOVE_ATTEMPTS = 10


@contextmanager
def staged_output(out: Path, key: Mapping[str, Any], *, resume: bool) -> Iterator[Path]:
    """Give a staging folder to work in; on leaving, its subfolder `result` becomes `out`."""
    work = staging_folder(out)
    created = [folder for folder in work.parents if not folder.exists()]
    try:
        with write_errors(out):
            _make_staging(work, resume=resume)
        with folder_lock(work, PURPOSE):
            check_resume_key(work, key)
            with _keep_if_useful(work), write_errors(out):
                remove_temporaries(work)
                write_text(work / KEY, json.dumps(key))  # new, or with loosened encoding_errors
                remove_folder(work / RESULT)
                (work / RESULT).mkdir()
                yield work
                fsync(work / RESULT)
                os.replace(work / RESULT, out)
                fsync(out.parent)
    finally:
        with suppress(OSError):  # a parent folder made here stays if anything is in it
            for folder in created:
                folder.rmdir()


def _make_staging(work: Path, *, resume: bool) -> None:
    if work.exists() and not resume:
        raise WordRBMError(
            f"{work} exists: another prepare is running or one was stopped; wait for it, "
            "continue with --resume, or remove it."
        )
    work.mkdir(parents=True, exist_ok=True)


@contextmanager
def _keep_if_useful(work: Path) -> Iterator[None]:
    """Remove the staging folder when it is complete or has no job, keep it when stopped."""
    try:
        yield
    except WordRBMError as error:
        if not committed_folders(work):
            shutil.rmtree(work, ignore_errors=True)
            raise
        sentence = str(error).removesuffix(".")
        raise WordRBMError(
            f"{sentence}; what was read is kept, --resume continues from there."
        ) from error
    shutil.rmtree(work, ignore_errors=True)


def staging_folder(out: Path) -> Path:
    """The folder in which the output `out` is built."""
    return out.with_name(f".{out.name}.partial")


def refuse_existing(out: Path) -> None:
    """Refuse an output path where anything but an empty, replaceable folder is."""
    with write_errors(out):
        if fault := _why_not_replaceable(out):
            raise WordRBMError(f"{out} {fault}.")
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise WordRBMError(f"{out} exists already; choose another --out or remove it.")


def _why_not_replaceable(out: Path) -> str:
    if out.is_symlink():
        return "is a link, which a folder cannot replace; give its target as --out"
    if os.path.ismount(out):
        return "is a mount point, which cannot be replaced; choose a folder inside it as --out"
    if out.exists() and out.samefile(os.curdir):
        return "is the current folder, which cannot be replaced; choose a folder inside it as --out"
    return ""


def remove_folder(path: Path) -> None:
    """Remove a folder; a process that still writes there by its name fails from now on."""
    removed = path.with_name(path.name + REMOVED)
    _erase(removed)  # there if a kill came between the two steps below
    with suppress(FileNotFoundError):
        os.replace(path, removed)
        _erase(removed)


def _erase(folder: Path) -> None:
    """Remove a folder that a worker without a parent may be removing at the same time."""
    for _ in range(REMOVE_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    shutil.rmtree(folder)  # raises the reason


def pending_jobs(jobs: Sequence[Job], work: Path, settings: PrepareSettings) -> list[Job]:
    """Remove what a killed prepare left incomplete, and list the jobs still to run."""
    for path in [*work.glob(f"*{REMOVED}"), *work.glob(f"*{PART}")]:  # first of all: see jobs.py
        remove_folder(path)
    valid = {job_folder(work, job) for job in jobs if is_committed(work, job, settings)}
    for path in committed_folders(work):
        if path not in valid:
            remove_folder(path)
    return [job for job in jobs if job_folder(work, job) not in valid]


def discard_jobs(work: Path) -> None:
    """Remove all committed jobs, of which no corpus can be made."""
    for path in committed_folders(work):
        remove_folder(path)


def resume_key(inputs: Iterable[Path], settings: PrepareSettings) -> dict[str, Any]:
    """What must be the same in a resume."""
    return {**settings.model_dump(), "inputs": [os.path.abspath(path) for path in inputs]}


def check_resume_key(work: Path, key: Mapping[str, Any]) -> None:
    """Refuse to resume work that was started with other settings or inputs."""
    path = work / KEY
    if not path.exists():
        return
    old = _read_resume_key(path)
    if (old.get("encoding_errors"), key.get("encoding_errors")) == (STRICT, REPLACE):
        old["encoding_errors"] = REPLACE  # the one change a resume may make: see above
    if changes := setting_differences(old, key):
        raise WordRBMError(
            f"{work} was started with other settings: {'; '.join(changes)}; use the same, or "
            "remove the folder."
        )


def _read_resume_key(path: Path) -> dict[str, Any]:
    try:
        with read_errors(path):
            key = json.loads(read_limited(path, MAX_KEY_BYTES))
    except ValueError:
        key = None
    if not isinstance(key, dict):
        raise WordRBMError(f"{path} is not what a prepare wrote; remove the folder it is in.")
    return key


def setting_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """A phrase for every value that differs."""
    return [
        f"{name} was {_as_text(old.get(name))} and is now {_as_text(new.get(name))}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


def _as_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def is_complete(out: Path, files: Sequence[Path], settings: PrepareSettings) -> bool:
    """Whether `out` is a prepared corpus; it must then be of these settings and inputs."""
    if not path_status(out / MANIFEST).is_file:
        return False
    manifest = PreparedCorpus.open(out).manifest
    counts, size = manifest.counts, sum(path_status(path).size for path in files)
    old = {**manifest.settings.model_dump(), "files": counts.files, "bytes": counts.bytes}
    new = {**settings.model_dump(), "files": len(files), "bytes": size}
    if old == new and manifest.inputs:  # inputs of the same size may still be another text
        name = "the SHA-256 of the inputs"
        old, new = {name: manifest.inputs}, {name: combined_hash(file_hashes(files))}
    if changes := setting_differences(old, new):
        raise WordRBMError(
            f"{out} was prepared from something else: {'; '.join(changes)}; choose another "
            "--out or remove it."
        )
    if (work := staging_folder(out)).exists():  # of a process that was killed after the rename
        with folder_lock(work, PURPOSE), write_errors(work):
            shutil.rmtree(work)
    return True
