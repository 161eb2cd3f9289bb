"""The whole way from text files to a prepared corpus, tokenising once.

    pass 1   workers: files -> shards of provisional ids, stories' ends and word counts
    merge    counts of all shards -> the vocabulary
    pass 2   shards -> one stream of final ids, and the runs cut from the stories

The output appears whole or not at all, and its bytes depend on the text and the settings alone:
not on the number of workers, nor on how often the work was stopped or killed and gone on with.
"""

import os
from collections.abc import Generator, Iterable, Sequence
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from wordrbm.errors import WordRBMError
from wordrbm.storage import sync
from wordrbm.text import jobs, manifest
from wordrbm.text.appearing import RESULT, appearing, refuse_existing
from wordrbm.text.begun import begun_with
from wordrbm.text.counting import Counted, count
from wordrbm.text.digest import of_all
from wordrbm.text.files import as_paths, find_files
from wordrbm.text.jobfolder import Job, Record, folder_of, read_record
from wordrbm.text.joining import Stories, write_ids, write_runs
from wordrbm.text.manifest import CorpusCounts, Manifest, seal
from wordrbm.text.settings import PrepareSettings
from wordrbm.text.shard import shards
from wordrbm.text.unusable import refuse_lost_ids, refuse_lost_tokens, refuse_wordless
from wordrbm.text.whole import is_whole


class PrepareProgress(NamedTuple):
    """How far a stage is: `done` of `total`, in bytes when reading, in tokens when writing."""

    stage: str
    done: int
    total: int
    tokens: int


Steps = Generator[PrepareProgress, None, None]


def prepare(
    inputs: str | Path | Iterable[str | Path],
    out: Path,
    settings: PrepareSettings,
    workers: int,
    resume: bool = False,
) -> Steps:
    """Prepare a corpus in the folder `out`, telling on the way how far it is."""
    _check(settings, workers)
    paths, out = as_paths(inputs), Path(os.path.abspath(out))
    files = find_files(paths, out)
    if resume and is_whole(out, files, settings):
        return
    refuse_existing(out)
    with appearing(out, begun_with(paths, settings), resume=resume) as work:
        grouped = jobs.group(files)
        yield from _read(grouped, work, settings, workers)
        yield from _join(grouped, work, paths, settings)


def _check(settings: PrepareSettings, workers: int) -> None:
    wrong = settings.problems()
    if not isinstance(workers, Integral) or workers < 1:
        wrong.append(f"there are to be {workers!r} workers but at least 1 is needed")
    if wrong:
        raise WordRBMError(f"These settings cannot be used: {'; '.join(wrong)}.")


def _read(grouped: Sequence[Job], work: Path, settings: PrepareSettings, workers: int) -> Steps:
    """Do the jobs that are not done; what an earlier prepare did counts as read."""
    to_do = jobs.still_to_do(grouped, work, settings)
    numbers = {job.number for job in to_do}
    kept = [job for job in grouped if job.number not in numbers]
    tokens = sum(read_record(work, job).tokens for job in kept)
    done, total = sum(job.size for job in kept), sum(job.size for job in grouped)
    for meter in jobs.run_all(to_do, work, settings, workers):
        yield PrepareProgress("read", done + meter.bytes, total, tokens + meter.tokens)


def _join(
    grouped: Sequence[Job], work: Path, inputs: Sequence[Path], settings: PrepareSettings
) -> Steps:
    found = [shard for job in grouped for shard in shards(folder_of(work, job))]
    yield PrepareProgress("count", 0, len(found), 0)
    counted = count([shard.counts for shard in found], settings.vocabulary_size, settings.min_count)
    records = [read_record(work, job) for job in grouped]
    tokens = sum(record.tokens for record in records)
    refuse_lost_tokens(work, counted.tokens, tokens)
    refuse_lost_ids(work, [shard.ids for shard in found], tokens)
    refuse_wordless(counted, work, inputs, settings)
    yield PrepareProgress("count", len(found), len(found), counted.tokens)
    result = work / RESULT
    for done in write_ids(found, counted.vocabulary, result / manifest.IDS):
        yield PrepareProgress("write", done, tokens, tokens)
    refuse_lost_ids(work, [result / manifest.IDS], tokens)
    stories = write_runs(found, settings.heldout, result / manifest.RUNS)
    counted.vocabulary.write(result / manifest.VOCABULARY)
    for name in manifest.FILES:
        sync(result / name)
    counts = _counts(counted, stories, records)
    text = of_all(chain.from_iterable(record.digests for record in records))
    Manifest(settings, counts, text, seal(result, manifest.FILES)).write(result)


def _counts(counted: Counted, stories: Stories, records: Sequence[Record]) -> CorpusCounts:
    unknown = int(counted.vocabulary.counts[0])
    return CorpusCounts(
        files=sum(len(record.files) for record in records),
        bytes=sum(record.bytes for record in records),
        replaced=sum(record.replaced for record in records),
        stories=stories.stories,
        tokens=counted.tokens,
        types=counted.types,
        vocabulary=len(counted.vocabulary),
        unknown=unknown,
        coverage=round(1.0 - unknown / counted.tokens, 6),
        heldout=stories.heldout,
    )
