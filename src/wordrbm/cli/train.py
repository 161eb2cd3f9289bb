"""`wordrbm train`: a prepared corpus in, a trained model out."""

import json
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli.progress import progress
from wordrbm.cli.signals import StopSignals, stop_cleanly
from wordrbm.cli.tensorboard import check_events, events

if TYPE_CHECKING:
    from wordrbm.run.training_run import StepReport, TrainingRun
    from wordrbm.text.corpus import PreparedCorpus


def _option(text: str) -> Any:
    return typer.Option(help=text, show_default=False)


def train(
    prepared: Annotated[Path, typer.Argument(help="A folder made by `wordrbm prepare`.")],
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    settings: Annotated[
        Path | None, _option("A TOML file of settings; options win over it.")
    ] = None,
    window: Annotated[int | None, _option("Words in a window [3].")] = None,
    dimension: Annotated[int | None, _option("Numbers in a word vector [50].")] = None,
    hidden: Annotated[int | None, _option("Hidden units [250].")] = None,
    preset: Annotated[
        str | None,
        _option("Settings by name: sml, the likelihood alone; paper, as published. Options win."),
    ] = None,
    objective: Annotated[
        str | None, _option("hybrid, or sml, the likelihood alone, at these rates [hybrid].")
    ] = None,
    candidates: Annotated[
        int | None, _option("Words drawn that a word read is ranked among [64].")
    ] = None,
    jumps: Annotated[
        int | None, _option("Whole windows proposed per chain; 0 is none [1].")
    ] = None,
    mh_steps: Annotated[int | None, _option("Words proposed per word and update [100].")] = None,
    chains: Annotated[int | None, _option("Persistent chains [256].")] = None,
    batch_size: Annotated[int | None, _option("Windows per update [512].")] = None,
    shards: Annotated[int | None, _option("Parts of a batch; threads share them [4].")] = None,
    ngrams: Annotated[int | None, _option("Windows to read [50,000,000].")] = None,
    epochs: Annotated[float | None, _option("Instead of --ngrams: passes over the text.")] = None,
    seed: Annotated[int | None, _option("Fixes every random choice [1].")] = None,
    word_rate: Annotated[float | None, _option("Learning rate of D and b [0.04].")] = None,
    hidden_rate: Annotated[float | None, _option("Learning rate of U and c [0.04].")] = None,
    momentum: Annotated[float | None, _option("Momentum of U and c [0.9].")] = None,
    l2: Annotated[float | None, _option("Shrinkage of the weights [0].")] = None,
    evaluations: Annotated[int | None, _option("Held-out scores during the run [20].")] = None,
    heldout_windows: Annotated[int | None, _option("Windows in each score [500].")] = None,
    threads: Annotated[int | None, _option("Threads; the bits are the same [all cores].")] = None,
    checkpoint_minutes: Annotated[float, typer.Option(help="Between checkpoints.")] = 5.0,
    tensorboard: Annotated[Path | None, _option("A folder for TensorBoard events.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train a word-representation RBM on a prepared corpus.

    Ctrl-C saves a checkpoint; the same command with --resume goes on with the same bits.

    \b
    Example:
      wordrbm train corpus --out model --ngrams 100000000 --threads 2
    """
    given = {
        "preset": preset, "objective": objective, "candidates": candidates, "jumps": jumps,
        "window": window, "dimension": dimension, "hidden": hidden, "mh_steps": mh_steps,
        "chains": chains, "batch_size": batch_size, "shards": shards, "ngrams": ngrams,
        "seed": seed, "word_rate": word_rate, "hidden_rate": hidden_rate, "momentum": momentum,
        "l2": l2, "epochs": epochs, "evaluations": evaluations, "heldout_windows": heldout_windows,
    }  # fmt: skip
    from wordrbm.text.corpus import PreparedCorpus
    from wordrbm.training import read_settings

    corpus = PreparedCorpus.open(prepared)
    values = read_settings(settings) if settings else {}
    values |= {name: value for name, value in given.items() if value is not None}
    run = make_run(corpus, out, values, threads, checkpoint_minutes)
    check_events(tensorboard, out)
    last = run_with_progress(run, resume=resume, quiet=quiet, tensorboard=tensorboard)
    _print_result(run, last, as_json=as_json)


def make_run(
    corpus: "PreparedCorpus",
    out: Path,
    values: dict[str, Any],
    threads: int | None = None,
    checkpoint_minutes: float = 5.0,
) -> "TrainingRun":
    """A training run by these settings; faults of all options are named in one sentence."""
    from wordrbm.run.training_run import TrainingRun
    from wordrbm.threads import worker_count
    from wordrbm.training.settings import resolve_settings

    others = []
    if not 0 <= checkpoint_minutes < float("inf"):
        others.append(f"checkpoint_minutes: {checkpoint_minutes} is not 0 or more")
    if threads is not None and threads < 1:
        others.append(f"threads: {threads} is not 1 or more")
    settings = resolve_settings(values, lambda n: len(corpus.windows(n, "train")), others)
    return TrainingRun(corpus, out, settings, worker_count(threads), 60 * checkpoint_minutes)


def run_with_progress(
    run: "TrainingRun", *, resume: bool, quiet: bool, tensorboard: Path | None = None
) -> "StepReport | None":
    """Run to the end with a progress bar; a signal stops it with a checkpoint.

    Returns the last report, or none if a resumed run had only its model left to write.
    """
    from wordrbm.run.training_run import metrics_record

    stop, last, scores = StopSignals(), None, ""
    total = run.settings.steps * run.settings.batch_size
    with closing(run.run(resume=resume, stop=stop)) as reports, ExitStack() as stack:
        for report in reports:
            if last is None:
                first = report
                stack.enter_context(stop_cleanly(stop))
                show = stack.enter_context(progress("training", total, quiet=quiet))
                log = stack.enter_context(events(tensorboard, report.step))
            last = report
            scores = _scores(report) if report.scores else scores
            show(report.progress.windows, speed_note(report, first) + scores)
            if report.scores:
                log(metrics_record(report))
    stop.armed = True  # the model is written: a signal no longer changes anything
    return last


def speed_note(report: "StepReport", first: "StepReport") -> str:
    """Windows, speed and time left; the first update of a process, which compiles, has no speed."""
    done, seconds = report.progress, report.seconds - first.seconds
    windows = f"{done.windows / 1e6:.2f} M windows, "
    acceptance = f"acceptance {done.acceptance:.2f}"
    if seconds <= 0:
        return f"{windows}compiled, {acceptance}"
    speed = (done.windows - first.progress.windows) / seconds
    left = done.windows * (1 / done.share - 1) / max(speed, 1.0)
    return f"{windows}{speed:,.0f}/s, {left / 60:.1f} min left, {acceptance}"


def _scores(report: "StepReport") -> str:
    scores = report.scores
    assert scores is not None
    return (
        f", cloze perplexity {scores.cloze_perplexity:.1f} "
        f"(unigram {scores.unigram_perplexity:.0f}), gap {scores.free_energy_gap:+.2f}, "
        f"joint at most {scores.joint_bound:.2f} (unigram {scores.unigram_joint:.2f}), "
        f"ten heaviest windows {scores.ten_heaviest:.1%} (text {scores.ten_heaviest_text:.1%})"
    )


def _print_result(run: "TrainingRun", last: "StepReport | None", *, as_json: bool) -> None:
    result: dict[str, Any] = {"model": str(run.out)}
    told = "all its windows were read before"
    if last is not None:
        result |= {"windows": last.progress.windows, "acceptance": last.progress.acceptance}
        result |= {"seconds": last.seconds, "windows_per_second": last.windows_per_second}
        result |= last.scores._asdict() if last.scores else {}
        held_out = (
            _scores(last)[2:] if last.scores else "no text was held out, so there is no score"
        )
        told = f"{last.progress.windows:,} windows in {last.seconds:.0f} s; {held_out}"
    if as_json:
        print(json.dumps(result))
        return
    print(f"{run.out}: {told}")
    print(f"next: wordrbm neighbours {run.out} WORD...")
