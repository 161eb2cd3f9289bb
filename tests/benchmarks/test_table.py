import json

import pytest
from benchmarks.ratios import Figure, absent
from benchmarks.table import HEAD, markdown, plain, shown, write

FIGURES = {
    "growth": {"K = 10": Figure(1.25, 1.0, 1.5, goal="≤ 2", note="3 ms")},
    "others": {"far": absent("not installed")},
}


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (12345.6, "", "12,346"),
        (53.14, "", "53.1"),
        (1.00449, "", "1.004"),
        (0.00021, "", "0.00021"),
        (-0.25, "s", "-0.250 s"),
        (0.0, "", "0.00000"),
        (None, "MB", "-"),
    ],
)
def test_a_number_is_told_with_the_digits_that_matter(value, unit, told):
    assert shown(value, unit) == told


def test_one_line_a_figure():
    head, first, second = plain(FIGURES).splitlines()
    assert head.split() == list(HEAD)
    cells = ["growth", "K = 10", "1.250", "1.000", "1.500", "≤ 2", "3 ms"]
    assert first.split() == " ".join(cells).split()
    assert second.endswith("not installed")
    assert first.index("3 ms") == second.index("not installed") == head.index("note")


def test_the_same_lines_in_markdown():
    lines = markdown(FIGURES).splitlines()
    assert lines[1] == "|" + " --- |" * len(HEAD)
    assert lines[2] == "| growth | K = 10 | 1.250 | 1.000 | 1.500 | ≤ 2 | 3 ms |"
    assert len(lines) == 4


def test_the_files_say_where_and_what(tmp_path):
    write(FIGURES, tmp_path / "new" / "all.json")
    found = json.loads((tmp_path / "new" / "all.json").read_text())
    assert found["machine"]["cores"] >= 1
    assert found["figures"]["growth"]["K = 10"]["most"] == 1.5
    assert found["figures"]["others"]["far"]["ratio"] is None
    assert (tmp_path / "new" / "all.md").read_text() == markdown(FIGURES) + "\n"
