"""Nothing in the package can run code that it finds in a file."""

import ast
from pathlib import Path

import pytest

import wordrbm

SOURCE = Path(wordrbm.__file__).parent
LOADERS = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
RUNNERS = {"eval", "exec", "compile", "__import__"}


def imported(node):
    """The packages that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").split(".")[0]}
    return set()


def called(node):
    """The bare name or the text that a call runs code by, and the switch that allows pickles."""
    if not isinstance(node, ast.Call):
        return set()
    found = {node.func.id} if isinstance(node.func, ast.Name) else set()
    found |= {word.value for word in node.args if isinstance(word, ast.Constant)} & LOADERS
    pickles = any(
        word.arg == "allow_pickle" and not _is_false(word.value) for word in node.keywords
    )
    return found | ({"allow_pickle"} if pickles else set())


def _is_false(node):
    return isinstance(node, ast.Constant) and node.value is False


def dangers(source):
    """What in a source could run code from a file, in the order of the lines."""
    nodes = [node for node in ast.walk(ast.parse(source)) if hasattr(node, "lineno")]
    found = {(n.lineno, name) for n in nodes for name in imported(n) & LOADERS}
    found |= {
        (n.lineno, name)
        for n in nodes
        for name in called(n) & (RUNNERS | LOADERS | {"allow_pickle"})
    }
    return [name for _, name in sorted(found)]


def test_no_file_of_the_package_can_run_what_it_reads():
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 50, "the package was found"
    found = {str(file.relative_to(SOURCE)): dangers(file.read_text("utf-8")) for file in files}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import pickle", "pickle"),
        ("import os, dill as d", "dill"),
        ("def f():\n    from joblib import load", "joblib"),
        ("import marshal.x", "marshal"),
        ("try:\n    import cPickle\nexcept ImportError:\n    pass", "cPickle"),
        ("import_module('cloudpickle')", "cloudpickle"),
        ("import importlib\nimportlib.import_module('shelve')", "shelve"),
        ("np.load(path, allow_pickle=True)", "allow_pickle"),
        ("np.load(path, allow_pickle=trusted)", "allow_pickle"),
        ("x = eval(text)", "eval"),
        ("exec(text, {})", "exec"),
        ("__import__('os')", "__import__"),
    ],
)
def test_the_check_sees_a_danger(source, name):
    assert dangers(source) == [name]


@pytest.mark.parametrize(
    "source",
    [
        "np.load(path, allow_pickle=False)",
        "from wordrbm.models.exact import enumerate_all",
        "re.compile('a')",
        "'import pickle'  # told, not done",
        "from . import marshal_words",
    ],
)
def test_the_check_leaves_the_rest_alone(source):
    assert dangers(source) == []
