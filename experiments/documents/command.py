"""`python -m experiments documents`: 20 Newsgroups with 50 topics, beside LDA."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from experiments.documents import study
from experiments.documents.counts import damped, read_newsgroups
from wordrbm.cli import options as opt
from wordrbm.storage import make_folder, write_text
from wordrbm.training.document_trainer import DocumentSettings


def documents(
    data: Annotated[Path, typer.Argument(help="Folder of 20 Newsgroups with nvdm/ inside.")],
    out: Annotated[Path, typer.Option(help="Folder for results.json.")],
    seeds: Annotated[int, typer.Option(min=1, help="Runs of the replicated softmax.")] = 3,
    updates: Annotated[int, typer.Option(min=1, help="Updates of a run.")] = 8000,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = 0.006,
    lda: Annotated[bool, typer.Option(help="Train scikit-learn's LDA too.")] = True,
    as_json: opt.AsJson = False,
) -> None:
    """Perplexity, document completion and retrieval with 50 topics and 2,000 words.

    \b
    Example:
      python -m experiments documents 20news --out results
    """
    sets = read_newsgroups(data)
    counts, test = damped(sets.train), damped(sets.test)
    train, validation = study.split_validation(counts, 1000)
    first, second = study.split_halves(test)
    record: dict[str, Any] = {
        "agreement": sets.agreement,
        "train": train.shape[0],
        "test": test.shape[0],
        "unigram": study.unigram_perplexity(train, test),
        "runs": [],
    }
    make_folder(out)

    def save() -> None:
        write_text(out / "results.json", json.dumps(record, indent=1))

    for seed in range(1, seeds + 1):
        settings = DocumentSettings(updates=updates, rate=rate, seed=seed)
        every = max(1, updates // 16)
        model, score, seconds = study.train_chosen(train, validation, settings, every, _report)
        features = (model.hidden_mean(counts), model.hidden_mean(test))
        record["runs"].append(
            {
                "seed": seed,
                "validation": score,
                "seconds": seconds,
                **study.measure_perplexity(model, train, test),
                "completion": study.completion_perplexity(study.next_word(model, first), second),
                "precision": study.retrieval_precision(
                    features[0], sets.train_group, features[1], sets.test_group
                ),
            }
        )
        save()
        _report(str(record["runs"][-1]))
    if lda:
        record["lda"] = _lda(sets, counts, test, (train, first, second))
        save()
    print(json.dumps(record) if as_json else json.dumps(record, indent=1))


def _lda(sets: Any, counts: Any, test: Any, completion: Any) -> dict[str, Any]:
    """Scikit-learn's online LDA with 50 topics on the same counts."""
    from sklearn.decomposition import LatentDirichletAllocation

    train, first, second = completion
    began = time.perf_counter()
    lda = LatentDirichletAllocation(
        50, learning_method="online", max_iter=20, batch_size=256, random_state=1
    ).fit(train)
    seconds = time.perf_counter() - began
    words = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    probabilities = study.mixture(np.asarray(lda.transform(first)), words)
    return {
        "seconds": seconds,
        "completion": study.completion_perplexity(probabilities, second),
        "precision": study.retrieval_precision(
            lda.transform(counts), sets.train_group, lda.transform(test), sets.test_group
        ),
    }


def _report(line: str) -> None:
    typer.echo(line, err=True)
