"""The prepared corpus: a folder of four files, opened for reading.

ids.int32       the whole text as one stream of word ids, little-endian int32
runs.int64      (R, 3) little-endian int64: spans (start, end, split) that no window leaves
vocabulary.tsv  the words (vocabulary.py)
manifest.json   how the corpus was made and what each file must look like:

    {"format": "wordrbm prepared corpus", "version": 2,
     "settings": {"vocabulary_size", "min_count", "heldout", "field", "encoding_errors"},
     "counts": {"files", "bytes", "replaced", "stories", "tokens", "types", "vocabulary",
                "unknown", "coverage", "heldout"},
     "inputs": one SHA-256 of all input files (`combined_hash` of prepare/jobs.py),
     "files": {name: {"size", "sha256"}}}

The manifest is written last. It contains no time, path or worker count: equal text gives equal
bytes.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, final

import numpy as np
from jaxtyping import Int32, Int64
from pydantic import Field, ValidationError

from wordrbm.errors import WordRBMError, validation_faults
from wordrbm.settings import StrictModel
from wordrbm.storage import path_status, read_errors, read_limited, sha256, write_text
from wordrbm.text.prepare import HELDOUT, TRAIN, PrepareSettings
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.text.windows import Windows

MANIFEST = "manifest.json"
FORMAT, VERSION = "wordrbm prepared corpus", 2
IDS, SPANS, VOCABULARY = "ids.int32", "runs.int64", "vocabulary.tsv"
FILES = (IDS, SPANS, VOCABULARY)
MAX_MANIFEST_BYTES = 1_000_000  # a thousand times what is written
IDS_PER_BLOCK = 1 << 20
SPLITS = {"train": TRAIN, "heldout": HELDOUT}

Split: TypeAlias = Literal["train", "heldout"]
Count: TypeAlias = Annotated[int, Field(ge=0)]


class CorpusCounts(StrictModel):
    """How much text there is; `vocabulary` is K, `coverage` the fraction of tokens inside it.

    `files` and `bytes` are those read, as on disk; `replaced` the characters that were no UTF-8;
    `stories` the documents.
    """

    files: Count
    bytes: Count
    replaced: Count
    stories: Count
    tokens: Count
    types: Count
    vocabulary: Count
    unknown: Count
    coverage: Annotated[float, Field(ge=0)]
    heldout: Count


class FileDigest(StrictModel):
    """The size and SHA-256 that a file must have."""

    size: Count
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "FileDigest":
        """The digest of a file on disk."""
        return cls(size=path.stat().st_size, sha256=sha256(path))


class Manifest(StrictModel):
    """How a prepared corpus was made, and what its files must look like."""

    settings: PrepareSettings
    counts: CorpusCounts
    inputs: str = ""  # missing in a corpus made before inputs were hashed
    files: dict[str, FileDigest]

    def write(self, folder: Path) -> None:
        """Write `manifest.json`."""
        content = {"format": FORMAT, "version": VERSION, **self.model_dump()}
        write_text(folder / MANIFEST, json.dumps(content, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read `manifest.json`, checking every key and type."""
        path = folder / MANIFEST
        content = _load_json(path)
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            _refuse(path, f"does not have the format {FORMAT!r}")
        if (version := content.pop("version", None)) != VERSION:
            _refuse(path, f"has version {version!r} where this program reads version {VERSION}")
        try:
            manifest = cls.model_validate(content)
        except ValidationError as error:
            _refuse(path, f"is damaged: {validation_faults(error)[0]}")
        if set(manifest.files) != set(FILES):
            _refuse(path, f"does not list exactly the files {', '.join(FILES)}")
        return manifest


def _load_json(path: Path) -> Any:
    try:
        return json.loads(read_limited(path, MAX_MANIFEST_BYTES))
    except OSError as error:
        raise WordRBMError(
            f"{path.parent} is not a prepared corpus ({MANIFEST}: {error.strerror or error}); "
            "make one with wordrbm prepare."
        ) from error
    except (ValueError, RecursionError) as error:
        _refuse(path, f"is not valid JSON ({error})")


