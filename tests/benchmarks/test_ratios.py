import pytest
from benchmarks.ratios import absent, alternate, middle, ratio, spread

ROUNDS = [{"a": 2.0, "b": 1.0}, {"a": 9.0, "b": 3.0}, {"a": 8.0, "b": 2.0}]


def test_measures_are_taken_in_turn():
    taken = []

    def fake(name):
        return lambda: taken.append(name) or float(len(taken))

    rounds = alternate({"a": fake("a"), "b": fake("b")}, 2)
    assert taken == ["a", "b", "a", "b"]
    assert rounds == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]


def test_a_ratio_is_taken_round_by_round():
    """The ratio of the medians would be 8 / 2."""
    figure = ratio(ROUNDS, "a", "b", goal="≥ 2", note="of three")
    assert figure[:3] == (3.0, 2.0, 4.0)
    assert (figure.goal, figure.note, figure.unit) == ("≥ 2", "of three", "")
    assert ratio(ROUNDS, "b", "a").ratio == pytest.approx(1 / 3)


def test_the_median_of_a_measure():
    assert middle(ROUNDS, "a") == 8.0


def test_a_spread_has_the_median_and_both_ends():
    assert spread([5.0, 1.0, 2.0, 4.0], unit="s")[:4] == (3.0, 1.0, 5.0, "s")


def test_what_is_absent_has_no_numbers():
    assert absent("torch is not installed")[:3] == (None, None, None)
