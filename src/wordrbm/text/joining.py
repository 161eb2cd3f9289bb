"""Pass two: the shards of all jobs become one stream of final ids, and the runs of the stories.

In memory there are one shard's ids and the vocabulary, whatever the corpus.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.text.shard import Shard
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.text.windows import HELDOUT, make_spans

STORIES_AT_ONCE = 1 << 16


class Stories(NamedTuple):
    """How many stories there are, and how many tokens are held out."""

    stories: int
    heldout: int


def write_ids(found: Sequence[Shard], vocabulary: Vocabulary, path: Path) -> Iterator[int]:
    """Append every shard to the stream, its provisional ids made final; yields the tokens done."""
    done = 0
    with path.open("wb") as stream:
        for shard in found:
            ids = np.fromfile(shard.ids, "<i4")
            final = np.zeros(ids.max(initial=-1) + 1, "<i4")
            with shard.counts.open(encoding="utf-8", newline="\n") as lines:
                for line in lines:
                    word, number, _ = line.split("\t")
                    final[int(number)] = vocabulary.index.get(word, 0)
            stream.write(final[ids].data)  # not tofile, which loses a failed last write
            done += ids.size
            yield done


def write_runs(found: Sequence[Shard], heldout: float, path: Path) -> Stories:
    """Write the runs of all stories."""
    held = 0
    with path.open("wb") as file:
        for runs in make_spans(lambda: _story_ends(found), heldout):
            file.write(runs.astype("<i8").data)
            held += int((runs[:, 1] - runs[:, 0])[runs[:, 2] == HELDOUT].sum())
    return Stories(sum(shard.ends.stat().st_size // 8 for shard in found), held)


def _story_ends(found: Sequence[Shard]) -> Iterator[Int64[np.ndarray, " S"]]:
    """Where stories end in the whole stream, some at a time."""
    before = 0
    for shard in found:
        with shard.ends.open("rb") as file:
            while (ends := np.fromfile(file, "<i8", STORIES_AT_ONCE)).size:
                yield ends.astype(np.int64) + before
        before += shard.ids.stat().st_size // 4
