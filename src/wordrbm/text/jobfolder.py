"""The folder of a job: it has its name only when the job is done, and says what it was made from.

    000007.4711.part/   while process 4711 works at job 7
    000007/             when all its files are on the disk: shards, and job.json

`job.json` holds the record of the job: path, size and time of change of every file, the settings
it was read with, the program, how much it gave, the SHA-256 of every file and the size of every
shard file. A resume keeps the jobs whose record is what would be written now, if the shards are
still as long. It first takes the `.part` folders away; a process whose parent was killed may live
on, but can then neither write in its folder nor give it the name.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_errors, read_limited, sync
from wordrbm.text.settings import PrepareSettings
from wordrbm.text.shard import sizes

RECORD = "job.json"
LARGEST = 1 << 30  # bytes; of very small files a job has very many
PART = ".part"


class Job(NamedTuple):
    """The files one worker reads, in order, and where the job stands among all jobs."""

    number: int
    files: tuple[Path, ...]
    size: int  # bytes on disk


@dataclass(frozen=True)
class Record:
    """What a job was made from (path, size, time of change of each file), and what it gave.

    `digests` has the SHA-256 of each file, `shards` the size of each file of its shards.
    """

    program: str
    field: str
    encoding_errors: str
    files: list[list[Any]]
    tokens: int = 0
    replaced: int = 0
    digests: tuple[str, ...] | list[str] = ()
    shards: dict[str, int] | None = None

    @property
    def bytes(self) -> int:
        """The size of all files on disk."""
        return sum(size for _, size, _ in self.files)


def record_now(job: Job, settings: PrepareSettings) -> Record:
    """What a job would be made from if it began now."""
    files = [_as_it_is(path) for path in job.files]
    return Record(_program(), settings.field, settings.encoding_errors, files)


def _program() -> str:
    return f"wordrbm {version('wordrbm')}"  # which decides what is a word


def _as_it_is(path: Path) -> list[Any]:
    with read_errors(path):
        found = path.stat()
    return [os.path.abspath(path), found.st_size, found.st_mtime_ns]


def refuse_changed(job: Job, before: Record, now: Record) -> None:
    """Refuse to call a job done if a file of it was written to meanwhile."""
    for path, then, later in zip(job.files, before.files, now.files, strict=True):
        if then != later:
            raise WordRBMError(
                f"{path} was changed while it was read; let its writer finish, then prepare again."
            )


def folder_of(work: Path, job: Job) -> Path:
    """Where a finished job stands."""
    return work / f"{job.number:06}"


@contextmanager
def being_written(work: Path, job: Job) -> Iterator[Path]:
    """A folder of this process's own to write a job in; it is gone afterwards if not named."""
    part = work / f"{job.number:06}.{os.getpid()}{PART}"
    part.mkdir()
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_record(part: Path, record: Record) -> None:
    """Say in the folder what it is; all in it is on the disk then."""
    path = part / RECORD
    path.write_text(json.dumps(asdict(record)), encoding="utf-8")
    sync(path)
    sync(part)


def name_finished(part: Path, work: Path, job: Job) -> None:
    """Give the folder of a job its name, in one step."""
    os.replace(part, folder_of(work, job))
    sync(work)


def read_record(work: Path, job: Job) -> Record:
    """The record of a finished job."""
    path = folder_of(work, job) / RECORD
    with read_errors(path):
        return Record(**json.loads(read_limited(path, LARGEST)))


def is_finished(work: Path, job: Job, settings: PrepareSettings) -> bool:
    """Whether a job stands finished that was made from what is there now."""
    try:
        found = read_record(work, job)
        is_long = sizes(folder_of(work, job)) == found.shards
    except (WordRBMError, OSError, ValueError, TypeError):  # there is none, or not as we write it
        return False
    made_from = replace(found, tokens=0, replaced=0, digests=(), shards=None)
    return is_long and made_from == record_now(job, settings)
