"""Documents with classes, as they lie on disk: a folder, or a file, is named after its class.

    DATA/train/CLASS/...  and DATA/test/CLASS/...     as folders of files
    DATA/train_CLASS.jsonl.gz and DATA/test_...       as files of many documents
    DATA/CLASS/...                                    without a part for testing

A plain text file is a document, so is a line of JSON lines. The class `unsup` is no class: its
documents are unlabelled, for training only.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.text.corpus import pieces
from wordrbm.text.finding import find_files
from wordrbm.text.looking import look, reading
from wordrbm.text.settings import STRICT
from wordrbm.text.source import inner_suffix

LINES = (".jsonl", ".ndjson")
TRAIN, TEST, UNLABELLED = "train", "test", "unsup"

Files = Mapping[str, list[Path]]  # of each class


class Labelled(NamedTuple):
    """The files of each part, class by class."""

    train: Files
    test: Files  # empty if there is no part for testing
    unlabelled: list[Path]


def find_labelled(data: Path, out: Path | None = None) -> Labelled:
    """What lies in a folder but `out`; two classes or more, and the same ones in both parts."""
    if not look(data).is_folder:
        raise WordRBMError(f"{data} is no folder; give one that holds a folder for each class.")
    train, test = _part(data, TRAIN), _part(data, TEST)
    if not train:
        flat = [path for path in _folders(data) if path.name != TEST and not _same(path, out)]
        train = {path.name: find_files([path]) for path in flat}
    unlabelled = train.pop(UNLABELLED, [])
    test.pop(UNLABELLED, None)
    _refuse_odd(data, train, test)
    return Labelled(train, test, unlabelled)


def documents(
    files: Iterable[Path], field: str = "text", encoding_errors: str = STRICT
) -> Iterator[str]:
    """Every document of some files, whole."""
    for path in files:
        gathered: list[str] = []
        for piece in pieces(path, field, encoding_errors):
            gathered.append(piece.text)
            if piece.ends_story:
                yield "".join(gathered)
                gathered = []


def _part(data: Path, part: str) -> dict[str, list[Path]]:
    """The files of one part: under its folder, or named after it."""
    named = [path for path in _names(data) if path.name.startswith(f"{part}_")]
    files = [path for path in named if look(path).is_file and inner_suffix(path) in LINES]
    if not look(data / part).is_folder:
        return _by_class(files, part)
    if files:
        raise WordRBMError(
            f"{data} holds both the folder {part} and {files[0].name}; put all documents of a part "
            "into one of them."
        )
    return {path.name: find_files([path]) for path in _folders(data / part)}


def _by_class(files: list[Path], part: str) -> dict[str, list[Path]]:
    """Files by the class in their names, several if they differ in suffix alone."""
    found: dict[str, list[Path]] = {}
    for path in files:
        name = path.name.removeprefix(f"{part}_")
        name = name[: name.lower().rindex(inner_suffix(path))]
        found.setdefault(name, []).append(path)
    return found


def _same(path: Path, out: Path | None) -> bool:
    return out is not None and path.resolve() == out.resolve()


def _folders(folder: Path) -> list[Path]:
    return [path for path in _names(folder) if look(path).is_folder]


def _names(folder: Path) -> list[Path]:
    with reading(folder):
        names = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in names:
        if not path.name.isprintable():
            raise WordRBMError(f"{str(path)!r} is no name for a class; rename it.")
    return names


def _refuse_odd(data: Path, train: Files, test: Files) -> None:
    if len(train) < 2:
        found = f"only the class {next(iter(train))}" if train else "no folder of a class"
        raise WordRBMError(
            f"{data} holds {found} where two or more were expected; put the documents of each "
            f"class in a folder of its own, {data / TRAIN}/CLASS."
        )
    if test and set(test) != set(train):
        raise WordRBMError(
            f"{data} has the classes {', '.join(sorted(train))} for training and "
            f"{', '.join(sorted(test))} for testing; name them alike."
        )
