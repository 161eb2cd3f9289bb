"""The whole way from text files to a prepared corpus, tokenising once.

    pass 1   workers: files -> shards of provisional ids, stories' ends and word counts
    merge    counts of all shards -> the vocabulary
    pass 2   shards -> one stream of final ids, and the runs cut from the stories

Everything is built in a hidden folder beside the output and takes its place in one step; a fault
or Ctrl-C removes that folder. The bytes depend on the text and the settings alone.
"""

import os
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.errors import WordRBMError
from wordrbm.storage import sync
from wordrbm.text import jobs, manifest
from wordrbm.text.corpus import find_files
from wordrbm.text.counting import Counted, count
from wordrbm.text.manifest import CorpusCounts, Manifest, seal
from wordrbm.text.runs import HELDOUT, make_runs
from wordrbm.text.settings import PrepareSettings
from wordrbm.text.shard import Shard, shards


class PrepareProgress(NamedTuple):
    """How far a stage is: `done` of `total`, in bytes when reading, in tokens when writing."""

    stage: str
    done: int
    total: int
    tokens: int


def prepare(
    inputs: Sequence[Path], out: Path, settings: PrepareSettings, workers: int
) -> Generator[PrepareProgress, None, None]:
    """Prepare a corpus in the folder `out`, telling on the way how far it is."""
    out = Path(os.path.abspath(out))
    _check(out, settings, workers)
    files = find_files(inputs)
    with _told(out), _work_folder(out) as work:
        yield from _read(files, work, settings, workers)
        found = list(shards(work))
        yield PrepareProgress("count", 0, len(found), 0)
        counted = count(
            [shard.counts for shard in found], settings.vocabulary_size, settings.min_count
        )
        if not counted.tokens:
            names = ", ".join(map(str, inputs))
            raise WordRBMError(f"There is not one word in {names}; name files that hold text.")
        result = work / "result"
        result.mkdir()
        yield from _write(found, counted, result)
        _finish(result, found, counted, settings)
        os.replace(result, out)
        sync(out.parent)


def _check(out: Path, settings: PrepareSettings, workers: int) -> None:
    settings.check()
    if workers < 1:
        raise WordRBMError(f"There are to be {workers} workers; at least 1 is needed.")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise WordRBMError(f"{out} exists already; choose another --out or remove it.")


@contextmanager
def _work_folder(out: Path) -> Iterator[Path]:
    """A hidden folder beside the output, gone afterwards however things end."""
    work = out.with_name(f".{out.name}.partial")
    made = [folder for folder in work.parents if not folder.exists()]
    try:
        work.mkdir(parents=True)
    except FileExistsError as error:
        raise WordRBMError(
            f"{work} exists: another prepare is running or was killed; wait for it or remove it."
        ) from error
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        with suppress(OSError):  # folders made on the way stay if the output is in them
            for folder in made:
                folder.rmdir()


@contextmanager
def _told(out: Path) -> Iterator[None]:
    """A failed write becomes one sentence."""
    try:
        yield
    except OSError as error:
        raise WordRBMError(
            f"Could not write {out}: {error.strerror or error}; free some space or choose another "
            "folder, nothing was left behind."
        ) from error


def _read(
    files: Sequence[Path], work: Path, settings: PrepareSettings, workers: int
) -> Iterator[PrepareProgress]:
    grouped = jobs.group(files)
    total = sum(job.size for job in grouped)
    for meter in jobs.run_all(grouped, work, settings.field, workers):
        yield PrepareProgress("read", meter.bytes, total, meter.tokens)


def _write(found: Sequence[Shard], counted: Counted, result: Path) -> Iterator[PrepareProgress]:
    """Append every shard to the stream, its provisional ids replaced by final ones."""
    index, done = counted.vocabulary.index, 0
    with (result / manifest.IDS).open("wb") as stream:
        for shard in found:
            ids = np.fromfile(shard.ids, "<i4")
            final = np.zeros(ids.max(initial=-1) + 1, "<i4")
            with shard.counts.open(encoding="utf-8", newline="\n") as lines:
                for line in lines:
                    word, number, _ = line.split("\t")
                    final[int(number)] = index.get(word, 0)
            final[ids].tofile(stream)
            done += ids.size
            yield PrepareProgress("write", done, counted.tokens, counted.tokens)


def _finish(
    result: Path, found: Sequence[Shard], counted: Counted, settings: PrepareSettings
) -> None:
    """The runs, the vocabulary, and last the manifest."""
    ends = _story_ends(found)
    runs = make_runs(ends, settings.heldout)
    runs.astype("<i8").tofile(result / manifest.RUNS)
    counted.vocabulary.write(result / manifest.VOCABULARY)
    for name in manifest.FILES:
        sync(result / name)
    unknown = int(counted.vocabulary.counts[0])
    held = runs[runs[:, 2] == HELDOUT]
    counts = CorpusCounts(
        stories=ends.size,
        tokens=counted.tokens,
        types=counted.types,
        vocabulary=len(counted.vocabulary),
        unknown=unknown,
        coverage=round(1.0 - unknown / counted.tokens, 6),
        heldout=int((held[:, 1] - held[:, 0]).sum()),
    )
    Manifest(settings, counts, seal(result, manifest.FILES)).write(result)


def _story_ends(found: Sequence[Shard]) -> Int64[np.ndarray, " S"]:
    """Where stories end in the whole stream."""
    ends, before = [], 0
    for shard in found:
        ends.append(np.fromfile(shard.ends, "<i8") + before)
        before += shard.ids.stat().st_size // 4
    return np.concatenate(ends).astype(np.int64)
