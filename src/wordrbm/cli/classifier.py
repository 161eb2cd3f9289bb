"""`wordrbm classifier`: train a classifier of documents, apply it, explain what it says."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.document_input import iter_placed
from wordrbm.cli.progress import StopSignals, progress
from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.classification.explain import Explanation

REPORT = "training.json"

ClassifierFolder = Annotated[
    Path, typer.Argument(help="A folder written by `wordrbm classifier train`.")
]

app = typer.Typer(
    help="Classifiers of documents: one RBM per class, compared by free energy.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("train")
def train_classifier(
    data: Annotated[
        Path,
        typer.Option(help="Folder of CLASS folders, of train/CLASS, or of train_CLASS.jsonl.gz."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the classifier.")],
    test: Annotated[
        Path | None,
        typer.Option(help="Folder of test documents by class.", show_default="DATA/test if any"),
    ] = None,
    window: Annotated[int, typer.Option(help="Words in a window.")] = 5,
    hidden: opt.HiddenUnits = 250,
    dimension: opt.Dimension = 50,
    min_count: Annotated[int, typer.Option(min=1, help="Occurrences of a word it takes.")] = 2,
    windows: opt.ClassWindows = 3_000_000,
    pretrain_windows: opt.PretrainWindows = 3_000_000,
    finetune_epochs: opt.FinetuneEpochs = 5,
    finetune_members: opt.FinetuneMembers = 4,
    folds: Annotated[int, typer.Option(min=2, help="Folds of cross-validation.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Random seed.")] = 1,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    threads: opt.Threads = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Train a classifier on documents in a folder for each class.

    A text file is a document; so is a line of JSON lines. The models of all classes start from one
    pre-trained model, are trained on their own documents, and fine-tuned together. Class
    probabilities are calibrated on cross-validated free energies.

    \b
    Example:
      wordrbm classifier train --data reviews --out classifier
      wordrbm classifier train --data mails --test new-mails --windows 500000 --out spam
    """
    from wordrbm.classification.classifier import (
        Classifier,
        cross_validated_accuracy,
        fit_classifier,
        fit_settings,
    )
    from wordrbm.classification.classifier_file import FILE, save_classifier
    from wordrbm.classification.documents import read_labelled
    from wordrbm.storage import check_output_folder, make_folder, write_text
    from wordrbm.threads import SharedProgress, worker_count

    settings = fit_settings(
        {"window": window, "hidden": hidden, "dimension": dimension}, windows,
        pretrain_windows=pretrain_windows, finetune_epochs=finetune_epochs,
        finetune_members=finetune_members, folds=folds, seed=seed, threads=worker_count(threads),
    )  # fmt: skip
    check_output_folder(out, FILE, "classifier")
    stop = StopSignals("Stopped; no classifier was written.")
    sets = read_labelled(data, test, out=out, field=field, encoding_errors=encoding_errors)
    documents = sets.encode(settings.window, min_count, folds)
    make_folder(out)
    with progress("classifier", 1.0, quiet=quiet) as show:
        shared = SharedProgress(settings.expected_windows(documents), show, stop)
        models, head, energies = fit_classifier(documents, settings, shared.report)
        show(1.0, "done")
    classifier = Classifier(sets.classes, models, head)
    save_classifier(out, classifier)
    record: dict[str, Any] = {
        "classifier": str(out),
        "documents": sets.class_counts(),
        "vocabulary": len(documents.vocabulary),
        "folds": folds,
        "cross_validated_accuracy": cross_validated_accuracy(documents, energies, settings),
        "test": None,
    }
    if sets.test:
        accuracy = classifier.accuracy(*sets.test)
        record["test"] = {"documents": len(sets.test.label), "accuracy": accuracy}
    write_text(out / REPORT, json.dumps(record, indent=1))
    opt.print_result(record, _summary(record), as_json=as_json)


def _summary(record: dict[str, Any]) -> Iterator[str]:
    counts = ", ".join(f"{name} {count}" for name, count in record["documents"].items())
    accuracy = 100 * record["cross_validated_accuracy"]
    yield f"documents: {counts}; vocabulary: {record['vocabulary']:,} words"
    yield f"cross-validated accuracy {accuracy:.2f} % ({record['folds']} folds)"
    if test := record["test"]:
        yield f"test accuracy {100 * test['accuracy']:.2f} % of {test['documents']}"
    out = record["classifier"]
    yield f"classifier: {out}; next: wordrbm classifier predict {out} FILE"


