"""Random streams as plain arrays: xoshiro256++ seeded through splitmix64.

A stream is four 64-bit words, passed explicitly, so a shard's draws depend on nothing but
``(seed, step, shard)``: not on threads, not on what ran before.

References
    D. Blackman, S. Vigna. Scrambled linear pseudorandom number generators. ACM TOMS 47(4), 2021.
    G. Steele, D. Lea, C. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
"""

import numpy as np
from numba import njit

from wordrbm.shapes import Stream

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
TWO_TO_MINUS_53 = 1.0 / 9007199254740992.0


@njit(cache=True, nogil=True)
def mix(x):  # type: ignore[no-untyped-def]
    """The splitmix64 finaliser: a bijection of 64-bit words that scatters every bit."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def seed_words(seed, step, shard):  # type: ignore[no-untyped-def]
    x = mix(np.uint64(seed) + GOLDEN)
    x = mix(x ^ mix(np.uint64(step) + GOLDEN * np.uint64(2)))
    x = mix(x ^ mix(np.uint64(shard) + GOLDEN * np.uint64(3)))
    stream = np.empty(4, np.uint64)
    for k in range(4):
        x += GOLDEN
        stream[k] = mix(x)
    return stream


def seed_stream(seed: int, step: int, shard: int) -> Stream:
    """The stream of one shard at one step. Nearby arguments give unrelated streams."""
    wide = [np.uint64(part % 2**64) for part in (seed, step, shard)]
    stream: Stream = seed_words(*wide)
    return stream


@njit(cache=True, nogil=True)
def next_word(stream):  # type: ignore[no-untyped-def]
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
    return np.float64(next_word(stream) >> np.uint64(11)) * TWO_TO_MINUS_53
