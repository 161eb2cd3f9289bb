"""Random numbers in bulk: many small generators side by side, advanced together.

A stream gives 64 bits at a time and each step waits for the one before. Where thousands of numbers
are wanted, the stream seeds 32 xoshiro128++ generators instead, whose 32-bit steps run in vector
registers. A uniform number has 23 bits, ``u = (k + 1/2) / 2^23``, which single precision holds
exactly: never 0, never 1, and ``P(u < p)`` is p to within 2^-24. So a proposal less likely to be
taken than 6e-8 never is.

References
    D. Blackman, S. Vigna. Scrambled linear pseudorandom number generators. ACM TOMS 47(4), 2021.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.elementary import log
from wordrbm.kernels.stream import next_word
from wordrbm.shapes import Array

LANES = 32
word = np.uint32
HALF, TWO_TO_MINUS_23 = np.float32(0.5), np.float32(2.0**-23)


@njit(cache=True, nogil=True)
def seed_lanes(stream):  # type: ignore[no-untyped-def]
    """The states of the lanes: four 32-bit words each, every one from the stream."""
    lanes = np.empty((4, LANES), np.uint32)
    for k in range(4):
        for lane in range(0, LANES, 2):
            bits = next_word(stream)
            lanes[k, lane] = word(bits)
            lanes[k, lane + 1] = word(bits >> np.uint64(32))
    return lanes


@njit(cache=True, nogil=True)
def advance(lanes, out):  # type: ignore[no-untyped-def]
    """One output of every lane: rotl(s0 + s3, 7) + s0, then the linear step."""
    for lane in range(LANES):
        s0, s1, s2, s3 = lanes[0, lane], lanes[1, lane], lanes[2, lane], lanes[3, lane]
        total = word(s0 + s3)
        out[lane] = word(word(word(total << word(7)) | word(total >> word(25))) + s0)
        shifted = word(s1 << word(9))
        s2 = word(s2 ^ s0)
        s3 = word(s3 ^ s1)
        lanes[1, lane] = word(s1 ^ s2)
        lanes[0, lane] = word(s0 ^ s3)
        lanes[2, lane] = word(s2 ^ shifted)
        lanes[3, lane] = word(word(s3 << word(11)) | word(s3 >> word(21)))


@njit(cache=True, nogil=True)
def random_bits(stream, count):  # type: ignore[no-untyped-def]
    """So many words of 32 random bits."""
    lanes = seed_lanes(stream)
    rounds = np.empty((-(-count // LANES), LANES), np.uint32)
    for r in range(len(rounds)):
        advance(lanes, rounds[r])
    return rounds.reshape(-1)[:count]


@njit(cache=True, nogil=True)
def uniform(bits):  # type: ignore[no-untyped-def]
    """(k + 1/2) / 2^23 of the upper 23 bits."""
    return (np.float32(np.int32(bits >> word(9))) + HALF) * TWO_TO_MINUS_23


@njit(cache=True, nogil=True, error_model="numpy")
def fill_bernoulli(stream: Array, mean: Array, state: Array) -> None:
    """``state = 1`` with probability ``mean``, else 0, entry by entry."""
    flat, drawn = mean.reshape(-1), state.reshape(-1)
    bits = random_bits(stream, flat.size)
    for k in range(flat.size):
        drawn[k] = uniform(bits[k]) < flat[k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def exponentials(stream, count):  # type: ignore[no-untyped-def]
    """Draws ``-log u`` from the exponential distribution of mean one."""
    bits = random_bits(stream, count)
    drawn = np.empty(count, np.float32)
    for k in range(count):
        drawn[k] = -log(uniform(bits[k]))
    return drawn
