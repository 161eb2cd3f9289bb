"""`wordrbm mixing`: how fast the words of a model's chains reach P(v | h), exactly."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from wordrbm.analysis import OPERATOR_NAMES
from wordrbm.cli import options as opt

STEPS = (
    "1,2,3,4,5,6,8,10,13,16,20,25,32,40,50,64,80,100,130,160,200,320,500,800,1300,2000,3200,5000,"
    "7000,10000"
)


def mixing(
    model: opt.ModelFolder,
    prepared: opt.CorpusFolder,
    out: Annotated[Path, typer.Option(help="A folder for the plots and numbers.")],
    cases: Annotated[
        int, typer.Option(min=1, max=1000, help="Held-out windows, taken at random.")
    ] = 6,
    steps: Annotated[
        str, typer.Option(help="Numbers of steps, with commas.", show_default="30 up to 10000")
    ] = STEPS,
    operator: Annotated[
        str,
        typer.Option(help=f"Proposals: {', '.join(OPERATOR_NAMES[:-1])} or {OPERATOR_NAMES[-1]}."),
    ] = "unigram",
    seed: Annotated[int, typer.Option(min=0, help="Fixes the windows and hidden states.")] = 1,
    window: Annotated[
        str | None, typer.Option(help="A window of words, in place of held-out ones.")
    ] = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Compute how far the words of a chain are from P(v | h) after t steps, and plot it.

    For random held-out windows hidden states are drawn; from the operator's proposal the distance
    to the softmax conditional is exact, not sampled. The default operator is that of training.

    \b
    Example:
      wordrbm mixing model corpus --out mixing --cases 10
      wordrbm mixing model corpus --out mixing --window "the prime minister"
    """
    from wordrbm.analysis import mixing as study
    from wordrbm.analysis.plots import check_matplotlib
    from wordrbm.cli.options import parse_ints
    from wordrbm.cli.progress import progress
    from wordrbm.inference.inputs import window_ids
    from wordrbm.run.evaluation import heldout_sample
    from wordrbm.storage import make_folder, write_text
    from wordrbm.text.corpus import PreparedCorpus, check_vocabulary
    from wordrbm.trained_model import load

    check_matplotlib()
    numbers = sorted(parse_ints("steps", steps, minimum=1, maximum=999_999_999))
    trained, corpus = load(model), PreparedCorpus.open(prepared)
    corpus.verify()
    rbm, vocabulary = trained.rbm, trained.vocabulary
    transition = study.build_operator(operator, rbm, corpus.vocabulary.probability())
    check_vocabulary(corpus, vocabulary)
    windows = (
        heldout_sample(corpus, vocabulary, rbm.positions, cases, seed)
        if window is None
        else window_ids(vocabulary, window.split(), rbm.positions)
    )
    drawn, results = study.draw_cases(rbm, windows, seed), []
    with progress("mixing", len(drawn) * rbm.positions, quiet=quiet) as show:
        for result in study.study_mixing(rbm, transition, drawn, numbers):
            results.append(result)
            show(len(results), operator)
    summary = {"operator": operator, **study.summarise(results, numbers)}
    positions = study.position_records(results, drawn, vocabulary, numbers)
    make_folder(out)
    write_text(
        out / "mixing.json", json.dumps({"summary": summary, "positions": positions}, indent=1)
    )
    study.write_curves(out / "mixing.csv", {operator: positions})
    plots = study.plot_mixing(out, operator, results, drawn, vocabulary, numbers)
    record = {**summary, "cases": len(drawn), "plots": [str(path) for path in plots]}
    lines = [*_lines(summary, positions), f"plots and numbers: {out}"]
    opt.print_result(record, lines, as_json=as_json)


def _lines(summary: dict[str, Any], positions: list[dict[str, Any]]) -> list[str]:
    lines = [f"{summary['operator']}: total variation from P(v | h), mean over positions (worst)"]
    distance = summary["distance"]
    for t in [t for t in ("1", "10", "100", "1000") if t in distance] or list(distance)[:4]:
        count = f"{t} step{'s' * (t != '1')}"
        lines.append(f"after {count:14} {distance[t]['mean']:.3f} ({distance[t]['worst']:.3f})")
    for target in ("0.1", "0.01"):
        needed = summary[f"steps_to_{target}"]
        lines.append(
            f"steps to {target:11} median {_steps(needed['median'])}, most {_steps(needed['most'])}"
        )
    lines += [
        f"acceptance           {summary['acceptance']:.3f}",
        f"spectral gap         {summary['spectral_gap']:.2g} (median)",
        f"autocorrelation time {summary['autocorrelation_time']:.0f} steps (median)",
    ]
    slowest = max(positions, key=lambda row: float(sum(row["distance"])))
    return [
        *lines,
        f"slowest: word {slowest['position'] + 1} of “{' '.join(slowest['window'])}”, its "
        f"bottleneck is “{slowest['bottleneck_word']}”",
    ]


def _steps(steps: float | None) -> str:
    return "not reached" if steps is None else f"{steps:,.0f}"
