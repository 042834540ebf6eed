"""The people who talk to the bot: their chats, what was said, and how messages are shaped."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LINES_KEPT = 1000
_SUPERGROUPS_BELOW = -1_000_000_000_000
_GROUP_MEMBER_ID = 777_000_777


@dataclass(frozen=True, slots=True)
class Line:
    """One message as the chat shows it.

    `text` is what it says: its text or caption, or a rich message's source, of which `rich` is
    the InputRichMessage as the bot gave it. `content` has the members of the Message object that
    are not its head.
    """

    message_id: int
    thread_id: int
    from_bot: bool
    text: str
    date: int
    content: Mapping[str, Any]
    rich: Mapping[str, Any] | None = None
    edit_date: int | None = None


@dataclass(slots=True)
class Chat:
    """A chat the bot may know, with its latest lines."""

    chat_id: int
    first_name: str
    language_code: str | None = None
    blocked: bool = False
    deactivated: bool = False
    lines: OrderedDict[int, Line] = field(default_factory=OrderedDict)

    def keep(self, line: Line) -> None:
        """Add or replace a line; the oldest go when there are too many."""
        self.lines[line.message_id] = line
        if len(self.lines) > _LINES_KEPT:
            self.lines.popitem(last=False)

    def as_chat(self) -> dict[str, Any]:
        """The Bot API's Chat object."""
        if self.chat_id > 0:
            return {"id": self.chat_id, "first_name": self.first_name, "type": "private"}
        kind = "supergroup" if self.chat_id < _SUPERGROUPS_BELOW else "group"
        return {"id": self.chat_id, "title": self.first_name, "type": kind}

    def as_sender(self) -> dict[str, Any]:
        """The Bot API's User object for who writes here."""
        sender: dict[str, Any] = {
            "id": self.chat_id if self.chat_id > 0 else _GROUP_MEMBER_ID,
            "is_bot": False,
            "first_name": self.first_name,
        }
        if self.language_code is not None:
            sender["language_code"] = self.language_code
        return sender


class Chats:
    """All chats by id, and the message ids the bot's account hands out in all of them."""

    def __init__(self, first_message_id: int) -> None:
        self.by_id: dict[int, Chat] = {}
        self._next_message_id = first_message_id

    def meet(
        self, chat_id: int, first_name: str | None = None, language_code: str | None = None
    ) -> Chat:
        """Return the chat, making it when it is new; what is named replaces what was known."""
        chat = self.by_id.get(chat_id)
        if chat is None:
            chat = self.by_id[chat_id] = Chat(chat_id, first_name or f"Person {chat_id}")
        elif first_name is not None:
            chat.first_name = first_name
        if language_code is not None:
            chat.language_code = language_code
        return chat

    def take_message_id(self, chosen: int | None = None) -> int:
        """Hand out the next message id, or note one that was chosen."""
        message_id = self._next_message_id if chosen is None else chosen
        self._next_message_id = max(self._next_message_id, message_id + 1)
        return message_id


def message_object(chat: Chat, bot: Mapping[str, Any], line: Line) -> dict[str, Any]:
    """Shape a message as the Bot API does."""
    message: dict[str, Any] = {
        "message_id": line.message_id,
        "from": bot if line.from_bot else chat.as_sender(),
        "chat": chat.as_chat(),
        "date": line.date,
    }
    if line.thread_id:
        message["message_thread_id"] = line.thread_id
        message["is_topic_message"] = True
    if line.edit_date is not None:
        message["edit_date"] = line.edit_date
    return {**message, **line.content}


def replied_object(chat: Chat, bot: Mapping[str, Any], line: Line) -> dict[str, Any]:
    """The same as a `reply_to_message`, which has no such member itself."""
    message = message_object(chat, bot, line)
    message.pop("reply_to_message", None)
    return message
