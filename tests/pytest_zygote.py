"""The zygote of pytest in a copy of the package: all libraries are imported, the package is not.

Most of what a fresh interpreter does for a small test is to import NumPy, numba and pytest. The
shapes of arrays are not checked there: preparing the checks would take longer than most tests, and
the named test has to fail by itself.
"""

import importlib
import os
import sys

from _pytest.config import default_plugins
from pydantic import create_model

from tests.zygote import serve

LIBRARIES = (
    "_hypothesis_pytestplugin", "beartype", "hypothesis.extra.numpy",
    "hypothesis.strategies", "jaxtyping", "numba", "pdb", "pytest", "rich.progress",
    "safetensors.numpy", "scipy.optimize", "scipy.sparse", "scipy.special", "sklearn.linear_model",
    "sklearn.model_selection", "sklearn.utils.estimator_checks", "tomllib", "typer.testing",
)  # fmt: skip


def run_pytest(arguments):
    """Pytest's exit code in a folder with `src` and `tests`, which the first argument names."""
    import pytest

    folder, *arguments = arguments
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]
    os.chdir(folder)
    sys.path[:1] = [folder, f"{folder}/src"]
    sys.dont_write_bytecode = False  # the next child has the same files but one
    return int(pytest.main(["--rootdir", folder, *arguments]))


if __name__ == "__main__":
    for library in (*LIBRARIES, *(f"_pytest.{plugin}" for plugin in default_plugins)):
        importlib.import_module(library)
    create_model("Empty")  # with it pydantic imports the most of itself and looks for plugins
    serve(run_pytest)
