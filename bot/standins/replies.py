"""What the bot sent: everything a user would see, and a way to wait for it."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.standins.files import StoredFile

NEW_MESSAGES = frozenset({"sendMessage", "sendRichMessage", "sendDocument"})


@dataclass(frozen=True, slots=True)
class Sent:
    """One visible act of the bot, in the order they happened; `at` is in monotonic seconds.

    `text` is the text, the caption, or the source of a rich message; `content` has the members of
    the Message object, and `rich` the InputRichMessage as the bot gave it.
    """

    chat_id: int
    thread_id: int
    message_id: int
    text: str
    method: str
    at: float
    params: Mapping[str, str]
    content: Mapping[str, Any] = field(default_factory=dict)
    rich: Mapping[str, Any] | None = None
    document: StoredFile | None = None


@dataclass(frozen=True, slots=True)
class ChatAction:
    """A "typing…" or the like; `at` is in monotonic seconds."""

    chat_id: int
    thread_id: int
    action: str
    at: float


class SentLog:
    """Everything sent, in order, and who waits for more."""

    def __init__(self) -> None:
        self.everything: list[Sent] = []
        self._messages: defaultdict[int, list[Sent]] = defaultdict(list)
        self._grown: dict[int, asyncio.Event] = {}

    def add(self, sent: Sent) -> None:
        """Record one act and wake those who wait for messages in that chat."""
        self.everything.append(sent)
        if sent.method in NEW_MESSAGES:
            self._messages[sent.chat_id].append(sent)
            grown = self._grown.pop(sent.chat_id, None)
            if grown is not None:
                grown.set()

    async def wait_for(self, chat_id: int, count: int, seconds: float) -> list[Sent]:
        """Return all messages sent to a chat as soon as there are at least `count`."""
        try:
            async with asyncio.timeout(seconds):
                while len(self._messages[chat_id]) < count:
                    await self._grown.setdefault(chat_id, asyncio.Event()).wait()
        except TimeoutError:
            texts = [sent.text for sent in self._messages[chat_id]]
            raise TimeoutError(
                f"chat {chat_id} got {len(texts)} of {count} messages in {seconds} s: {texts!r}"
            ) from None
        return list(self._messages[chat_id])
