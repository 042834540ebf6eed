"""Each way a model server can fail, and whether the writer calls it passing or for good."""

import socket
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from llm.contract import ForGood, ModelError, ModelSettings, TooLong, TryLater, Turn
from tests.support.model_server import (
    DONE,
    ModelServer,
    Reply,
    chunk,
    event,
    fixed,
    stream,
)
from tests.support.writing import KEY, writer_at

PROMPT = "my secret diary"


async def failure(base_url: str) -> ModelError:
    async with writer_at(base_url) as writer:
        with pytest.raises(ModelError) as caught:
            await writer.write([Turn("user", PROMPT)])
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in shown
    assert PROMPT not in shown
    return caught.value


def error(**fields: object) -> dict[str, object]:
    """Build an error body that quotes the key and the prompt, as some servers do."""
    return {"error": {"message": f"Bad key {KEY} for {PROMPT}", **fields}}


OPENED = chunk("Once upon")

TRY_LATER: dict[str, Reply] = {
    "429": fixed(429, error(code="rate_limit_exceeded")),
    "408": fixed(408, error()),
    "409": fixed(409, error()),
    "425": fixed(425, ""),
    "500": fixed(500, error(type="server_error")),
    "502 page": fixed(502, "<html>Bad gateway</html>", "text/html"),
    "529": fixed(529, error(type="overloaded_error")),
    "200 page": fixed(200, "<html>\ndata: Sign in\n</html>", "text/html"),
    "200 page without data": fixed(200, "<html>Sign in</html>", "text/html"),
    "200 empty": fixed(200, "", "text/event-stream"),
    "200 json error": fixed(200, error(code=502)),
    "200 json text": fixed(200, '"busy"'),
    "200 json cut": fixed(200, '{"choices": [{"mess'),
    "200 json without finish": fixed(200, {"choices": [{"message": {"content": "Hm"}}]}),
    "error event": stream(OPENED, event(error(type="server_error"))),
    "error event with status": stream(OPENED, event(error(code=429))),
    "error event as text": stream(OPENED, event({"error": f"{KEY} {PROMPT}"})),
    "error event of odd types": stream(event(error(code=[PROMPT], type={"a": PROMPT}))),
    "named error event": stream(b"event: error\n" + event(error())),
    "no finish_reason": stream(OPENED, DONE),
    "ended without DONE": stream(OPENED),
    "connection cut": stream(OPENED, drop=True),
    "cut before the first event": stream(drop=True),
    "finish_reason error": stream(OPENED, chunk(None, "error"), DONE),
    "not JSON": stream(OPENED, b"data: {oops\n\n"),
    "not UTF-8": stream(OPENED, b"data: \xff\n\n"),
    "event is text": stream(event("busy")),
    "event is null": stream(event(None)),
    "choices is text": stream(event({"choices": "busy"})),
    "choice is null": stream(event({"choices": [None]})),
    "delta is a list": stream(event({"choices": [{"delta": ["a"]}]})),
    "content is a list": stream(chunk(["a"])),
    "nested too deep": stream(b"data: " + b"[" * 100_000 + b"\n\n"),
}

FOR_GOOD: dict[str, Reply] = {
    "400": fixed(400, error(code="context_length_exceeded")),
    "401": fixed(401, error(code="invalid_api_key")),
    "402": fixed(402, error()),
    "403": fixed(403, "Forbidden", "text/plain"),
    "404": fixed(404, error(code="model_not_found")),
    "413": fixed(413, ""),
    "422": fixed(422, {"detail": [{"msg": PROMPT}]}),
    "429 quota by code": fixed(429, error(code="insufficient_quota")),
    "429 quota by type": fixed(429, error(type="insufficient_quota", code=None)),
    "429 quota without envelope": fixed(429, {"code": "insufficient_quota"}),
    "quota in the stream": stream(event(error(code="insufficient_quota"))),
    "status 400 in the stream": stream(OPENED, event(error(code=400))),
    "status 400 in a 200": fixed(200, error(code=400)),
    "content filter": stream(OPENED, chunk(None, "content_filter"), DONE),
    "content filter at once": stream(chunk(None, "content_filter"), DONE),
    "refusal": stream(chunk(refusal="I can"), chunk(refusal="not."), chunk(None, "stop"), DONE),
}


@pytest.mark.parametrize("name", TRY_LATER)
async def test_try_later(server: ModelServer, name: str) -> None:
    server.script = [TRY_LATER[name]]
    assert isinstance(await failure(server.base_url), TryLater)
    assert len(server.bodies) == 1


@pytest.mark.parametrize("name", FOR_GOOD)
async def test_for_good(server: ModelServer, name: str) -> None:
    server.script = [FOR_GOOD[name]]
    assert isinstance(await failure(server.base_url), ForGood)
    assert len(server.bodies) == 1


async def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        refused = await failure(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert isinstance(refused, TryLater)
    assert refused.reason == "connection failed"


@pytest.mark.parametrize("name", ["400", "413"])
async def test_a_prompt_that_is_too_long_is_told_apart(server: ModelServer, name: str) -> None:
    server.script = [FOR_GOOD[name]]
    assert isinstance(await failure(server.base_url), TooLong)


NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": "0.5"}, 0.5),
        ({"Retry_After": "-3"}, 0.0),
        ({"Retry_After": "nan"}, None),
        ({"Retry_After": "inf"}, None),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "7", "Retry_After_Ms": "1500"}, 1.5),
        ({"Retry_After": "7", "Retry_After_Ms": "soon"}, 7.0),
        ({"Retry_After": format_datetime(NOW - timedelta(hours=1), usegmt=True)}, 0.0),
    ],
)
async def test_retry_after(
    server: ModelServer, headers: dict[str, str], seconds: float | None
) -> None:
    server.script = [fixed(429, error(), **headers)]
    limited = await failure(server.base_url)
    assert isinstance(limited, TryLater)
    assert limited.retry_after == seconds


async def test_retry_after_as_a_date_is_read_by_the_servers_clock(server: ModelServer) -> None:
    dates = {
        "Date": "Fri, 02 Jan 2099 00:00:00 GMT",
        "Retry_After": "Fri, 02 Jan 2099 00:01:30 GMT",
    }
    server.script = [fixed(503, error(), **dates)]
    limited = await failure(server.base_url)
    assert isinstance(limited, TryLater)
    assert limited.retry_after == 90


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (FOR_GOOD["401"], "HTTP 401 Unauthorized (invalid_api_key)"),
        (TRY_LATER["529"], "HTTP 529 (overloaded_error)"),
        (fixed(400, error(code=KEY)), "HTTP 400 Bad Request"),
        (TRY_LATER["error event"], "error instead of an answer (server_error)"),
        (TRY_LATER["200 page without data"], "no chat completion in the answer"),
        (TRY_LATER["no finish_reason"], "answer cut off"),
        (TRY_LATER["not JSON"], "unreadable answer (JSONDecodeError)"),
    ],
)
async def test_reason_is_fit_for_a_log_line(server: ModelServer, reply: Reply, reason: str) -> None:
    server.script = [reply]
    assert (await failure(server.base_url)).reason == reason


def test_settings_hide_the_key() -> None:
    assert KEY not in repr(ModelSettings(KEY, "http://127.0.0.1/v1", "some-model", 5))
