"""Which messages and tools the stand-in model accepts: those that OpenAI does."""

import re
from typing import Any

from bot.standins.model_errors import RequestError
from bot.standins.seen_pictures import PictureError, check_picture

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_STRAY = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
_UNKNOWN_CALL = (
    "Invalid parameter: 'tool_call_id' of '{}' not found in 'tool_calls' of previous message."
)
_NOT_ANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {}"
)


def check_messages(messages: Any) -> None:
    """Raise `RequestError` unless it is a list of messages in an order that makes sense."""
    if messages is None:
        raise _missing("messages")
    if not isinstance(messages, list):
        raise RequestError(400, "Invalid type for 'messages': expected an array.", "invalid_type")
    if not messages:
        raise RequestError(400, "Invalid 'messages': empty array.", "empty_array")
    for place, message in enumerate(messages):
        _check_message(f"messages[{place}]", message)
    _check_order(messages)


def check_tools(tools: Any) -> None:
    """Raise `RequestError` unless tools are missing or a list of functions."""
    if tools is None:
        return
    if not isinstance(tools, list):
        raise RequestError(400, "Invalid type for 'tools': expected an array.", "invalid_type")
    if not tools:
        raise RequestError(400, "Invalid 'tools': empty array.", "empty_array")
    for place, tool in enumerate(tools):
        function = _function(f"tools[{place}]", tool)
        parameters = function.get("parameters", {})
        if not isinstance(parameters, dict) or parameters.get("type", "object") != "object":
            message = f"Invalid schema for function '{function['name']}': not of type \"object\"."
            raise RequestError(400, message, "invalid_function_parameters")


def _check_message(where: str, message: Any) -> None:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        raise RequestError(400, f"Invalid value for '{where}.role': {role!r}.", "invalid_value")
    calls = message.get("tool_calls")
    if calls is not None:
        _check_calls(f"{where}.tool_calls", role, calls)
    content = message.get("content")
    if not isinstance(content, str | list) and not (calls and content is None):
        what = f"Invalid value for '{where}.content': expected a string, got {content!r}."
        raise RequestError(400, what, "invalid_type")
    if isinstance(content, list):
        _check_parts(f"{where}.content", role, content)


def _check_parts(where: str, role: str, parts: list[Any]) -> None:
    for place, part in enumerate(parts):
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise _missing(f"{where}[{place}].type")
        if part["type"] != "image_url":
            continue
        if role != "user":
            what = f"Invalid '{where}': image URLs are only allowed for messages of the user."
            raise RequestError(400, what, "invalid_value")
        try:
            check_picture(part)
        except PictureError as error:
            what = f"Invalid '{where}[{place}].image_url': {error}."
            raise RequestError(400, what, "invalid_image_format") from None


def _check_calls(where: str, role: str, calls: Any) -> None:
    if role != "assistant":
        raise RequestError(400, f"Unknown parameter: '{where}'.", "unknown_parameter")
    if not isinstance(calls, list) or not calls:
        raise RequestError(400, f"Invalid '{where}': expected a non-empty array.", "invalid_type")
    for place, call in enumerate(calls):
        function = _function(f"{where}[{place}]", call)
        if not isinstance(call.get("id"), str):
            raise _missing(f"{where}[{place}].id")
        if not isinstance(function.get("arguments"), str):
            raise _missing(f"{where}[{place}].function.arguments")


def _function(where: str, value: Any) -> dict[str, Any]:
    function = value.get("function") if isinstance(value, dict) else None
    if not isinstance(function, dict) or value.get("type") != "function":
        raise RequestError(400, f"Invalid value for '{where}.type'.", "invalid_value")
    name = function.get("name")
    if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
        raise RequestError(400, f"Invalid '{where}.function.name'.", "invalid_value")
    return function


def _check_order(messages: list[dict[str, Any]]) -> None:
    called: list[str] = []
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            answered = _answered(message, called)
            waiting = [each for each in waiting if each != answered]
            continue
        _check_answered(waiting)
        called = waiting = [call["id"] for call in message.get("tool_calls") or ()]
    _check_answered(waiting)


def _answered(message: dict[str, Any], called: list[str]) -> str:
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        raise _missing("tool_call_id")
    if not called:
        raise RequestError(400, _STRAY)
    if call_id not in called:
        raise RequestError(400, _UNKNOWN_CALL.format(call_id))
    return call_id


def _check_answered(waiting: list[str]) -> None:
    if waiting:
        raise RequestError(400, _NOT_ANSWERED.format(", ".join(waiting)))


def _missing(parameter: str) -> RequestError:
    message = f"Missing required parameter: '{parameter}'."
    return RequestError(400, message, "missing_required_parameter")
