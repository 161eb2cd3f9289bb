"""Steps that take equal time, by linear interpolation."""

import numpy as np
import pytest
from experiments.mixing import equal_time
from experiments.mixing.equal_time import CallTime, steps_at_equal_time

from wordrbm.analysis.mixing import build_operator


def test_steps_fit_into_the_time_of_the_first_operator(monkeypatch, model, q):
    operators = {name: build_operator(name, model, q) for name in ("unigram", "clusters")}
    times = {"unigram": CallTime(1, 1.0, 100, 3.0), "clusters": CallTime(1, 1.5, 32, 3.5)}
    monkeypatch.setattr(equal_time, "measure_calls", lambda *_: times)
    windows = np.zeros((2, model.positions), int)
    assert steps_at_equal_time(model, operators, windows) == {"unigram": 100, "clusters": 24}
    times["clusters"] = CallTime(1, 4.0, 32, 5.0)
    assert steps_at_equal_time(model, operators, windows)["clusters"] == 0
    times["clusters"] = CallTime(1, 2.0, 32, 1.9)  # measured below the cost of one step
    assert steps_at_equal_time(model, operators, windows)["clusters"] == 0


def test_a_call_with_more_steps_takes_longer(model, q):
    operators = {"paper": build_operator("paper", model, q)}
    steps = steps_at_equal_time(model, operators, np.zeros((2, model.positions), int))
    assert steps == {"paper": 100}


def test_time_is_linear_in_steps():
    call = CallTime(1, 2.0, 11, 4.0)
    assert call.seconds(6) == pytest.approx(3.0)
    assert call.steps_in(3.0) == 6
