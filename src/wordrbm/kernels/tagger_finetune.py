"""Joint stochastic gradient descent of a linear-chain CRF and the hidden units it reads.

    h = sigm(c + x U),   s[t] = sum_{a in attributes(t)} W[a] + z_t V,   z_t = (dense_t, k h_t)
    e[t, l] = P(y_t = l) - [l is the gold label]
    dW[a] = e_t,  dV = z^T e,  da = k h (1 - h) (e V_h^T),  dU = x^T da,  dc = sum_t da_t
    AdaGrad step:  -rate g / sqrt(1 + sum of all g^2 so far)                   [Duchi et al. 2011]

x are the concatenated word vectors of a window, k is the hidden scale, and h_t is zero where no
complete window is centred on the token. The L2 penalty c2 is divided among the examples: a row of W
that occurs at m tokens decays by 1/m of it at each, V and A by 1/S of it at each of S sentences. U
and c start from a pre-trained model and are not penalised.

References
    J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods. JMLR 12, 2011.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from wordrbm.kernels.crf import add_attribute_scores, forward_backward
from wordrbm.kernels.fastmath import sigmoid_inplace
from wordrbm.shapes import Array


class TrainingSentences(NamedTuple):
    """Concatenated sentences: attributes, dense features, gold labels, windows, and offsets."""

    attributes: Array  # P
    attribute_offsets: Array  # T + 1: first attribute of each token
    dense: Array  # T x F
    labels: Array  # T
    token_offsets: Array  # S + 1: first token of each sentence
    v: Array  # N x n: windows
    window_offsets: Array  # S + 1: first window of each sentence


class TaggerParameters(NamedTuple):
    """The parameters that are trained, or AdaGrad's sums of their squared gradients."""

    W: Array  # R x L
    V: Array  # (F + H) x L
    A: Array  # L x L, in double precision
    U: Array  # n d x H
    c: Array  # H


class Hyperparameters(NamedTuple):
    """Learning rates of weights and hidden units, L2 penalty, hidden scale."""

    rate: float
    hidden_rate: float
    c2: float
    hidden_scale: float


