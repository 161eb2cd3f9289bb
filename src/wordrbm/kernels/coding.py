"""Lossless coding of numbers that differ little from others the receiver has.

Floats of one sign are ordered as their bits are, so a small step is a small difference of integers:

    code(x) = bits of x as an integer that rises with x,
    z = 2 |code(new) - code(old)|, less 1 if it is negative,

modulo 2^32. In a block of `BLOCK` numbers z is written in `width` bits, the width that makes the
block shortest; a longer z is an exception, whose remaining bits come after the block with its
place. All is written as bytes, after each other: width, count of exceptions, bits, exceptions.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

BLOCK = 64  # numbers
EXCEPTION = 5  # bytes: the place and the bits beyond the width


@intrinsic
def leading_zeros(typing, z):  # type: ignore[no-untyped-def]
    """How many of the 32 bits of z are zero in front of the first that is not."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint32(types.uint32), code


@njit(cache=True, nogil=True, inline="always")
def rising(bits):  # type: ignore[no-untyped-def]
    """The bits of a float as an integer that rises with it, modulo 2^32; its own inverse."""
    return bits ^ np.uint32(0x7FFFFFFF) if bits >> np.uint32(31) else bits


@njit(cache=True, nogil=True)
def most_bytes(size: int) -> int:
    """The most bytes that so many numbers may take."""
    return -(-size // BLOCK) * (2 + 4 * BLOCK)


@njit(cache=True, nogil=True)
def encode(old, new, out):  # type: ignore[no-untyped-def]
    """Write the numbers `new` for a receiver who has `old`, both as uint32; how many bytes."""
    z, counts, end = np.empty(BLOCK, np.uint32), np.empty(33, np.int64), 0
    for start in range(0, old.size, BLOCK):
        size = min(BLOCK, old.size - start)
        counts[:] = 0
        for k in range(size):
            change = np.uint32(rising(new[start + k]) - rising(old[start + k]))
            sign = np.uint32(0) - (change >> np.uint32(31))
            z[k] = (change << np.uint32(1)) ^ sign
            counts[32 - leading_zeros(z[k])] += 1  # type: ignore[call-arg]
        end = _encode_block(z[:size], counts, out, end)
    return end


@njit(cache=True, nogil=True)
def _best_width(counts, size):  # type: ignore[no-untyped-def]
    """The width of the shortest block, given how many numbers have each length."""
    best, fewest, longer = 32, 4 * size, 0
    for width in range(31, -1, -1):
        longer += counts[width + 1]
        length = (size * width + 7) // 8 + EXCEPTION * longer
        if length < fewest:
            best, fewest = width, length
    return best


@njit(cache=True, nogil=True)
def _encode_block(z, counts, out, end):  # type: ignore[no-untyped-def]
    """Write one block; where it ends."""
    width = _best_width(counts, z.size)
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    first, end = end, end + 2
    pending, bits = np.uint64(0), 0
    for k in range(z.size):
        pending |= (np.uint64(z[k]) & mask) << np.uint64(bits)
        bits += width
        while bits >= 8:
            out[end] = np.uint8(pending & np.uint64(255))
            pending >>= np.uint64(8)
            bits, end = bits - 8, end + 1
    if bits > 0:
        out[end] = np.uint8(pending)
        end += 1
    exceptions = 0
    for k in range(z.size):
        if np.uint64(z[k]) > mask:
            beyond = np.uint64(z[k]) >> np.uint64(width)
            out[end] = k
            for byte in range(4):
                out[end + 1 + byte] = np.uint8((beyond >> np.uint64(8 * byte)) & np.uint64(255))
            end, exceptions = end + EXCEPTION, exceptions + 1
    out[first], out[first + 1] = width, exceptions
    return end


@njit(cache=True, nogil=True)
def decode(old, coded, out):  # type: ignore[no-untyped-def]
    """Read what `encode` has written into `out`, as uint32; how many bytes it took."""
    z, end = np.empty(BLOCK, np.uint32), 0
    for start in range(0, old.size, BLOCK):
        size = min(BLOCK, old.size - start)
        end = _decode_block(coded, end, z[:size])
        for k in range(size):
            sign = np.uint32(0) - (z[k] & np.uint32(1))
            change = np.uint32((z[k] >> np.uint32(1)) ^ sign)
            out[start + k] = rising(np.uint32(rising(old[start + k]) + change))
    return end


@njit(cache=True, nogil=True)
def _decode_block(coded, end, z):  # type: ignore[no-untyped-def]
    """Read one block; where it ends."""
    width, exceptions = np.int64(coded[end]), np.int64(coded[end + 1])
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    end += 2
    pending, bits = np.uint64(0), np.int64(0)
    for k in range(z.size):
        while bits < width:
            pending |= np.uint64(coded[end]) << np.uint64(bits)
            bits += 8
            end += 1
        z[k] = np.uint32(pending & mask)
        pending >>= np.uint64(width)
        bits -= width
    for _ in range(exceptions):
        beyond = np.uint64(0)
        for byte in range(4):
            beyond |= np.uint64(coded[end + 1 + byte]) << np.uint64(8 * byte)
        z[coded[end]] |= np.uint32(beyond << np.uint64(width))
        end += EXCEPTION
    return end
