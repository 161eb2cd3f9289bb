"""`wordrbm train`: a prepared corpus in, a trained model out."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from wordrbm.cli.options import AsJson, Quiet, print_result
from wordrbm.cli.processes import Processes
from wordrbm.cli.progress import StopSignals, progress, stop_cleanly
from wordrbm.cli.tensorboard import check_events, events

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from wordrbm.run.evaluation import StepReport
    from wordrbm.run.ranks import Ranks
    from wordrbm.run.training_run import TrainingRun
    from wordrbm.text.corpus import PreparedCorpus


def _option(text: str) -> Any:
    return typer.Option(help=text, show_default=False)


def train_command(
    prepared: Annotated[Path, typer.Argument(help="A folder made by `wordrbm prepare`.")],
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    settings: Annotated[
        Path | None, _option("A TOML file of settings; options win over it.")
    ] = None,
    preset: Annotated[
        str | None,
        _option("Settings by name: sml, the likelihood alone; paper, as published. Options win."),
    ] = None,
    epochs: Annotated[float | None, _option("Instead of --windows: passes over the text.")] = None,
    threads: Annotated[int | None, _option("Threads; the bits are the same [all cores].")] = None,
    checkpoint_minutes: Annotated[float, typer.Option(help="Between checkpoints.")] = 5.0,
    tensorboard: Annotated[Path | None, _option("A folder for TensorBoard events.")] = None,
    processes: Annotated[int | None, _option("Processes on this machine.")] = None,
    distributed: Annotated[
        bool, typer.Option("--distributed", help="This is one of the processes of torchrun.")
    ] = False,
    average_every: Annotated[
        int | None,
        _option("Average processes, rare words after so many updates; without it they share each."),
    ] = None,
    rank_timeout: Annotated[float, typer.Option(help="Seconds to wait for a process.")] = 60.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Train a word-representation RBM on a prepared corpus.

    Ctrl-C saves a checkpoint; the same command with --resume goes on with the same bits.

    \b
    Example:
      wordrbm train corpus --out model --windows 100000000 --threads 2
    """
    from wordrbm.text.corpus import PreparedCorpus
    from wordrbm.training import read_settings

    shared = Processes(processes, distributed, average_every, rank_timeout)
    options |= {"preset": preset, "epochs": epochs}

    def make(ranks: "Ranks | None" = None) -> "TrainingRun":
        values = read_settings(settings) if settings else {}
        values |= {name: value for name, value in options.items() if value is not None}
        return make_run(
            PreparedCorpus.open(prepared), out, values, threads, checkpoint_minutes, ranks
        )

    if tensorboard is not None:
        check_events(tensorboard, out)
    with shared.members(make, out, resume=resume) as (run, is_first):
        if resume and is_first and not quiet:
            _note_beginning(out)
        last = run_with_progress(
            run, resume=resume or distributed, quiet=quiet or not is_first,
            tensorboard=tensorboard if is_first else None,
        )  # fmt: skip
        if is_first:
            _print_result(run, last, as_json=as_json)


def _note_beginning(out: Path) -> None:
    """Say that a run begins, where --resume finds nothing to go on with."""
    from wordrbm.io.checkpoint import list_checkpoints
    from wordrbm.io.model_folder import MODEL

    if not list_checkpoints(out) and not (out / MODEL).exists():
        typer.echo(f"{out} holds no checkpoint: training begins at its first update.", err=True)


def with_options(fields: "Mapping[str, FieldInfo]") -> Callable[..., None]:
    """The command with an option for every field of the settings."""

    @wraps(train_command)
    def command(**values: Any) -> None:
        train_command(**values)

    signature = inspect.signature(train_command)
    parameters = [x for x in signature.parameters.values() if x.kind is not x.VAR_KEYWORD]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in ((name, _setting_option(field)) for name, field in fields.items())
    ]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {x.name: x.annotation for x in parameters}
    return command


