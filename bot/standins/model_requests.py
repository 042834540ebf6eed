"""What the stand-in model accepts, and how it refuses the rest, as OpenAI does."""

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.standins.completions import error_object

_NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header "
    "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
)
_WRONG_KEY = "Incorrect API key provided: {key}. You can find your API key in your account."
_SHORT_KEY = 8
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What a call asks for."""

    messages: list[dict[str, Any]]
    model: str
    stream: bool
    with_usage: bool


class RequestError(Exception):
    """An error answer instead of a completion."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self._status = status
        self._message = message
        self._code = code

    def as_response(self) -> web.Response:
        """The answer as it goes over the wire."""
        body = error_object(self._message, "invalid_request_error", self._code)
        return web.json_response(body, status=self._status)


def check_key(request: web.Request, expected: str | None) -> None:
    """Refuse a call without the right key; without an expected one all are right."""
    if expected is None:
        return
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or not key:
        raise RequestError(401, _NO_KEY)
    if key != expected:
        raise RequestError(401, _WRONG_KEY.format(key=_masked(key)), "invalid_api_key")


async def read_completion_request(request: web.Request) -> CompletionRequest:
    """Read and check the body of a call."""
    try:
        body = json.loads(await request.read())
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise RequestError(400, "We could not parse the JSON body of your request.")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise RequestError(400, "you must provide a model parameter")
    _check_messages(body.get("messages"))
    return CompletionRequest(
        messages=body["messages"],
        model=body["model"],
        stream=bool(body.get("stream")),
        with_usage=bool((body.get("stream_options") or {}).get("include_usage")),
    )


def _check_messages(messages: Any) -> None:
    if messages is None:
        raise RequestError(
            400, "Missing required parameter: 'messages'.", "missing_required_parameter"
        )
    if not isinstance(messages, list):
        raise RequestError(400, "Invalid type for 'messages': expected an array.", "invalid_type")
    if not messages:
        raise RequestError(400, "Invalid 'messages': empty array.", "empty_array")
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in _ROLES:
            raise RequestError(
                400, f"Invalid value for 'messages[{place}].role': {role!r}.", "invalid_value"
            )


def _masked(key: str) -> str:
    return f"{key[:3]}***{key[-4:]}" if len(key) > _SHORT_KEY else "***"
