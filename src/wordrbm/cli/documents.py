"""`wordrbm documents`: train a topic model of whole documents; the group of its commands."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli import similar_documents, topic_likelihood, topics
from wordrbm.cli.document_input import ReadDocuments, Reading, read_documents
from wordrbm.cli.progress import Display, StopSignals, progress, stop_cleanly
from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.run.document_run import DocumentReport, DocumentRun

SHOWN_TOPICS = 5

app = typer.Typer(
    help="Topic models of documents: the replicated softmax, at any vocabulary.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("train")
def train_topics(
    data: topics.DocumentPaths,
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    hidden: Annotated[int, typer.Option("--topics", help="Topics: hidden units.")] = 50,
    updates: Annotated[int, typer.Option(help="Updates of the parameters.")] = 4000,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = 0.02,
    batch_size: Annotated[int, typer.Option(help="Documents in an update.")] = 128,
    chains: Annotated[int, typer.Option(help="Persistent chains.")] = 256,
    mh_steps: Annotated[int, typer.Option(help="Rounds of proposals in an update.")] = 2,
    weight_limit: Annotated[
        float, typer.Option(help="The most that the positive weights of a word may sum to.")
    ] = 5.0,
    dimension: Annotated[
        int | None,
        typer.Option(help="Dimension of word vectors.", show_default="none: full weights"),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(help="A model of `wordrbm train` whose word vectors words begin with."),
    ] = None,
    freeze_vectors: Annotated[
        bool, typer.Option("--freeze-vectors", help="Leave those word vectors as they are.")
    ] = False,
    vocabulary_size: Annotated[int, typer.Option(help="Most frequent words to count.")] = 100_000,
    min_count: Annotated[int, typer.Option(help="Occurrences of a word it takes.")] = 5,
    max_share: Annotated[
        float, typer.Option(help="Leave out words of more than this share of the documents.")
    ] = 0.25,
    log_counts: Annotated[
        bool, typer.Option(help="Count n occurrences of a word as round(log(1 + n)).")
    ] = True,
    words: Annotated[
        Path | None, typer.Option(help="The words of the columns of an .npz file, a line each.")
    ] = None,
    heldout: Annotated[
        float, typer.Option(min=0.0, max=0.9, help="Share of the documents to score, not to train.")
    ] = 0.05,
    evaluations: Annotated[int, typer.Option(min=1, help="Scores during training.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 1,
    checkpoint_minutes: Annotated[
        float, typer.Option(min=0.0, help="Minutes between checkpoints.")
    ] = 5.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    threads: opt.Threads = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Train a topic model on documents.

    A text file is a document; so is a line of JSON lines. A prepared corpus, or an .npz file of
    counts by scipy.sparse.save_npz, is read too. Of text, tokens with a letter are words.

    \b
    Example:
      wordrbm documents train posts.jsonl.gz --out topics
      wordrbm documents train articles/ --topics 100 --updates 10000 --out topics --resume
    """
    from wordrbm.classification.document_counts import WordSelection, take_log_counts
    from wordrbm.run.document_run import FILES, DocumentRun
    from wordrbm.run.run_folder import check_run_folder
    from wordrbm.run.shared_vectors import shared_vectors
    from wordrbm.threads import worker_count
    from wordrbm.training.document_trainer import DocumentSettings

    settings = DocumentSettings.named(
        opt.option_names(DocumentSettings.model_fields, hidden="topics"),
        hidden=hidden, updates=updates, rate=rate, batch_size=batch_size, chains=chains,
        mh_steps=mh_steps, dimension=dimension, seed=seed, train_vectors=not freeze_vectors,
        weight_limit=weight_limit, shards=max(1, min(8, chains)),
    )  # fmt: skip
    if freeze_vectors and vectors is None:
        raise WordRBMError("--freeze-vectors needs word vectors; give a model as --vectors.")
    selection = WordSelection.named(
        opt.option_names(WordSelection.model_fields), vocabulary_size=vocabulary_size,
        min_count=min_count, max_share=max_share, letters=True,
    )  # fmt: skip
    check_run_folder(out, resume=resume, files=FILES)  # before the documents are read
    stop = StopSignals()
    with progress("training", settings.updates, quiet=quiet) as show:
        show.stage("reading documents")
        documents = read_documents(data, Reading(field, encoding_errors), selection, words)
        counts = take_log_counts(documents.counts) if log_counts else documents.counts
        first = None
        if vectors is not None:
            first = shared_vectors(vectors, documents.vocabulary.words[1:], seed, dimension)
            settings = settings.model_copy(update={"dimension": first.shape[1]})
        run = DocumentRun.build(
            counts, documents.vocabulary, settings, out,
            counting={"text": documents.is_text, "log_counts": log_counts}, heldout=heldout,
            vectors=first, threads=worker_count(threads), evaluations=evaluations,
            checkpoint_seconds=60 * checkpoint_minutes,
        )  # fmt: skip
        with stop_cleanly(stop, armed=False):
            last = _train(run, stop, show, resume=resume)
        stop.armed = True  # the model is written: a signal no longer changes anything
    record = _report(run, documents, last)
    opt.print_result(record, _summary(run, record), as_json=as_json)


