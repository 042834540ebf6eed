"""How many pixels a PNG or JPEG has, read from its header, and pictures of any size to send."""

import struct
import zlib
from typing import TypeAlias

Size: TypeAlias = tuple[int, int]

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_MARKER = 0xFF
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_LONE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})


def picture_size(data: bytes) -> Size | None:
    """Width and height; None if it is neither PNG nor JPEG or its header is cut short."""
    try:
        if data.startswith(_PNG):
            width, height = struct.unpack_from(">II", data, 16)
            return width, height
        return _jpeg_size(data) if data.startswith(_JPEG) else None
    except (struct.error, IndexError):
        return None


def picture_type(data: bytes) -> str:
    """The MIME type of a picture; what is no PNG counts as a JPEG, as photos are."""
    return "image/png" if data.startswith(_PNG) else "image/jpeg"


def blank_png(width: int, height: int, grey: int = 0xC0) -> bytes:
    """A picture of one grey."""
    rows = (b"\0" + bytes([grey]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return _PNG + b"".join(_chunk(name, body) for name, body in chunks)


def _jpeg_size(data: bytes) -> Size | None:
    at = len(_JPEG)
    while data[at] == _MARKER:
        marker = data[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        if marker in _LONE_MARKERS:
            at += 2
        elif marker == _MARKER:  # a filler before the marker
            at += 1
        else:
            at += 2 + int(struct.unpack_from(">H", data, at + 2)[0])
    return None


def _chunk(name: bytes, body: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + checksum
