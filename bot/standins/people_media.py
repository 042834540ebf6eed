"""What people send besides text."""

import asyncio
from collections.abc import Sequence
from itertools import count
from typing import Unpack

from bot.standins.contents import (
    captioned,
    contact_content,
    document_content,
    location_content,
    photo_content,
    poll_content,
    sticker_content,
    video_note_content,
    voice_content,
)
from bot.standins.manner import Manner
from bot.standins.people import People
from bot.standins.pictures import blank_png

_albums = count(13_000_000_000_000_001)
_STICKER = blank_png(1, 1)


class PeopleWithMedia(People):
    """Each method returns the message id; files can be downloaded as long as they are kept."""

    def say_photo(
        self, chat_id: int, data: bytes, caption: str = "", **manner: Unpack[Manner]
    ) -> int:
        """Send a picture; one `media_group_id` makes an album of several."""
        content = captioned(photo_content(self.files, data), caption)
        return self._write(chat_id, caption, content, manner)

    async def say_album(
        self,
        chat_id: int,
        pictures: Sequence[bytes],
        caption: str = "",
        *,
        delay: float = 0.0,
        **manner: Unpack[Manner],
    ) -> list[int]:
        """Send pictures as one album, each `delay` seconds after the one before.

        The first has the caption.
        """
        manner = {"media_group_id": str(next(_albums)), **manner}
        ids = []
        for place, data in enumerate(pictures):
            if place and delay:
                await asyncio.sleep(delay)
            ids.append(self.say_photo(chat_id, data, "" if place else caption, **manner))
        return ids

    def say_voice(
        self,
        chat_id: int,
        data: bytes = b"OggS",
        *,
        duration: int = 3,
        mime_type: str = "audio/ogg",
        caption: str = "",
        **manner: Unpack[Manner],
    ) -> int:
        """Send a spoken message."""
        content = captioned(voice_content(self.files, data, duration, mime_type), caption)
        return self._write(chat_id, caption, content, manner)

    def say_video_note(
        self,
        chat_id: int,
        data: bytes = b"mp4",
        *,
        duration: int = 5,
        length: int = 240,
        **manner: Unpack[Manner],
    ) -> int:
        """Send a round video."""
        return self._write(
            chat_id, "", video_note_content(self.files, data, duration, length), manner
        )

    def say_document(
        self,
        chat_id: int,
        data: bytes,
        name: str = "file.bin",
        mime_type: str = "application/octet-stream",
        caption: str = "",
        **manner: Unpack[Manner],
    ) -> int:
        """Send a file."""
        stored = self.files.keep(data, "documents", name, mime_type)
        content = captioned(document_content(stored), caption)
        return self._write(chat_id, caption, content, manner)

    def say_sticker(
        self, chat_id: int, emoji: str = "👍", data: bytes = _STICKER, **manner: Unpack[Manner]
    ) -> int:
        """Send a sticker."""
        return self._write(chat_id, "", sticker_content(self.files, emoji, data), manner)

    def say_contact(
        self, chat_id: int, phone_number: str, name: str, **manner: Unpack[Manner]
    ) -> int:
        """Share somebody's number."""
        return self._write(chat_id, "", contact_content(phone_number, name), manner)

    def say_location(
        self, chat_id: int, latitude: float, longitude: float, **manner: Unpack[Manner]
    ) -> int:
        """Share a place."""
        return self._write(chat_id, "", location_content(latitude, longitude), manner)

    def say_poll(
        self, chat_id: int, question: str, options: Sequence[str], **manner: Unpack[Manner]
    ) -> int:
        """Send a poll."""
        return self._write(chat_id, "", poll_content(question, list(options)), manner)