def _train(
    run: "DocumentRun", stop: StopSignals, show: Display, *, resume: bool
) -> "DocumentReport | None":
    """Run to the end; the last report, or none if a resumed run was finished before."""
    last, first, scores = None, None, ""
    with closing(run.run(resume=resume, stop=stop, on_stage=show.stage)) as reports:
        for last in reports:
            first = first or last
            stop.armed = True
            if last.scores:
                scores = ", completion perplexity {completion_perplexity:,.0f}".format(
                    **last.scores
                )
            show(last.step, f"update {last.step:,}{_speed(run, first, last)}{scores}")
    return last


def _speed(run: "DocumentRun", first: "DocumentReport", last: "DocumentReport") -> str:
    """Updates a second and the time left; the first update of a process may compile."""
    seconds = last.seconds - first.seconds
    if seconds <= 0:
        return ""
    speed = (last.step - first.step) / seconds
    left = (run.identity.settings.updates - last.step) / max(speed, 1e-9)
    return f", {speed:.1f}/s, {left / 60:.1f} min left"


def _report(
    run: "DocumentRun", documents: ReadDocuments, last: "DocumentReport | None"
) -> dict[str, Any]:
    """What was read and measured, written beside the model; times are only printed."""
    from wordrbm.analysis.coherence import topic_coherence, topic_diversity
    from wordrbm.inference.topics import BY_DOCUMENTS, ORDERS, rank_words
    from wordrbm.io.document_file import read_topics
    from wordrbm.io.model_folder import METRICS, read_metrics

    model, metrics = read_topics(run.out), read_metrics(run.out / METRICS)
    ranked = {
        by: rank_words(model.rbm, model.frequency, topics.COHERENCE_WORDS, by, run.counts)
        for by in (*ORDERS, BY_DOCUMENTS)
    }
    heldout = 0 if run.heldout is None else run.heldout.shape[0]
    report: dict[str, Any] = {
        "documents": run.counts.shape[0],
        "heldout": heldout,
        "empty": documents.counts.shape[0] - run.counts.shape[0] - heldout,
        "vocabulary": run.counts.shape[1],
        "words": float(run.counts.sum()),
        "scores": {k: v for k, v in metrics[-1].items() if k != "step"} if metrics else None,
        "coherence": {by: topic_coherence(words, run.counts).tolist()
                      for by, words in ranked.items()},
        "diversity": {by: topic_diversity(words) for by, words in ranked.items()},
    }  # fmt: skip
    run.write_report(report)
    return {"model": str(run.out), **report, "seconds": None if last is None else last.seconds}


def _summary(run: "DocumentRun", record: dict[str, Any]) -> Iterator[str]:
    done = "trained before" if record["seconds"] is None else f"{record['seconds']:.0f} s"
    yield (
        f"{run.out}: {record['documents']:,} documents, {record['vocabulary']:,} words, "
        f"{run.identity.settings.updates:,} updates ({done})"
    )
    if scores := record["scores"]:
        yield (
            "held-out documents, second half given the first: perplexity "
            f"{scores['completion_perplexity']:,.1f} (word frequencies "
            f"{scores['frequency_perplexity']:,.1f})"
        )
    values, distinct = record["coherence"][topics.ORDER], record["diversity"][topics.ORDER]
    yield (
        f"first ten words of the topics: mean coherence (NPMI) {sum(values) / len(values):.3f}, "
        f"{distinct:.0%} of them distinct"
    )
    yield from topics.topic_lines(run.out, SHOWN_TOPICS)
    yield f"next: wordrbm documents topics {run.out}"


app.command("likelihood")(topic_likelihood.report_likelihood)
app.command("topics")(topics.show_topics)
app.command("transform")(topics.transform_documents)
app.command("similar")(similar_documents.find_similar)
