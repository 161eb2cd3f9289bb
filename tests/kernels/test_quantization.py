"""Numbers in few bits: what is sent is right on average, and never further off than one level."""

import math

import numpy as np
import pytest

from wordrbm.kernels.quantization import (
    BYTES,
    HALF_BYTES,
    NEAREST,
    UPWARDS,
    add_blocks,
    dequantize,
    draw_key,
    from_short,
    quantize,
    quantize_blocks,
    to_short,
)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # where nothing is compiled

f = np.float32


def short_of(x, added):
    """Referee: the upper half of the bits of a number, after something is added to them."""
    if not math.isfinite(x):
        return f(np.nan)
    bits = (int(f(x).view(np.uint32)) + int(added)) >> 16
    return np.uint32(bits << 16).view(f)


def draw(key, j):
    """Referee: 32 random bits, MurmurHash3's finaliser."""
    x = (int(key) + j * 0x9E3779B9) % 2**32
    x = (x ^ x >> 16) * 0x85EBCA6B % 2**32
    x = (x ^ x >> 13) * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


def rounded(x, key, largest):
    """Referee: the numbers that are received where x was sent."""
    scale = short_of(f(max(map(abs, x))) / f(largest), UPWARDS)
    if not scale >= f(1e-36):
        return np.full(len(x), scale * f(0))
    uniform = [f(draw(key, j) >> 8) / f(2**24) for j in range(len(x))]
    levels = [min(largest, math.floor(f(y) / scale + u)) for y, u in zip(x, uniform, strict=True)]
    return np.array([scale * f(level) for level in levels], f)


def sent(x, key, largest):
    """What is received where x was sent."""
    levels = np.empty(len(x) if largest == BYTES else (len(x) + 1) // 2, np.uint8)
    scratch, received = np.empty(len(x) + 1, np.int32), np.empty(len(x), f)
    short = quantize(x, np.uint32(key), largest, scratch, levels)
    dequantize(short, levels, largest, received)
    return received


LARGEST = pytest.mark.parametrize("largest", [BYTES, HALF_BYTES])


@LARGEST
@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_what_is_received_is_what_the_formula_says(largest, size):
    rng = np.random.default_rng(size)
    for scale in (1e-38, 1e-33, 1e-9, 1.0, 1e30):
        x, key = (scale * rng.normal(size=size)).astype(f), rng.integers(2**32)
        np.testing.assert_array_equal(sent(x, key, largest), rounded(x, key, largest))


@LARGEST
def test_rounding_is_by_less_than_a_level_and_right_on_average(largest):
    x = np.random.default_rng(1).normal(size=50).astype(f)
    received = np.array([sent(x, draw_key(step, 3, 7), largest) for step in range(1000)])
    level = abs(x).max() / largest * 1.01
    assert abs(received - x).max() < level
    # A level is missed by half of itself at most, as a standard deviation.
    assert abs(received.mean(axis=0) - x).max() < 5 * level / 2 / math.sqrt(1000)


@LARGEST
def test_levels_are_sent_as_they_are(largest):
    levels = np.arange(-largest, largest + 1).astype(f) / f(4)
    np.testing.assert_array_equal(sent(levels, 5, largest), levels)


@LARGEST
@pytest.mark.parametrize("lost", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_lost_stay_lost(largest, lost):
    for place in range(3):
        x = np.ones(3, f)
        x[place] = lost
        assert np.isnan(sent(x, 5, largest)).all()


@LARGEST
def test_no_change_is_sent_as_none(largest):
    assert not sent(np.zeros(5, f), 5, largest).any()


@pytest.mark.parametrize("added", [0, NEAREST, UPWARDS, 1234])
def test_a_short_float_is_the_upper_half_of_a_number(added):
    rng = np.random.default_rng(2)
    for x in [*(rng.normal(size=20) * 10.0 ** rng.integers(-30, 30, 20)), 0.0, np.nan, np.inf]:
        np.testing.assert_array_equal(from_short(to_short(f(x), added)), short_of(x, added))
    assert [from_short(to_short(f(count), NEAREST)) for count in range(257)] == list(range(257))


def test_blocks_are_added_each_with_the_draws_of_its_number():
    x = np.random.default_rng(3).normal(size=(4, 6)).astype(f)
    shorts, levels, total = np.empty(4, np.uint16), np.empty((4, 6), np.uint8), np.ones((4, 6))
    quantize_blocks(x, 11, 2, 100, shorts, levels)
    add_blocks(shorts, levels, total)
    expected = [rounded(row, draw_key(11, 2, 100 + k), BYTES) for k, row in enumerate(x)]
    np.testing.assert_array_equal(total, 1.0 + np.array(expected, float))


def test_draws_depend_on_step_sender_and_row():
    keys = {
        int(draw_key(step, sender, row))
        for step in range(1, 20)
        for sender in range(8)
        for row in range(50)
    }
    assert len(keys) > 19 * 8 * 50 - 5  # two of 2^32 may be the same
