"""The page as a web application: static files, and one address for every kind of question."""

import socket
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from wordrbm.errors import WordRBMError
from wordrbm.explore import health, predictors, samples, texts, units, words
from wordrbm.explore.answers import encode_json, parse, refuse, respond
from wordrbm.explore.guard import MAX_BODY_BYTES, Guard
from wordrbm.explore.session import Busy, Session
from wordrbm.settings import StrictModel
from wordrbm.threads import StopCheck

STATIC = Path(__file__).parent / "static"
BODY_SECONDS, ANSWER_SECONDS = 10.0, 60.0
THREADS = 8
LATER = "ask for less, or again in a moment."


class Question(NamedTuple):
    """A kind of question: its request, its answer, and whether it is computed alone."""

    request: type[StrictModel]
    answer: Callable[[Session, Any], Any]
    is_slow: bool = True


QUESTIONS: Mapping[str, Question] = {
    "neighbours": Question(words.NeighboursRequest, words.find_neighbours, is_slow=False),
    "score": Question(texts.ScoreRequest, texts.score_text),
    "fill": Question(texts.FillRequest, texts.fill_text),
    "unit": Question(units.UnitRequest, units.describe_unit),
    "energy": Question(units.EnergyRequest, units.compare_energies, is_slow=False),
    "mixing": Question(health.MixingRequest, health.study_window),
    "classify": Question(predictors.DocumentRequest, predictors.classify),
    "tag": Question(predictors.DocumentRequest, predictors.tag),
}
REPORTS: Mapping[str, Callable[[Session], Any]] = {
    "info": words.describe,
    "words": words.list_words,
    "units": units.list_units,
    "health": health.report_health,
}
SLOW_REPORTS = frozenset({"units", "health"})  # measured on the corpus when first asked for


def build_app(session: Session, host: str = "127.0.0.1") -> Starlette:
    """The application over one model; `host` is the address that it will be bound to."""
    # Slow questions wait for each other outside of threads, which quick ones need.
    quick, slow = CapacityLimiter(THREADS), CapacityLimiter(1)

    async def answer(request: Request) -> Response:
        question = QUESTIONS[request.path_params["name"]]
        parsed = parse(question.request, await read_body(request))
        call = partial(ask, session, question, parsed)
        return await compute(request, call, slow if question.is_slow else quick)

    async def report(request: Request) -> Response:
        name = request.path_params["name"]
        call = partial(build_report, session, name)
        return await compute(request, call, slow if name in SLOW_REPORTS else quick)

    async def map_bytes(request: Request) -> Response:
        return Response(words.pack_map(session), media_type="application/octet-stream")

    async def sample(request: Request) -> Response:
        parsed = parse(samples.SamplesRequest, await read_body(request))
        frames = iterate_in_threadpool(samples.follow_chains(session, parsed))
        return StreamingResponse(json_lines(frames), media_type="application/x-ndjson")

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    routes = [
        Route("/", page),
        Route("/api/map", map_bytes),
        Route("/api/samples", sample, methods=["POST"]),
        *(named_route(name, report, "GET") for name in REPORTS),
        *(named_route(name, answer, "POST") for name in QUESTIONS),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, host=host)],
        exception_handlers={
            WordRBMError: on_fault,
            HTTPException: on_http_fault,
            ClientDisconnect: on_fault,
        },
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address and port; 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # a browser that is quicker than the server waits
    except OSError as error:
        listener.close()
        raise WordRBMError(
            f"The page cannot be served at {host}, port {port} ({error.strerror or error}); give "
            "--port 0 for a free one."
        ) from None
    return listener


def named_route(name: str, endpoint: Callable[..., Any], method: str) -> Route:
    """A route whose handler is given the name of the question."""

    async def handle(request: Request) -> Response:
        request.scope["path_params"] = {"name": name}
        response: Response = await endpoint(request)
        return response

    return Route(f"/api/{name}", handle, methods=[method])


async def compute(
    request: Request, call: Callable[[StopCheck], Any], limiter: CapacityLimiter
) -> Response:
    """Compute an answer in a thread, and note when the browser no longer waits for it."""
    abandoned = Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        abandoned.set()

    async def answer() -> Response:
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                return respond(
                    await to_thread.run_sync(
                        call, abandoned.is_set, abandon_on_cancel=True, limiter=limiter
                    )
                )
        except TimeoutError:
            abandoned.set()
            return refuse(503, f"There was no answer in {ANSWER_SECONDS:.0f} s; {LATER}")
        except WordRBMError as error:
            return await on_fault(request, error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        response = await answer()
        tasks.cancel_scope.cancel()
    return response


def ask(session: Session, question: Question, request: StrictModel, is_abandoned: StopCheck) -> Any:
    """Answer a question; slow ones are computed one after the other."""
    if not question.is_slow:
        return question.answer(session, request)
    with session.exclusive(is_abandoned):
        return question.answer(session, request)


def build_report(session: Session, name: str, is_abandoned: StopCheck) -> Any:
    """Build a report; slow ones one after the other, so that a page opens while others compute."""
    if name not in SLOW_REPORTS:
        return REPORTS[name](session)
    with session.exclusive(is_abandoned):
        return REPORTS[name](session)


async def read_body(request: Request) -> bytes:
    """The body of a request: small, complete within seconds, and declared as JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "The request is no JSON; send Content-Type: application/json.")
    body = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    raise HTTPException(413, f"The request has over {MAX_BODY_BYTES:,} bytes.")
    except TimeoutError:
        raise HTTPException(408, "The request did not arrive in time; send it again.") from None
    return bytes(body)


async def json_lines(frames: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    """One JSON object a line."""
    async for frame in frames:
        yield encode_json(frame) + b"\n"


async def on_fault(request: Request, error: Exception) -> Response:
    """Bad input is one sentence."""
    return refuse(503 if isinstance(error, Busy) else 400, str(error))


async def on_http_fault(request: Request, error: Exception) -> Response:
    """What the routes refuse, as one sentence too."""
    assert isinstance(error, HTTPException)
    sentences = {
        404: "There is nothing at this address; the page is at /.",
        405: "This address is asked in another way: reports by GET, questions by POST.",
    }
    return refuse(error.status_code, sentences.get(error.status_code, str(error.detail)))
