"""A corpus that is whole already: a resume of it has nothing to do, if it is the one asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text import manifest
from wordrbm.text.appearing import remove_work
from wordrbm.text.begun import differences
from wordrbm.text.digest import digests, of_all
from wordrbm.text.prepared import Prepared
from wordrbm.text.settings import PrepareSettings

INPUTS = "the SHA-256 of the inputs"


def is_whole(out: Path, files: Sequence[Path], settings: PrepareSettings) -> bool:
    """Whether `out` is a prepared corpus; it must then be of these settings and inputs."""
    if not path_status(out / manifest.NAME).is_file:
        return False
    head = Prepared.open(out).manifest
    before = {**asdict(head.settings), "files": head.counts.files, "bytes": head.counts.bytes}
    size = sum(path_status(path).size for path in files)
    _refuse_other(out, before, {**asdict(settings), "files": len(files), "bytes": size})
    if head.inputs:  # what was asked for may have the same size and yet be another text
        _refuse_other(out, {INPUTS: head.inputs}, {INPUTS: of_all(digests(files))})
    remove_work(out)
    return True


def _refuse_other(out: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if changes := differences(before, now):
        raise WordRBMError(
            f"{out} was prepared from something else: {'; '.join(changes)}; choose another "
            "--out or remove it."
        )
