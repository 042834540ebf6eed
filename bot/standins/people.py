"""The people's side of Telegram: what they say and do, and what they get to see."""

import time
from collections.abc import Sequence
from typing import Any

from bot.standins.chats import Chat, Chats, Line, message_object
from bot.standins.happenings import Feed, Subscription
from bot.standins.polling import Polling
from bot.standins.replies import ChatAction, Sent, SentLog
from bot.standins.sending import Sender, line_detail
from bot.standins.spoilt_updates import SpoiltQueue, aged
from bot.standins.telegram_switches import TelegramSwitches
from bot.standins.wire import encode


class People:
    """Everybody who has a chat with the bot."""

    def __init__(self, first_id: int, switches: TelegramSwitches) -> None:
        self.switches = switches
        self.chats = Chats(first_id)
        queue = SpoiltQueue(first_id, switches)
        self._polling = Polling(queue)
        queue.came = self._polling.wake
        self._log = SentLog()
        self._feed = Feed()
        self._sender = Sender(self.chats, self._log, self._feed)

    @property
    def sent(self) -> Sequence[Sent]:
        """Everything the users saw, in order."""
        return self._log.everything

    @property
    def actions(self) -> Sequence[ChatAction]:
        """The latest chat actions, in order."""
        return self._sender.actions

    @property
    def pending(self) -> int:
        """How many updates are not confirmed yet."""
        return len(self._polling.queue)

    @property
    def confirmed_offset(self) -> int:
        """The last offset by which the bot confirmed updates; 0 for none."""
        return self._polling.queue.confirmed_offset

    @property
    def confirmed_at(self) -> float | None:
        """When that offset came, in monotonic seconds."""
        return self._polling.queue.confirmed_at

    @property
    def next_update_id(self) -> int:
        """The id the next update gets."""
        return self._polling.queue.next_id

    def say(
        self,
        chat_id: int,
        text: str,
        *,
        first_name: str | None = None,
        message_thread_id: int | None = None,
        language_code: str | None = None,
        message_id: int | None = None,
        update_id: int | None = None,
    ) -> int:
        """Let a person write, which takes back a block; returns the message id."""
        chat = self.chats.meet(chat_id, first_name, language_code)
        if chat.blocked:
            self.unblock(chat_id)
        line = Line(
            message_id=self.chats.take_message_id(message_id),
            thread_id=message_thread_id or 0,
            from_bot=False,
            text=text,
            date=int(time.time()),
        )
        chat.keep(line)
        message = message_object(chat, chat.as_sender(), line)
        self._queue_if_wanted("message", message, update_id)
        self._feed.tell("message", chat_id, line_detail(line))
        return line.message_id

    def open_chat(self, chat_id: int, first_name: str) -> Chat:
        """Let a person open a chat with the bot without writing yet."""
        chat = self.chats.meet(chat_id, first_name)
        self._feed.tell("chat", chat_id, {})
        return chat

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

    async def wait_for_reply(
        self,
        chat_id: int,
        count: int = 1,
        timeout: float = 10.0,  # noqa: ASYNC109 - its error tells what came instead
    ) -> list[Sent]:
        """Return all messages the chat ever got as soon as there are at least `count`."""
        return await self._log.wait_for(chat_id, count, timeout)

    def subscribe(self) -> Subscription:
        """Listen to what happens in the chats from now on."""
        return self._feed.subscribe()

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
