"""What a Telegram message says."""

from aiogram.enums import ContentType
from aiogram.types import Message

from storage.text import storable

FROM_PEOPLE = frozenset(
    {
        ContentType.ANIMATION,
        ContentType.AUDIO,
        ContentType.CHECKLIST,
        ContentType.CONTACT,
        ContentType.DICE,
        ContentType.DOCUMENT,
        ContentType.GAME,
        ContentType.LIVE_PHOTO,
        ContentType.LOCATION,
        ContentType.PAID_MEDIA,
        ContentType.PHOTO,
        ContentType.POLL,
        ContentType.RICH_MESSAGE,
        ContentType.STICKER,
        ContentType.STORY,
        ContentType.UNKNOWN,
        ContentType.VENUE,
        ContentType.VIDEO,
        ContentType.VIDEO_NOTE,
        ContentType.VOICE,
    }
)
"""Kinds that a person sends; the others are notices of the service (a pin, a payment)."""


def said(message: Message) -> str | None:
    """The words of the message, or words for what it holds; None: nothing to answer."""
    words = message.text or message.caption or ""
    if message.text is None and message.content_type in FROM_PEOPLE:
        words = f"[sent {_kind(message.content_type)}] {words}".rstrip()
    return storable(words) if words else None


def _kind(content_type: str) -> str:
    if content_type == ContentType.UNKNOWN:
        return "something I cannot read"
    return f"a {content_type.replace('_', ' ')}"
