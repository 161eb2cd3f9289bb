"""Pass one, in a worker: the stories of a job's files become shards in the job's folder."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wordrbm.text.digest import digests
from wordrbm.text.formats import REPLACE_ADVICE, read_chunks
from wordrbm.text.jobfolder import (
    Job,
    being_written,
    name_finished,
    record_now,
    refuse_changed,
    write_record,
)
from wordrbm.text.reader import open_text
from wordrbm.text.settings import PrepareSettings
from wordrbm.text.shard import ShardWriter, sizes
from wordrbm.text.tokenizer import tokenize


class Meter(NamedTuple):
    """How far a job is: bytes of its files read, and tokens made of them."""

    bytes: int
    tokens: int

    def plus(self, other: "Meter") -> "Meter":
        """Two jobs together."""
        return Meter(self.bytes + other.bytes, self.tokens + other.tokens)


class _Read(NamedTuple):
    """How far the reading is, and how many characters were replaced so far."""

    meter: Meter
    replaced: int


def run(job: Job, work: Path, settings: PrepareSettings) -> Iterator[Meter]:
    """Do a job, telling after each piece how far it is; its folder has its name at the end."""
    record = record_now(job, settings)
    with being_written(work, job) as part:
        writer, replaced = ShardWriter(part), 0
        for read in _tokenise(job, settings, writer):
            replaced = read.replaced
            yield read.meter
        writer.flush()
        done = replace(record, digests=digests(job.files), shards=sizes(part))
        refuse_changed(job, record, record_now(job, settings))
        write_record(part, replace(done, tokens=writer.total, replaced=replaced))
        # Whoever waits here for the last time may still stop a job that nobody wants any more.
        yield Meter(max(job.size - 1, 0), writer.total)
        name_finished(part, work, job)
    yield Meter(job.size, writer.total)


def _tokenise(job: Job, settings: PrepareSettings, writer: ShardWriter) -> Iterator[_Read]:
    finished, replaced, last = 0, 0, max(job.size - 1, 0)  # the last byte is done with the job
    for path in job.files:
        with open_text(path, settings.encoding_errors, REPLACE_ADVICE) as reader:
            for chunk in read_chunks(reader, settings.field):
                writer.add(tokenize(chunk.text), ends_story=chunk.ends_document)
                place = min(finished + reader.position(), last)
                yield _Read(Meter(place, writer.total), replaced + reader.replaced)
            replaced += reader.replaced
            yield _Read(Meter(min(finished + reader.position(), last), writer.total), replaced)
        finished += path.stat().st_size
