"""The field's language: no identifier, file name, option or help text has a private word.

A word of an identifier is what stands between underscores or capitals: `told_apart` has two. The
list holds words that once stood for a term of the field; each entry says which.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENDED = {
    "apart": "discriminative fine-tuning, or distance",
    "beside": "concatenate",
    "climb": "gradient step",
    "climber": "optimizer",
    "crew": "thread pool",
    "dream": "sample, negative phase",
    "dreams": "samples",
    "dreamt": "negative phase",
    "flood": "clip",
    "guess": "pseudo-label",
    "guessed": "pseudo-labels",
    "guesses": "pseudo-labels",
    "guessing": "self-training",
    "heard": "received",
    "kept": "saved, cached",
    "leg": "stage",
    "legs": "stages",
    "luck": "-log u",
    "pause": "check for a stop",
    "picture": "plot",
    "pictures": "plots",
    "shelf": "table index",
    "shrink": "weight decay",
    "thaw": "make writable",
    "thawed": "writable",
    "thawing": "making writable",
    "togetherness": "neighbour purity",
    "told": "reported, message",
}


def sources():
    files = [
        path for room in ("src", "experiments") for path in sorted((ROOT / room).rglob("*.py"))
    ]
    assert len(files) > 150
    return files


def split_words(name):
    """The words of an identifier or a text, in small letters."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def identifiers(tree):
    """Every name that a file binds or uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def help_texts(tree):
    """The texts of typer options, and the docstrings that commands show as their help."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            texts = [x.value for x in node.keywords if x.arg == "help"]
            yield from (text.value for text in texts if isinstance(text, ast.Constant))
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield ast.get_docstring(node) or ""


@pytest.mark.parametrize("room", ["src", "experiments"])
def test_no_word_that_ended(room):
    faults = []
    for path in [path for path in sources() if path.is_relative_to(ROOT / room)]:
        tree = ast.parse(path.read_text("utf-8"))
        names = [path.stem, *identifiers(tree)]
        if "cli" in path.parts or path.name == "command.py":
            names += help_texts(tree)
        words = set().union(*map(split_words, names)) & ENDED.keys()
        faults += [f"{path.relative_to(ROOT)}: {word} ({ENDED[word]})" for word in sorted(words)]
    assert not faults, "\n".join(faults)


def test_words_of_identifiers():
    assert split_words("told_apart") == {"told", "apart"}
    assert split_words("WordRepRBM") == {"word", "rep", "rbm"}
    assert split_words("Epochs of fine-tuning (0 to skip).") == {
        "epochs", "of", "fine", "tuning", "to", "skip",
    }  # fmt: skip