@app.command("predict")
def predict_classes(
    classifier: ClassifierFolder,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Text files, JSON lines or folders of them; - is standard input, a document a "
            "line.",
            show_default="-",
        ),
    ] = None,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    as_json: opt.JsonLines = False,
) -> None:
    """Print the class of each document, its probability, and where the document is.

    A text file is a document; so is a line of JSON lines, or a line of standard input. With --json
    the probabilities of all classes are printed.

    \b
    Example:
      wordrbm classifier predict classifier reviews/*.txt
      echo "A wonderful film" | wordrbm classifier predict classifier --json
    """
    from wordrbm.classification.classifier_file import load_classifier
    from wordrbm.text.reader import check_encoding_errors

    check_encoding_errors(encoding_errors)
    loaded = load_classifier(classifier)
    for place, text in iter_placed(files or [Path("-")], field, encoding_errors):
        p = loaded.probabilities([text])[0].tolist()
        label = loaded.classes[p.index(max(p))]
        if as_json:
            probabilities = dict(zip(loaded.classes, p, strict=True))
            record = {"document": place, "label": label, "probabilities": probabilities}
            print(json.dumps(record), flush=True)
        else:
            print(f"{label}\t{max(p):.3f}\t{place}", flush=True)


@app.command("explain")
def explain_prediction(
    classifier: ClassifierFolder,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file of one document: text, or a line of JSON; - is standard input.",
            show_default="-",
        ),
    ] = None,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    top: Annotated[int, typer.Option(min=1, help="Windows to show for each class.")] = 5,
    html: Annotated[Path | None, typer.Option(help="Write a page with the text in colour.")] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Print the probability of each class, and the windows that contribute most to it.

    A contribution is what a window adds to the logit of a class, relative to the mean of all
    classes; the contributions of a text and a constant add up to its logits.

    \b
    Example:
      wordrbm classifier explain classifier review.txt --html review.html
      echo "A wonderful film" | wordrbm classifier explain classifier --json
    """
    from wordrbm.classification.classifier_file import load_classifier
    from wordrbm.classification.explain import as_html, explain
    from wordrbm.storage import write_text
    from wordrbm.text.reader import check_encoding_errors

    check_encoding_errors(encoding_errors)
    loaded = load_classifier(classifier)
    text = _single_document(file or Path("-"), field, encoding_errors)
    explanation = explain(loaded.models, loaded.head, text)
    if html is not None:
        write_text(html, as_html(explanation, loaded.classes, top))
    classes = {name: _class(explanation, c, top) for c, name in enumerate(loaded.classes)}
    if as_json:
        print(json.dumps({"words": len(explanation.tokens), "classes": classes}))
        return
    for name, record in classes.items():
        print(f"{name}: {record['probability']:.3f}")
        for window in record["windows"]:
            print(f"  {window['contribution']:+.3f}  {' '.join(window['words'])}")
    if html is not None:
        print(f"page: {html}")


def _single_document(file: Path, field: str, encoding_errors: str) -> str:
    """The one document of a file; all of standard input is one."""
    from wordrbm.storage import path_status

    if path_status(file).is_folder:
        raise WordRBMError(
            f"{file} is a folder where one document was expected; give one of its files."
        )
    texts = (text for _, text in iter_placed([file], field, encoding_errors))
    if str(file) == "-":
        return "\n".join(texts)
    documents = list(islice(texts, 2))
    if len(documents) != 1:
        raise WordRBMError(
            f"{file} holds {'more than one' if documents else 'no'} document where one was "
            "expected; write it to a file of its own, for example with sed -n 1p."
        )
    return documents[0]


def _class(explanation: "Explanation", c: int, top: int) -> dict[str, Any]:
    windows = [
        {"words": list(window.words), "start": window.start, "contribution": window.value[c]}
        for window in explanation.top(c, top)
    ]
    return {"probability": float(explanation.probability[c]), "windows": windows}
