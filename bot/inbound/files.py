"""The files that came with a message, as far as somebody may want to read them."""

from collections.abc import Sequence

from aiogram.enums import ContentType
from aiogram.types import Message, PhotoSize

from storage.records import Attachment
from storage.text import storable

LARGEST_BYTES = 20_000_000
"""The Bot API hands out no larger files (core.telegram.org/bots/api#getfile)."""


def files(message: Message) -> tuple[Attachment, ...]:
    """At most one: Telegram sends each picture of an album as a message of its own."""
    if message.text is not None:
        return ()
    kind = message.content_type
    if kind == ContentType.PHOTO and message.photo:
        return _photo(message.photo)
    if kind == ContentType.DOCUMENT and (document := message.document):
        return (
            Attachment(
                "document",
                storable(document.file_id),
                document.file_size,
                _storable(document.mime_type),
                _storable(document.file_name),
            ),
        )
    if kind == ContentType.VOICE and (voice := message.voice):
        mime = _storable(voice.mime_type)
        return (Attachment("voice", storable(voice.file_id), voice.file_size, mime),)
    if kind == ContentType.VIDEO_NOTE and (note := message.video_note):
        return (Attachment("video_note", storable(note.file_id), note.file_size, "video/mp4"),)
    return ()


def _photo(sizes: Sequence[PhotoSize]) -> tuple[Attachment, ...]:
    fitting = [size for size in sizes if (size.file_size or 0) <= LARGEST_BYTES]
    if not fitting:
        return ()
    best = max(fitting, key=lambda size: size.width * size.height)
    return (Attachment("photo", storable(best.file_id), best.file_size, "image/jpeg"),)


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)
