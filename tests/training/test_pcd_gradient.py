import numpy as np

from tests import reference
from tests.conftest import K
from wordrbm.models.exact import to_dense
from wordrbm.sampling import AliasTable, Chains, Jumps, Reservoir, TransitionInfo
from wordrbm.training.pcd_gradient import phase_weights, shard_gradient


def move_to(words):
    """An operator that puts the chains where the test wants them."""

    def transition(stream, model, chains):
        return words, TransitionInfo(np.ones(words.shape, np.int32), 1)

    return transition


def expected_statistics(model, v, name):
    """sum_b E_{h|v}[-dE/dtheta] by summing over every hidden vector, for c and the biases b."""
    total = np.zeros_like(model.parameters()[name])
    for window in v:
        masses = [np.exp(-reference.energy(model, window, h)) for h in reference.all_hiddens(model)]
        for h, p in zip(reference.all_hiddens(model), np.array(masses) / sum(masses), strict=True):
            if name == "c":
                total += p * np.array(h)
                continue
            for word in window:
                total[word] += p
    return total


def test_gradient_is_the_positive_minus_the_negative_phase_at_the_moved_words(rng, stream, wordrep):
    v = rng.integers(K, size=(6, 2))
    before, moved = rng.integers(K, size=(2, 4, 2))
    chains = Chains(before, np.zeros((4, 3)))
    result = shard_gradient(stream, wordrep, move_to(moved), v, chains)
    for name in ("c", "b"):
        expected = expected_statistics(wordrep, v, name)
        expected -= 6 / 4 * expected_statistics(wordrep, moved, name)
        found = to_dense(wordrep, result.gradient, name)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_chains_carry_the_moved_words_and_hidden_states_drawn_at_them(rng, stream, wordrep):
    """A unit that is surely on at the moved words, and surely off before, must come out on."""
    wordrep.D[:], wordrep.U[:], wordrep.c[:] = 0.0, 0.0, -50.0
    wordrep.D[1, 0], wordrep.U[:, :, 0] = 1.0, 100.0
    before, moved = np.zeros((4, 2), int), np.ones((4, 2), int)
    chains = Chains(before, np.zeros((4, 3)))
    result = shard_gradient(stream, wordrep, move_to(moved), before, chains)
    np.testing.assert_array_equal(result.chains.v, moved)
    assert np.all(result.chains.h == 1.0)


def test_phases_balance():
    assert phase_weights(6, np.full(4, 6 / 4), np.dtype(float)).sum() == 0.0


def test_the_negative_phase_with_jumps_is_the_models_mean(rng, stream, wordrep):
    """Chains at the target and proposals of the reservoir: together E_p of the hidden means."""
    windows, p = np.array(reference.all_windows(wordrep)), reference.window_probability(wordrep)
    q = rng.dirichlet(np.ones(K))
    stored = windows[rng.choice(len(p), size=8)]
    jumps = Jumps(Reservoir.build(stored, AliasTable.build(q)), 1)
    M, found = 512, []
    for _ in range(60):
        v = windows[rng.choice(len(p), size=M, p=p)]
        chains = Chains(v, np.zeros((M, 3)))
        result = shard_gradient(stream, wordrep, move_to(v), v[:1], chains, jumps)
        read = wordrep.hidden_mean(v[:1])[0]
        found.append(read - result.gradient.dense["c"])  # the negative phase alone, times B = 1
    expected = p @ wordrep.hidden_mean(windows)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    # The bias falls as one over the pool: far below the error of sixty draws of 512.
    assert np.all(np.abs(np.mean(found, axis=0) - expected) < 4 * error + 1e-3)
