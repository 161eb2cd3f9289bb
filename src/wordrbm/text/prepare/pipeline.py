"""Text files to a prepared corpus in three stages, tokenizing once.

    read    workers: files -> segments of provisional ids, document ends and word counts
    count   counts of all segments -> the vocabulary
    write   segments -> one stream of final ids, and the training and held-out spans

The output appears complete or not at all, and its bytes depend on the text and the settings alone:
not on the number of workers, nor on how often the work was stopped or killed and resumed.

The records of the jobs say how many tokens were read. Counts, segments and the final stream must
have as many: thus a disk that lost something is noticed.
"""

import os
from collections.abc import Generator, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wordrbm.errors import WordRBMError
from wordrbm.storage import fsync
from wordrbm.text import corpus
from wordrbm.text.corpus import CorpusCounts, FileDigest, Manifest
from wordrbm.text.files import as_paths, find_files
from wordrbm.text.prepare import PrepareSettings, check_prepare_settings
from wordrbm.text.prepare.jobs import (
    Job,
    JobRecord,
    combined_hash,
    job_folder,
    plan_jobs,
    read_record,
)
from wordrbm.text.prepare.segments import (
    VocabularyCounts,
    list_segments,
    merge_counts,
    write_ids,
    write_spans,
)
from wordrbm.text.prepare.sharing import Share
from wordrbm.text.prepare.staging import (
    RESULT,
    discard_jobs,
    is_complete,
    pending_jobs,
    refuse_existing,
    resume_key,
    staged_output,
    staging_folder,
)
from wordrbm.text.prepare.workers import run_jobs


class PrepareProgress(NamedTuple):
    """`done` of `total` of a stage: in bytes when reading, in tokens when writing."""

    stage: str
    done: int
    total: int
    tokens: int


Steps: TypeAlias = Generator[PrepareProgress, None, None]


def prepare_corpus(
    inputs: str | Path | Iterable[str | Path],
    out: Path,
    settings: PrepareSettings,
    workers: int,
    resume: bool = False,
    share: Share | None = None,
) -> Steps:
    """Prepare a corpus in the folder `out`; yields the progress.

    `share` is the part of this process where several prepare one corpus.
    """
    check_prepare_settings({}, workers)
    paths, out = as_paths(inputs), Path(os.path.abspath(out))
    files, share = find_files(paths, out), share or Share()
    share.check_files(files, settings.model_dump())
    if not share.is_first:
        yield from _run_share(share, (), plan_jobs(files), staging_folder(out), settings, workers)
        return
    if resume and is_complete(out, files, settings):
        with share.all_committed():
            share.divide((), ())
        return
    refuse_existing(out)
    with staged_output(out, resume_key(paths, settings), resume=resume) as work:
        jobs = plan_jobs(files)
        yield from _read(share, jobs, work, settings, workers)
        yield from _count_and_write(jobs, work, paths, settings)


def _run_share(
    share: Share,
    pending: Sequence[Job],
    jobs: Sequence[Job],
    work: Path,
    settings: PrepareSettings,
    workers: int,
) -> Steps:
    """Run the pending jobs of this process; those of the others are committed when it ends."""
    mine = share.divide(pending, jobs)
    total = sum(job.size for job in mine)
    with share.all_committed():
        for progress in run_jobs(mine, work, settings, workers):
            yield PrepareProgress("read", progress.bytes, total, progress.tokens)


def _read(
    share: Share, jobs: Sequence[Job], work: Path, settings: PrepareSettings, workers: int
) -> Steps:
    """Run the pending jobs; the progress includes those committed before."""
    pending = pending_jobs(jobs, work, settings)
    committed = set(jobs).difference(pending)
    tokens = sum(read_record(work, job).tokens for job in committed)
    done = sum(job.size for job in committed)
    for progress in _run_share(share, pending, jobs, work, settings, workers):
        total = done + progress.total
        yield PrepareProgress("read", done + progress.done, total, tokens + progress.tokens)


def _count_and_write(
    jobs: Sequence[Job], work: Path, inputs: Sequence[Path], settings: PrepareSettings
) -> Steps:
    records = [read_record(work, job) for job in jobs]
    segments = [segment for job in jobs for segment in list_segments(job_folder(work, job))]
    tokens = sum(record.tokens for record in records)
    yield PrepareProgress("count", 0, len(segments), 0)
    files = [segment.counts for segment in segments]
    counted = merge_counts(files, settings.vocabulary_size, settings.min_count)
    _check_size(work, "counted tokens", counted.tokens, tokens)
    _check_ids(work, [segment.ids for segment in segments], tokens)
    _refuse_empty_vocabulary(counted, work, inputs, settings)
    yield PrepareProgress("count", len(segments), len(segments), tokens)
    result = work / RESULT
    for done in write_ids(segments, counted.vocabulary, result / corpus.IDS):
        yield PrepareProgress("write", done, tokens, tokens)
    _check_ids(work, [result / corpus.IDS], tokens)
    documents, heldout = write_spans(segments, settings.heldout, result / corpus.SPANS)
    counted.vocabulary.write(result / corpus.VOCABULARY)
    counts = _corpus_counts(records, counted, documents, heldout)
    _write_manifest(result, settings, counts, records)


def _corpus_counts(
    records: Sequence[JobRecord], counted: VocabularyCounts, documents: int, heldout: int
) -> CorpusCounts:
    unknown = int(counted.vocabulary.counts[0])
    return CorpusCounts(
        files=sum(len(record.files) for record in records),
        bytes=sum(size for record in records for _, size, _ in record.files),
        replaced=sum(record.replaced for record in records),
        stories=documents,
        tokens=counted.tokens,
        types=counted.types,
        vocabulary=len(counted.vocabulary),
        unknown=unknown,
        coverage=round(1.0 - unknown / counted.tokens, 6),
        heldout=heldout,
    )


def _write_manifest(
    result: Path, settings: PrepareSettings, counts: CorpusCounts, records: Sequence[JobRecord]
) -> None:
    for name in corpus.FILES:
        fsync(result / name)
    inputs = combined_hash(chain.from_iterable(record.hashes for record in records))
    files = {name: FileDigest.of(result / name) for name in corpus.FILES}
    Manifest(settings=settings, counts=counts, inputs=inputs, files=files).write(result)


def _refuse_empty_vocabulary(
    counted: VocabularyCounts, work: Path, inputs: Sequence[Path], settings: PrepareSettings
) -> None:
    if len(counted.vocabulary) > 1:
        return
    discard_jobs(work)  # a resume would end here again
    names = ", ".join(map(str, inputs))
    if not counted.tokens:
        raise WordRBMError(f"There is not one word in {names}; give files that hold text.")
    raise WordRBMError(f"No word of {names} occurs {settings.min_count} times; lower --min-count.")


def _check_ids(work: Path, files: Sequence[Path], tokens: int) -> None:
    size = sum(path.stat().st_size for path in files)
    _check_size(work, "bytes of ids", size, 4 * tokens)


def _check_size(work: Path, quantity: str, actual: int, expected: int) -> None:
    if actual != expected:
        discard_jobs(work)
        raise WordRBMError(
            f"{work} has {actual:,} {quantity} where {expected:,} were expected; what was read is "
            "damaged: check the disk, then prepare again."
        )
