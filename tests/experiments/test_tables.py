import json

from experiments.tables import Report, Table, percent


def test_a_table_as_text_and_markdown():
    table = Table(("model", "F1"), [("a|b", "1.00"), ("longer name", "10.00")])
    assert table.as_text() == "model           F1\na|b           1.00\nlonger name  10.00"
    assert table.as_markdown().splitlines() == [
        "| model | F1 |", "| --- | --- |", "| a\\|b | 1.00 |", "| longer name | 10.00 |",
    ]  # fmt: skip
    assert percent(0.94159) == "94.16"


def test_a_report_on_disk(tmp_path):
    Report("text", "| a |", {"rows": [1]}).write(tmp_path)
    assert (tmp_path / "table.md").read_text() == "| a |\n"
    assert json.loads((tmp_path / "table.json").read_text()) == {"rows": [1]}
