"""Words for what a message holds."""

from collections.abc import Callable

from aiogram.enums import ContentType
from aiogram.types import (
    Audio,
    Checklist,
    Contact,
    Dice,
    Document,
    Game,
    Location,
    Message,
    Poll,
    Venue,
    Video,
)

from bot.inbound.rich_words import rich_words

FROM_PEOPLE = frozenset(
    {
        ContentType.ANIMATION,
        ContentType.AUDIO,
        ContentType.CHECKLIST,
        ContentType.CONTACT,
        ContentType.DICE,
        ContentType.DOCUMENT,
        ContentType.GAME,
        ContentType.GIVEAWAY,
        ContentType.GIVEAWAY_WINNERS,
        ContentType.INVOICE,
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

UNITS = ("bytes", "KB", "MB", "GB")
KILO = 1000


def content(message: Message) -> str:
    """The text or caption as it was written, after words for what came with it."""
    if message.rich_message and (words := rich_words(message.rich_message)):
        return words
    words = message.text or message.caption or ""
    if message.text is None and message.content_type in FROM_PEOPLE:
        words = f"[sent {thing(message)}] {words}".rstrip()
    return words


def thing(message: Message) -> str:
    """What was sent, with an article, and what is known of it."""
    kind = message.content_type
    if kind == ContentType.UNKNOWN:
        return "something I cannot read"
    name = "voice message" if kind == ContentType.VOICE else kind.replace("_", " ")
    sent = getattr(message, kind, None)
    seconds = getattr(sent, "duration", None)
    article = "an" if name[0] in "aeiou" else "a"
    words = f"{article} {name}" + (f" of {seconds} s" if seconds is not None else "")
    details = DETAILS[kind](sent) if sent and kind in DETAILS else ""
    return f"{words}: {details}" if details else words


def _contact(contact: Contact) -> str:
    name = f"{contact.first_name} {contact.last_name or ''}".strip()
    return _list(name, contact.phone_number)


def _location(location: Location) -> str:
    return f"latitude {location.latitude}, longitude {location.longitude}"


def _venue(venue: Venue) -> str:
    return _list(venue.title, venue.address, _location(venue.location))


def _poll(poll: Poll) -> str:
    options = ", ".join(f"“{option.text}”" for option in poll.options)
    return f"“{poll.question}” Options: {options}"


def _dice(dice: Dice) -> str:
    return f"{dice.emoji} showing {dice.value}"


def _checklist(checklist: Checklist) -> str:
    tasks = [
        f"{'done' if task.completion_date else 'to do'}: {task.text}" for task in checklist.tasks
    ]
    return "; ".join([checklist.title, *tasks])


def _document(document: Document) -> str:
    return _list(document.file_name, document.mime_type, _size(document.file_size))


def _audio(audio: Audio) -> str:
    return _list(audio.performer, audio.title, audio.file_name, _size(audio.file_size))


def _video(video: Video) -> str:
    return _list(video.file_name, _size(video.file_size))


def _game(game: Game) -> str:
    return _list(game.title, game.description)


def _size(count: int | None) -> str | None:
    if count is None:
        return None
    size, unit = float(count), 0
    while size >= KILO and unit < len(UNITS) - 1:
        size, unit = size / KILO, unit + 1
    return f"{size:.3g} {UNITS[unit]}"


def _list(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


DETAILS: dict[str, Callable[..., str]] = {
    ContentType.AUDIO: _audio,
    ContentType.CHECKLIST: _checklist,
    ContentType.CONTACT: _contact,
    ContentType.DICE: _dice,
    ContentType.DOCUMENT: _document,
    ContentType.GAME: _game,
    ContentType.LOCATION: _location,
    ContentType.POLL: _poll,
    ContentType.STICKER: lambda sticker: sticker.emoji or "",
    ContentType.VENUE: _venue,
    ContentType.VIDEO: _video,
}
