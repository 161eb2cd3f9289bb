import numpy as np
import pytest

from tests import reference
from tests.conftest import H, K, n
from wordrbm.errors import WordRBMError
from wordrbm.models import SoftmaxRBM, init_softmax, init_wordrep
from wordrbm.sampling import Metropolis, PooledMetropolis
from wordrbm.training import TrainingSettings, check_settings, start, train
from wordrbm.training.trainer import is_judged, learning_rates_at, warmup_updates


def settings(**changes):
    base = {"batch_size": 24, "chains": 36, "shards": 4, "windows": 24 * 40, "warmup": 5}
    return check_settings(
        base | {"window": n, "hidden": H, "mh_steps": 5, "reservoir": 96, "candidates": 6} | changes
    )


@pytest.fixture
def text(rng):
    """Windows with something to learn: the second word follows from the first."""
    first = rng.integers(K, size=600)
    return np.stack([first, (first + rng.integers(2, size=600)) % K], axis=1).astype(np.int32)


def batches_of(text):
    return lambda first, size: text[(first + np.arange(size)) % len(text)]


def trained(text, chosen, *, threads=1, pause=None):
    """Train a small model; `pause` cuts the run in two at that update."""
    q = np.full(K, 1 / K)
    model = init_wordrep(np.random.default_rng(3), n=n, H=H, d=4, word_probability=q)
    transition = PooledMetropolis.from_probability(q, steps=chosen.mh_steps, size=8)
    batches = batches_of(text)
    begun = start(model, batches, chosen)
    if pause:
        updates = train(model, transition, batches, chosen, begun, q=q, threads=threads)
        begun, _ = next(update for update in updates if update[0].step == pause)
    *_, (state, _) = train(model, transition, batches, chosen, begun, q=q, threads=threads)
    return model, state


def bits(result):
    model, state = result
    arrays = [*model.parameters().values(), state.chains.v, state.chains.h]
    return b"".join(array.tobytes() for array in arrays)


@pytest.mark.parametrize("seed", range(10))
def test_same_bits_for_any_number_of_threads(text, seed):
    chosen = settings(seed=seed)
    one = bits(trained(text, chosen, threads=1))
    assert bits(trained(text, chosen, threads=2)) == one
    assert bits(trained(text, chosen, threads=4)) == one


def test_another_seed_gives_other_bits(text):
    assert bits(trained(text, settings(seed=1))) != bits(trained(text, settings(seed=2)))


def test_a_run_cut_in_two_gives_the_same_bits(text):
    whole = bits(trained(text, settings()))
    assert bits(trained(text, settings(), pause=17)) == whole


def test_every_shard_draws_from_its_own_stream(text):
    """All chains stand on one window with one h; shards that shared a stream would move alike."""
    same = np.zeros_like(text)
    chosen = settings(batch_size=4, chains=4, shards=4, windows=4)
    q = np.full(101, 1 / 101)
    model = init_wordrep(np.random.default_rng(3), n=n, H=H, d=4, word_probability=q)
    transition = PooledMetropolis.from_probability(q, steps=5, size=8)
    state = start(model, batches_of(same), chosen)
    (state, _), *_ = train(model, transition, batches_of(same), chosen, state, q=q)
    assert len({tuple(window) for window in state.chains.v.tolist()}) > 1


def test_rates_rise_then_fall():
    chosen = settings(
        windows=24 * 100,
        warmup_share=1.0,
        warmup=10,
        word_rate=1.0,
        final_rate=0.2,
        rate_windows=24 * 100,
    )
    rates = [learning_rates_at(chosen, step).word for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[9]
    assert rates[50] == pytest.approx(0.6 / 1.5**0.5)
    assert rates[100] == pytest.approx(0.2 / 2**0.5)


def test_short_runs_warm_up_for_a_hundred_updates():
    short, long = TrainingSettings(windows=100_000), TrainingSettings(windows=3_000_000)
    assert warmup_updates(short) == 100
    assert warmup_updates(long) == 0.02 * long.steps > 100
    assert warmup_updates(TrainingSettings()) == 1000
    assert warmup_updates(TrainingSettings(windows=100_000, warmup=0)) == 0
    paper = TrainingSettings(windows=100_000, warmup_share=None)
    assert warmup_updates(paper) == 1000
    assert learning_rates_at(short, 0).word == pytest.approx(short.word_rate / 100)


def test_a_fresh_model_is_not_judged():
    """Its scores may be far worse than word frequencies, and recover; the last one counts."""
    chosen = TrainingSettings(windows=100_000)
    judged = [is_judged(chosen, step) for step in (1, 99, 100, chosen.steps)]
    assert judged == [False, False, True, True]
    tiny = TrainingSettings(windows=20_000)
    assert not is_judged(tiny, tiny.steps - 1)
    assert is_judged(tiny, tiny.steps)


def test_divergence_stops_with_the_rate_to_lower(text):
    with pytest.raises(WordRBMError, match=r"lower hidden_rate \(now 1e\+06\) and word_rate"):
        trained(text, settings(hidden_rate=1e6))


@pytest.mark.parametrize(
    ("operator", "options"), [(Metropolis, {}), (PooledMetropolis, {"size": 64})]
)
def test_stochastic_maximum_likelihood_reaches_the_entropy_of_the_text(operator, options):
    """Within 2 % of the best log-likelihood that any distribution has, on an enumerable model."""
    first = np.repeat(np.arange(K), 2 * np.arange(1, K + 1))
    text = np.stack([first, (first + np.arange(len(first)) % 2) % K], axis=1).astype(np.int32)
    _, counts = np.unique(text, axis=0, return_counts=True)
    best = np.sum(counts / len(text) * np.log(counts / len(text)))
    q = np.bincount(text.ravel(), minlength=K) / text.size
    fresh = init_softmax(np.random.default_rng(3), n=n, H=H, word_probability=q)
    model = SoftmaxRBM(**{name: a.astype(float) for name, a in fresh.parameters().items()})
    chosen = settings(
        objective="sml", batch_size=60, chains=200, shards=1, windows=60 * 1600, word_rate=0.3,
        hidden_rate=1.0, l2=0.0, momentum=0.5, mh_steps=10, jumps=0,
    )  # fmt: skip
    transition = operator.from_probability(q, steps=10, **options)
    state = start(model, batches_of(text), chosen)
    for _ in train(model, transition, batches_of(text), chosen, state, q=q):
        pass
    reached = reference.log_likelihood(model, text.tolist())
    assert best > reached > 1.02 * best  # all are negative


def test_every_update_draws_afresh(text):
    """A flat model takes every proposal, so the same draws twice would leave the words in place."""
    chosen = settings(batch_size=4, chains=4, shards=1, windows=8, word_rate=1e-9, hidden_rate=1e-9)
    q = np.full(101, 1 / 101)
    model = init_wordrep(np.random.default_rng(3), n=n, H=H, d=4, word_probability=q)
    model.D[:] = 0.0
    transition = PooledMetropolis.from_probability(q, steps=5, size=8)
    state = start(model, batches_of(text), chosen)
    updates = train(model, transition, batches_of(text), chosen, state, q=q)
    first, second = (state.chains.v for state, _ in updates)
    assert np.mean(first == second) < 0.5
