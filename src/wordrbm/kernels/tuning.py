"""A chain field and the hidden units that it reads learn labels together, sentence by sentence.

    h = sigm(c + x U),   s[t] = sum_{a in attributes(t)} W[a] + z_t V,   z_t = (dense_t, k h_t)
    e[t, l] = P(y_t = l) - [l is right]
    dW[a] = e_t,  dV = z^T e,  da = k h (1 - h) (e V_h^T),  dU = x^T da,  dc = sum_t da_t
    every number steps by  -rate g / sqrt(1 + sum of all g^2 so far)            [Duchi et al. 2011]

x are the vectors of the words of a window, one after another, and h_t is zero where no whole window
has the token in its middle. The penalty c2 is shared out: a row of W that stands at m tokens is
shrunk by an m-th of it at each, V and A by an S-th of it at each of S sentences; U and c have none:
they begin as a model has them and go where labels lead.

References
    J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.chain import add_rows, marginals
from wordrbm.kernels.elementary import logistic
from wordrbm.shapes import Array


class Read(NamedTuple):
    """Sentences: their attributes, dense features, labels and windows, and where each begins."""

    attributes: Array  # P
    first: Array  # T + 1: where the attributes of a token begin
    dense: Array  # T x F
    label: Array  # T
    begin: Array  # S + 1: the first token of a sentence
    v: Array  # N x n: windows
    window: Array  # S + 1: the first window of a sentence


class Learner(NamedTuple):
    """What learns, or the squares that its steps are shortened by."""

    W: Array  # R x L
    V: Array  # (F + H) x L
    A: Array  # L x L, in double precision
    U: Array  # n d x H
    c: Array  # H


class Steps(NamedTuple):
    """How far steps go, the penalty, what hidden means are multiplied with."""

    rate: float
    unit_rate: float
    c2: float
    k: float


@njit(cache=True, nogil=True, error_model="numpy")
def learn(
    order: Array, read: Read, D: Array, count: Array, now: Learner, squares: Learner, steps: Steps
) -> float:
    """One step for each sentence named; gives the sum of -log P(y | x) as each was met."""
    total = 0.0
    for s in order:
        x, h = units(s, read, D, now)
        z = beside(s, read, h, steps.k)
        e, pairs = np.dot(z, now.V).astype(np.float64), np.zeros_like(now.A)
        total += errors(s, read, now, e, pairs)
        small = e.astype(np.float32)
        back = np.dot(small, now.V[read.dense.shape[1] :].T)
        step_rows(s, read, small, count, now.W, squares.W, steps)
        share = np.float32(2.0 * steps.c2 / (read.begin.size - 1))
        rate, unit_rate = np.float32(steps.rate), np.float32(steps.unit_rate)
        step(now.V, np.dot(z.T, small), squares.V, rate, share)
        step(now.A, pairs, squares.A, steps.rate, np.float64(share))
        da = slopes(read.v.shape[1] // 2, h, back, np.float32(steps.k))
        step(now.U, np.dot(x.T, da), squares.U, unit_rate, np.float32(0.0))
        step(now.c.reshape(1, -1), summed(da), squares.c.reshape(1, -1), unit_rate, np.float32(0.0))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def units(s, read, D, now):  # type: ignore[no-untyped-def]
    """The windows of a sentence as numbers, and their hidden means."""
    begin, end = read.window[s], read.window[s + 1]
    n, d = read.v.shape[1], D.shape[1]
    x = np.empty((end - begin, n * d), np.float32)
    for w in range(end - begin):
        for i in range(n):
            x[w, i * d : (i + 1) * d] = D[read.v[begin + w, i]]
    h = np.dot(x, now.U)
    logistic(h, now.c)
    return x, h


@njit(cache=True, nogil=True)
def beside(s, read, h, k):  # type: ignore[no-untyped-def]
    """The dense features of every token of a sentence, and k times its hidden means."""
    begin, end, F = read.begin[s], read.begin[s + 1], read.dense.shape[1]
    z, middle = np.zeros((end - begin, F + h.shape[1]), np.float32), read.v.shape[1] // 2
    z[:, :F] = read.dense[begin:end]
    for w in range(len(h)):
        z[middle + w, F:] = h[w] * np.float32(k)
    return z


@njit(cache=True, nogil=True, error_model="numpy")
def errors(s, read, now, scores, pairs):  # type: ignore[no-untyped-def]
    """What is expected less what is there, written over scores and pairs; gives -log P(y | x)."""
    begin, end = read.begin[s], read.begin[s + 1]
    label, right = read.label[begin:end], 0.0
    add_rows(read.attributes, read.first[begin : end + 1], now.W, scores)
    for t in range(label.size):
        right += scores[t, label[t]] + (now.A[label[t - 1], label[t]] if t else 0.0)
    log_Z = marginals(scores, now.A, np.array([label.size]), pairs)
    for t in range(label.size):
        scores[t, label[t]] -= 1.0
        if t:
            pairs[label[t - 1], label[t]] -= 1.0
    return log_Z - right


@njit(cache=True, nogil=True)
def slopes(middle, h, back, k):  # type: ignore[no-untyped-def]
    """``k h (1 - h) back``: how the loss rises with what each unit of each window is given."""
    da = np.empty_like(h)
    for w in range(h.shape[0]):
        for j in range(h.shape[1]):
            da[w, j] = k * h[w, j] * (np.float32(1.0) - h[w, j]) * back[middle + w, j]
    return da


@njit(cache=True, nogil=True)
def summed(da):  # type: ignore[no-untyped-def]
    total = np.zeros((1, da.shape[1]), da.dtype)
    for w in range(da.shape[0]):
        total[0] += da[w]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def step_rows(s, read, e, count, W, squares, steps):  # type: ignore[no-untyped-def]
    """The rows of the attributes of every token."""
    begin = read.begin[s]
    for t in range(e.shape[0]):
        for place in range(read.first[begin + t], read.first[begin + t + 1]):
            a = read.attributes[place]
            share = np.float32(2.0 * steps.c2 / count[a])
            step_row(W[a], e[t], squares[a], np.float32(steps.rate), share)


@njit(cache=True, nogil=True)
def step(x, g, squares, rate, share):  # type: ignore[no-untyped-def]
    """All rows of a table."""
    for r in range(x.shape[0]):
        step_row(x[r], g[r], squares[r], rate, share)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def step_row(x, g, squares, rate, share):  # type: ignore[no-untyped-def]
    for k in range(x.size):
        slope = g[k] + share * x[k]
        squares[k] += slope * slope
        x[k] -= rate * slope / np.sqrt(squares[k])
