"""What the bot does in its chats: checked as Telegram checks it, then seen by the user."""

import json
import time
from collections import deque
from dataclasses import replace
from typing import Any

from bot.standins.chats import Chat, Chats, Line, message_object
from bot.standins.happenings import Feed
from bot.standins.replies import ChatAction, Sent, SentLog
from bot.standins.wire import ApiError, integer

_LONGEST_TEXT = 4096
_LONGEST_RICH_TEXT = 32_768
_ACTIONS_KEPT = 10_000
_PARSE_MODES = frozenset({"", "html", "markdown", "markdownv2", "none"})
_NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup "
    "are exactly the same as a current content and reply markup of the message"
)


class Sender:
    """Carries out what the bot does in its chats and records it."""

    def __init__(self, chats: Chats, log: SentLog, feed: Feed) -> None:
        self._chats = chats
        self._log = log
        self._feed = feed
        self.actions: deque[ChatAction] = deque(maxlen=_ACTIONS_KEPT)
        self.bot: dict[str, Any] = {}
        self.introduce(1)

    def introduce(self, bot_id: int) -> None:
        """Note which bot calls; it signs what it sends."""
        if self.bot.get("id") != bot_id:
            self.bot = {
                "id": bot_id,
                "is_bot": True,
                "first_name": "Stand-in bot",
                "username": "stand_in_bot",
            }

    def send(self, params: dict[str, str]) -> dict[str, Any]:
        """sendMessage: the new Message."""
        text = _checked_text(params)
        _check_length(text)
        return self._post(params, text, "sendMessage")

    def send_rich(self, params: dict[str, str]) -> dict[str, Any]:
        """sendRichMessage: the new Message, whose text is the Markdown."""
        rich = _json_param(params, "rich_message", "can't parse rich message JSON object")
        text = rich.get("markdown", "").strip() if isinstance(rich, dict) else ""
        if not text:
            raise ApiError(400, "Bad Request: RICH_MESSAGE_CONTENT_REQUIRED")
        if len(text) > _LONGEST_RICH_TEXT:
            raise ApiError(400, "Bad Request: rich message is too long")
        return self._post(params, text, "sendRichMessage")

    def _post(self, params: dict[str, str], text: str, method: str) -> dict[str, Any]:
        chat = self._known_chat(params)
        replied = _replied_to(chat, params)
        _check_reachable(chat)
        line = Line(
            message_id=self._chats.take_message_id(),
            thread_id=integer(params, "message_thread_id"),
            from_bot=True,
            text=text,
            date=int(time.time()),
        )
        chat.keep(line)
        message = self._as_message(chat, line, params)
        if replied is not None:
            message["reply_to_message"] = message_object(chat, self._author(chat, replied), replied)
        self._record(chat, line, method, params)
        self._feed.tell("message", chat.chat_id, line_detail(line))
        return message

    def edit(self, params: dict[str, str]) -> dict[str, Any]:
        """editMessageText: the edited Message."""
        text = _checked_text(params)
        chat = self._known_chat(params)
        line = chat.lines.get(_message_id(params))
        if line is None:
            raise ApiError(400, "Bad Request: message to edit not found")
        if not line.from_bot:
            raise ApiError(400, "Bad Request: message can't be edited")
        _check_length(text)
        if text == line.text:
            raise ApiError(400, _NOT_MODIFIED)
        edited = replace(line, text=text, edited=True)
        chat.keep(edited)
        self._record(chat, edited, "editMessageText", params)
        self._feed.tell("edit", chat.chat_id, line_detail(edited))
        return self._as_message(chat, edited, params)

    def delete(self, params: dict[str, str]) -> None:
        """deleteMessage; in a private chat both sides' messages can go."""
        chat = self._known_chat(params)
        line = chat.lines.pop(_message_id(params), None)
        if line is None:
            raise ApiError(400, "Bad Request: message to delete not found")
        self._record(chat, replace(line, text=""), "deleteMessage", params)
        self._feed.tell("delete", chat.chat_id, {"message_id": line.message_id})

    def act(self, params: dict[str, str]) -> None:
        """sendChatAction."""
        chat = self._known_chat(params)
        _check_reachable(chat)
        thread_id = integer(params, "message_thread_id")
        action = params["action"].lower()
        self.actions.append(ChatAction(chat.chat_id, thread_id, action, time.monotonic()))
        self._feed.tell("action", chat.chat_id, {"action": action, "thread_id": thread_id})

    def _known_chat(self, params: dict[str, str]) -> Chat:
        if not params.get("chat_id"):
            raise ApiError(400, "Bad Request: chat_id is empty")
        chat = self._chats.by_id.get(integer(params, "chat_id"))
        if chat is None:
            raise ApiError(400, "Bad Request: chat not found")
        return chat

    def _as_message(self, chat: Chat, line: Line, params: dict[str, str]) -> dict[str, Any]:
        message = message_object(chat, self.bot, line)
        if "entities" in params:
            message["entities"] = _json_param(params, "entities", "can't parse entities")
        return message

    def _author(self, chat: Chat, line: Line) -> dict[str, Any]:
        return self.bot if line.from_bot else chat.as_sender()

    def _record(self, chat: Chat, line: Line, method: str, params: dict[str, str]) -> None:
        self._log.add(
            Sent(
                chat_id=chat.chat_id,
                thread_id=line.thread_id,
                message_id=line.message_id,
                text=line.text,
                method=method,
                at=time.monotonic(),
                params=params,
            )
        )


def line_detail(line: Line) -> dict[str, Any]:
    """A line as the page receives it."""
    return {
        "message_id": line.message_id,
        "thread_id": line.thread_id,
        "from_bot": line.from_bot,
        "text": line.text,
        "date": line.date,
        "edited": line.edited,
    }


def _checked_text(params: dict[str, str]) -> str:
    text = params.get("text", "")
    if not text:
        raise ApiError(400, "Bad Request: message text is empty")
    if params.get("parse_mode", "").lower() not in _PARSE_MODES:
        raise ApiError(400, "Bad Request: unsupported parse_mode")
    text = text.replace("\r", "").strip()
    if not text:
        raise ApiError(400, "Bad Request: text must be non-empty")
    return text


def _check_length(text: str) -> None:
    # Telegram counts UTF-16 units, so that an emoji counts twice.
    if len(text) > _LONGEST_TEXT or len(text.encode("utf-16-le", "replace")) > 2 * _LONGEST_TEXT:
        raise ApiError(400, "Bad Request: message is too long")


def _check_reachable(chat: Chat) -> None:
    if chat.deactivated:
        raise ApiError(403, "Forbidden: user is deactivated")
    if chat.blocked:
        raise ApiError(403, "Forbidden: bot was blocked by the user")


def _message_id(params: dict[str, str]) -> int:
    message_id = integer(params, "message_id")
    if message_id == 0:
        raise ApiError(400, "Bad Request: message identifier is not specified")
    return message_id


def _replied_to(chat: Chat, params: dict[str, str]) -> Line | None:
    if "reply_parameters" not in params:
        return None
    reply = _json_param(params, "reply_parameters", "can't parse reply parameters JSON object")
    if not isinstance(reply, dict):
        raise ApiError(400, "Bad Request: object expected as reply parameters")
    line = chat.lines.get(int(reply.get("message_id", 0)))
    if line is None and not reply.get("allow_sending_without_reply", False):
        raise ApiError(400, "Bad Request: message to be replied not found")
    return line


def _json_param(params: dict[str, str], name: str, complaint: str) -> Any:
    try:
        return json.loads(params.get(name, ""))
    except ValueError:
        raise ApiError(400, f"Bad Request: {complaint}") from None
