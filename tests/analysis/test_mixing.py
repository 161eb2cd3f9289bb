"""The mixing study on models small enough for matrices."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from tests import reference
from wordrbm.analysis import pace
from wordrbm.analysis.mixing import NEAR, cases_of, study
from wordrbm.analysis.mixing_report import detail, slowest_case, summary, write_curves
from wordrbm.errors import WordRBMError
from wordrbm.sampling import Independence, Metropolis
from wordrbm.sampling.named import OPERATORS, flattened, operators_named

STEPS = [0, 1, 3, 10]
EXACT = [name for name in OPERATORS if name != "both"]


@pytest.fixture
def studied(rng, model, q):
    """Cases, operators and places."""
    v = rng.integers(reference.choices(model), size=(3, model.positions))
    cases = cases_of(model, v, seed=5)
    operators = operators_named(EXACT, model, q)
    same_time = dict.fromkeys(operators, 2)
    return cases, operators, list(study(model, operators, cases, STEPS, same_time)), same_time


def test_every_curve_is_that_of_the_matrix(model, studied):
    cases, operators, places, _ = studied
    assert len(places) == len(cases) * model.positions * len(operators)
    for place in places:
        context, table = (
            cases[place.case].context[place.position],
            model.table_index[place.position],
        )
        rows, bias = model.word_table[table], model.word_bias[table]
        pi = np.exp(bias + rows @ context)
        pi /= pi.sum()
        q = np.exp(operators[place.operator].log_proposal(context, int(table)))
        matrix = reference.independence_matrix(pi, q / q.sum())
        for t, distance in zip([*STEPS, 2], [*place.distance, place.same_time], strict=True):
            p = q / q.sum() @ np.linalg.matrix_power(matrix, t)
            assert distance == pytest.approx(reference.total_variation(p, pi), abs=1e-12)
        for near, t in zip(NEAR, place.near, strict=True):
            p = q / q.sum() @ np.linalg.matrix_power(matrix, t)
            assert reference.total_variation(p, pi) <= near + 1e-12
        assert place.wanted == np.argmax(pi / q)


def test_the_same_seed_draws_the_same_cases(rng, model):
    v = rng.integers(reference.choices(model), size=(40, model.positions))
    first, again, other = (
        np.stack([case.context for case in cases_of(model, v, seed)]) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


def test_the_summary_has_means_and_worsts(studied):
    _, operators, places, same_time = studied
    rows = summary(places, STEPS, same_time)
    assert [row["operator"] for row in rows] == list(operators)
    for row in rows:
        own = [place for place in places if place.operator == row["operator"]]
        assert row["distance"]["3"]["mean"] == pytest.approx(np.mean([p.distance[2] for p in own]))
        assert row["distance"]["3"]["worst"] == max(place.distance[2] for place in own)
        assert row["same_time"]["steps"] == 2
        assert row["steps_to_0.1"]["most"] == max(place.near[0] for place in own)


def test_the_slowest_case_is_the_one_above_the_others(studied):
    places = studied[2]
    slow = slowest_case(places, "uniform")
    sums = {
        case: sum(p.distance.sum() for p in places if p.operator == "uniform" and p.case == case)
        for case in range(3)
    }
    assert sums[slow] == max(sums.values())


def test_curves_are_written_one_point_a_line(studied, tmp_path):
    cases, _, places, _ = studied
    vocabulary = SimpleNamespace(words=[f"w{k}" for k in range(10)])
    details = detail(places, cases, vocabulary, STEPS)
    write_curves(tmp_path / "curves.csv", details)
    rows = list(csv.DictReader((tmp_path / "curves.csv").open()))
    assert len(rows) == len(places) * len(STEPS)
    assert float(rows[1]["distance"]) == places[0].distance[1]
    assert rows[0]["window"] == " ".join(f"w{k}" for k in cases[0].words)


def test_flattened_frequencies():
    q = np.array([0.7, 0.2, 0.1])
    np.testing.assert_allclose(flattened(q, 1.0), q)
    np.testing.assert_allclose(flattened(q, 0.0), 1 / 3)
    np.testing.assert_allclose(flattened(q, 0.5)[0] / flattened(q, 0.5)[2], 7**0.5)


def test_an_unknown_operator_is_told(model, q):
    with pytest.raises(WordRBMError, match="swap was asked for; the operators are unigram"):
        operators_named(["swap", "unigram"], model, q)
    with pytest.raises(WordRBMError, match="No operator was asked for"):
        operators_named([], model, q)


def test_operators_keep_their_proposals_with_another_number_of_steps(model, q):
    operators = operators_named(EXACT, model, q)
    operators["metropolis"] = Metropolis.from_probability(q, steps=3)
    for operator in operators.values():
        assert isinstance(operator, Independence)
        other, g = operator.with_steps(7), np.ones(model.word_table.shape[2])
        assert other.steps == 7
        np.testing.assert_array_equal(other.log_proposal(g, 0), operator.log_proposal(g, 0))


def test_steps_in_the_same_time_are_by_a_line_through_two_times(monkeypatch, model, q):
    operators = operators_named(["unigram", "clusters"], model, q)
    seconds = {
        ("unigram", 1): 1.0, ("unigram", 100): 3.0, ("clusters", 1): 1.5, ("clusters", 32): 3.5,
    }  # fmt: skip
    monkeypatch.setattr(pace, "_times", lambda *_: seconds)
    windows = np.zeros((2, model.positions), int)
    found = pace.steps_in_the_same_time(model, operators, windows)
    assert found == {"unigram": 100, "clusters": 24}
    seconds["clusters", 1], seconds["clusters", 32] = 4.0, 5.0
    assert pace.steps_in_the_same_time(model, operators, windows)["clusters"] == 0
    seconds["clusters", 1], seconds["clusters", 32] = 2.0, 1.9
    assert pace.steps_in_the_same_time(model, operators, windows)["clusters"] == 0
