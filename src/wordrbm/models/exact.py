"""Tiny models, exactly: every window and every hidden vector written out.

    Z = sum_v exp(-F(v)) = sum_h exp(c . h) prod_i sum_k exp(s_i(k; h))

Two ways to the same number, so that each checks the other. Costs K^n and 2^H.
"""

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.models.base import AbstractRBM, Gradient
from wordrbm.shapes import Array, Hidden, Words

MAX_STATES = 2**22


def all_states(choices: int, places: int) -> Words:
    """Every way to fill `places` places with one of `choices` choices, in counting order."""
    if choices**places > MAX_STATES:
        raise WordRBMError(
            f"Enumeration of {choices}^{places} states was asked for, at most {MAX_STATES} are "
            "possible; use a smaller model."
        )
    return np.indices((choices,) * places).reshape(places, -1).T


def all_windows(model: AbstractRBM) -> Words:
    """Every window of the model, K^n of them."""
    return all_states(model.word_bias.shape[1], model.positions)


def all_hiddens(model: AbstractRBM) -> Hidden:
    """Every hidden vector of the model, 2^H of them."""
    return all_states(2, model.c.size).astype(model.c.dtype)


def log_Z_over_v(model: AbstractRBM) -> float:
    """``log sum_v exp(-F(v))``."""
    return float(np.logaddexp.reduce(-model.free_energy(all_windows(model))))


def log_Z_over_h(model: AbstractRBM) -> float:
    """``log sum_h exp(c . h) prod_i sum_k exp(s_i(k; h))``."""
    h = all_hiddens(model)
    per_position = np.logaddexp.reduce(model.all_word_scores(h), axis=2)
    return float(np.logaddexp.reduce(h @ model.c + per_position.sum(axis=1)))


def window_probability(model: AbstractRBM) -> Float[np.ndarray, " V"]:
    """``P(v)`` of every window, in the order of `all_windows`."""
    return np.exp(-model.free_energy(all_windows(model)) - log_Z_over_v(model))


def log_likelihood(model: AbstractRBM, v: Words) -> float:
    """The mean of ``log P(v)`` over the given windows."""
    return float(-model.free_energy(v).mean() - log_Z_over_v(model))


def log_likelihood_gradient(model: AbstractRBM, v: Words) -> dict[str, Array]:
    """``d/dtheta mean_b log P(v_b)``: data minus model, both exact [Dahl 2012, section 2]."""
    windows = all_windows(model)
    positive = model.gradient(v, model.hidden_mean(v), np.full(len(v), 1.0 / len(v)))
    negative = model.gradient(windows, model.hidden_mean(windows), window_probability(model))
    return {
        name: to_dense(model, positive, name) - to_dense(model, negative, name)
        for name in model.parameters()
    }


def to_dense(model: AbstractRBM, gradient: Gradient, name: str) -> Array:
    """The whole gradient of one parameter, in its shape, repeats summed. Costs O(K)."""
    if name in gradient.dense:
        return model.shaped(name, gradient.dense[name])
    number, values = gradient.rows[name]
    table = np.zeros(model.table(name).shape, values.dtype)
    np.add.at(table, number, values)
    return model.shaped(name, table)
