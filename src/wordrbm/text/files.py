"""Input paths to input files: folders are walked in sorted order, hidden names skipped.

No input is skipped silently: a name in a folder that is neither a file nor a folder (a pipe, a
device, a broken link) is refused. A link to a folder is that folder, unless it leads to one that
contains it, which would never end.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from reprlib import repr as short_repr
from typing import Any, NoReturn

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.compression import refuse_other_archives

MAX_PATH_LENGTH = 4095  # bytes, the limit of Linux


def as_paths(inputs: str | Path | Iterable[str | Path]) -> list[Path]:
    """Convert one path or many to a list of `Path`; a string is one path, not many letters."""
    if isinstance(inputs, str | os.PathLike):
        return [_as_path(inputs)]
    if not isinstance(inputs, Iterable) or isinstance(inputs, bytes):
        _refuse_value(inputs, "is no path")
    return [_as_path(value) for value in inputs]


def _as_path(value: Any) -> Path:
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes):
        _refuse_value(value, "is no path")
    path = Path(value)
    text = str(path)
    too_long = len(text) > MAX_PATH_LENGTH
    if "\0" in text or too_long or ("\n" in text and not os.path.lexists(path)):
        _refuse_value(text, "is a text and no path")
    return path


def _refuse_value(value: Any, fault: str) -> NoReturn:
    raise WordRBMError(
        f"{short_repr(value)} {fault}; write the text to a file and give the path of that file."
    )


def find_files(inputs: Sequence[Path], out: Path | None = None) -> list[Path]:
    """List the files of every input, without those of the output folder `out`."""
    files: list[Path] = []
    for path in inputs:
        is_folder = path_status(path).is_folder
        files.extend(_walk(path, out) if is_folder else [_regular_file(path)])
    if not files:
        names = ", ".join(map(str, inputs))
        raise WordRBMError(f"No file was found in {names}; give a file or a folder of files.")
    for path in files:
        refuse_other_archives(path)
    return files


def _regular_file(path: Path) -> Path:
    if not path_status(path).is_file:
        raise WordRBMError(
            f"{path} is neither a file nor a folder; check the path, or remove what is there."
        )
    return path


def _walk(folder: Path, out: Path | None) -> Iterator[Path]:
    """The files of a folder, then those of each folder in it."""
    excluded = {os.path.realpath(out)} if out else set[str]()
    pending: list[tuple[Path, frozenset[str]]] = [(folder, frozenset())]
    while pending:
        path, above = pending.pop()
        ancestors = above | {os.path.realpath(path)}
        is_folder = {name: path_status(name).is_folder for name in _visible_names(path)}
        yield from (_regular_file(name) for name in is_folder if not is_folder[name])
        subfolders = [name for name in is_folder if is_folder[name]]
        for name in reversed(subfolders):  # so that the first is popped next
            if (target := os.path.realpath(name)) not in excluded:
                _refuse_loop(name, target, ancestors)
                pending.append((name, ancestors))


def _visible_names(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except OSError as error:
        raise WordRBMError(
            f"Could not list {folder}: {error.strerror}; check who may read the folder."
        ) from error


def _refuse_loop(path: Path, target: str, ancestors: frozenset[str]) -> None:
    if target in ancestors:
        raise WordRBMError(
            f"{path} is a link to a folder that contains it, {target}; remove the link."
        )
