import numpy as np

from tests import reference
from wordrbm.kernels.rng import next_uint64, next_uniform, seed_stream


def test_bits_are_those_of_xoshiro(stream):
    random = reference.Xoshiro(stream)
    assert [int(next_uint64(stream)) for _ in range(1000)] == [random.bits() for _ in range(1000)]


def test_known_output_of_the_published_generator():
    """From state 1, 2, 3, 4 the first output is rotl(1 + 4, 23) + 1."""
    assert int(next_uint64(np.array([1, 2, 3, 4], np.uint64))) == (5 << 23) + 1


def test_streams_differ_in_every_argument():
    streams = {tuple(seed_stream(*place).tolist()) for place in np.ndindex(5, 5, 5)}
    assert len(streams) == 125


def test_neighbouring_streams_are_unrelated():
    rows = np.array(
        [
            [next_uniform(stream) for _ in range(500)]
            for stream in (seed_stream(1, step, shard) for step in range(6) for shard in range(6))
        ]
    )
    correlation = np.corrcoef(rows)[~np.eye(36, dtype=bool)]
    assert np.abs(correlation).max() < 5 / np.sqrt(500)
    assert abs(rows.mean() - 0.5) < 4 * np.sqrt(1 / 12 / rows.size)
