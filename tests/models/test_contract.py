"""What every model must do, against the referee's plain loops."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.models import WordRepRBM, exact
from wordrbm.models.cloze import cloze_log_probability

B = 11


@pytest.fixture
def v(rng, model):
    return rng.integers(reference.choices(model), size=(B, model.positions))


@pytest.fixture
def h(rng, model):
    return rng.integers(0, 2, (B, model.c.size)).astype(float)


def test_energy_is_the_papers(model, v, h):
    expected = [reference.energy(model, v_b, h_b) for v_b, h_b in zip(v, h, strict=True)]
    np.testing.assert_allclose(model.energy(v, h), expected)


def test_word_score_is_the_energy_saved_by_a_word(rng, model, v, h):
    """Changing one word changes the energy by exactly the difference of its scores."""
    for i in range(model.positions):
        other = v.copy()
        other[:, i] = rng.integers(reference.choices(model), size=B)
        gained = model.word_score(other, h)[:, i] - model.word_score(v, h)[:, i]
        before = [reference.energy(model, *pair) for pair in zip(v, h, strict=True)]
        after = [reference.energy(model, *pair) for pair in zip(other, h, strict=True)]
        np.testing.assert_allclose(gained, np.subtract(before, after), atol=1e-12)


def test_all_word_scores_normalise_to_the_conditional(model, h):
    scores = model.all_word_scores(h)
    for m in range(B):
        for i in range(model.positions):
            p = np.exp(scores[m, i]) / np.exp(scores[m, i]).sum()
            np.testing.assert_allclose(p, reference.word_conditional(model, i, h[m]))


def test_hidden_mean_is_the_conditional_of_the_energy(model, v, h):
    for j in range(model.c.size):
        on, off = h.copy(), h.copy()
        on[:, j], off[:, j] = 1.0, 0.0
        p_on = np.exp([-reference.energy(model, *pair) for pair in zip(v, on, strict=True)])
        p_off = np.exp([-reference.energy(model, *pair) for pair in zip(v, off, strict=True)])
        np.testing.assert_allclose(model.hidden_mean(v)[:, j], p_on / (p_on + p_off))


def test_hidden_mean_survives_large_inputs(model, v):
    model.c[0], model.c[1] = 2000.0, -2000.0
    mean = model.hidden_mean(v)
    assert np.all(mean[:, 0] == 1.0)
    assert np.all(mean[:, 1] == 0.0)


def test_free_energy_sums_over_hidden_vectors(model, v):
    expected = [-np.log(reference.mass(model, v_b)) for v_b in v]
    np.testing.assert_allclose(model.free_energy(v), expected)


def test_both_roads_to_log_z_agree_with_the_referee(model):
    expected = np.log(sum(reference.mass(model, v) for v in reference.all_windows(model)))
    assert exact.log_Z_over_v(model) == pytest.approx(expected, rel=1e-12)
    assert exact.log_Z_over_h(model) == pytest.approx(expected, rel=1e-12)


def test_window_probability_is_in_counting_order(model):
    assert exact.all_windows(model).tolist() == [list(v) for v in reference.all_windows(model)]
    expected = reference.window_probability(model)
    np.testing.assert_allclose(exact.window_probability(model), expected)


def test_gradient_is_the_slope_of_the_exact_log_likelihood(model, v):
    """Central differences of the referee's log-likelihood, every number of every parameter."""
    gradient = exact.log_likelihood_gradient(model, v)
    step = 1e-5
    for name, parameter in model.parameters().items():
        for place in np.ndindex(parameter.shape):
            kept = parameter[place]
            parameter[place] = kept + step
            above = reference.log_likelihood(model, v)
            parameter[place] = kept - step
            below = reference.log_likelihood(model, v)
            parameter[place] = kept
            slope = (above - below) / (2 * step)
            assert gradient[name][place] == pytest.approx(slope, rel=1e-6, abs=1e-8), (name, place)


def test_gradient_names_only_the_words_of_the_windows(model, v, h):
    gradient = model.gradient(v, h, np.ones(B))
    for name, (number, values) in gradient.rows.items():
        assert len(number) == len(values) == v.size
        assert model.table(name).shape[1] == values.shape[1]
        assert np.shares_memory(model.table(name), model.parameters()[name])


def test_a_table_is_a_parameter_in_contiguous_memory(model):
    for name, parameter in model.parameters().items():
        table = model.table(name)
        assert table.flags.c_contiguous
        assert np.shares_memory(table, parameter)
        np.testing.assert_array_equal(model.shaped(name, table), parameter)
        assert np.shares_memory(model.shaped(name, table), parameter)


@pytest.mark.parametrize("order", ["C", "F", "K"])
def test_positions_are_side_by_side_in_memory_however_the_model_is_made(wordrep, order):
    D, U, b, c = (wordrep.parameters()[name] for name in "DUbc")
    made = WordRepRBM(D, np.array(U, order=order), b, c)
    copies = made, replace(made, U=U.copy()), copy.deepcopy(made), pickle.loads(pickle.dumps(made))
    for rbm in copies:
        assert rbm.stacked.flags.c_contiguous
        assert np.shares_memory(rbm.stacked, rbm.U)
        np.testing.assert_array_equal(rbm.U, U)
    assert np.shares_memory(replace(made).U, made.U)


def test_cloze_is_the_conditional_by_enumeration(model, v):
    scores = cloze_log_probability(model, v, threads=2)
    for m in range(B):
        for i in range(model.positions):
            expected = reference.cloze(model, v[m], i)[v[m, i]]
            assert scores[m, i] == pytest.approx(np.log(expected), rel=1e-9)


def test_cloze_survives_huge_weights(wordrep):
    """A product beyond the range of a double is taken factor by factor."""
    wordrep.U[:] *= 60.0
    v = np.array([[0, 1], [3, 3]])
    scores = cloze_log_probability(wordrep, v)
    for m, i in np.ndindex(2, 2):
        logs = []
        for k in range(5):
            tried = v[m].copy()
            tried[i] = k
            logs.append(-wordrep.free_energy(tried[None])[0])
        expected = logs[v[m, i]] - np.logaddexp.reduce(logs)
        assert scores[m, i] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_enumeration_of_a_large_model_is_refused():
    with pytest.raises(WordRBMError, match="use a smaller model"):
        exact.all_states(100_000, 3)
