import doctest
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "documents.md"


def test_every_example_of_the_page_runs():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False)
    assert tried > 6
    assert failed == 0
