"""What a message holds: the members of the Bot API's Message beyond its head."""

from itertools import count
from typing import Any, TypeAlias

from bot.standins.files import Files, StoredFile
from bot.standins.pictures import Size, blank_png, picture_size, picture_type
from bot.standins.texts import found_entities, with_found

Content: TypeAlias = dict[str, Any]

_UNKNOWN_SIZE: Size = (1280, 960)
_THUMBNAIL_LONGEST = 90
_STICKER_SIDE = 512
_polls = count(5_000_000_000_000_000_000)


def text_content(text: str, entities: list[dict[str, Any]] | None = None) -> Content:
    """A text, with the commands and links in it marked besides what was given."""
    marks = with_found(text, entities or [])
    return {"text": text, **({"entities": marks} if marks else {})}


def captioned(content: Content, caption: str | None) -> Content:
    """The same with words under it."""
    if not caption:
        return content
    marks = found_entities(caption)
    return {**content, "caption": caption, **({"caption_entities": marks} if marks else {})}


def photo_content(files: Files, data: bytes) -> Content:
    """A photo in two sizes, the small one first; the big one is what was given."""
    width, height = picture_size(data) or _UNKNOWN_SIZE
    shrink = min(1.0, _THUMBNAIL_LONGEST / max(width, height, 1))
    small = max(1, round(width * shrink)), max(1, round(height * shrink))
    suffix = picture_type(data).partition("/")[2]
    thumbnail = files.keep(blank_png(*small), "thumbnails", "photo.png", "image/png")
    whole = files.keep(data, "photos", f"photo.{suffix}", picture_type(data))
    return {"photo": [_photo_size(thumbnail, small), _photo_size(whole, (width, height))]}


def voice_content(files: Files, data: bytes, duration: int, mime_type: str) -> Content:
    """A spoken message."""
    voice = files.keep(data, "voice", "voice.oga", mime_type)
    return {"voice": {**voice.as_object(), "duration": duration, "mime_type": mime_type}}


def video_note_content(files: Files, data: bytes, duration: int, length: int) -> Content:
    """A round video."""
    note = files.keep(data, "video_notes", "note.mp4", "video/mp4")
    return {"video_note": {**note.as_object(), "duration": duration, "length": length}}


def document_content(stored: StoredFile) -> Content:
    """Any file."""
    names = {"file_name": stored.name, "mime_type": stored.mime_type}
    return {"document": {**stored.as_object(), **names}}


def sticker_content(files: Files, emoji: str, data: bytes) -> Content:
    """A still sticker."""
    sticker = files.keep(data, "stickers", "sticker.webp", "image/webp")
    return {
        "sticker": {
            **sticker.as_object(),
            "type": "regular",
            "width": _STICKER_SIDE,
            "height": _STICKER_SIDE,
            "is_animated": False,
            "is_video": False,
            "emoji": emoji,
            "set_name": "stand_in",
        }
    }


def contact_content(phone_number: str, name: str) -> Content:
    """Somebody's number."""
    return {"contact": {"phone_number": phone_number, "first_name": name}}


def location_content(latitude: float, longitude: float) -> Content:
    """A place."""
    return {"location": {"latitude": latitude, "longitude": longitude}}


def poll_content(question: str, options: list[str]) -> Content:
    """An open question nobody has voted on."""
    return {
        "poll": {
            "id": str(next(_polls)),
            "question": question,
            "options": [
                {"persistent_id": str(place), "text": option, "voter_count": 0}
                for place, option in enumerate(options)
            ],
            "total_voter_count": 0,
            "is_closed": False,
            "is_anonymous": True,
            "type": "regular",
            "allows_multiple_answers": False,
            "allows_revoting": True,
            "members_only": False,
        }
    }


def _photo_size(stored: StoredFile, size: Size) -> dict[str, Any]:
    return {**stored.as_object(), "width": size[0], "height": size[1]}
