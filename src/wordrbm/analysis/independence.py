"""The distribution of an independence sampler after t steps, without its K x K matrix.

A Metropolis-Hastings chain that proposes from a fixed q and has the target pi is diagonal in the
order of its weights ``w = pi / q``, largest first [Liu 1996]. With
``S_k = sum_{i >= k} pi_i``, ``Q_k = sum_{i <= k} q_i`` and ``lambda_0 = 1``,

    1 - lambda_k = Q_{k-1} + S_k / w_k          the chance to leave k, so lambda_k is that to stay
    lambda_{k-1} - lambda_k = S_k (1 / w_k - 1 / w_{k-1})

and from a start nu with ``N_k = sum_{i >= k} nu_i`` the chain is after t steps at

    p_j / pi_j = lambda_j^t nu_j / pi_j + sum_{k <= j} (lambda_{k-1}^t - lambda_k^t) N_k / S_k.

O(K log K) to sort, then O(K) for any t. `docs/mixing.md` derives it.
"""

from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from jaxtyping import Float, Int

from wordrbm.kernels.independence import density_ratios, symmetric_kl, total_variation
from wordrbm.shapes import Probability

Logs: TypeAlias = Float[np.ndarray, " K"]
MIN_LOG = -600.0  # of a probability that differs from zero: below it nothing is ever drawn


@final
@dataclass(frozen=True, eq=False)
class IndependenceChain:
    """A chain over K words; all arrays are in the order of its weights, largest first."""

    order: Int[np.ndarray, " K"]  # the ids of the words
    pi: Probability
    leave: Probability  # 1 - lambda_k
    log_S: Logs
    log_stay: Logs  # log lambda_k
    log_drop: Logs  # log (lambda_k / lambda_{k-1})
    start: Float[np.ndarray, " K"]  # nu_j / pi_j
    tails: Float[np.ndarray, " K"]  # N_k / S_k

    @classmethod
    def build(cls, log_pi: Logs, log_q: Logs, log_nu: Logs | None = None) -> "IndependenceChain":
        """The chain that proposes from q and leaves pi unchanged; it starts from nu, or from q."""
        log_pi, log_q = np.maximum(log_pi, MIN_LOG), np.maximum(log_q, MIN_LOG)
        order = np.argsort(log_q - log_pi, kind="stable")
        log_pi, log_q = log_pi[order], log_q[order]
        log_w, log_S = log_pi - log_q, _log_tails(log_pi)
        before = np.concatenate([[0.0], np.cumsum(np.exp(log_q))[:-1]])  # Q_{k-1}
        leave = np.minimum(before + np.exp(log_S - log_w), 1.0)
        with np.errstate(divide="ignore"):
            log_stay, log_drop = np.log1p(-leave), np.log1p(-_drops(log_w, log_S, leave))
        pi = np.exp(log_pi)
        log_nu = np.log(pi) - log_w if log_nu is None else log_nu[order]
        start, tails = np.exp(log_nu - np.log(pi)), np.exp(_log_tails(log_nu) - log_S)
        return cls(order, pi, leave, log_S, log_stay, log_drop, start, tails)

    @property
    def acceptance(self) -> float:
        """The share of proposals accepted in equilibrium; a word may replace itself."""
        return float(self.pi @ self.leave)

    @property
    def gap(self) -> float:
        """The spectral gap, ``1 - lambda_1 = 1 / max w``."""
        return float(self.leave[0])

    def ratios(self, t: int) -> Float[np.ndarray, " K"]:
        """``p_j / pi_j`` after t steps, in the order of the chain."""
        if t == 0:
            return self.start
        ratio = np.empty_like(self.pi)
        density_ratios(t, self.log_stay, self.log_drop, self.start, self.tails, ratio)
        return ratio

    def distances(self, t: int) -> tuple[float, float]:
        """Symmetric KL divergence and total variation from the target after t steps."""
        ratio = self.ratios(t)
        return symmetric_kl(self.pi, ratio), total_variation(self.pi, ratio)

    def total_variation(self, t: int) -> float:
        """Total variation from the target after t steps: from 0 to 1."""
        return total_variation(self.pi, self.ratios(t))

    def autocorrelation_time(self) -> float:
        """``1 + 2 sum_t C(t)``, C the correlation of "it is word j" with itself over all j."""
        if len(self.pi) == 1:
            return 1.0
        g = (1.0 - self.leave) / self.leave  # sum_{t >= 1} lambda^t
        steps = np.concatenate([[-g[0]], (g[:-1] - g[1:]) * np.exp(-self.log_S[1:])])
        returns = self.pi * (g + self.pi * np.cumsum(steps))  # sum_t pi_j (P^t(j, j) - pi_j)
        return float(1.0 + 2.0 * returns.sum() / (self.pi * (1.0 - self.pi)).sum())


def steps_until(
    chain: IndependenceChain, distance: float, *, low: int = -1, high: int = 1, limit: int = 2**40
) -> int | None:
    """The fewest steps after which the total variation is at most `distance`; None beyond `limit`.

    After `low` steps it must be larger; `high` is where the search begins.
    """
    while chain.total_variation(high) > distance:
        if high >= limit:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chain.total_variation(middle) > distance else (low, middle)
    return high


def _drops(log_w: Logs, log_S: Logs, leave: Probability) -> Probability:
    """``1 - lambda_k / lambda_{k-1}``, precise also where the two are tiny or nearly equal."""
    ratio = np.concatenate([[1.0], -np.expm1(log_w[1:] - log_w[:-1])])  # 1 / w_0 = 0
    fall = np.exp(log_S - log_w) * ratio
    above = np.concatenate([[1.0], 1.0 - leave[:-1]])
    share: Probability = np.divide(fall, above, out=np.ones_like(fall), where=above > 0)
    return share.clip(max=1.0)


def _log_tails(log_p: Logs) -> Logs:
    """``log sum_{i >= k} p_i``."""
    return np.logaddexp.accumulate(log_p[::-1])[::-1]
