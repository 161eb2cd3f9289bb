"""A folder that appears whole or not at all.

It is built in a hidden folder beside its place, `.NAME.partial`, and moved there in one step. A
fault, Ctrl-C or an order to end removes all that was made, folders on the way included.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.storage import sync, told

RESULT = "result"


@contextmanager
def appearing(out: Path) -> Iterator[Path]:
    """Give a folder to work in; on leaving, its subfolder `result` becomes `out`."""
    out = Path(os.path.abspath(out))
    with told(out):
        refuse_existing(out)
        with _work_folder(out) as work:
            yield work
            os.replace(work / RESULT, out)
            sync(out.parent)


def refuse_existing(out: Path) -> None:
    """Only a path where nothing is, or an empty folder, may be written to."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise WordRBMError(f"{out} exists already; choose another --out or remove it.")


@contextmanager
def _work_folder(out: Path) -> Iterator[Path]:
    work = out.with_name(f".{out.name}.partial")
    made = [folder for folder in work.parents if not folder.exists()]
    try:
        work.mkdir(parents=True)
    except FileExistsError as error:
        raise WordRBMError(
            f"{work} exists: another prepare is running or was killed; wait for it or remove it."
        ) from error
    try:
        (work / RESULT).mkdir()
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        with suppress(OSError):  # a folder made on the way stays if the output is in it
            for folder in made:
                folder.rmdir()
