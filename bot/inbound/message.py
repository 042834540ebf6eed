"""A message of Telegram's becomes one inbound message."""

from datetime import UTC, datetime, timedelta

from aiogram.types import Message

from bot.inbound.content import content
from bot.inbound.context import context
from bot.inbound.files import files
from storage.records import ConversationKey, InboundMessage
from storage.text import storable

NO_QUIET = timedelta(0)
NEARLY_FULL = 4000
"""UTF-16 units: clients cut a long paste at 4096, and the rest is about to come."""


def inbound(message: Message, long_quiet: timedelta = NO_QUIET) -> InboundMessage | None:
    """What is to be counted; None: the message says nothing that could be answered."""
    words = said(message)
    if words is None:
        return None
    return InboundMessage(
        conversation(message),
        message.message_id,
        words,
        attachments=files(message),
        sent_at=message.date.astimezone(UTC),
        edited_at=datetime.fromtimestamp(message.edit_date, UTC) if message.edit_date else None,
        quiet=long_quiet if _has_more_to_come(message) else NO_QUIET,
    )


def said(message: Message) -> str | None:
    """The words of the message, or words for what it holds; None: nothing to answer."""
    words = content(message)
    return storable("\n".join([*context(message), words])) if words else None


def conversation(message: Message) -> ConversationKey:
    """The chat, and its topic where the bot has topics."""
    thread = message.message_thread_id if message.is_topic_message else None
    return ConversationKey(message.chat.id, thread or 0)


def _has_more_to_come(message: Message) -> bool:
    text = message.text or message.caption or ""
    return (
        message.media_group_id is not None
        or message.forward_origin is not None
        or len(text.encode("utf-16-le", "surrogatepass")) // 2 >= NEARLY_FULL
    )
