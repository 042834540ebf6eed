"""What the stand-in model accepts, and how it refuses the rest, as OpenAI does."""

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.standins.model_dialogue import check_messages, check_tools
from bot.standins.model_errors import RequestError

_NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header "
    "using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
)
_WRONG_KEY = "Incorrect API key provided: {key}. You can find your API key in your account."
_ONLY_STREAMED = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
_SHORT_KEY = 8


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What a call asks for."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    model: str
    stream: bool
    with_usage: bool


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
    if body.get("stream_options") is not None and not body.get("stream"):
        raise RequestError(400, _ONLY_STREAMED)
    check_messages(body.get("messages"))
    check_tools(body.get("tools"))
    return CompletionRequest(
        messages=body["messages"],
        tools=body.get("tools") or [],
        model=body["model"],
        stream=bool(body.get("stream")),
        with_usage=bool((body.get("stream_options") or {}).get("include_usage")),
    )


def _masked(key: str) -> str:
    return f"{key[:3]}***{key[-4:]}" if len(key) > _SHORT_KEY else "***"
