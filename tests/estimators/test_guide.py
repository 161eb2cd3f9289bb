import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "estimators.md"


def test_every_example_of_the_guide_runs():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False)
    assert tried > 20
    assert failed == 0
