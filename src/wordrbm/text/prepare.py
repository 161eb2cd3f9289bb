"""The whole way from text files to a prepared corpus, tokenising once.

    pass 1   workers: files -> shards of provisional ids, stories' ends and word counts
    merge    counts of all shards -> the vocabulary
    pass 2   shards -> one stream of final ids, and the runs cut from the stories

The output appears whole or not at all, and its bytes depend on the text and the settings alone.
"""

from collections.abc import Generator, Iterator, Sequence
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.errors import WordRBMError
from wordrbm.storage import sync
from wordrbm.text import jobs, manifest
from wordrbm.text.appearing import RESULT, appearing
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
    inputs: str | Path | Sequence[str | Path], out: Path, settings: PrepareSettings, workers: int
) -> Generator[PrepareProgress, None, None]:
    """Prepare a corpus in the folder `out`, telling on the way how far it is."""
    _check(settings, workers)
    paths = _paths(inputs)
    files = find_files(paths)
    with appearing(out) as work:
        yield from _read(files, work, settings, workers)
        found = list(shards(work))
        yield PrepareProgress("count", 0, len(found), 0)
        counted = _count(found, paths, settings)
        yield PrepareProgress("count", len(found), len(found), counted.tokens)
        yield from _write(found, counted, work / RESULT)
        _finish(work / RESULT, found, counted, settings)


def _paths(inputs: str | Path | Sequence[str | Path]) -> list[Path]:
    """One path alone is a list of one: a string is also a sequence, of letters."""
    return [Path(path) for path in ([inputs] if isinstance(inputs, str | Path) else inputs)]


def _check(settings: PrepareSettings, workers: int) -> None:
    wrong = settings.problems()
    if not isinstance(workers, Integral) or workers < 1:
        wrong.append(f"there are to be {workers!r} workers but at least 1 is needed")
    if wrong:
        raise WordRBMError(f"These settings cannot be used: {'; '.join(wrong)}.")


def _read(
    files: Sequence[Path], work: Path, settings: PrepareSettings, workers: int
) -> Iterator[PrepareProgress]:
    grouped = jobs.group(files)
    total = sum(job.size for job in grouped)
    for meter in jobs.run_all(grouped, work, settings.field, workers):
        yield PrepareProgress("read", meter.bytes, total, meter.tokens)


def _count(found: Sequence[Shard], inputs: Sequence[Path], settings: PrepareSettings) -> Counted:
    files = [shard.counts for shard in found]
    counted = count(files, settings.vocabulary_size, settings.min_count)
    names = ", ".join(map(str, inputs))
    if not counted.tokens:
        raise WordRBMError(f"There is not one word in {names}; name files that hold text.")
    if len(counted.vocabulary) == 1:
        raise WordRBMError(
            f"No word of {names} was seen {settings.min_count} times; lower --min-count."
        )
    return counted


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
