"""What the bot sends to its chats: checked as Telegram checks it, then seen by the user."""

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from bot.standins.chats import Chat, Chats, Line, message_object, replied_object
from bot.standins.checks import (
    Entities,
    check_caption,
    check_length,
    check_reachable,
    checked_text,
    known_chat,
    marked_text,
    replied_to,
)
from bot.standins.contents import document_content, text_content
from bot.standins.drafts import Drafts
from bot.standins.files import Files, StoredFile
from bot.standins.happenings import Feed
from bot.standins.keyboards import inline_keyboard
from bot.standins.line_details import line_detail
from bot.standins.replies import ChatAction, Sent, SentLog
from bot.standins.rich import checked_rich
from bot.standins.uploads import checked_document
from bot.standins.wire import Params, integer

_ACTIONS_KEPT = 10_000


class Sender:
    """Carries out what the bot sends, and records everything that users see."""

    def __init__(self, chats: Chats, files: Files, log: SentLog, feed: Feed) -> None:
        self.chats = chats
        self.feed = feed
        self.drafts = Drafts(chats, feed)
        self._files = files
        self._log = log
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

    def send(self, params: Params) -> dict[str, Any]:
        """sendMessage: the new Message."""
        text, entities = checked_text(params)
        chat, surroundings = self._addressed(params)
        check_length(text)
        check_reachable(chat)
        line = self._new_line(params, text, text_content(text, entities) | surroundings)
        return self._deliver(chat, line, "sendMessage", params)

    def send_rich(self, params: Params) -> dict[str, Any]:
        """sendRichMessage: the new Message."""
        rich = checked_rich(params)
        chat, surroundings = self._addressed(params)
        check_reachable(chat)
        content = {"rich_message": rich.shown} | surroundings
        line = self._new_line(params, rich.text, content, rich.given)
        return self._deliver(chat, line, "sendRichMessage", params)

    def send_document(self, params: Params) -> dict[str, Any]:
        """sendDocument: the new Message."""
        caption, entities = marked_text(params, "caption", "caption_entities")
        check_caption(caption)
        chat, surroundings = self._addressed(params)
        document = checked_document(params, self._files)
        check_reachable(chat)
        content = document_content(document) | _caption(caption, entities) | surroundings
        line = self._new_line(params, caption, content)
        return self._deliver(chat, line, "sendDocument", params, document)

    def act(self, params: Params) -> None:
        """sendChatAction."""
        chat = known_chat(self.chats, params)
        check_reachable(chat)
        thread_id = integer(params, "message_thread_id")
        action = params["action"].lower()
        self.actions.append(ChatAction(chat.chat_id, thread_id, action, time.monotonic()))
        self.feed.tell("action", chat.chat_id, {"action": action, "thread_id": thread_id})

    def record(
        self,
        chat: Chat,
        line: Line,
        method: str,
        params: Mapping[str, str],
        document: StoredFile | None = None,
    ) -> None:
        """Note one visible act."""
        self._log.add(
            Sent(
                chat_id=chat.chat_id,
                thread_id=line.thread_id,
                message_id=line.message_id,
                text=line.text,
                method=method,
                at=time.monotonic(),
                params=params,
                content=line.content,
                rich=line.rich,
                document=document,
            )
        )

    def _addressed(self, params: Params) -> tuple[Chat, dict[str, Any]]:
        """The chat, and what stands around the message in it."""
        chat = known_chat(self.chats, params)
        surroundings: dict[str, Any] = {}
        replied = replied_to(chat, params)
        if replied is not None:
            line, quote = replied
            surroundings = {"reply_to_message": replied_object(chat, self.bot, line), **quote}
        keyboard = inline_keyboard(params)
        if keyboard is not None:
            surroundings["reply_markup"] = keyboard
        return chat, surroundings

    def _new_line(
        self,
        params: Params,
        text: str,
        content: dict[str, Any],
        rich: Mapping[str, Any] | None = None,
    ) -> Line:
        return Line(
            message_id=self.chats.take_message_id(),
            thread_id=integer(params, "message_thread_id"),
            from_bot=True,
            text=text,
            date=int(time.time()),
            content=content,
            rich=rich,
        )

    def _deliver(
        self,
        chat: Chat,
        line: Line,
        method: str,
        params: Params,
        document: StoredFile | None = None,
    ) -> dict[str, Any]:
        chat.keep(line)
        self.drafts.forget(chat.chat_id)
        self.record(chat, line, method, params, document)
        self.feed.tell("message", chat.chat_id, line_detail(line))
        return message_object(chat, self.bot, line)


def _caption(caption: str, entities: Entities) -> dict[str, Any]:
    if not caption:
        return {}
    return {"caption": caption, **({"caption_entities": entities} if entities else {})}
