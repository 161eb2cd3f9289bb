"""Random streams as plain arrays: xoshiro256++ seeded through splitmix64, and random bits in bulk.

A stream is four 64-bit words, passed explicitly, so a shard's draws depend on nothing but
``(seed, step, shard)``: not on threads, not on what ran before.

A stream gives 64 bits at a time and each step waits for the one before. Where thousands of numbers
are wanted, the stream seeds 32 xoshiro128++ generators instead, whose 32-bit steps run in vector
registers. A uniform number has 23 bits, ``u = (k + 1/2) / 2^23``, which single precision holds
exactly: never 0, never 1, and ``P(u < p)`` is p to within 2^-24. So a proposal less likely to be
taken than 6e-8 never is.

References
    D. Blackman, S. Vigna. Scrambled linear pseudorandom number generators. ACM TOMS 47(4), 2021.
    G. Steele, D. Lea, C. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
"""

import numpy as np
from numba import njit

from wordrbm.kernels.fastmath import log
from wordrbm.shapes import Array, Stream

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
TWO_TO_MINUS_53 = 1.0 / 9007199254740992.0


@njit(cache=True, nogil=True)
def splitmix(x):  # type: ignore[no-untyped-def]
    """The splitmix64 finaliser: a bijection of 64-bit words that scatters every bit."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def seed_state(seed, step, shard):  # type: ignore[no-untyped-def]
    x = splitmix(np.uint64(seed) + GOLDEN)
    x = splitmix(x ^ splitmix(np.uint64(step) + GOLDEN * np.uint64(2)))
    x = splitmix(x ^ splitmix(np.uint64(shard) + GOLDEN * np.uint64(3)))
    stream = np.empty(4, np.uint64)
    for k in range(4):
        x += GOLDEN
        stream[k] = splitmix(x)
    return stream


def seed_stream(seed: int, step: int, shard: int) -> Stream:
    """The stream of one shard at one step. Nearby arguments give unrelated streams."""
    unsigned = [np.uint64(part % 2**64) for part in (seed, step, shard)]
    stream: Stream = seed_state(*unsigned)
    return stream


@njit(cache=True, nogil=True)
def next_uint64(stream):  # type: ignore[no-untyped-def]
    """Advance the stream by one step and return 64 random bits."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    return result


@njit(cache=True, nogil=True)
def next_uniform(stream):  # type: ignore[no-untyped-def]
    """A uniform draw from [0, 1) with 53 random bits."""
    return np.float64(next_uint64(stream) >> np.uint64(11)) * TWO_TO_MINUS_53


LANES = 32
word = np.uint32
HALF, TWO_TO_MINUS_23 = np.float32(0.5), np.float32(2.0**-23)


@njit(cache=True, nogil=True)
def seed_lanes(stream):  # type: ignore[no-untyped-def]
    """The states of the lanes: four 32-bit words each, every one from the stream."""
    lanes = np.empty((4, LANES), np.uint32)
    for k in range(4):
        for lane in range(0, LANES, 2):
            bits = next_uint64(stream)
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
