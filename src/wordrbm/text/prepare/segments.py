"""Segments: tokens with provisional ids on disk, merged into a vocabulary and one stream of ids.

A segment is three files in its job's folder, numbered in the order of the text:

    000002.ids     int32, indices into the segment's own dictionary
    000002.ends    int64, document ends, as offsets in the segment's tokens
    000002.counts  word TAB provisional id TAB count, sorted by word (UTF-8 = code point order)

A new segment with a new dictionary begins every few million tokens or half a million different
words, so memory is bounded for any corpus. A document may continue in the next segment: it does not
end in the first. A token of more than 256 characters is stored as the unknown word, or a file of
noise would fill the dictionary.

Counts are sorted by word, so a merge of all files yields the counts of a word together; only the
most frequent words so far are kept. Joining holds one segment's ids and the vocabulary in memory.
"""

import heapq
import itertools
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from wordrbm.storage import fsync
from wordrbm.text.spans import HELDOUT, DocumentEnds, make_spans
from wordrbm.text.vocabulary import UNKNOWN, Vocabulary

SEGMENT_TOKENS = 8_000_000
SEGMENT_WORDS = 500_000
MAX_WORD_LENGTH = 256  # characters
MAX_OPEN_FILES = 200  # well below what a system lets a process open
DOCUMENTS_PER_BLOCK = 1 << 16

CountRow: TypeAlias = tuple[str, int, int]  # word, provisional id, count


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
    top = _TopWords(size, min_count)
    with ExitStack() as stack:
        for word, count in _merge(_merge_in_rounds(files), stack):
            top.add(word, count)
    ranked = top.ranked()
    unknown = top.tokens - sum(count for _, count in ranked)
    return VocabularyCounts(Vocabulary.build(ranked, unknown), top.types, top.tokens)


class _TopWords:
    """The most frequent of the words added so far, which come in code point order."""

    def __init__(self, size: int, min_count: int) -> None:
        self.size = size
        self.threshold = min_count - 1  # a word must occur more often than this
        self.types = self.tokens = 0
        self.rows: list[tuple[str, int]] = []

    def add(self, word: str, count: int) -> None:
        """Count the next word, and keep it if it may be among the most frequent."""
        self.types += 1
        self.tokens += count
        if count > self.threshold and word != UNKNOWN:
            self.rows.append((word, count))
            if len(self.rows) >= 2 * self.size + 1000:
                self._prune()

    def ranked(self) -> list[tuple[str, int]]:
        """The words to keep, most frequent first."""
        self._prune()
        return self.rows

    def _prune(self) -> None:
        self.rows.sort(key=lambda row: (-row[1], row[0]))
        del self.rows[self.size :]
        if len(self.rows) == self.size:
            # A later word with the count of the last one kept would rank after it.
            self.threshold = max(self.threshold, self.rows[-1][1])


def _merge_in_rounds(files: list[Path]) -> list[Path]:
    """Merge groups of files into one until few enough are left to be open at once."""
    while len(files) > MAX_OPEN_FILES:
        starts = range(0, len(files), MAX_OPEN_FILES)
        files = [_merge_group(files[start : start + MAX_OPEN_FILES]) for start in starts]
    return files


def _merge_group(files: list[Path]) -> Path:
    path = files[0].with_suffix(f"{files[0].suffix}+")
    with ExitStack() as stack:  # words of many segments have no provisional id: 0
        _write_counts(path, ((word, 0, count) for word, count in _merge(files, stack)))
    return path


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


class DocumentCounts(NamedTuple):
    """The number of documents, and of tokens held out."""

    documents: int
    heldout: int


def write_spans(segments: Sequence[Segment], heldout: float, path: Path) -> DocumentCounts:
    """Write the training and held-out spans of all documents."""
    held = 0
    with path.open("wb") as file:
        for spans in make_spans(lambda: _document_ends(segments), heldout):
            file.write(spans.astype("<i8").data)
            held += int((spans[:, 1] - spans[:, 0])[spans[:, 2] == HELDOUT].sum())
    return DocumentCounts(sum(segment.ends.stat().st_size // 8 for segment in segments), held)


def _document_ends(segments: Sequence[Segment]) -> Iterator[DocumentEnds]:
    """Document ends as offsets in the whole stream, in arrays of bounded size."""
    offset = 0
    for segment in segments:
        with segment.ends.open("rb") as file:
            while (ends := np.fromfile(file, "<i8", DOCUMENTS_PER_BLOCK)).size:
                yield ends.astype(np.int64) + offset
        offset += segment.ids.stat().st_size // 4
