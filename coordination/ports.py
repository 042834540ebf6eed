"""What coordination asks of the edges."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from llm.contract import Image
from storage.records import Attachment, ConversationKey, Format

Cut = Callable[[str, Format], list[str]]
"""Cuts a reply into parts that the chat accepts in that format."""

Show = Callable[[str], None]
"""Shows the answer as far as it has come; at once, and without ever failing."""

Say = Callable[[ConversationKey, str], None]
"""Sends a remark of the bot's own soon; nobody waits for it, and it may be lost."""

IsDead = Callable[[str], bool]
"""True only with proof: the process of that name is gone for ever."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The chat has it."""

    message_id: int


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """The request went out and no answer came: the chat most likely has it."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotNow:
    """It was not delivered and may be tried again, not before `retry_after` seconds if given."""

    reason: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Unreachable:
    """It was refused, and will be however often it is tried."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unformatted:
    """It was refused because of its formatting; in plainer words it may be taken."""

    reason: str


NotDelivered = Unconfirmed | NotNow | Unreachable | Unformatted
Delivery = Delivered | NotDelivered


class Courier(Protocol):
    """Whoever brings text to a chat."""

    @property
    def best_format(self) -> Format:
        """The one in which a reply is tried first."""
        ...

    async def send(
        self, key: ConversationKey, text: str, how: Format, may_go: Callable[[], bool]
    ) -> Delivery:
        """Send one part, once, unless `may_go` says no just before the first byte leaves."""
        ...

    def composing(self, key: ConversationKey) -> AbstractContextManager[Show]:
        """Show, as well as it goes, that an answer is being written, and how far it is."""
        ...


@dataclass(frozen=True, slots=True)
class Readable:
    """What a file says."""

    text: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Nothing of the file can be had; the model gets `words` instead."""

    words: str


Contents = Readable | Image | Unreadable


class Attachments(Protocol):
    """Whoever fetches the files that people send."""

    async def read(self, attachment: Attachment) -> Contents:
        """Make of it what a model can take; whatever goes wrong is said in words."""
        ...


class Words(Protocol):
    """Whoever knows what the bot itself says; an unknown language is no reason to be silent."""

    def apology(self, language: str | None) -> str:
        """Said when there is no answer."""
        ...

    def stopped(self, language: str | None) -> str:
        """Said in place of an answer that was stopped before its first word."""
        ...

    def please_wait(self, language: str | None) -> str:
        """Said once, when the answer has to wait for the model."""
        ...


class Alarm(Protocol):
    """Whoever wakes a conversation later. An alarm may be lost: the sweep finds what it missed."""

    def set(self, key: ConversationKey, seconds: float) -> None:
        """Wake `key` in `seconds` (at once if not positive), instead of at an earlier set time."""
        ...