@njit(cache=True, nogil=True, error_model="numpy")
def sgd_steps(
    order: Array, data: TrainingSentences, D: Array, count: Array, parameters: TaggerParameters,
    grad_squared: TaggerParameters, hyper: Hyperparameters,
) -> float:  # fmt: skip
    """One step for each sentence in `order`; returns the sum of -log P(y | x) before each step.

    `count` (R) is the number of tokens that have each attribute.
    """
    total = 0.0
    for s in order:
        x, h = hidden_means(s, data, D, parameters)
        z = concat_features(s, data, h, hyper.hidden_scale)
        e = np.dot(z, parameters.V).astype(np.float64)
        pairs = np.zeros_like(parameters.A)
        total += residuals(s, data, parameters, e, pairs)
        e32 = e.astype(np.float32)
        dh = np.dot(e32, parameters.V[data.dense.shape[1] :].T)
        step_attribute_rows(s, data, e32, count, parameters.W, grad_squared.W, hyper)
        decay = np.float32(2.0 * hyper.c2 / (data.token_offsets.size - 1))
        rate, hidden_rate = np.float32(hyper.rate), np.float32(hyper.hidden_rate)
        step(parameters.V, np.dot(z.T, e32), grad_squared.V, rate, decay)
        step(parameters.A, pairs, grad_squared.A, hyper.rate, np.float64(decay))
        da = hidden_gradient(data.v.shape[1] // 2, h, dh, np.float32(hyper.hidden_scale))
        none = np.float32(0.0)
        step(parameters.U, np.dot(x.T, da), grad_squared.U, hidden_rate, none)
        c, c_squared = parameters.c.reshape(1, -1), grad_squared.c.reshape(1, -1)
        step(c, da.sum(axis=0).reshape(1, -1), c_squared, hidden_rate, none)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def hidden_means(s, data, D, parameters):  # type: ignore[no-untyped-def]
    """The windows of sentence s as concatenated vectors (N, n d), and their hidden means (N, H)."""
    begin, end = data.window_offsets[s], data.window_offsets[s + 1]
    n, d = data.v.shape[1], D.shape[1]
    x = np.empty((end - begin, n * d), np.float32)
    for w in range(end - begin):
        for i in range(n):
            x[w, i * d : (i + 1) * d] = D[data.v[begin + w, i]]
    h = np.dot(x, parameters.U)
    sigmoid_inplace(h, parameters.c)
    return x, h


@njit(cache=True, nogil=True)
def concat_features(s, data, h, hidden_scale):  # type: ignore[no-untyped-def]
    """Dense features of every token of sentence s, then its hidden means times the scale."""
    begin, end, F = data.token_offsets[s], data.token_offsets[s + 1], data.dense.shape[1]
    z, centre = np.zeros((end - begin, F + h.shape[1]), np.float32), data.v.shape[1] // 2
    z[:, :F] = data.dense[begin:end]
    for w in range(len(h)):
        z[centre + w, F:] = h[w] * np.float32(hidden_scale)
    return z


@njit(cache=True, nogil=True, error_model="numpy")
def residuals(s, data, parameters, scores, pairs):  # type: ignore[no-untyped-def]
    """Overwrite scores and pairs by expected minus observed counts; returns -log P(y | x)."""
    begin, end = data.token_offsets[s], data.token_offsets[s + 1]
    label, gold = data.labels[begin:end], 0.0
    offsets = data.attribute_offsets[begin : end + 1]
    add_attribute_scores(data.attributes, offsets, parameters.W, scores)
    for t in range(label.size):
        gold += scores[t, label[t]] + (parameters.A[label[t - 1], label[t]] if t else 0.0)
    log_Z = forward_backward(scores, parameters.A, np.array([label.size]), pairs)
    for t in range(label.size):
        scores[t, label[t]] -= 1.0
        if t:
            pairs[label[t - 1], label[t]] -= 1.0
    return log_Z - gold


@njit(cache=True, nogil=True)
def hidden_gradient(centre, h, dh, hidden_scale):  # type: ignore[no-untyped-def]
    """``k h (1 - h) dh``: the gradient of the loss in the input of each unit of each window."""
    da = np.empty_like(h)
    for w in range(h.shape[0]):
        for j in range(h.shape[1]):
            da[w, j] = hidden_scale * h[w, j] * (np.float32(1.0) - h[w, j]) * dh[centre + w, j]
    return da


@njit(cache=True, nogil=True, error_model="numpy")
def step_attribute_rows(s, data, e, count, W, grad_squared, hyper):  # type: ignore[no-untyped-def]
    """AdaGrad steps of the rows of W that belong to the tokens of sentence s."""
    begin = data.token_offsets[s]
    for t in range(e.shape[0]):
        for p in range(data.attribute_offsets[begin + t], data.attribute_offsets[begin + t + 1]):
            a = data.attributes[p]
            decay = np.float32(2.0 * hyper.c2 / count[a])
            step_row(W[a], e[t], grad_squared[a], np.float32(hyper.rate), decay)


@njit(cache=True, nogil=True)
def step(x, g, grad_squared, rate, decay):  # type: ignore[no-untyped-def]
    """AdaGrad step of every row of a matrix."""
    for r in range(x.shape[0]):
        step_row(x[r], g[r], grad_squared[r], rate, decay)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def step_row(x, g, grad_squared, rate, decay):  # type: ignore[no-untyped-def]
    """AdaGrad step of one row, with weight decay in the gradient."""
    for k in range(x.size):
        slope = g[k] + decay * x[k]
        grad_squared[k] += slope * slope
        x[k] -= rate * slope / np.sqrt(grad_squared[k])
