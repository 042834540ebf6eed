"""The people's side of Telegram: what they write, and whether they are there at all."""

import time
from typing import Any, Unpack

from bot.standins.chats import Chat, Line, message_object
from bot.standins.contents import Content, text_content
from bot.standins.line_details import line_detail
from bot.standins.manner import Manner, check_manner, surroundings
from bot.standins.spoilt_updates import aged
from bot.standins.wire import encode
from bot.standins.witness import Witness


class People(Witness):
    """Everybody who has a chat with the bot."""

    def say(self, chat_id: int, text: str, **manner: Unpack[Manner]) -> int:
        """Let a person write, which takes back a block; returns the message id."""
        return self._write(chat_id, text, text_content(text), manner)

    def press_start(self, chat_id: int, payload: str = "", **manner: Unpack[Manner]) -> int:
        """Let a person press start, perhaps behind a deep link with a payload."""
        return self.say(chat_id, f"/start {payload}".rstrip(), **manner)

    def open_chat(self, chat_id: int, first_name: str | None = None) -> Chat:
        """Let a person open a chat with the bot without writing yet."""
        self.introduce(chat_id, first_name)
        return self.chats.by_id[chat_id]

    def introduce(
        self, chat_id: int, first_name: str | None = None, language_code: str | None = None
    ) -> None:
        """Change a person's name or language; who is not known yet opens a chat so."""
        chat = self.chats.meet(chat_id, first_name, language_code)
        spoken = {} if chat.language_code is None else {"language": chat.language_code}
        self._feed.tell("chat", chat_id, spoken)

    def push(self, update: dict[str, Any]) -> int:
        """Queue any update as it is, whether the bot asked for its kind or not; returns its id."""
        body = {name: value for name, value in update.items() if name != "update_id"}
        self._meet_chat_of(body)
        return self._queue(body, update.get("update_id"))

    def block(self, chat_id: int) -> None:
        """Let a person block the bot."""
        self._change_membership(self.chats.meet(chat_id), blocked=True)

    def unblock(self, chat_id: int) -> None:
        """Let a person take the bot back."""
        self._change_membership(self.chats.meet(chat_id), blocked=False)

    def delete_user(self, chat_id: int) -> None:
        """Let a person delete their account."""
        self.chats.meet(chat_id).deactivated = True

    def _write(self, chat_id: int, words: str, content: Content, manner: Manner) -> int:
        check_manner(manner)
        chat = self.chats.meet(chat_id, manner.get("first_name"), manner.get("language_code"))
        added = surroundings(chat, self._sender.bot, manner)
        if chat.blocked:
            self.unblock(chat_id)
        line = Line(
            message_id=self.chats.take_message_id(manner.get("message_id")),
            thread_id=manner.get("message_thread_id") or 0,
            from_bot=False,
            text=words,
            date=int(time.time()),
            content=content | added,
        )
        chat.keep(line)
        message = message_object(chat, self._sender.bot, line)
        self._queue_if_wanted("message", message, manner.get("update_id"))
        self._feed.tell("message", chat_id, line_detail(line))
        return line.message_id

    def _change_membership(self, chat: Chat, *, blocked: bool) -> None:
        if chat.blocked == blocked:
            return
        chat.blocked = blocked
        statuses = ("member", "kicked") if blocked else ("kicked", "member")
        old, new = (_membership(self._sender.bot, status) for status in statuses)
        change = {
            "chat": chat.as_chat(),
            "from": chat.as_sender(),
            "date": int(time.time()),
            "old_chat_member": old,
            "new_chat_member": new,
        }
        self._queue_if_wanted("my_chat_member", change, None)

    def _queue_if_wanted(self, kind: str, content: dict[str, Any], update_id: int | None) -> None:
        if self._polling.wants(kind):
            self._queue({kind: content}, update_id)

    def _queue(self, body: dict[str, Any], update_id: int | None) -> int:
        body = aged(body, self.switches)
        queued = self._polling.queue.push(encode(body)[1:-1], update_id)
        self._polling.wake()
        return queued

    def _meet_chat_of(self, body: dict[str, Any]) -> None:
        for content in body.values():
            chat = content.get("chat") if isinstance(content, dict) else None
            if isinstance(chat, dict) and isinstance(chat.get("id"), int):
                self.chats.meet(chat["id"], chat.get("first_name") or chat.get("title"))


def _membership(bot: dict[str, Any], status: str) -> dict[str, Any]:
    membership: dict[str, Any] = {"user": bot, "status": status}
    if status == "kicked":
        membership["until_date"] = 0
    return membership
