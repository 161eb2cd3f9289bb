"""The mixing study on models small enough for matrices."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from tests import reference
from wordrbm.analysis.mixing import (
    OPERATORS,
    TARGETS,
    build_operator,
    draw_cases,
    position_records,
    slowest_case,
    study_mixing,
    summarise,
    tempered,
    write_curves,
)
from wordrbm.errors import WordRBMError
from wordrbm.sampling import IndependenceTransition

STEPS = [0, 1, 3, 10]


@pytest.fixture
def cases(rng, model):
    v = rng.integers(reference.choices(model), size=(3, model.positions))
    return draw_cases(model, v, seed=5)


@pytest.fixture
def results(model, q, cases):
    return list(study_mixing(model, build_operator("uniform", model, q), cases, STEPS))


@pytest.mark.parametrize("name", OPERATORS)
def test_every_curve_is_that_of_the_matrix(model, q, cases, name):
    operator = build_operator(name, model, q)
    results = list(study_mixing(model, operator, cases, STEPS))
    assert len(results) == len(cases) * model.positions
    for result in results:
        context = cases[result.case].context[result.position]
        table = model.table_index[result.position]
        rows, bias = model.word_table[table], model.word_bias[table]
        pi = np.exp(bias + rows @ context)
        pi /= pi.sum()
        proposal = np.exp(operator.log_proposal(context, int(table)))
        proposal /= proposal.sum()
        matrix = reference.independence_matrix(pi, proposal)
        for t, distance in zip(STEPS, result.distance, strict=True):
            p = proposal @ np.linalg.matrix_power(matrix, t)
            assert distance == pytest.approx(reference.total_variation(p, pi), abs=1e-12)
        for target, t in zip(TARGETS, result.steps_to_target, strict=True):
            p = proposal @ np.linalg.matrix_power(matrix, t)
            assert reference.total_variation(p, pi) <= target + 1e-12
        assert result.bottleneck_word == np.argmax(pi / proposal)


def test_the_same_seed_draws_the_same_cases(rng, model):
    v = rng.integers(reference.choices(model), size=(40, model.positions))
    first, again, other = (
        np.stack([case.context for case in draw_cases(model, v, seed)]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


def test_the_summary_has_means_and_worsts(results):
    row = summarise(results, STEPS)
    distance = [result.distance[2] for result in results]
    assert row["distance"]["3"]["mean"] == pytest.approx(np.mean(distance))
    assert row["distance"]["3"]["worst"] == max(distance)
    assert row["steps_to_0.1"]["most"] == max(result.steps_to_target[0] for result in results)


def test_the_slowest_case_is_the_one_above_the_others(results):
    sums = {
        case: sum(result.distance.sum() for result in results if result.case == case)
        for case in range(3)
    }
    assert sums[slowest_case(results)] == max(sums.values())


def test_curves_are_written_one_point_a_line(cases, results, tmp_path):
    vocabulary = SimpleNamespace(words=[f"w{k}" for k in range(10)])
    records = position_records(results, cases, vocabulary, STEPS)
    write_curves(tmp_path / "curves.csv", {"uniform": records, "again": records})
    rows = list(csv.DictReader((tmp_path / "curves.csv").open()))
    assert len(rows) == 2 * len(results) * len(STEPS)
    assert {row["operator"] for row in rows} == {"uniform", "again"}
    assert float(rows[1]["distance"]) == results[0].distance[1]
    assert rows[0]["window"] == " ".join(f"w{k}" for k in cases[0].words)


def test_tempered_frequencies():
    q = np.array([0.7, 0.2, 0.1])
    np.testing.assert_allclose(tempered(q, 1.0), q)
    np.testing.assert_allclose(tempered(q, 0.0), 1 / 3)
    np.testing.assert_allclose(tempered(q, 0.5)[0] / tempered(q, 0.5)[2], 7**0.5)


def test_an_unknown_operator_is_refused(model, q):
    with pytest.raises(WordRBMError, match="no operator 'swap'; the operators are unigram"):
        build_operator("swap", model, q)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_keep_their_proposals_with_another_number_of_steps(model, q, name):
    operator = build_operator(name, model, q)
    assert isinstance(operator, IndependenceTransition)
    other, g = operator.with_steps(7), np.ones(model.word_table.shape[2])
    assert other.steps == 7
    np.testing.assert_array_equal(other.log_proposal(g, 0), operator.log_proposal(g, 0))
