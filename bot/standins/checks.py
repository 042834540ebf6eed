"""What Telegram checks before it does something in a chat, and how it refuses."""

from collections.abc import Mapping
from typing import Any

from bot.standins.chats import Chat, Chats, Line
from bot.standins.texts import (
    EntityError,
    check_entity,
    quote_of,
    strip_with_entities,
    utf16_length,
)
from bot.standins.wire import ApiError, integer, json_value

LONGEST_TEXT = 4096
_LONGEST_CAPTION = 1024
_MOST_ENTITIES = 100
_PARSE_MODES = frozenset({"", "html", "markdown", "markdownv2", "none"})

Entities = list[dict[str, Any]]


def known_chat(chats: Chats, params: Mapping[str, str]) -> Chat:
    """The chat that is named."""
    if not params.get("chat_id"):
        raise ApiError(400, "Bad Request: chat_id is empty")
    chat = chats.by_id.get(integer(params, "chat_id"))
    if chat is None:
        raise ApiError(400, "Bad Request: chat not found")
    return chat


def check_reachable(chat: Chat) -> None:
    """Refuse to write to those who left."""
    if chat.deactivated:
        raise ApiError(403, "Forbidden: user is deactivated")
    if chat.blocked:
        raise ApiError(403, "Forbidden: bot was blocked by the user")


def checked_text(params: Mapping[str, str]) -> tuple[str, Entities]:
    """The text of a message, which may not be empty, and the entities given with it."""
    if not params.get("text"):
        raise ApiError(400, "Bad Request: message text is empty")
    text, entities = marked_text(params, "text", "entities")
    if not text:
        raise ApiError(400, "Bad Request: text must be non-empty")
    return text, entities


def marked_text(params: Mapping[str, str], name: str, marks: str) -> tuple[str, Entities]:
    """A text stripped as the server does it, perhaps empty, with its entities."""
    if params.get("parse_mode", "").lower() not in _PARSE_MODES:
        raise ApiError(400, "Bad Request: unsupported parse_mode")
    text = params.get(name, "").replace("\r", "")
    entities = json_value(params, marks, "can't parse entities JSON object")
    if entities is None:
        entities = []
    if not isinstance(entities, list):
        raise ApiError(400, "Bad Request: can't parse entities JSON object")
    if len(entities) > _MOST_ENTITIES:
        raise ApiError(400, "Bad Request: ENTITIES_TOO_LONG")
    try:
        for entity in entities:
            check_entity(text, entity)
    except EntityError as error:
        raise ApiError(400, f"Bad Request: {error}") from None
    return strip_with_entities(text, entities)


def check_length(text: str) -> None:
    """Refuse what is too long for a message."""
    if len(text) > LONGEST_TEXT or utf16_length(text) > LONGEST_TEXT:
        raise ApiError(400, "Bad Request: message is too long")


def check_caption(caption: str) -> None:
    """Refuse what is too long to stand under a file."""
    if utf16_length(caption) > _LONGEST_CAPTION:
        raise ApiError(400, "Bad Request: message caption is too long")


def message_id(params: Mapping[str, str]) -> int:
    """The message that is named."""
    number = integer(params, "message_id")
    if number == 0:
        raise ApiError(400, "Bad Request: message identifier is not specified")
    return number


def replied_to(chat: Chat, params: Mapping[str, str]) -> tuple[Line, dict[str, Any]] | None:
    """The message that is answered, and what is quoted of it, if any."""
    reply = json_value(params, "reply_parameters", "can't parse reply parameters JSON object")
    if reply is None:
        return None
    if not isinstance(reply, dict):
        raise ApiError(400, "Bad Request: object expected as reply parameters")
    line = chat.lines.get(int(reply.get("message_id", 0)))
    if line is None:
        if reply.get("allow_sending_without_reply", False):
            return None
        raise ApiError(400, "Bad Request: message to be replied not found")
    if not reply.get("quote"):
        return line, {}
    quote = quote_of(line.text, str(reply["quote"]))
    if quote is None:
        raise ApiError(400, "Bad Request: QUOTE_TEXT_INVALID")
    return line, {"quote": quote}
