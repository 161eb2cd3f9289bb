"""Coded numbers are read as they were, to the bit; small changes take few bytes."""

import numpy as np
import pytest

from wordrbm.kernels.coding import BLOCK, decode, encode, most_bytes


def coded(old, new):
    out = np.empty(most_bytes(old.size), np.uint8)
    return out[: encode(old.view(np.uint32), new.view(np.uint32), out)]


def decoded(old, code):
    new = np.empty_like(old)
    assert decode(old.view(np.uint32), code, new.view(np.uint32)) == code.size
    return new


SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38], np.float32)


def pairs():
    rng = np.random.default_rng(1)
    yield "nothing", SPECIAL[:0], SPECIAL[:0]
    a, b = (x.ravel() for x in np.meshgrid(SPECIAL, SPECIAL))
    yield "special numbers", a, b
    for size in (1, BLOCK - 1, BLOCK, BLOCK + 1, 1000):
        x = rng.normal(size=size).astype(np.float32)
        yield f"{size} the same", x, x.copy()
        yield f"{size} small steps", x, x + rng.normal(size=size).astype(np.float32) / 1000
        bits = rng.integers(0, 2**32, (2, size), np.uint32).view(np.float32)
        yield f"{size} of any bits", *bits


@pytest.mark.parametrize("case", list(pairs()), ids=lambda case: case[0])
def test_numbers_are_read_as_they_were(case):
    _, old, new = case
    code = coded(old, new)
    assert code.size <= most_bytes(old.size)
    np.testing.assert_array_equal(decoded(old, code).view(np.uint32), new.view(np.uint32))


def test_what_is_the_same_takes_two_bytes_a_block():
    x = np.ones(10 * BLOCK, np.float32)
    assert coded(x, x).size == 20


def test_small_steps_take_two_thirds():
    rng = np.random.default_rng(1)
    x = rng.normal(size=10_000).astype(np.float32)
    step = rng.normal(size=x.size).astype(np.float32) / 1000
    assert coded(x, x + step).size < 0.67 * x.nbytes
