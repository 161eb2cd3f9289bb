"""The map as a plot: written words are apart, and the file is the same each time."""

import numpy as np

from wordrbm.analysis.map_plot import CELL, plot_map, written_words
from wordrbm.io.map_file import WordMap


def word_map(count=200):
    xy = np.random.default_rng(1).uniform(-1, 1, (count, 2)).astype(np.float32)
    near = np.ones((count, 2), np.int32)
    return WordMap(xy, np.zeros(count, np.uint8), near, (("a",),), count, "PCA", 1)


def test_written_words_are_apart_and_frequent():
    drawn = word_map()
    chosen = written_words(drawn, 50)
    assert len(chosen) == 50
    assert chosen[0] == 1
    for a in chosen:
        for b in chosen:
            gap = np.abs(drawn.xy[a] - drawn.xy[b])
            assert a == b or (gap > 0.99 * np.array(CELL)).any()


def test_the_same_map_gives_the_same_bytes(tmp_path):
    words = ["$x$"] * 200
    for name in ("a.png", "b.png"):
        plot_map(word_map(), words, tmp_path / name, labels=20)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
