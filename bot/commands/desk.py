"""Where commands are brought: all that they need, and who asks."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiogram.methods import SendMessage
from aiogram.types import InlineKeyboardMarkup

from bot.acquaintance import Acquaintance
from bot.parts import cut
from bot.speaker import Speaker
from bot.words import Words
from coordination.receive import Receiver
from storage.database import Database
from storage.records import ConversationKey


@dataclass(frozen=True, slots=True)
class Desk:
    """What every command has at hand."""

    db: Database
    receiver: Receiver
    words: Words
    speaker: Speaker
    people: Acquaintance
    canned: Mapping[str, str]
    """Answers of the operator, by the commands that ask for them."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command, or a button that was pressed."""

    key: ConversationKey
    message_id: int
    """Of the command; of the message that bears the button."""
    argument: str
    language: str | None


def say(
    desk: Desk, request: Request, name: str, markup: InlineKeyboardMarkup | None = None
) -> None:
    """Answer with the text of that name."""
    say_text(desk, request, desk.words.say(name, request.language), markup)


def say_text(
    desk: Desk, request: Request, text: str, markup: InlineKeyboardMarkup | None = None
) -> None:
    """Answer with these words, in as many messages as they take; buttons are below the last."""
    key = request.key
    *before, last = [
        SendMessage(chat_id=key.chat_id, message_thread_id=key.thread_id or None, text=part)
        for part in cut(text) or [text]
    ]
    desk.speaker.send(*before, last.model_copy(update={"reply_markup": markup}))
