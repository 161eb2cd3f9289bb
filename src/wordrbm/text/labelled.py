"""Labelled documents on disk: a folder, or a file, is named after its class.

    DATA/train/CLASS/...  and DATA/test/CLASS/...     as folders of files
    DATA/train_CLASS.jsonl.gz and DATA/test_...       as files of many documents
    DATA/CLASS/...                                    without a test set

A plain text file is a document, so is a line of JSON lines. The class `unsup` is no class: its
documents are unlabelled, for training only.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status, read_errors
from wordrbm.text.files import find_files
from wordrbm.text.formats import JSON_LINES
from wordrbm.text.reader import inner_suffix

TRAIN, TEST, UNLABELLED = "train", "test", "unsup"

FilesByClass: TypeAlias = Mapping[str, list[Path]]


class LabelledFiles(NamedTuple):
    """The files of the training and test set, class by class, and of unlabelled documents."""

    train: FilesByClass
    test: FilesByClass  # empty if there is no test set
    unlabelled: list[Path]


def find_labelled(data: Path, out: Path | None = None) -> LabelledFiles:
    """Find the files of every class in a folder, without those of the output folder `out`.

    There must be two classes or more, and the same ones in both sets.
    """
    if not path_status(data).is_folder:
        raise WordRBMError(f"{data} is no folder; give one that holds a folder for each class.")
    train, test = _files_of_split(data, TRAIN), _files_of_split(data, TEST)
    if not train:
        flat = [path for path in _subfolders(data) if path.name != TEST and not _same(path, out)]
        train = {path.name: find_files([path]) for path in flat}
    unlabelled = train.pop(UNLABELLED, [])
    test.pop(UNLABELLED, None)
    _check_classes(data, train, test)
    return LabelledFiles(train, test, unlabelled)


def _files_of_split(data: Path, split: str) -> dict[str, list[Path]]:
    """The files of a split by class: in its folder, or with its name as prefix."""
    prefixed = [path for path in _visible_paths(data) if path.name.startswith(f"{split}_")]
    files = [
        path for path in prefixed if path_status(path).is_file and inner_suffix(path) in JSON_LINES
    ]
    if not path_status(data / split).is_folder:
        return _group_by_class(files, split)
    if files:
        raise WordRBMError(
            f"{data} holds both the folder {split} and {files[0].name}; put all documents of a set "
            "into one of them."
        )
    return {path.name: find_files([path]) for path in _subfolders(data / split)}


def _group_by_class(files: list[Path], split: str) -> dict[str, list[Path]]:
    """Files by the class in their names, several if they differ in suffix alone."""
    by_class: dict[str, list[Path]] = {}
    for path in files:
        name = path.name.removeprefix(f"{split}_")
        name = name[: name.lower().rindex(inner_suffix(path))]
        by_class.setdefault(name, []).append(path)
    return by_class


def _same(path: Path, out: Path | None) -> bool:
    return out is not None and path.resolve() == out.resolve()


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in _visible_paths(folder) if path_status(path).is_folder]


def _visible_paths(folder: Path) -> list[Path]:
    with read_errors(folder):
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    for path in paths:
        if not path.name.isprintable():
            raise WordRBMError(f"{str(path)!r} is no name for a class; rename it.")
    return paths


def _check_classes(data: Path, train: FilesByClass, test: FilesByClass) -> None:
    if len(train) < 2:
        classes = f"only the class {next(iter(train))}" if train else "no folder of a class"
        raise WordRBMError(
            f"{data} holds {classes} where two or more were expected; put the documents of each "
            f"class in a folder of its own, {data / TRAIN}/CLASS."
        )
    if test and set(test) != set(train):
        raise WordRBMError(
            f"{data} has the classes {', '.join(sorted(train))} for training and "
            f"{', '.join(sorted(test))} for testing; name them alike."
        )
