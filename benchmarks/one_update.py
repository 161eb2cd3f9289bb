"""A process of its own for one kind of update: prints its seconds and its peak memory as JSON.

    python -m benchmarks.one_update wordrbm 100000 2

The same batch for all: 512 windows of 3 words, 250 hidden units, 512 persistent chains moved by
one sweep, one thread. `BernoulliRBM` of scikit-learn takes windows one-hot, n K binary units (a
sparse matrix; it makes its own negative windows dense). The Potts RBM of `rbms` has n units of K
states, a weight for every state and hidden unit, and exact Gibbs sampling.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.resident import peak
from benchmarks.running import ENDLESS, fresh, made_up, pooled, seconds
from wordrbm.shapes import Words

MOST_BYTES = 8 * 10**9
LONG = 5.0  # seconds beside which what the first step does once is nothing

Step = Callable[[], object]


def wordrbm(K: int) -> Step:
    """The default update."""
    from wordrbm.training import start, train

    text = made_up(K)
    model = fresh(text)
    state = start(model, text.batches, ENDLESS)
    run = train(model, pooled(text.q), text.batches, ENDLESS, state, q=text.q)
    return partial(next, run)


def bernoulli(K: int) -> Step:
    """One `partial_fit` of scikit-learn's binary RBM."""
    from scipy.sparse import csr_matrix
    from sklearn.neural_network import BernoulliRBM

    v, B, n = _batch(K), ENDLESS.batch_size, ENDLESS.window
    columns = (v + K * np.arange(n)).ravel()
    rows = np.repeat(np.arange(B), n)
    one_hot = csr_matrix((np.ones(B * n), (rows, columns)), shape=(B, n * K))
    rbm = BernoulliRBM(ENDLESS.hidden, batch_size=B, random_state=1)
    return partial(rbm.partial_fit, one_hot)


def potts(K: int) -> Step:
    """One step of `rbms.training.pcd.train`, without its files and its bar."""
    import torch
    from rbms.potts_bernoulli.classes import PBRBM
    from rbms.potts_bernoulli.utils import ensure_zero_sum_gauge
    from rbms.training.pcd import fit_batch_pcd

    torch.set_num_threads(1)
    torch.manual_seed(1)
    n, H, v = ENDLESS.window, ENDLESS.hidden, torch.from_numpy(_batch(K)).float()
    rbm = PBRBM(0.01 * torch.randn(n, K, H), torch.zeros(n, K), torch.zeros(H))
    rbm.init_grad()
    optimizer = torch.optim.SGD(rbm.parameters(), lr=0.01, maximize=True)
    M = ENDLESS.chains
    held = {"chains": rbm.init_chains(M, start_v=v[:M])}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step() -> None:
        optimizer.zero_grad(set_to_none=False)
        read = (v, torch.ones(len(v)))
        held["chains"], _ = fit_batch_pcd(read, held["chains"], rbm, gibbs_steps=1, beta=1.0)
        optimizer.step()
        ensure_zero_sum_gauge(rbm)

    return step


def _batch(K: int) -> Words:
    return made_up(K).batches(0, ENDLESS.batch_size)


STEPS = {"wordrbm": wordrbm, "BernoulliRBM": bernoulli, "rbms": potts}


def timed(step: Step, at_least: float) -> float:
    """The median of steps for so many seconds; the first counts only if it is long."""
    first = seconds(step)  # may compile and make tables
    taken = [first] if first > LONG else []
    end = time.perf_counter() + at_least
    while not taken or (first < LONG and time.perf_counter() < end):
        taken.append(seconds(step))
    return median(taken)


def limit_memory() -> None:
    """Let this process fail when it asks for more than its share, rather than the machine."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def main(name: str, K: str, at_least: str) -> dict[str, float | str]:
    """Measure, or say why not."""
    limit_memory()
    try:
        with threadpool_limits(1):
            taken = timed(STEPS[name](int(K)), float(at_least))
        return {"seconds": taken, "megabytes": peak()}
    except ModuleNotFoundError as error:
        return {"fault": f"{error.name} is not installed"}
    except (MemoryError, RuntimeError) as error:  # torch tells it as a RuntimeError
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        return {"fault": f"needs more than {MOST_BYTES / 1e9:.0f} GB"}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
