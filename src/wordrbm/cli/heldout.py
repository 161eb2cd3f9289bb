"""Commands on held-out text: `evaluate` (exact cloze scores) and `likelihood` (estimated log Z)."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.progress import StopSignals, progress

if TYPE_CHECKING:
    from wordrbm.likelihood.estimate import LikelihoodEstimate


def score_cloze(
    model: opt.ModelFolder,
    prepared: opt.CorpusFolder,
    windows: Annotated[int, typer.Option(help="Held-out windows to score.")] = 500,
    trigrams: opt.Trigrams = False,
    as_json: opt.AsJson = False,
) -> None:
    """Print the exact cloze perplexity of held-out windows, in all and by position.

    \b
    Example:
      wordrbm evaluate model corpus --windows 1000 --trigrams
    """
    import numpy as np

    from wordrbm.likelihood.trigram_counts import TrigramModel
    from wordrbm.models.cloze import cloze_log_probability
    from wordrbm.run.evaluation import heldout_sample, perplexity
    from wordrbm.text.corpus import PreparedCorpus
    from wordrbm.threads import available_cores
    from wordrbm.trained_model import load

    trained, corpus = load(model), PreparedCorpus.open(prepared)
    corpus.verify()
    sample = heldout_sample(corpus, trained.vocabulary, trained.rbm.positions, windows)
    q = corpus.vocabulary.probability()
    scored = {
        "wordrbm": cloze_log_probability(trained.rbm, sample, threads=available_cores()),
        "unigram": np.log(q[sample]),
    }
    if trigrams:
        scored["trigram counts"] = TrigramModel.count(corpus).cloze_log_probability(sample)
    rows = {
        name: {
            "cloze_perplexity": perplexity(score),
            "by_position": [perplexity(column) for column in score.T],
        }
        for name, score in scored.items()
    }
    result = {"windows": len(sample), "scores": rows}
    opt.print_result(result, _perplexity_lines(result), as_json=as_json)


def _perplexity_lines(result: dict[str, Any]) -> Iterator[str]:
    yield f"cloze perplexity of {result['windows']} held-out windows"
    for name, row in result["scores"].items():
        positions = "  ".join(f"{value:9.1f}" for value in row["by_position"])
        yield f"{name:15} {row['cloze_perplexity']:9.1f}   by position {positions}"


def report_likelihood(
    model: opt.ModelFolder,
    prepared: opt.CorpusFolder,
    temperatures: Annotated[int, typer.Option(min=1, help="Steps of the annealing.")] = 1000,
    chains: Annotated[int, typer.Option(min=2, help="Particles that are annealed.")] = 256,
    windows: Annotated[int, typer.Option(min=2, help="Held-out windows to score.")] = 2000,
    text_windows: Annotated[
        int, typer.Option(min=1, help="Windows of the training text to weigh one by one.")
    ] = 1_000_000,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Fixes the random numbers; takes random held-out windows.",
            show_default="1, evenly spread windows",
        ),
    ] = None,
    trigrams: opt.Trigrams = False,
    plot: Annotated[
        Path | None, typer.Option(help="A .png or .svg: log Z by number of temperatures.")
    ] = None,
    threads: opt.Threads = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Estimate log Z by annealed importance sampling, and the likelihood of held-out windows.

    Heavy windows of the text are summed exactly. The result is stored in the model folder, where
    `model.log_likelihood` finds it.

    \b
    Example:
      wordrbm likelihood model corpus --temperatures 1000 --chains 256 --trigrams
    """
    from wordrbm.analysis.plots import image_format, plot_sandwich
    from wordrbm.io.model_file import write_likelihood
    from wordrbm.likelihood.annealing import AnnealingSettings
    from wordrbm.run.likelihood_run import LikelihoodRun
    from wordrbm.threads import worker_count

    stop = StopSignals("Stopped; nothing was written.")
    if plot is not None:
        image_format(plot)
    settings = AnnealingSettings(
        temperatures=temperatures, particles=chains, seed=1 if seed is None else seed
    )
    run = LikelihoodRun.open(
        model, prepared, settings, windows,
        text_windows=text_windows, at_random=seed is not None, threads=worker_count(threads),
    )  # fmt: skip
    with progress("likelihood", 1.0, quiet=quiet) as show:
        estimate = run.estimate(show)
        result = run.result(estimate, run.trigram_counts(show) if trigrams else None)
        sandwich = run.sandwich(estimate, show) if plot is not None else []
    stop.armed = True  # a stop now waits for the small file to be whole
    opt.print_result(result, _summary(estimate, result), as_json=as_json)
    write_likelihood(model, run.trained.rbm, result)
    if plot is not None:
        plot_sandwich(sandwich, estimate.log_Z, estimate.heaviest.log_bound, plot)


def _summary(estimate: "LikelihoodEstimate", result: dict[str, Any]) -> Iterator[str]:
    """The result as a short table."""
    up, down, stratified = estimate.forward, estimate.reverse, estimate.stratified
    low, high = estimate.interval
    size = f"effective sample size {up.effective_sample_size:.0f} of {down.count}"
    yield (
        f"log Z                     {estimate.log_Z:10.2f} ± {stratified.standard_error:.2f}   "
        f"95 % interval {low:.2f} to {high:.2f}"
    )
    yield f"  annealing, forward      {up.log_Z:10.2f} ± {up.standard_error:.2f}   {size}"
    yield (
        f"  annealing, reverse      {down.mean:10.2f} ± {down.standard_error:.2f}   "
        f"from {down.count} held-out windows"
    )
    yield (
        f"  windows of the text  >= {estimate.heaviest.log_bound:10.2f}          "
        f"{estimate.text_windows:,} distinct windows"
    )
    windows = f"{result['windows']:,} windows"
    yield f"held-out log-likelihood, nats a window, and perplexity a word ({windows})"
    for name, row in result["held_out"].items():
        yield (
            f"  {name:22}  {row['log_likelihood']:10.2f} ± {row['standard_error']:.2f}   "
            f"perplexity {row['perplexity']:,.1f}"
        )
    yield (
        f"very rare windows         {estimate.very_rare_share:8.1%} ± "
        f"{estimate.very_rare_error:.1%} of the model   "
        f"{estimate.very_rare_held_out:8.1%} of held-out text"
    )
    heaviest = result["heaviest_windows"]
    yield (
        f"ten heaviest windows      {heaviest['share_of_ten']:8.1%} of the model   "
        f"{heaviest['text_share_of_ten']:8.3%} of the text"
    )
    for row in heaviest["windows"][:3]:
        yield f"  {row['share']:8.2%} {row['text_share']:8.3%}   {row['words']}"
    yield from (f"warning: {sentence}" for sentence in result["warnings"])
