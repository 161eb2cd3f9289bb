"""A job: the files that one worker tokenizes, its folder and its record.

    000007.4711.part/   while process 4711 runs job 7
    000007/             when the job is committed and all its files are on disk

A committed folder has segments and `job.json`, the record of the job: path, size and modification
time of every input file, the settings it was read with, the program, how much text there was, the
SHA-256 of every input file and the size of every segment file. A resume keeps the jobs whose record
is what would be written now, if the segments still have their sizes. It first removes the `.part`
folders; a worker whose parent was killed may live on, but can then neither write in its folder nor
commit it.

Files are grouped into jobs by their sizes alone, never by the number of workers, so the output does
not depend on it either.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum, auto
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.storage import fsync, path_status, read_errors, read_limited, sha256
from wordrbm.text.files import is_compressed
from wordrbm.text.formats import REPLACE_ADVICE, read_chunks
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.segments import SegmentWriter, segment_sizes
from wordrbm.text.reader import STRICT, open_text
from wordrbm.text.tokenizer import tokenize

JOB_BYTES = 16_000_000
COMPRESSION_RATIO = 3  # of text, about
RECORD = "job.json"
MAX_RECORD_BYTES = 1 << 30  # a job may have very many very small files
PART = ".part"


class Job(NamedTuple):
    """The files that one worker reads, in order, and the position among all jobs."""

    number: int
    files: tuple[Path, ...]
    size: int  # bytes on disk


def plan_jobs(files: Iterable[Path]) -> list[Job]:
    """Group consecutive files up to about 16 MB of text; a bigger file is a job of its own."""
    groups: list[list[Path]] = []
    sizes: list[int] = []  # on disk
    weight = JOB_BYTES + 1  # so that the first file starts the first group
    for path in files:
        size = path_status(path).size
        text_bytes = size * COMPRESSION_RATIO if is_compressed(path) else size
        if weight + text_bytes > JOB_BYTES:
            groups.append([])
            sizes.append(0)
            weight = 0
        groups[-1].append(path)
        sizes[-1] += size
        weight += text_bytes
    rows = enumerate(zip(groups, sizes, strict=True))
    return [Job(number, tuple(paths), size) for number, (paths, size) in rows]


@dataclass(frozen=True)
class JobRecord:
    """What a job was made from and what it gave."""

    program: str
    field: str
    encoding_errors: str
    files: list[list[Any]]  # path, size and modification time of each
    tokens: int = 0
    replaced: int = 0
    hashes: tuple[str, ...] | list[str] = ()  # the SHA-256 of each file
    segments: dict[str, int] | None = None  # the size of each segment file


def current_record(job: Job, settings: PrepareSettings) -> JobRecord:
    """The record of a job that would start now."""
    program = f"wordrbm {version('wordrbm')}"  # which decides what is a word
    files = [_file_state(path) for path in job.files]
    return JobRecord(program, settings.field, settings.encoding_errors, files)


def _file_state(path: Path) -> list[Any]:
    with read_errors(path):
        status = path.stat()
    return [os.path.abspath(path), status.st_size, status.st_mtime_ns]


def file_hashes(files: Iterable[Path]) -> list[str]:
    """The SHA-256 of each file, as it is on disk."""
    return [sha256(path) for path in files]


def combined_hash(hashes: Iterable[str]) -> str:
    """One SHA-256 of many: of their hexadecimal digits, each ended by a newline.

    It depends on the bytes and the order of the files alone, not on their names or their division
    into jobs.
    """
    return hashlib.sha256("".join(f"{digits}\n" for digits in hashes).encode()).hexdigest()


def job_folder(work: Path, job: Job) -> Path:
    """The folder of a committed job."""
    return work / f"{job.number:06}"


def committed_folders(work: Path) -> list[Path]:
    """The folders of all committed jobs, of this plan or of another: their names are numbers."""
    return [path for path in work.iterdir() if path.name.isdigit()] if work.exists() else []


def read_record(work: Path, job: Job) -> JobRecord:
    """Read the record of a committed job."""
    path = job_folder(work, job) / RECORD
    with read_errors(path):
        return JobRecord(**json.loads(read_limited(path, MAX_RECORD_BYTES)))


def is_committed(work: Path, job: Job, settings: PrepareSettings) -> bool:
    """Whether a job is committed and would give the same now."""
    try:
        record = read_record(work, job)
        is_complete = segment_sizes(job_folder(work, job)) == record.segments
    except (WordRBMError, OSError, ValueError, TypeError):  # missing, or not as we write it
        return False
    expected = current_record(job, settings)
    if record.encoding_errors == STRICT:  # then no byte had to be replaced
        expected = replace(expected, encoding_errors=STRICT)
    made_from = replace(record, tokens=0, replaced=0, hashes=(), segments=None)
    return is_complete and made_from == expected


class Stage(Enum):
    """How far a job is."""

    READING = auto()
    COMMITTING = auto()  # complete on disk but for the name of its folder
    COMMITTED = auto()


@dataclass(frozen=True)
class JobProgress:
    """Bytes read and tokens made by a job, or by many."""

    bytes: int
    tokens: int
    stage: Stage = Stage.READING

    def __add__(self, other: "JobProgress") -> "JobProgress":
        return JobProgress(self.bytes + other.bytes, self.tokens + other.tokens)


def run_job(job: Job, work: Path, settings: PrepareSettings) -> Iterator[JobProgress]:
    """Tokenize the files of a job into segments and commit its folder; yields the progress.

    Whoever iterates may stop before any step; after COMMITTING comes only the rename.
    """
    record = current_record(job, settings)
    part = work / f"{job.number:06}.{os.getpid()}{PART}"  # a folder of this process's own
    part.mkdir()
    try:
        writer = SegmentWriter(part)
        replaced = yield from _tokenize_files(job, settings, writer)
        writer.flush()
        hashes, segments = file_hashes(job.files), segment_sizes(part)
        _check_unchanged(job, record, current_record(job, settings))
        done = replace(record, tokens=writer.total_tokens, replaced=replaced)
        _write_record(part, replace(done, hashes=hashes, segments=segments))
        yield JobProgress(job.size, writer.total_tokens, Stage.COMMITTING)
        os.replace(part, job_folder(work, job))
        fsync(work)
    finally:
        shutil.rmtree(part, ignore_errors=True)  # unless it is committed
    yield JobProgress(job.size, writer.total_tokens, Stage.COMMITTED)


def _tokenize_files(
    job: Job, settings: PrepareSettings, writer: SegmentWriter
) -> Generator[JobProgress, None, int]:
    """Tokenize the files of a job; returns the number of replaced characters."""
    finished = replaced = 0
    for path in job.files:
        with open_text(path, settings.encoding_errors, REPLACE_ADVICE) as reader:
            for chunk in read_chunks(reader, settings.field):
                writer.add(tokenize(chunk.text), ends_document=chunk.ends_document)
                position = min(finished + reader.position(), job.size)
                yield JobProgress(position, writer.total_tokens)
            finished += reader.position()
            replaced += reader.replaced
    return replaced


def _check_unchanged(job: Job, before: JobRecord, after: JobRecord) -> None:
    for path, old, new in zip(job.files, before.files, after.files, strict=True):
        if old != new:
            raise WordRBMError(
                f"{path} was changed while it was read; let its writer finish, then prepare again."
            )


def _write_record(part: Path, record: JobRecord) -> None:
    path = part / RECORD
    path.write_text(json.dumps(asdict(record)), encoding="utf-8")
    fsync(path)
    fsync(part)
