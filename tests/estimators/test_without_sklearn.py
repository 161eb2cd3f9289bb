import subprocess
import sys

CODE = """
import sys
sys.modules["sklearn"] = None
import wordrbm
try:
    wordrbm.{name}
except wordrbm.WordRBMError as error:
    print(error)
"""


def test_without_scikit_learn_the_extra_is_named():
    for name in ("CategoricalRBM", "FreeEnergyClassifier", "WordFeatures"):
        done = subprocess.run(
            [sys.executable, "-c", CODE.format(name=name)], capture_output=True, text=True
        )
        assert "pip install 'wordrbm[sklearn]'" in done.stdout, done.stderr
        assert done.stdout.count("\n") == 1
