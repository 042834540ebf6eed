"""How the bot changes what stands in its chats."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.standins.chats import Chat, Line, message_object
from bot.standins.checks import check_length, checked_text, known_chat, message_id
from bot.standins.contents import text_content
from bot.standins.keyboards import inline_keyboard
from bot.standins.line_details import line_detail
from bot.standins.rich import checked_rich
from bot.standins.sending import Sender
from bot.standins.wire import ApiError, Params

_NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup "
    "are exactly the same as a current content and reply markup of the message"
)
_WORDS = frozenset({"text", "rich_message"})
_SURROUNDINGS = ("reply_to_message", "quote")


class Editor:
    """Carries out edits and deletions; the `sender` records them."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def edit_text(self, params: Params) -> dict[str, Any]:
        """editMessageText: the edited Message."""
        if params.get("rich_message"):
            return self._edit_rich(params)
        text, entities = checked_text(params)
        chat, line = self._own_words(params)
        check_length(text)
        edited = replace(line, text=text, content=text_content(text, entities), rich=None)
        return self._put(chat, line, edited, "editMessageText", params)

    def edit_markup(self, params: Params) -> dict[str, Any]:
        """editMessageReplyMarkup: the edited Message."""
        chat, line = self._own_line(params)
        return self._put(chat, line, line, "editMessageReplyMarkup", params)

    def delete(self, params: Params) -> None:
        """deleteMessage; in a private chat both sides' messages can go."""
        chat = known_chat(self._sender.chats, params)
        line = chat.lines.pop(message_id(params), None)
        if line is None:
            raise ApiError(400, "Bad Request: message to delete not found")
        self._sender.record(chat, replace(line, text=""), "deleteMessage", params)
        self._sender.feed.tell("delete", chat.chat_id, {"message_id": line.message_id})

    def _edit_rich(self, params: Params) -> dict[str, Any]:
        rich = checked_rich(params)
        chat, line = self._own_words(params)
        content = {"rich_message": rich.shown}
        edited = replace(line, text=rich.text, content=content, rich=rich.given)
        return self._put(chat, line, edited, "editMessageText", params)

    def _own_words(self, params: Params) -> tuple[Chat, Line]:
        chat, line = self._own_line(params)
        if not line.content.keys() & _WORDS:
            raise ApiError(400, "Bad Request: there is no text in the message to edit")
        return chat, line

    def _own_line(self, params: Params) -> tuple[Chat, Line]:
        chat = known_chat(self._sender.chats, params)
        line = chat.lines.get(message_id(params))
        if line is None:
            raise ApiError(400, "Bad Request: message to edit not found")
        if not line.from_bot:
            raise ApiError(400, "Bad Request: message can't be edited")
        return chat, line

    def _put(
        self, chat: Chat, line: Line, edited: Line, method: str, params: Params
    ) -> dict[str, Any]:
        content = {**edited.content, **_kept(line)}
        content.pop("reply_markup", None)  # a keyboard that is not given again goes
        keyboard = inline_keyboard(params)
        if keyboard is not None:
            content["reply_markup"] = keyboard
        if content == line.content:
            raise ApiError(400, _NOT_MODIFIED)
        edited = replace(edited, content=content, edit_date=int(time.time()))
        chat.keep(edited)
        self._sender.record(chat, edited, method, params)
        self._sender.feed.tell("edit", chat.chat_id, line_detail(edited))
        return message_object(chat, self._sender.bot, edited)


def _kept(line: Line) -> Mapping[str, Any]:
    return {name: line.content[name] for name in _SURROUNDINGS if name in line.content}
