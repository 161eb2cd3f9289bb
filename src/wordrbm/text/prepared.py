"""A prepared corpus, opened for reading.

ids.int32       the whole text as one stream of word ids, little-endian int32
runs.int64      (R, 3) little-endian int64: start, end, part (0 training, 1 held out)
vocabulary.tsv  the words (vocabulary.py)
manifest.json   settings, counts, size and SHA-256 of each file (manifest.py)
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias, final

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status, read_errors, sha256
from wordrbm.text import manifest
from wordrbm.text.manifest import Manifest
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.text.windows import HELDOUT, TRAIN, Windows

Part: TypeAlias = Literal["train", "heldout"]
PARTS = {"train": TRAIN, "heldout": HELDOUT}
IDS_AT_ONCE = 1 << 20


@final
@dataclass(frozen=True, eq=False)
class Prepared:
    """A stream of word ids, the runs in it, and the words they stand for."""

    path: Path
    manifest: Manifest
    vocabulary: Vocabulary
    ids: Int32[np.ndarray, " T"]
    runs: Int64[np.ndarray, "R 3"]

    @classmethod
    def open(cls, path: Path) -> "Prepared":
        """Open a folder that `wordrbm prepare` made; the ids stay on disk."""
        head = Manifest.read(path)
        _check_sizes(path, head)
        vocabulary = Vocabulary.read(path / manifest.VOCABULARY)
        with read_errors(path / manifest.IDS):
            ids = np.memmap(path / manifest.IDS, "<i4", mode="r")
        with read_errors(path / manifest.RUNS):
            runs = np.fromfile(path / manifest.RUNS, "<i8").reshape(-1, 3)
        corpus = cls(path, head, vocabulary, ids, runs)
        corpus._check()
        return corpus

    def windows(self, n: int, part: Part) -> Windows:
        """All windows of n words in one part of the text."""
        if n < 1:
            raise WordRBMError(f"A window of {n} words was asked for; it needs at least 1.")
        runs = self.runs[self.runs[:, 2] == PARTS[part]]
        return Windows.of(self.ids, runs, n, len(self.vocabulary))

    def verify(self) -> None:
        """Check the SHA-256 of every file and that every id is a word, which reads them all."""
        for name, seal in self.manifest.files.items():
            with read_errors(self.path / name):
                found = sha256(self.path / name)
            if found != seal.sha256:
                raise WordRBMError(
                    f"{self.path / name} is not the file that was prepared (its SHA-256 differs); "
                    "prepare the corpus again."
                )
        self._check_ids()

    def _check(self) -> None:
        if len(self.vocabulary) != self.manifest.counts.vocabulary:
            _refuse(self.path / manifest.VOCABULARY, f"holds {len(self.vocabulary):,} words")
        start, end, part = self.runs.T
        within = (start >= 0) & (start < end) & (end <= self.ids.size) & (part >= 0) & (part <= 1)
        if not within.all():
            at = int(np.argmin(within))
            _refuse(self.path / manifest.RUNS, f"has a run outside the text (number {at})")

    def _check_ids(self) -> None:
        K = len(self.vocabulary)
        for at in range(0, self.ids.size, IDS_AT_ONCE):
            block = self.ids[at : at + IDS_AT_ONCE]
            if block.min() < 0 or block.max() >= K:
                wrong = block[(block < 0) | (block >= K)][0]
                _refuse(
                    self.path / manifest.IDS,
                    f"has the word id {wrong} where the {K:,} words have ids from 0 to {K - 1:,}",
                )


def _check_sizes(path: Path, head: Manifest) -> None:
    for name, seal in head.files.items():
        file = path / name
        found = path_status(file)
        if not found.is_file or found.size != seal.size:
            fault = f"has {found.size:,} bytes" if found.is_file else "is missing"
            _refuse(file, f"{fault} where the manifest says {seal.size:,} bytes")
    tokens = head.counts.tokens
    if tokens < 1 or head.files[manifest.IDS].size != 4 * tokens:
        _refuse(path / manifest.IDS, f"does not hold the {tokens:,} tokens of the manifest")
    if head.files[manifest.RUNS].size % 24:
        _refuse(path / manifest.RUNS, "does not hold whole runs of 24 bytes")


def _refuse(path: Path, fault: str) -> NoReturn:
    raise WordRBMError(f"{path} {fault}; prepare the corpus again.")
