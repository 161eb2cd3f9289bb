"""`wordrbm mixing`: how fast the chains' words reach P(v | h), exactly, operator by operator."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

STEPS = (
    "1,2,3,4,5,6,8,10,13,16,20,25,32,40,50,64,80,100,130,160,200,320,500,800,1300,2000,3200,5000,"
    "7000,10000"
)


def mixing(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    prepared: Annotated[Path, typer.Argument(help="The corpus it was trained on.")],
    out: Annotated[Path, typer.Option(help="A folder for the pictures and numbers.")],
    cases: Annotated[
        int, typer.Option(min=1, max=1000, help="Held-out windows, taken at random.")
    ] = 6,
    steps: Annotated[
        str, typer.Option(help="Numbers of steps, with commas.", show_default="30 up to 10000")
    ] = STEPS,
    operators: Annotated[
        str,
        typer.Option(
            help="Some of unigram, power, uniform, paper, clusters, fine, both, with commas; the "
            "first sets the time that the others have."
        ),
    ] = "unigram,clusters",
    chains: Annotated[
        int, typer.Option(min=100, help="For operators that can only be sampled.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Fixes the windows and hidden states.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Compute where the words of a chain stand after t steps, and draw the paper's figure 2.

    For random held-out windows hidden states are drawn; from each operator's proposal the distance
    to the softmax conditional is exact, not sampled. The time of a step is measured here and now.

    \b
    Example:
      wordrbm mixing model corpus --out mixing --operators unigram,clusters
    """
    from wordrbm.analysis.mixing_study import Asked, save_study, whole_study
    from wordrbm.analysis.pace import CHAINS
    from wordrbm.analysis.pictures import refuse_without_matplotlib
    from wordrbm.cli.options import parse_ints
    from wordrbm.cli.progress import progress
    from wordrbm.run.evaluation import random_heldout_sample
    from wordrbm.sampling.named import operators_named
    from wordrbm.text.corpus import PreparedCorpus
    from wordrbm.trained_model import load

    refuse_without_matplotlib()
    after = sorted(parse_ints("steps", steps, least=1, most=999_999_999))
    trained, corpus = load(model), PreparedCorpus.open(prepared)
    corpus.verify()
    rbm, q = trained.rbm, corpus.vocabulary.probability()
    names = [name.strip() for name in operators.split(",") if name.strip()]
    asked = Asked(
        operators=operators_named(names, rbm, q),
        windows=random_heldout_sample(corpus, trained.vocabulary, rbm.positions, cases, seed),
        timed=random_heldout_sample(corpus, trained.vocabulary, rbm.positions, CHAINS, seed),
        steps=after,
        seed=seed,
        chains=chains,
    )
    with progress("mixing", 1.0, quiet=quiet) as show:
        found = whole_study(rbm, trained.vocabulary, q, asked, show)
    pictures = save_study(out, found, trained.vocabulary, after)
    if as_json:
        shown = {"cases": len(found.cases), "operators": found.rows, "sampled": found.sampled}
        print(json.dumps(shown | {"pictures": [str(path) for path in pictures]}))
        return
    _print(found.rows, found.details, after)
    _print_sampled(found.sampled)
    print(f"pictures and numbers: {out}")


def _print(rows: list[dict[str, Any]], details: list[dict[str, Any]], steps: list[int]) -> None:
    if not rows:
        return
    shown = [t for t in (1, 10, 100) if t in steps] or steps[:3]
    heads = [f"after {t}" for t in shown]
    time = f"{rows[0]['same_time']['steps']} steps of {rows[0]['operator']}"
    print(f"total variation from P(v | h): mean over positions (worst); same time as {time}")
    titles = [*heads, "same time (steps)", "to 0.1", "to 0.01", "gap", "correlated"]
    print(f"{'operator':10} {'taken':>6} " + " ".join(f"{title:>18}" for title in titles))
    for row in rows:
        cells = [_pair(row["distance"][str(t)]) for t in shown]
        cells.append(f"{_pair(row['same_time'])} {row['same_time']['steps']:>4}")
        cells += [_steps(row[f"steps_to_{near}"]) for near in (0.1, 0.01)]
        cells += [f"{row['spectral_gap']:.2g}", f"{row['autocorrelation_time']:.0f} steps"]
        line = " ".join(f"{cell:>18}" for cell in cells)
        print(f"{row['operator']:10} {row['acceptance']:6.3f} {line}")
    first = [row for row in details if row["operator"] == rows[0]["operator"]]
    slow = max(first, key=lambda row: float(sum(row["distance"])))
    print(
        f"slowest for {rows[0]['operator']}: word {slow['position'] + 1} of "
        f"“{' '.join(slow['window'])}”, held by “{slow['holding_word']}”"
    )


def _print_sampled(sampled: dict[str, list[dict[str, Any]]]) -> None:
    for name, rows in sampled.items():
        for row in rows:
            print(
                f"{name}, {row['chains']:,} chains, after {row['calls']} calls: {_pair(row)}, "
                f"give or take {row['error']:.3f}; exact draws would show {row['floor']:.3f}"
            )


def _pair(both: dict[str, float]) -> str:
    return f"{both['mean']:.3f} ({both['worst']:.3f})"


def _steps(both: dict[str, float | None]) -> str:
    told = ["never" if steps is None else f"{steps:,.0f}" for steps in both.values()]
    return f"{told[0]} ({told[1]})"
