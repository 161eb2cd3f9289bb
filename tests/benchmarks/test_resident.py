import mmap
import os
from pathlib import Path

import numpy as np
from benchmarks.resident import peak, resident

HALF = 50_000_000


def test_own_memory_is_seen_and_so_is_its_peak():
    before = resident(os.getpid(), Path("none"))
    # Not from the heap, where memory that an earlier test gave back may be used again.
    pages = mmap.mmap(-1, HALF, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held = np.frombuffer(pages, np.uint8)
    held[:] = 1
    after = resident(os.getpid(), Path("none"))
    assert 45 < after.anonymous - before.anonymous < 60
    assert peak() > after.anonymous
    assert held.size == HALF


def test_pages_of_a_file_are_counted_apart(tmp_path):
    path = tmp_path / "large"
    np.ones(HALF, np.uint8).tofile(path)
    mapped = np.memmap(path, np.uint8, mode="r")
    before = resident(os.getpid(), path)
    assert mapped.sum() == HALF
    after = resident(os.getpid(), path)
    assert before.named < 5 < 45 < after.named < 55
    assert 45 < after.mapped - before.mapped < 55
    assert abs(after.anonymous - before.anonymous) < 5
