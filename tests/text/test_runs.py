import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordrbm.text.runs import make_runs

UNIT = 2_000
lengths = st.lists(st.integers(1, 3 * UNIT + 1) | st.integers(1, 9), min_size=1, max_size=40)
shares = st.floats(0.001, 0.49) | st.just(0.0) | st.just(5e-324)


def runs_of(lengths, share, at_once=100_000):
    """The runs of stories whose ends come some at a time."""
    ends = np.cumsum(lengths)

    def blocks():
        return (ends[at : at + at_once] for at in range(0, len(ends), at_once))

    return np.concatenate(list(make_runs(blocks, share)))


def slow_runs(lengths, share):
    """The same by hand: units in order, then training neighbours of one story joined."""
    units, at = [], 0
    for story, length in enumerate(lengths):
        for start in range(at, at + length, UNIT):
            units.append([start, min(start + UNIT, at + length), story])
        at += length
    period = round(1 / share) if share > 1e-9 else len(units) + 1
    for number, unit in enumerate(units):
        few = len(units) < period
        held = number == len(units) // 2 if few else number % period == period // 2
        unit.append(int(held and share > 0 and len(units) > 1))
    runs = []
    for start, end, story, part in units:
        if runs and part == 0 and runs[-1][2:] == [story, 0]:
            runs[-1][1] = end
        else:
            runs.append([start, end, story, part])
    return [[start, end, part] for start, end, _, part in runs]


@given(lengths, shares, st.integers(1, 9))
def test_runs_are_those_made_by_hand_however_the_stories_come(lengths, share, at_once):
    found = runs_of(lengths, share, at_once)
    assert found.tolist() == slow_runs(lengths, share)
    assert found.dtype == np.int64


@given(lengths, shares)
def test_runs_fill_the_stream_and_never_cross_a_story(lengths, share):
    runs = runs_of(lengths, share)
    assert runs[0, 0] == 0
    assert runs[-1, 1] == sum(lengths)
    np.testing.assert_array_equal(runs[1:, 0], runs[:-1, 1])
    inside = [set(range(start + 1, end)) for start, end, _ in runs.tolist()]
    assert not set().union(*inside) & set(np.cumsum(lengths).tolist())


def test_about_the_share_asked_for_is_held_out():
    runs = runs_of(np.full(10_000, 100), 0.01)
    held = runs[runs[:, 2] == 1]
    assert (held[:, 1] - held[:, 0]).sum() == 10_000


def test_one_unit_is_never_held_out():
    assert runs_of([5], 0.01).tolist() == [[0, 5, 0]]
