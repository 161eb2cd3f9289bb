"""Segments: tokens with provisional ids on disk, merged into vocabulary, id stream and spans.

A segment is three files in its job's folder, numbered in the order of the text:

    000002.ids     int32, indices into the segment's own dictionary
    000002.ends    int64, document ends, as offsets in the segment's tokens
    000002.counts  word TAB provisional id TAB count, sorted by word (UTF-8 = code point order)

A new segment with a new dictionary begins every few million tokens or half a million different
words, so memory is bounded for any corpus. A document may continue in the next segment: it does not
end in the first. A token of more than 256 characters is stored as the unknown word, or a file of
noise would fill the dictionary.

Counts are sorted by word, so a merge of all files yields the counts of a word together, and only
the most frequent words so far are kept. Joining holds one segment's ids in memory.

A span is (start, end, split) of the joined stream: training or held-out text that a window never
leaves. Documents are divided into blocks of at most 2,000 tokens, numbered in order, and every so
many-th block is held out, evenly through the text; training blocks that follow each other in a
document are joined again. Document ends are read twice, in arrays of bounded size, since which
blocks are held out depends on how many there are.

No compiled code is imported here: each worker of `prepare` would load it, 0.3 s and 80 MB.
"""

import heapq
import itertools
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Int64

from wordrbm.storage import fsync
from wordrbm.text.prepare import HELDOUT
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary

SEGMENT_TOKENS = 8_000_000
SEGMENT_WORDS = 500_000
MAX_WORD_LENGTH = 256  # characters
MAX_OPEN_FILES = 200  # well below what a system lets a process open
DOCUMENTS_PER_ARRAY = 1 << 16
HELDOUT_BLOCK = 2_000  # tokens

CountRow: TypeAlias = tuple[str, int, int]  # word, provisional id, count
Documents: TypeAlias = Int64[np.ndarray, " S"]  # a number for each of consecutive documents
Bounds: TypeAlias = Int64[np.ndarray, " S+1"]
Spans: TypeAlias = Int64[np.ndarray, "R 3"]  # start, end, split


class Segment(NamedTuple):
    """The three files of a segment."""

    ids: Path
    ends: Path
    counts: Path


def list_segments(folder: Path) -> list[Segment]:
    """The segments in the folder of a job, in the order of the text."""
    return [_segment(ids) for ids in sorted(folder.glob("*.ids"))]


def segment_sizes(folder: Path) -> dict[str, int]:
    """The size in bytes of each segment file in a folder."""
    paths = itertools.chain.from_iterable(list_segments(folder))
    return {path.name: path.stat().st_size for path in paths}


def _segment(ids: Path) -> Segment:
    return Segment(ids, ids.with_suffix(".ends"), ids.with_suffix(".counts"))


