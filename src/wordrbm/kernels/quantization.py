"""Numbers sent in few bits: integers with a scale, rounded up or down at random, without bias.

    x[j] ~ scale level[j],  level[j] = floor(x[j] / scale + u[j]),  scale >= max_j |x[j]| / largest

With u uniform on [0, 1) the expectation of ``scale level`` is x. The draws are a function of a
key: no state is kept. Levels are from -largest to largest, 127 in bytes or 7 in half bytes. A scale
is a short float: the upper half of the bits of a single-precision number, 8 bits of mantissa.

Reference
    D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnovic. QSGD: communication-efficient SGD via
    gradient quantization and encoding. NeurIPS 2017.
"""

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from wordrbm.kernels.fastmath import as_bits, as_single
from wordrbm.kernels.rng import GOLDEN, splitmix

BYTES, HALF_BYTES = 127, 7  # the largest level
NEAREST, UPWARDS = np.uint32(0x8000), np.uint32(0xFFFF)  # what is added to the bits of a number
SHORT_NAN = np.uint16(0x7FC0)
ABSOLUTE = np.int32(0x7FFFFFFF)  # the bits of a number but its sign
SMALLEST = np.float32(1e-36)  # scales below it are of no change
TWO_TO_MINUS_24 = np.float32(2.0**-24)
word = np.uint32


def bits_of(x: Any) -> Any:
    """The bits of a single-precision number, as an int32."""
    return np.float32(x).view(np.int32)


def single_of(bits: Any) -> Any:
    """The single-precision number with these bits, an int32."""
    return np.int32(bits).view(np.float32)


@overload(bits_of)
def _bits_of(x):  # type: ignore[no-untyped-def]
    return lambda x: as_bits(x)  # type: ignore[call-arg]


@overload(single_of)
def _single_of(bits):  # type: ignore[no-untyped-def]
    return lambda bits: as_single(bits)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def to_short(x, added):  # type: ignore[no-untyped-def]
    """A single-precision number as a short float; `added` says how it is rounded."""
    if not np.isfinite(x):
        return SHORT_NAN
    bits = np.uint32(bits_of(np.float32(x)))
    return np.uint16((bits + np.uint32(added)) >> np.uint32(16))


@njit(cache=True, nogil=True)
def from_short(short):  # type: ignore[no-untyped-def]
    """The single-precision number that a short float is."""
    return single_of(np.int32(np.uint32(short) << np.uint32(16)))


@njit(cache=True, nogil=True)
def draw_key(step, sender, row):  # type: ignore[no-untyped-def]
    """What the draws for a row that a sender rounds after an update depend on."""
    key = splitmix(np.uint64(step) + GOLDEN * np.uint64(sender + 1))
    return word(splitmix(key + np.uint64(row)))


@njit(cache=True, nogil=True)
def random_word(key, j):  # type: ignore[no-untyped-def]
    """The j-th 32 random bits of a key, by the finaliser of MurmurHash3."""
    x = word(key + word(j) * word(0x9E3779B9))
    x = word((x ^ (x >> word(16))) * word(0x85EBCA6B))
    x = word((x ^ (x >> word(13))) * word(0xC2B2AE35))
    return x ^ (x >> word(16))


@njit(cache=True, nogil=True, error_model="numpy")
def quantize(x, key, largest, scratch, out):  # type: ignore[no-untyped-def]
    """Write the levels of single-precision numbers as bytes; their scale as a short float.

    The scale of numbers that are not all finite is none, too. `scratch` holds as many integers.
    """
    bits = np.int32(0)  # without a sign they rise with the number; nan and inf are above all
    for j in range(x.size):
        bits = max(bits, np.int32(bits_of(x[j]) & ABSOLUTE))
    most = single_of(bits)
    short = to_short(most / np.float32(largest), UPWARDS)
    scale = from_short(short)
    if not scale >= SMALLEST:
        out[:] = 0 if largest == BYTES else 0x88
        return short if scale != scale else np.uint16(0)
    for j in range(x.size):
        u = np.float32(np.int32(random_word(key, j) >> word(8))) * TWO_TO_MINUS_24
        level = np.int32(np.floor(x[j] / scale + u))
        scratch[j] = min(level, np.int32(largest))
    if largest == BYTES:
        for j in range(x.size):
            out[j] = np.uint8(scratch[j] & 255)
    else:
        write_half_bytes(scratch, x.size, out)
    return short


@njit(cache=True, nogil=True)
def write_half_bytes(levels, size, out):  # type: ignore[no-untyped-def]
    """Two levels to a byte, each with 8 added: one of the first half, one of the second."""
    half = out.size
    levels[size] = 0  # after an odd number of levels
    for k in range(half):
        out[k] = np.uint8((levels[k] + 8) | ((levels[half + k] + 8) << 4))


@njit(cache=True, nogil=True, error_model="numpy")
def dequantize(short, levels, largest, x):  # type: ignore[no-untyped-def]
    """The numbers that levels and their scale say."""
    scale, half = from_short(short), levels.size
    if largest == BYTES:
        for j in range(x.size):
            x[j] = scale * np.float32(np.int8(levels[j]))
        return
    for k in range(half):
        x[k] = scale * np.float32(np.int32(levels[k] & 15) - 8)
    for k in range(x.size - half):
        x[half + k] = scale * np.float32(np.int32(levels[k] >> 4) - 8)


@njit(cache=True, nogil=True)
def quantize_blocks(x, step, sender, first, shorts, levels):  # type: ignore[no-untyped-def]
    """Rows of a table as bytes, the first of them with the draws of row `first`."""
    scratch = np.empty(x.shape[1] + 1, np.int32)
    for k in range(len(x)):
        key = draw_key(step, sender, first + k)
        shorts[k] = quantize(x[k], key, BYTES, scratch, levels[k])


@njit(cache=True, nogil=True)
def add_blocks(shorts, levels, total):  # type: ignore[no-untyped-def]
    """Add the rows that bytes and scales say to a table."""
    x = np.empty(total.shape[1], np.float32)
    for k in range(len(total)):
        dequantize(shorts[k], levels[k], BYTES, x)
        for j in range(x.size):
            total[k, j] += x[j]