@final
@dataclass(frozen=True, eq=False)
class PreparedCorpus:
    """A stream of word ids, the training and held-out spans in it, and its vocabulary."""

    path: Path
    manifest: Manifest
    vocabulary: Vocabulary
    ids: Int32[np.ndarray, " T"]
    spans: Int64[np.ndarray, "R 3"]  # start, end, split

    @classmethod
    def open(cls, path: Path) -> "PreparedCorpus":
        """Open a folder that `wordrbm prepare` made; the ids stay on disk."""
        manifest = Manifest.read(path)
        _check_sizes(path, manifest)
        vocabulary = Vocabulary.read(path / VOCABULARY)
        with read_errors(path / IDS):
            ids = np.memmap(path / IDS, "<i4", mode="r")
        with read_errors(path / SPANS):
            spans = np.fromfile(path / SPANS, "<i8").reshape(-1, 3)
        corpus = cls(path, manifest, vocabulary, ids, spans)
        corpus._check()
        return corpus

    def windows(self, n: int, split: Split) -> Windows:
        """All windows of n words in the training or the held-out text."""
        if n < 1:
            raise WordRBMError(f"A window of {n} words is not possible; it needs at least 1.")
        spans = self.spans[self.spans[:, 2] == SPLITS[split]]
        return Windows.of(self.ids, spans, n, len(self.vocabulary))

    def verify(self) -> None:
        """Check the SHA-256 of every file and that every id is a word, which reads them all."""
        for name, digest in self.manifest.files.items():
            if sha256(self.path / name) != digest.sha256:
                raise WordRBMError(
                    f"{self.path / name} is not the file that was prepared (its SHA-256 differs); "
                    "prepare the corpus again."
                )
        self._check_ids()

    def _check(self) -> None:
        if len(self.vocabulary) != self.manifest.counts.vocabulary:
            _refuse(self.path / VOCABULARY, f"holds {len(self.vocabulary):,} words")
        start, end, split = self.spans.T
        is_inside = (start >= 0) & (start < end) & (end <= self.ids.size)
        is_valid = is_inside & (split >= TRAIN) & (split <= HELDOUT)
        if not is_valid.all():
            row = int(np.argmin(is_valid))
            _refuse(self.path / SPANS, f"has a span outside the text (number {row})")

    def _check_ids(self) -> None:
        K = len(self.vocabulary)
        for start in range(0, self.ids.size, IDS_PER_BLOCK):
            block = self.ids[start : start + IDS_PER_BLOCK]
            if block.min() < 0 or block.max() >= K:
                wrong = block[(block < 0) | (block >= K)][0]
                expected = f"the {K:,} words have ids from 0 to {K - 1:,}"
                _refuse(self.path / IDS, f"has the word id {wrong} where {expected}")


def _check_sizes(path: Path, manifest: Manifest) -> None:
    for name, digest in manifest.files.items():
        status = path_status(path / name)
        if not status.is_file or status.size != digest.size:
            fault = f"has {status.size:,} bytes" if status.is_file else "is missing"
            _refuse(path / name, f"{fault} where the manifest says {digest.size:,} bytes")
    tokens = manifest.counts.tokens
    if tokens < 1 or manifest.files[IDS].size != 4 * tokens:
        _refuse(path / IDS, f"does not hold the {tokens:,} tokens of the manifest")
    if manifest.files[SPANS].size % 24:
        _refuse(path / SPANS, "does not hold spans of 24 bytes each")


def _refuse(path: Path, fault: str) -> NoReturn:
    raise WordRBMError(f"{path} {fault}; prepare the corpus again.")


def check_vocabulary(corpus: PreparedCorpus, vocabulary: Vocabulary) -> PreparedCorpus:
    """Return the corpus, which must have the vocabulary of a model."""
    if corpus.vocabulary.digest() != vocabulary.digest():
        raise WordRBMError(
            f"{corpus.path} has another vocabulary than the model; give the corpus it was trained "
            "on."
        )
    return corpus
