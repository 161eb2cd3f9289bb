"""The rows of the table, and the table itself."""

import numpy as np
from experiments.sentiment.features import TrainTest
from experiments.sentiment.rows import Row, report, seed_mean
from experiments.sentiment.stacking import Selected

NONE = TrainTest(None, None)


def test_the_table_of_rows():
    rows = [
        Row("bag", [Selected(0.5, 0.75, {"C": 1.0}, NONE)]),
        Row("models", [Selected(0.5, x, {}, NONE) for x in (0.7, 0.8)], in_sample=True),
    ]
    table = report(rows)
    assert table.markdown.splitlines()[2:] == [
        "| bag | 50.00 | 75.00 | 1 |", "| models |  | 75.00 ± 7.07 | 2 |",
    ]  # fmt: skip
    assert table.record["rows"][0] == {
        "model": "bag", "test": 0.75, "validation": 0.5,
        "seeds": [{"validation": 0.5, "test": 0.75, "settings": {"C": 1.0}}],
    }  # fmt: skip
    assert table.record["rows"][1]["validation"] is None
    assert table.record["rows"][1]["seeds"][0]["validation"] is None


def test_the_mean_over_seeds():
    seeds = [TrainTest(np.full((2, 1), k), np.full((3, 1), 10.0 * k)) for k in (1.0, 2.0)]
    mean = seed_mean(seeds)
    np.testing.assert_array_equal(mean.train, np.full((2, 1), 1.5))
    np.testing.assert_array_equal(mean.test, np.full((3, 1), 15.0))