def _write_counts(path: Path, rows: Iterable[CountRow]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{word}\t{index}\t{count}\n" for word, index, count in rows)


def _read_counts(lines: Iterable[str]) -> Iterator[CountRow]:
    for line in lines:
        word, index, count = line.split("\t")
        yield word, int(index), int(count)


class SegmentWriter:
    """Collects tokens and writes a segment whenever it is large enough."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.total_tokens = self.document_tokens = self.written = 0
        self._start_segment()

    def _start_segment(self) -> None:
        self.index: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        self.ids, self.ends = array("i"), array("q")

    def add(self, tokens: list[str], *, ends_document: bool) -> None:
        """Append a chunk of a document; a document without tokens is dropped."""
        if max(map(len, tokens), default=0) > MAX_WORD_LENGTH:
            tokens = [word if len(word) <= MAX_WORD_LENGTH else UNKNOWN for word in tokens]
        self.ids.extend(map(self.index.__getitem__, tokens))
        self.total_tokens += len(tokens)
        self.document_tokens += len(tokens)
        if ends_document and self.document_tokens:
            self.ends.append(len(self.ids))
            self.document_tokens = 0
        if len(self.ids) >= SEGMENT_TOKENS or len(self.index) >= SEGMENT_WORDS:
            self.flush()

    def flush(self) -> None:
        """Write the collected tokens as a segment, synced to disk, and start the next."""
        if not self.ids and not self.ends:
            return
        segment = _segment(self.folder / f"{self.written:06}.ids")
        ids = np.array(self.ids, "<i4")
        segment.ids.write_bytes(ids.data)  # numpy's tofile ignores a failed last write
        segment.ends.write_bytes(np.array(self.ends, "<i8").data)
        counts = np.bincount(ids).tolist()
        rows = ((word, self.index[word], counts[self.index[word]]) for word in sorted(self.index))
        _write_counts(segment.counts, rows)
        for path in segment:
            fsync(path)
        self.written += 1
        self._start_segment()


class VocabularyCounts(NamedTuple):
    """The vocabulary, and the word types and tokens it was counted from."""

    vocabulary: Vocabulary
    types: int
    tokens: int


def merge_counts(files: list[Path], size: int, min_count: int) -> VocabularyCounts:
    """Merge sorted count files and keep the `size` most frequent words."""
    types = tokens = 0

    def frequent(counts: Iterator[tuple[str, int]]) -> Iterator[tuple[int, str]]:
        nonlocal types, tokens
        for word, count in counts:
            types += 1
            tokens += count
            if count >= min_count and word != UNKNOWN:
                yield -count, word

    with ExitStack() as stack:
        top = heapq.nsmallest(size, frequent(_merge(_merge_in_rounds(files), stack)))
    ranked = [(word, -count) for count, word in top]
    unknown = tokens - sum(count for _, count in ranked)
    return VocabularyCounts(Vocabulary.build(ranked, unknown), types, tokens)


def _merge_in_rounds(files: list[Path]) -> list[Path]:
    """Merge groups of files into one until few enough are left to be open at once."""
    while len(files) > MAX_OPEN_FILES:
        group, files = files[:MAX_OPEN_FILES], files[MAX_OPEN_FILES:]
        path = group[0].with_suffix(f"{group[0].suffix}+")
        with ExitStack() as stack:  # words of many segments have no provisional id: 0
            _write_counts(path, ((word, 0, count) for word, count in _merge(group, stack)))
        files.append(path)
    return files


def _merge(files: list[Path], stack: ExitStack) -> Iterator[tuple[str, int]]:
    handles = [stack.enter_context(path.open(encoding="utf-8", newline="\n")) for path in files]
    rows = heapq.merge(*map(_read_counts, handles))
    for word, group in itertools.groupby(rows, key=itemgetter(0)):
        yield word, sum(count for _, _, count in group)


def write_ids(segments: Sequence[Segment], vocabulary: Vocabulary, path: Path) -> Iterator[int]:
    """Write the stream of final ids, segment by segment; yields the tokens written so far."""
    done = 0
    with path.open("wb") as stream:
        for segment in segments:
            ids = np.fromfile(segment.ids, "<i4")
            final = np.zeros(ids.max(initial=-1) + 1, "<i4")
            with segment.counts.open(encoding="utf-8", newline="\n") as lines:
                for word, index, _ in _read_counts(lines):
                    final[index] = vocabulary.index.get(word, 0)
            stream.write(final[ids].data)  # numpy's tofile ignores a failed last write
            done += ids.size
            yield done


def write_spans(segments: Sequence[Segment], heldout: float, path: Path) -> tuple[int, int]:
    """Write the spans of all documents; returns the number of documents and of held-out tokens."""
    documents = sum(segment.ends.stat().st_size // 8 for segment in segments)
    heldout_tokens = 0
    with path.open("wb") as file:
        for spans in make_spans(lambda: _document_ends(segments), heldout):
            file.write(spans.astype("<i8").data)
            heldout_tokens += int((spans[:, 1] - spans[:, 0])[spans[:, 2] == HELDOUT].sum())
    return documents, heldout_tokens


def _document_ends(segments: Sequence[Segment]) -> Iterator[Documents]:
    """Document ends as offsets in the whole stream, in arrays of bounded size."""
    offset = 0
    for segment in segments:
        with segment.ends.open("rb") as file:
            while (ends := np.fromfile(file, "<i8", DOCUMENTS_PER_ARRAY)).size:
                yield ends.astype(np.int64) + offset
        offset += segment.ids.stat().st_size // 4


def make_spans(ends: Callable[[], Iterable[Documents]], heldout: float) -> Iterator[Spans]:
    """Yield the spans of documents that fill the stream from 0 on, an array for each of ends."""
    total = sum(int(blocks.sum()) for _, blocks in _block_counts(ends()))
    heldout_blocks, first = _heldout_blocks(total, heldout), 0
    for bounds, blocks in _block_counts(ends()):
        yield _spans(blocks, bounds, first, heldout_blocks)
        first += int(blocks.sum())


def _heldout_blocks(count: int, fraction: float) -> range:
    """The blocks held out: one in every round(1 / fraction), or the middle one of too few."""
    if fraction == 0.0 or count < 2:
        return range(0)
    period = round(min(1 / fraction, 2.0**62))  # the smallest fraction still gives a number
    if count < period:
        return range(count // 2, count // 2 + 1)
    return range(period // 2, count, period)


def _block_counts(arrays: Iterable[Documents]) -> Iterator[tuple[Bounds, Documents]]:
    """Where some documents start, with the end of the last, and the number of their blocks."""
    start = 0
    for ends in arrays:
        bounds = np.concatenate([[start], ends]).astype(np.int64)
        start = int(bounds[-1])
        yield bounds, -(-np.diff(bounds) // HELDOUT_BLOCK)  # rounded up


def _spans(blocks: Documents, bounds: Bounds, first: int, held: range) -> Spans:
    document = np.repeat(np.arange(blocks.size), blocks)
    rank = np.arange(document.size) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    start = bounds[document] + rank * HELDOUT_BLOCK
    end = np.minimum(start + HELDOUT_BLOCK, bounds[document + 1])
    index = np.arange(first, first + document.size)
    in_range = (index >= held.start) & (index < held.stop)
    split = (in_range & ((index - held.start) % held.step == 0)).astype(np.int64)
    opens = np.ones(document.size, bool)
    opens[1:] = (rank[1:] == 0) | (split[1:] == HELDOUT) | (split[:-1] == HELDOUT)
    opening = np.flatnonzero(opens)
    closing = np.append(opening[1:], document.size) - 1
    return np.stack([start[opening], end[closing], split[opening]], axis=1)
