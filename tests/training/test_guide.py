"""docs/training.md: its table of settings is that of the code, and its examples run."""

import re
from pathlib import Path

from tests.corpora import prepared
from wordrbm.training import TrainingSettings

GUIDE = Path(__file__).parents[2] / "docs" / "training.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def settings_table():
    lines = ["| setting | default | what it is |", "|---|---|---|"]
    for name, field in TrainingSettings.model_fields.items():
        default = f"{field.default:,}" if type(field.default) is int else str(field.default).lower()
        lines.append(f"| `{name}` | {default} | {field.description} |")
    return "\n".join(lines)


def test_the_table_of_settings_is_in_step():
    """Print `settings_table()` into the page when it is not."""
    shown = re.search(r"<!-- settings[^>]*-->\n(.*?)\n<!-- end", GUIDE.read_text(), re.DOTALL)
    assert shown.group(1) == settings_table()


def test_every_example_runs(tmp_path, capsys):
    names = {"corpus": prepared(tmp_path), "folder": tmp_path}
    for block in BLOCKS:
        exec(block, names)
    assert len(BLOCKS) == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines[:2]] == ["3", "6"]
    assert names["final"].D.shape == (len(names["corpus"].vocabulary), 10)
    assert (names["again"].W == names["softmax"].W).all()
