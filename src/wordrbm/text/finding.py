"""The files that named paths stand for: folders are walked in sorted order, hidden names skipped.

Nothing that was named is passed over in silence: a name in a folder that is neither a file nor a
folder (a pipe, a device, a link to nothing) is refused. A link to a folder is that folder, unless
it leads to one that it stands in, which would never end.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.text.archives import refuse_other_archives
from wordrbm.text.looking import look


def find_files(inputs: Sequence[Path], out: Path | None = None) -> list[Path]:
    """The files under every input; `out`, the corpus to be made of them, is none of them."""
    files: list[Path] = []
    for path in inputs:
        files.extend(_walk(path, out) if look(path).is_folder else [_file(path)])
    if not files:
        names = ", ".join(map(str, inputs))
        raise WordRBMError(f"No file was found in {names}; name a file or a folder of files.")
    for path in files:
        refuse_other_archives(path)
    return files


def _file(path: Path) -> Path:
    if not look(path).is_file:
        raise WordRBMError(
            f"{path} is neither a file nor a folder; check the path, or remove what is there."
        )
    return path


def _walk(folder: Path, out: Path | None) -> Iterator[Path]:
    """The files of a folder, then those of each folder in it."""
    left_out = {os.path.realpath(out)} if out else set[str]()
    waiting: list[tuple[Path, frozenset[str]]] = [(folder, frozenset())]
    while waiting:
        path, above = waiting.pop()
        within = above | {os.path.realpath(path)}
        is_folder = {name: look(name).is_folder for name in _listed(path)}
        yield from (_file(name) for name in is_folder if not is_folder[name])
        folders = [name for name in is_folder if is_folder[name]]
        for name in reversed(folders):  # so that the first is the next to be taken
            if (place := os.path.realpath(name)) not in left_out:
                _refuse_loop(name, place, within)
                waiting.append((name, within))


def _listed(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    except OSError as error:
        raise WordRBMError(
            f"Could not list {folder}: {error.strerror}; check who may read the folder."
        ) from error


def _refuse_loop(path: Path, place: str, within: frozenset[str]) -> None:
    if place in within:
        raise WordRBMError(
            f"{path} is a link to a folder that it stands in, {place}; remove the link."
        )
