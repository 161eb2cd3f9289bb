"""exp, log, the logistic and softplus in single precision, written so that loops run in vectors.

A call of the C library stops the compiler from using vector registers; a polynomial does not.

    exp x = 2^k exp r,  k = round(x / log 2),  |r| <= (log 2)/2
    log x = e log 2 + log(1 + f),  sqrt(1/2) <= 1 + f < sqrt 2

Both are good to 2 units in the last place. Doubles use the C library.

References
    S. Moshier. Methods and Programs for Mathematical Functions. 1989 (Cephes: the coefficients).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

from wordrbm.shapes import Array

single, int32 = np.float32, np.int32
COMPILED: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
ONE, HALF = single(1.0), single(0.5)
LOG2_HIGH, LOG2_LOW = single(0.693359375), single(-2.12194440e-4)  # k LOG2_HIGH is exact
PER_LOG2 = single(1.4426950408889634)
MIN_EXPONENT, MAX_EXPONENT = single(-87.0), single(88.0)  # beyond: exp leaves normal numbers
ROUNDER = single(12582912.0)  # 1.5 * 2^23: adding it rounds to a whole number, kept in the low bits
ROUNDER_BITS = int32(ROUNDER.view(int32) - 127)
ROOT_HALF_BITS = int32(0x3F3504F3)
MANTISSA = int32(23)  # bits


@intrinsic
def as_single(typing, bits):  # type: ignore[no-untyped-def]
    """The single-precision number with these bits."""
    return types.float32(types.int32), lambda _, builder, __, arguments: builder.bitcast(
        arguments[0], ir.FloatType()
    )


@intrinsic
def as_bits(typing, x):  # type: ignore[no-untyped-def]
    """The bits of a single-precision number."""
    return types.int32(types.float32), lambda _, builder, __, arguments: builder.bitcast(
        arguments[0], ir.IntType(32)
    )


@njit(**COMPILED)
def exp_single(x):  # type: ignore[no-untyped-def]
    """exp x; arguments beyond -87 and 88 are taken as those, nan stays nan."""
    x = MIN_EXPONENT if x < MIN_EXPONENT else x
    x = MAX_EXPONENT if x > MAX_EXPONENT else x
    shifted = x * PER_LOG2 + ROUNDER
    k = shifted - ROUNDER
    r = x - k * LOG2_HIGH - k * LOG2_LOW
    y = single(1.9875691500e-4)
    y = y * r + single(1.3981999507e-3)
    y = y * r + single(8.3334519073e-3)
    y = y * r + single(4.1665795894e-2)
    y = y * r + single(1.6666665459e-1)
    y = y * r + single(5.0000001201e-1)
    y = y * r * r + r + ONE
    scale: Any = as_single(int32(int32(as_bits(shifted) - ROUNDER_BITS) << MANTISSA))  # type: ignore[call-arg]
    return y * scale


@njit(**COMPILED)
def log_single(x):  # type: ignore[no-untyped-def]
    """log x of a positive normal number."""
    bits: Any = as_bits(x)  # type: ignore[call-arg]
    e = int32(int32(bits - ROOT_HALF_BITS) >> MANTISSA)
    f = as_single(int32(bits - int32(e << MANTISSA))) - ONE
    y = single(7.0376836292e-2)
    y = y * f + single(-1.1514610310e-1)
    y = y * f + single(1.1676998740e-1)
    y = y * f + single(-1.2420140846e-1)
    y = y * f + single(1.4249322787e-1)
    y = y * f + single(-1.6668057665e-1)
    y = y * f + single(2.0000714765e-1)
    y = y * f + single(-2.4999993993e-1)
    y = y * f + single(3.3333331174e-1)
    square = f * f
    y = y * f * square + single(e) * LOG2_LOW - HALF * square
    return f + y + single(e) * LOG2_HIGH


def exp(x: Any) -> Any:
    """exp x in the precision of x, inside compiled code."""
    return np.exp(x)


def log(x: Any) -> Any:
    """log x in the precision of x, inside compiled code."""
    return np.log(x)


@overload(exp)
def _exp(x):  # type: ignore[no-untyped-def]
    return (lambda x: exp_single(x)) if x == types.float32 else (lambda x: np.exp(x))


@overload(log)
def _log(x):  # type: ignore[no-untyped-def]
    return (lambda x: log_single(x)) if x == types.float32 else (lambda x: np.log(x))


@njit(cache=True, **COMPILED)
def sigmoid_inplace(x: Array, c: Array) -> None:
    """``x[m, j] = 1 / (1 + exp(-(x[m, j] + c[j])))``, in place."""
    one = x.dtype.type(1)
    for m in range(x.shape[0]):
        row = x[m]
        for j in range(c.size):
            row[j] = one / (one + exp(-(row[j] + c[j])))


@njit(cache=True, **COMPILED)
def fill_exp(x: Array, out: Array) -> None:
    """``out = exp x``, entry by entry."""
    for m in range(x.shape[0]):
        row, exponentials = x[m], out[m]
        for j in range(x.shape[1]):
            exponentials[j] = exp(row[j])


@njit(cache=True, **COMPILED)
def softplus_row_sums(x: Array, total: Array) -> None:
    """``total[m] += sum_j log(1 + exp x[m, j])``, summed in the precision of `total`."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    term = np.empty(x.shape[1], x.dtype)
    for m in range(x.shape[0]):
        for j in range(x.shape[1]):
            term[j] = max(x[m, j], zero) + log(one + exp(-abs(x[m, j])))
        for j in range(x.shape[1]):
            total[m] += term[j]


@njit(cache=True, nogil=True, error_model="numpy")
def all_within(values: Array, bound: float) -> bool:
    """Whether every number is smaller than this either way; nan is not."""
    beyond = 0
    for k in range(values.size):
        beyond += not (abs(values[k]) < bound)
    return beyond == 0
