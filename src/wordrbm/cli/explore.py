"""`wordrbm explore`, a local web page over a model, and `wordrbm map`, its words in the plane."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.progress import interruptible, progress

if TYPE_CHECKING:
    from wordrbm.explore.session import Session
    from wordrbm.io.map_file import WordMap
    from wordrbm.trained_model import TrainedModel

STOPPED = "Stopped; no map was written, the same command begins again."

Corpus = Annotated[
    Path | None, typer.Option(help="The corpus it was trained on, for units and health.")
]
Embedded = Annotated[
    int, typer.Option(min=10, max=250_000, help="Frequent words that t-SNE places.")
]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of t-SNE.")]


def explore(
    model: opt.ModelFolder,
    corpus: Corpus = None,
    classifier: Annotated[
        Path | None, typer.Option(help="A folder of `wordrbm classifier train`.")
    ] = None,
    tagger: Annotated[Path | None, typer.Option(help="A folder of `wordrbm tagger train`.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write one .html file that works offline, and end.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8123,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    embedded: Embedded = 20_000,
    seed: Seed = 1,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Open a page on a trained model: its words, texts, hidden units, health and samples.

    The first time, a map of the words is computed and stored in the model's folder. With --export
    what needs no server is written as one file.

    \b
    Example:
      wordrbm explore model --corpus corpus
      wordrbm explore model --corpus corpus --export page.html
    """
    check_packages(["starlette", "uvicorn"], "explore")
    if export is not None:
        known_suffix(export, ("html",))
    session = open_session(
        model, corpus, classifier, tagger, embedded=embedded, seed=seed, quiet=quiet
    )
    if export is not None:
        from wordrbm.explore.export import export_page

        size = export_page(session, export)
        line = f"{export}: {size / 1e6:.1f} MB, open it in any browser"
        opt.print_result({"out": str(export), "bytes": size}, [line], as_json=as_json)
        return
    serve(session, host, port, browser=browser, as_json=as_json)


def draw_map(
    model: opt.ModelFolder,
    out: Annotated[Path, typer.Option(help="A .png, .svg or .html file to write.")],
    labels: Annotated[int, typer.Option(min=0, max=2000, help="Words to write on a plot.")] = 300,
    embedded: Embedded = 20_000,
    seed: Seed = 1,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Draw the words of a model in the plane, as a plot or as a page to search in.

    Vectors are embedded by t-SNE, or by two principal components where openTSNE is missing. The
    map is stored in the model's folder.

    \b
    Example:
      wordrbm map model --out map.png
      wordrbm map model --out map.html
    """
    from wordrbm.analysis.plots import image_format
    from wordrbm.trained_model import load

    suffix = known_suffix(out, ("png", "svg", "html"))
    if suffix == "html":
        explore(model, export=out, embedded=embedded, seed=seed, quiet=quiet, as_json=as_json)
        return
    image_format(out)
    trained = load(model)
    word_map = find_map(trained, embedded=embedded, seed=seed, quiet=quiet)
    from wordrbm.analysis.map_plot import plot_map

    plot_map(word_map, trained.vocabulary.words, out, labels=labels)
    points = len(word_map.xy)
    result = {"out": str(out), "words": points, "method": word_map.method}
    opt.print_result(result, [f"{out}: {points:,} words, {word_map.method}"], as_json=as_json)


def known_suffix(path: Path, known: tuple[str, ...]) -> str:
    """The suffix of a file to write, which must be one of those known."""
    from wordrbm.errors import WordRBMError

    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in known:
        names = " or ".join(f".{name}" for name in known)
        raise WordRBMError(f"{path} does not end in {names}; name such a file.")
    return suffix


def check_packages(names: list[str], extra: str) -> None:
    """Say what to install where a package is missing."""
    from importlib.util import find_spec

    from wordrbm.errors import WordRBMError

    if missing := [name for name in names if find_spec(name) is None]:
        raise WordRBMError(
            f"The page needs {' and '.join(missing)}, not installed; run pip install "
            f"'wordrbm[{extra}]'."
        )


def open_session(
    model: Path, corpus: Path | None = None, classifier: Path | None = None,
    tagger: Path | None = None, *, embedded: int = 20_000, seed: int = 1, quiet: bool = False,
) -> "Session":  # fmt: skip
    """Load everything that the page shows; the map is computed where there is none."""
    from wordrbm.classification.classifier_file import load_classifier
    from wordrbm.explore.session import Session
    from wordrbm.tagging.tagger_file import load_tagger
    from wordrbm.text.corpus import PreparedCorpus, check_vocabulary
    from wordrbm.trained_model import load

    trained = load(model)
    prepared = PreparedCorpus.open(corpus) if corpus else None
    if prepared is not None:
        check_vocabulary(prepared, trained.vocabulary)
    folders = {"model": model, "corpus": corpus, "classifier": classifier, "tagger": tagger}
    return Session(
        trained,
        find_map(trained, embedded=embedded, seed=seed, quiet=quiet),
        prepared,
        load_classifier(classifier) if classifier else None,
        load_tagger(tagger) if tagger else None,
        {name: str(path) for name, path in folders.items() if path is not None},
    )


def find_map(
    trained: "TrainedModel", *, embedded: int, seed: int, quiet: bool = False
) -> "WordMap":
    """The map in the model's folder, or a new one, which is stored there if it can be written."""
    from wordrbm.analysis import embedding_map
    from wordrbm.errors import WordRBMError
    from wordrbm.io.map_file import read_map, write_map

    assert trained.folder is not None
    method = embedding_map.TSNE if embedding_map.has_tsne() else embedding_map.PCA
    known = read_map(trained.folder, trained.rbm)
    wanted = min(embedded, len(trained.vocabulary)), seed
    if known and (known.embedded, known.seed) == wanted and known.method in (method, "t-SNE"):
        return known
    if method == embedding_map.PCA:
        print(embedding_map.WITHOUT_TSNE, file=sys.stderr)
    with interruptible(STOPPED), progress("map", 1.0, quiet=quiet) as show:
        word_map = embedding_map.compute_map(
            trained.vectors, trained.vocabulary.probability(), embedded=embedded, seed=seed,
            report=show,
        )  # fmt: skip
    try:
        write_map(trained.folder, trained.rbm, word_map)
    except WordRBMError as error:
        print(f"The map is not stored: {error}", file=sys.stderr)
    return word_map


def serve(session: "Session", host: str, port: int, *, browser: bool, as_json: bool) -> None:
    """Serve the page until Ctrl-C."""
    import json

    import uvicorn

    from wordrbm.explore.server import build_app, listen

    socket = listen(host, port)
    address = f"http://{host if ':' not in host else f'[{host}]'}:{socket.getsockname()[1]}/"
    print(
        json.dumps({"address": address}) if as_json else f"{address} (Ctrl-C ends it)", flush=True
    )
    if browser:
        import webbrowser

        webbrowser.open(address)
    config = uvicorn.Config(
        build_app(session, host), log_level="warning", timeout_keep_alive=5, limit_concurrency=100,
        access_log=False, server_header=False, ws="none",
    )  # fmt: skip
    uvicorn.Server(config).run([socket])
