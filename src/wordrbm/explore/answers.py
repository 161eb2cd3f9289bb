"""Requests and responses in JSON: a body becomes a checked request, a fault one sentence."""

import json
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.responses import Response

from wordrbm.errors import WordRBMError, validation_faults
from wordrbm.settings import StrictModel

RequestModel = TypeVar("RequestModel", bound=StrictModel)
JSON = "application/json"


def encode_json(content: Any) -> bytes:
    """JSON in UTF-8; a number that is not finite is a fault of the program."""
    return json.dumps(content, allow_nan=False, ensure_ascii=False).encode()


def respond(content: Any) -> Response:
    """A response in JSON."""
    return Response(encode_json(content), media_type=JSON)


def refuse(status: int, sentence: str) -> Response:
    """A refusal: one sentence in JSON."""
    text = sentence.encode("utf-8", "backslashreplace").decode()
    return Response(encode_json({"error": text}), status, media_type=JSON)


def parse(kind: type[RequestModel], body: bytes) -> RequestModel:
    """Check the body of a request; whatever is wrong with it is one sentence."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        faults = validation_faults(error)[:3]
        raise WordRBMError(f"The request cannot be answered: {'; '.join(faults)}.") from None
