"""`wordrbm evaluate`: exact held-out scores of a model, beside models that only count."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from wordrbm.shapes import Words
    from wordrbm.text.corpus import PreparedCorpus


def evaluate(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    prepared: Annotated[Path, typer.Argument(help="The corpus it was trained on.")],
    windows: Annotated[int, typer.Option(help="Held-out windows to score.")] = 500,
    trigrams: Annotated[
        bool, typer.Option("--trigrams", help="Score a trigram count model too (slow).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Print the exact cloze perplexity of held-out windows, in all and by position.

    \b
    Example:
      wordrbm evaluate model corpus --windows 1000 --trigrams
    """
    import numpy as np

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
        scored["trigram counts"] = _trigrams(corpus, sample)
    rows = {
        name: {
            "cloze_perplexity": perplexity(score),
            "by_position": [perplexity(column) for column in score.T],
        }
        for name, score in scored.items()
    }
    _print({"windows": len(sample), "scores": rows}, as_json=as_json)


def _trigrams(corpus: "PreparedCorpus", sample: "Words") -> Any:
    from wordrbm.likelihood.trigram_counts import TrigramModel

    return TrigramModel.count(corpus).cloze_log_probability(sample)


def _print(result: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
        return
    print(f"cloze perplexity of {result['windows']} held-out windows")
    for name, row in result["scores"].items():
        positions = "  ".join(f"{value:9.1f}" for value in row["by_position"])
        print(f"{name:15} {row['cloze_perplexity']:9.1f}   by position {positions}")
