"""How a failure is told."""

from dataclasses import dataclass
from typing import Protocol

from storage.records import ConversationKey


class InConversation(Protocol):
    """Anything that belongs to a conversation."""

    @property
    def chat_id(self) -> int: ...

    @property
    def thread_id(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that must not be, and in which conversation if in one."""

    words: str
    key: ConversationKey | None = None

    def __str__(self) -> str:
        return f"{self.key.chat_id}/{self.key.thread_id}: {self.words}" if self.key else self.words


def key_of(thing: InConversation) -> ConversationKey:
    """The conversation of a row, a message or a sight."""
    return ConversationKey(thing.chat_id, thing.thread_id)