def _setting_option(field: "FieldInfo") -> Any:
    kinds = {field.annotation, *get_args(field.annotation)}
    kind = next((kind for kind in (int, float) if kind in kinds), str)
    default = f"{field.default:,}" if type(field.default) is int else str(field.default).lower()
    text = str(field.description)
    if choices := [kind for kind in kinds if isinstance(kind, str)]:
        text += f" ({', '.join(sorted(choices))})"
    return Annotated[kind | None, _option(f"{text[0].upper()}{text[1:]} [{default}].")]


class LazyTrainGroup(TyperGroup):
    """Adds the options of `train` when it is called, as they need heavy imports."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if name == "train":
            from wordrbm.training import TrainingSettings

            lazy = typer.Typer(add_completion=False, rich_markup_mode=None)
            lazy.command("train")(with_options(TrainingSettings.model_fields))
            command = typer.main.get_command(lazy)
        return name, command, rest


def make_run(
    corpus: "PreparedCorpus",
    out: Path,
    values: dict[str, Any],
    threads: int | None = None,
    checkpoint_minutes: float = 5.0,
    ranks: "Ranks | None" = None,
) -> "TrainingRun":
    """A training run by these settings; faults of all options are named in one sentence."""
    from wordrbm.run.ranks import SingleProcess
    from wordrbm.run.training_run import TrainingRun
    from wordrbm.threads import worker_count
    from wordrbm.training.settings import resolve_settings

    faults = []
    if not 0 <= checkpoint_minutes < float("inf"):
        faults.append(f"checkpoint_minutes: {checkpoint_minutes} is not 0 or more")
    if threads is not None and threads < 1:
        faults.append(f"threads: {threads} is not 1 or more")
    settings = resolve_settings(values, lambda n: len(corpus.windows(n, "train")), faults)
    workers, seconds = worker_count(threads), 60 * checkpoint_minutes
    return TrainingRun(corpus, out, settings, workers, seconds, ranks or SingleProcess())


def run_with_progress(
    run: "TrainingRun", *, resume: bool, quiet: bool, tensorboard: Path | None = None
) -> "StepReport | None":
    """Run to the end with a progress bar; a signal stops it with a checkpoint.

    Returns the last report, or none if a resumed run had only its model left to write.
    """
    stop, last, scores = StopSignals(), None, ""
    total = run.settings.steps * run.settings.batch_size
    is_shared = run.ranks.exchange is not None  # then the ranks stop together, elsewhere
    with (
        nullcontext() if is_shared else stop_cleanly(stop, armed=False),
        progress("training", total, quiet=quiet) as show,
        closing(run.run(resume=resume, stop=stop, on_stage=show.stage)) as reports,
        ExitStack() as stack,
    ):
        for report in reports:
            if last is None:
                first, stop.armed = report, True
                if tensorboard is not None:
                    log = stack.enter_context(events(tensorboard, report.step))
            last = report
            scores = _scores(report) if report.scores else scores
            show(report.progress.windows, speed_note(report, first) + scores)
            if report.scores and tensorboard is not None:
                log(report.metrics())
    stop.armed = True  # the model is written: a signal no longer changes anything
    return last


def speed_note(report: "StepReport", first: "StepReport") -> str:
    """Windows, speed and time left; the first update of a process may compile: it has no speed."""
    done, seconds = report.progress, report.seconds - first.seconds
    windows = f"{done.windows / 1e6:.2f} M windows, "
    acceptance = f"acceptance {done.acceptance:.2f}"
    if seconds <= 0:
        return windows + acceptance
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
    outcome = "all its windows were read before"
    if last is not None:
        result |= {"windows": last.progress.windows, "acceptance": last.progress.acceptance}
        result |= {"seconds": last.seconds, "windows_per_second": last.windows_per_second}
        result |= last.scores._asdict() if last.scores else {}
        held_out = _scores(last)[2:] if last.scores else "no score, as no text was held out"
        outcome = f"{last.progress.windows:,} windows in {last.seconds:.0f} s; {held_out}"
    lines = [f"{run.out}: {outcome}", f"next: wordrbm neighbours {run.out} WORD..."]
    print_result(result, lines, as_json=as_json)
