"""A folder that appears whole or not at all, and work on it that can be stopped and gone on with.

It is built in a hidden folder beside its place, `.NAME.partial`, which one process at a time holds
and which is moved into place in one step. Whatever ends the work early, finished parts of it stay
for a resume: Ctrl-C and orders to end leave everything, a fault leaves all if there is a finished
part and else nothing, folders on the way included.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import locked, remove_leftovers, sync, told
from wordrbm.text.begun import note, refuse_other_work

RESULT = "result"
GONE = ".gone"
HELD = "a prepare"
TRIES = 10


@contextmanager
def appearing(out: Path, begun_with: Mapping[str, Any], *, resume: bool) -> Iterator[Path]:
    """Give a folder to work in; on leaving, its subfolder `result` becomes `out`."""
    with _work_folder(out, begun_with, resume=resume) as work:
        note(work, begun_with)
        remove_leftovers(work)
        remove(work / RESULT)
        (work / RESULT).mkdir()
        yield work
        sync(work / RESULT)
        os.replace(work / RESULT, out)
        sync(out.parent)


def refuse_existing(out: Path) -> None:
    """Only a path where nothing is, or an empty folder that may be replaced, is written to."""
    with told(out):
        if fault := _why_not_replaced(out):
            raise WordRBMError(f"{out} {fault}.")
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise WordRBMError(f"{out} exists already; choose another --out or remove it.")


def _why_not_replaced(out: Path) -> str:
    if out.is_symlink():
        return "is a link, which a folder cannot take the place of; name where it leads as --out"
    if os.path.ismount(out):
        return "is a mount point, which cannot be replaced; choose a folder inside it as --out"
    if out.exists() and out.samefile(os.curdir):
        return "is the current folder, which cannot be replaced; choose a folder inside it as --out"
    return ""


def work_folder(out: Path) -> Path:
    """Where the work for `out` is done."""
    return out.with_name(f".{out.name}.partial")


def remove_work(out: Path) -> None:
    """Remove the work that a process left which was killed when it had only that to do."""
    work = work_folder(out)
    if work.exists():
        with locked(work, HELD), told(work):
            shutil.rmtree(work)


def remove(path: Path) -> None:
    """Remove a folder so that a process that still writes there by its name can no longer."""
    gone = path.with_name(path.name + GONE)
    _erase(gone)  # there if a kill came between the two steps below
    with suppress(FileNotFoundError):
        os.replace(path, gone)
        _erase(gone)


def _erase(folder: Path) -> None:
    """Remove a folder that a worker without a parent may be removing at the same time."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    shutil.rmtree(folder)  # tells why it cannot be


def finished_parts(work: Path) -> list[Path]:
    """What is worth keeping: finished jobs have a number for a name."""
    return [path for path in work.iterdir() if path.name.isdigit()] if work.exists() else []


@contextmanager
def _work_folder(out: Path, begun_with: Mapping[str, Any], *, resume: bool) -> Iterator[Path]:
    work = work_folder(out)
    made = [folder for folder in work.parents if not folder.exists()]
    try:
        with told(out):
            _make(work, resume=resume)
        with locked(work, HELD):
            refuse_other_work(work, begun_with)
            with _kept(work), told(out):
                yield work
    finally:
        with suppress(OSError):  # a folder made on the way stays if anything is in it
            for folder in made:
                folder.rmdir()


def _make(work: Path, *, resume: bool) -> None:
    try:
        work.mkdir(parents=True)
    except FileExistsError as error:
        if not resume:
            raise WordRBMError(
                f"{work} exists: another prepare is at work or one was stopped; wait for it, go on "
                "with --resume, or remove it."
            ) from error


@contextmanager
def _kept(work: Path) -> Iterator[None]:
    """Remove the work when it is done or worth nothing, keep it when it was stopped."""
    try:
        yield
    except WordRBMError as error:
        if not finished_parts(work):
            shutil.rmtree(work, ignore_errors=True)
            raise
        sentence = str(error).removesuffix(".")
        raise WordRBMError(
            f"{sentence}; what was read is kept, --resume goes on with it."
        ) from error
    shutil.rmtree(work, ignore_errors=True)
