"""The Python examples of docs/using.md, run as they stand, one after the other."""

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "using.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def test_every_example_of_the_guide_runs(single, capsys):
    names = {"model": single, "sentences": ["the cat said so", "no"]}
    for block in BLOCKS:
        exec(block, names)
    assert len(BLOCKS) >= 6
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert names["filled"].method == "marginal"
