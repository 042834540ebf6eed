"""The files that came with a message, as far as somebody may want to read them."""

from collections.abc import Sequence

from aiogram.enums import ContentType
from aiogram.types import Audio, Document, Message, PhotoSize, Video, VideoNote, Voice

from storage.records import Attachment, FileKind
from storage.text import storable

LARGEST_BYTES = 20_000_000
"""The Bot API hands out no larger files (core.telegram.org/bots/api#getfile)."""
FILES: dict[str, FileKind] = {
    ContentType.AUDIO: "audio",
    ContentType.DOCUMENT: "document",
    ContentType.VIDEO: "video",
    ContentType.VIDEO_NOTE: "video_note",
    ContentType.VOICE: "voice",
}


def files(message: Message) -> tuple[Attachment, ...]:
    """At most one: Telegram sends each picture of an album as a message of its own."""
    if message.text is not None:
        return ()
    kind = message.content_type
    if kind == ContentType.PHOTO:
        return _photo(message.photo or ())
    if kind == ContentType.LIVE_PHOTO and message.live_photo:
        return _photo(message.live_photo.photo or ())
    sent = getattr(message, kind, None)
    return (_file(FILES[kind], sent),) if sent and kind in FILES else ()


def _photo(sizes: Sequence[PhotoSize]) -> tuple[Attachment, ...]:
    fitting = [size for size in sizes if (size.file_size or 0) <= LARGEST_BYTES]
    if not fitting:
        return ()
    best = max(fitting, key=lambda size: size.width * size.height)
    return (Attachment("photo", storable(best.file_id), best.file_size, "image/jpeg"),)


def _file(kind: FileKind, sent: Audio | Document | Video | VideoNote | Voice) -> Attachment:
    mime, name = getattr(sent, "mime_type", None), getattr(sent, "file_name", None)
    return Attachment(
        kind, storable(sent.file_id), sent.file_size, _storable(mime), _storable(name)
    )


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)
