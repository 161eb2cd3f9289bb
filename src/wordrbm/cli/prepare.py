"""`wordrbm prepare`: text files in, a prepared corpus out."""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.processes import group_members
from wordrbm.cli.progress import interruptible, progress

if TYPE_CHECKING:
    from wordrbm.text.prepare.pipeline import PrepareProgress
    from wordrbm.training.distributed import ProcessGroup

LABELS = {"read": "reading", "count": "counting", "write": "writing"}


def prepare_command(
    inputs: Annotated[list[Path], typer.Argument(help="Files and folders of text.")],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    vocabulary_size: Annotated[int, typer.Option(help="Most frequent words to keep.")] = 100_000,
    min_count: Annotated[int, typer.Option(help="Drop words that occur less often.")] = 1,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; the output is the same.", show_default="all cores"),
    ] = None,
    heldout: Annotated[float, typer.Option(help="Fraction of the text to hold out.")] = 0.01,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    distributed: Annotated[
        bool, typer.Option("--distributed", help="This is one of the processes of torchrun.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue where the same command was stopped.")
    ] = False,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Turn text files into a prepared corpus: words as integers, and a vocabulary.

    Inputs are plain text, JSON lines (.jsonl, .ndjson), Gigaword SGML, any of them as .gz or .zst,
    and folders of them. A plain file, a JSON line or a Gigaword story is one document.

    \b
    Example:
      wordrbm prepare news/ books.txt.gz --out corpus --vocabulary-size 50000
    """
    settings = {
        "vocabulary_size": vocabulary_size,
        "min_count": min_count,
        "heldout": heldout,
        "field": field,
        "encoding_errors": encoding_errors,
    }
    began = time.monotonic()
    with interruptible("Stopped; continue with --resume."):
        if distributed:
            with group_members() as group:
                is_quiet = quiet or not group.is_first
                run_prepare(
                    inputs, out, settings, workers, resume=True, quiet=is_quiet, group=group
                )
            if not group.is_first:
                return
        else:
            run_prepare(inputs, out, settings, workers, resume=resume, quiet=quiet)
        _report(out, time.monotonic() - began, as_json=as_json)


def run_prepare(
    inputs: list[Path],
    out: Path,
    settings: dict[str, Any],
    workers: int | None = None,
    *,
    resume: bool,
    quiet: bool,
    group: "ProcessGroup | None" = None,
) -> None:
    """Prepare a corpus, with a progress line or bar for each stage; a group shares the files."""
    from wordrbm.text.prepare import check_prepare_settings
    from wordrbm.text.prepare.pipeline import prepare_corpus
    from wordrbm.text.prepare.sharing import Share
    from wordrbm.threads import available_cores

    workers = available_cores() if workers is None else workers
    checked = check_prepare_settings(settings, workers)
    with closing(prepare_corpus(inputs, out, checked, workers, resume, Share(group))) as steps:
        for stage, steps_of in groupby(steps, key=lambda step: step.stage):
            _show_stage(stage, steps_of, quiet=quiet)


def _show_stage(stage: str, steps: "Iterator[PrepareProgress]", *, quiet: bool) -> None:
    first, began = next(steps), time.monotonic()
    with progress(LABELS[stage], first.total, quiet=quiet) as show:
        for step in chain([first], steps):
            seconds, rate = time.monotonic() - began, ""
            if stage == "read" and seconds >= 1:  # before, a first block would look too fast
                rate = f", {step.tokens / seconds:,.0f} a second"
            show(step.done, f"{step.tokens:,} tokens{rate}")


def _report(out: Path, seconds: float, *, as_json: bool) -> None:
    """Print the counts of the corpus."""
    from wordrbm.text.corpus import Manifest

    counts = Manifest.read(out).counts
    speed = counts.tokens / max(seconds, 0.001)
    result = {**counts.model_dump(), "out": str(out), "seconds": seconds}
    lines = [
        f"{out}: {counts.stories:,} documents, {counts.tokens:,} tokens, {counts.types:,} types",
        f"vocabulary: {counts.vocabulary:,} words, {counts.coverage:.2%} of all tokens inside",
        f"held out: {counts.heldout:,} tokens ({counts.heldout / counts.tokens:.2%})",
        f"time: {seconds:.1f} s, {speed:,.0f} tokens a second",
    ]
    if counts.replaced:
        lines.insert(-1, f"replaced characters (no UTF-8, or NUL): {counts.replaced:,}")
    opt.print_result({**result, "tokens_per_second": speed}, lines, as_json=as_json)
