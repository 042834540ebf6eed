"""How Bot API calls and answers look on the wire."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from aiohttp.web_request import FileField

_LEADING_INTEGER = re.compile(r"\s*(-?\d+)")
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


class ApiError(Exception):
    """An answer with ok=false."""

    def __init__(self, status: int, description: str, retry_after: int | None = None) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came with a call."""

    name: str
    mime_type: str
    data: bytes


class Params(dict[str, str]):
    """The parameters of a call, each as text, and the files that came along."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self.uploads: dict[str, Upload] = {}


async def read_params(request: web.Request) -> Params:
    """Gather the parameters of a call from its query and body."""
    params = Params(request.query)
    if request.content_type in _FORMS:
        for name, value in (await request.post()).items():
            if isinstance(value, FileField):
                params.uploads[name] = read_upload(value)
            else:
                params[name] = value if isinstance(value, str) else bytes(value).decode()
    elif request.content_type == "application/json":
        params.update(_json_params(await request.read()))
    return params


def integer(params: Mapping[str, str], name: str, default: int = 0) -> int:
    """Read a number the lenient way the real server does: what is no number counts as 0."""
    text = params.get(name)
    if text is None:
        return default
    match = _LEADING_INTEGER.match(text)
    return int(match[1]) if match else 0


def flag(params: Mapping[str, str], name: str) -> bool:
    """Read a boolean as the real server does."""
    return params.get(name, "").strip().lower() in {"true", "yes", "1"}


def read_upload(field: FileField) -> Upload:
    """Take what came, and give its temporary file back at once."""
    with field.file as file:
        return Upload(field.filename, field.content_type, file.read())


def json_value(params: Mapping[str, str], name: str, complaint: str) -> Any:
    """Read a parameter that is JSON; None when it is not there or empty."""
    text = params.get(name, "")
    if not text:
        return None
    try:
        return json.loads(text)
    except ValueError:
        raise ApiError(400, f"Bad Request: {complaint}") from None


def success(result: Any, description: str | None = None) -> web.Response:
    """Answer ok=true."""
    body: dict[str, Any] = {"ok": True, "result": result}
    if description is not None:
        body["description"] = description
    return _json_response(200, encode(body))


def success_list(encoded: Iterable[bytes]) -> web.Response:
    """Answer ok=true with a list whose members are JSON already."""
    return _json_response(200, b'{"ok":true,"result":[' + b",".join(encoded) + b"]}")


def failure(error: ApiError) -> web.Response:
    """Answer ok=false, with retry_after where it belongs."""
    body: dict[str, Any] = {
        "ok": False,
        "error_code": error.status,
        "description": error.description,
    }
    response_headers = {}
    if error.retry_after is not None:
        body["parameters"] = {"retry_after": error.retry_after}
        response_headers["Retry-After"] = str(error.retry_after)
    response = _json_response(error.status, encode(body))
    response.headers.update(response_headers)
    return response


def garbled(response: web.Response) -> web.Response:
    """The first half of a response."""
    body = response.body
    if not isinstance(body, bytes | bytearray):
        raise TypeError("only a body that is there already can be cut")
    return _json_response(response.status, bytes(body[: len(body) // 2]))


def encode(value: Any) -> bytes:
    """Compact JSON."""
    return json.dumps(value, separators=(",", ":")).encode()


def _json_response(status: int, body: bytes) -> web.Response:
    return web.Response(status=status, body=body, content_type="application/json")


def _json_params(body: bytes) -> dict[str, str]:
    try:
        decoded = json.loads(body or b"{}")
    except ValueError:
        raise ApiError(400, "Bad Request: can't parse JSON") from None
    if not isinstance(decoded, dict):
        raise ApiError(400, "Bad Request: can't parse JSON")
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in decoded.items()
        if value is not None
    }
