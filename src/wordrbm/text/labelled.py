"""Labelled documents on disk: a folder, or a file, is named after its class.

    DATA/train/CLASS/...  and DATA/test/CLASS/...     as folders of files
    DATA/train_CLASS.jsonl.gz and DATA/test_...       as files of many documents
    DATA/CLASS/...                                    without a test set

A plain text file is a document, so is a line of JSON lines. The class `unsup` is no class: its
documents are unlabelled, for training only.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.files import find_files, visible_paths
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
    _check_folder(data)
    train, test = _train_files(data, out), _files_of_split(data, TEST)
    unlabelled = train.pop(UNLABELLED, [])
    test.pop(UNLABELLED, None)
    _check_classes(data, train, test)
    return LabelledFiles(train, test, unlabelled)


def find_test_set(folder: Path, classes: Collection[str]) -> FilesByClass:
    """Find the files of every class in a folder of test documents, or in the test set inside it."""
    _check_folder(folder)
    files = _files_of_split(folder, TEST) or _train_files(folder)
    files.pop(UNLABELLED, None)
    if set(files) != set(classes):
        raise WordRBMError(
            f"{folder} has test documents of {_list_names(files)}, and the classes of the training "
            f"documents are {_list_names(classes)}; give a folder that holds one of documents for "
            "each of these classes, and no other."
        )
    return files


def _check_folder(path: Path) -> None:
    if not path_status(path).is_folder:
        raise WordRBMError(f"{path} is no folder; give one that holds a folder for each class.")


def _train_files(data: Path, out: Path | None = None) -> dict[str, list[Path]]:
    """The files of the training set by class; without one, those of every folder but `out`."""
    if files := _files_of_split(data, TRAIN):
        return files
    excluded = out and out.resolve()
    flat = [path for path in _subfolders(data) if path.name != TEST]
    return {path.name: find_files([path]) for path in flat if path.resolve() != excluded}


def _files_of_split(data: Path, split: str) -> dict[str, list[Path]]:
    """The files of a split by class: in its folder, or with its name as prefix."""
    prefixed = [path for path in _visible_paths(data) if path.name.startswith(f"{split}_")]
    json_files = [path for path in prefixed if inner_suffix(path) in JSON_LINES]
    files = [path for path in json_files if path_status(path).is_file]
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


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in _visible_paths(folder) if path_status(path).is_folder]


def _visible_paths(folder: Path) -> list[Path]:
    paths = visible_paths(folder)
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
            f"{data} has the classes {_list_names(train)} for training and {_list_names(test)} for "
            "testing; put documents of the same classes in both, under the same names."
        )


def _list_names(classes: Collection[str]) -> str:
    return ", ".join(sorted(classes)) or "no class"
