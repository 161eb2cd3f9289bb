from collections import Counter

import numpy as np
from experiments.documents.counts import as_matrix, count_words, damped

INDEX = {"boat": 0, "don": 1, "sail": 2}


def test_the_body_is_counted_and_the_header_is_not():
    post = "From: boat@sail.org\nSubject: boat\n\nDon't sail2sail, BOAT!"
    assert count_words(post, INDEX) == Counter({2: 2, 1: 1, 0: 1})
    assert count_words(post.replace("\n", "\t"), INDEX) == count_words(post, INDEX)


def test_counts_are_damped_as_published():
    counts = as_matrix([Counter({0: 1, 1: 3, 2: 4}), Counter({1: 11})], 3)
    np.testing.assert_array_equal(damped(counts).toarray(), [[1, 1, 2], [0, 2, 0]])
