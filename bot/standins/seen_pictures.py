"""Pictures in what the stand-in model is asked: how many, and how many pixels each has."""

import base64
from typing import Any

from bot.standins.pictures import picture_size

_DATA = "data:image/"
_BASE64 = ";base64"
_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"GIF8", b"RIFF")


class PictureError(ValueError):
    """What should be a picture cannot be read."""


def check_picture(part: dict[str, Any]) -> None:
    """Raise `PictureError` unless the part holds a picture, or says where one is."""
    data = _picture_bytes(part)
    if data is not None and not data.startswith(_BEGINNINGS):
        raise PictureError("unsupported image: expected png, jpeg, gif or webp")


def pictures_seen(contents: list[Any]) -> str:
    """One line about the pictures of some messages' contents; empty if there is none."""
    sizes = [
        _size_in_words(part)
        for content in contents
        if isinstance(content, list)
        for part in content
        if isinstance(part, dict) and part.get("type") == "image_url"
    ]
    if not sizes:
        return ""
    pictures = "1 picture" if len(sizes) == 1 else f"{len(sizes)} pictures"
    return f"I saw {pictures}: {', '.join(sizes)}"


def _size_in_words(part: dict[str, Any]) -> str:
    data = _picture_bytes(part)
    size = None if data is None else picture_size(data)
    return "of unknown size" if size is None else f"{size[0]}x{size[1]}"


def _picture_bytes(part: dict[str, Any]) -> bytes | None:
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    if not isinstance(url, str) or not url:
        raise PictureError("expected an object with a url")
    head, comma, encoded = url.partition(",")
    if not head.startswith(_DATA):
        if url.startswith(("http://", "https://")):
            return None
        raise PictureError("expected a base64-encoded data URL with an image MIME type")
    if not comma or not head.endswith(_BASE64):
        raise PictureError("expected base64")
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        raise PictureError("invalid base64") from None
