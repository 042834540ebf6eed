"""Every way a model call fails, sorted into try later and for good."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from llm.contract import ForGood, ModelError, TooLong, TryLater

_CLIENT_ERRORS = range(400, 500)
_BAD_REQUEST_STATUSES = frozenset({400, 422})
# 408 time-out, 409 lock, 425 too early, 429 rate limit
_PASSING_STATUSES = frozenset({408, 409, 425, 429})
# OpenAI sends these as 429, but waiting does not bring money.
_UNPAID_CODES = frozenset({"insufficient_quota", "billing_not_active"})
_TOO_LONG_CODES = frozenset({"context_length_exceeded", "string_above_max_length"})
# A server may echo the prompt or the key in its error; its codes are plain words such as these.
_PLAIN_WORDS = re.compile(r"[A-Za-z_]{1,48}")


def sort_failure(error: Exception) -> ModelError:
    """Say whether the request that raised `error` is worth repeating.

    Anything unforeseen counts as a broken answer, hence as passing: compatible servers and the
    proxies before them find ever new ways to garble one.
    """
    match error:
        case TimeoutError() | APITimeoutError():
            return TryLater("no answer in time")
        case APIConnectionError():
            return TryLater("connection failed")
        case APIError():
            return _sort_refusal(error)
        case _:
            return TryLater(f"unreadable answer ({type(error).__name__})")


def refuses_usage(error: APIError) -> bool:
    """Tell whether a server says that it does not know `stream_options`, as older ones do."""
    words = f"{error.message} {error.body}"
    return _status(error) in _BAD_REQUEST_STATUSES and "stream_options" in words


def _sort_refusal(error: APIError) -> ModelError:
    status = _status(error)
    reason = _describe(status, error)
    if any(code in (error.code, error.type) for code in _UNPAID_CODES):
        return ForGood(reason)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or error.code in _TOO_LONG_CODES:
        return TooLong(reason)
    if status in _CLIENT_ERRORS and status not in _PASSING_STATUSES:
        return ForGood(reason)
    headers = error.response.headers if isinstance(error, APIStatusError) else {}
    return TryLater(reason, _retry_after(headers))


def _status(error: APIError) -> int | None:
    if isinstance(error, APIStatusError):
        return error.status_code
    # Once the stream has begun, vLLM and OpenRouter put the status into the event's `code`.
    code = error.code or ""
    return int(code) if re.fullmatch(r"[45]\d\d", code, re.ASCII) else None


def _describe(status: int | None, error: APIError) -> str:
    words = ["error instead of an answer" if status is None else f"HTTP {status}"]
    words += [known.phrase for known in HTTPStatus if known == status]
    for word in (error.code, error.type):
        if isinstance(word, str) and _PLAIN_WORDS.fullmatch(word):
            return " ".join([*words, f"({word})"])
    return " ".join(words)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After (RFC 9110: seconds or a date) or OpenAI's retry-after-ms, as seconds."""
    for name, units_per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / units_per_second
        except (KeyError, ValueError):
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until - _server_time(headers)).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None


def _server_time(headers: Mapping[str, str]) -> datetime:
    # The date was set by the server's clock, so it is compared with that clock where possible.
    date = headers.get("date")
    return parsedate_to_datetime(date) if date else datetime.now(UTC)
