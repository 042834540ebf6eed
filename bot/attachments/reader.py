"""What a model gets to read, see or hear of a file."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog
from aiogram import Bot

from bot.attachments.documents import is_pdf, is_text, text_of, text_of_pdf
from bot.attachments.download import TooLarge, download
from bot.attachments.pictures import picture
from bot.inbound.files import LARGEST_BYTES
from coordination.ports import Contents, Readable, Unreadable
from llm.contract import Transcriber
from storage.records import Attachment

log = structlog.get_logger(__name__)

T = TypeVar("T")

SECONDS = 60.0
"""For one file, from waiting for its turn to the last word of it."""
MOST_AT_ONCE = 8

TOO_LARGE = Unreadable("[it is larger than 20 MB, so you cannot open it: say so]")
UNKNOWN = Unreadable("[you cannot open files of this kind: say so]")
DEAF = Unreadable("[you cannot listen to it: say so]")
FAILED = Unreadable("[it could not be read: say so]")
SILENT = Readable("[no word can be heard in it]")


class AttachmentReader:
    """Fetches and decodes; whatever goes wrong is said in words, and no error leaves it."""

    def __init__(self, bot: Bot, transcriber: Transcriber | None) -> None:
        self._bot = bot
        self._transcriber = transcriber
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)
        # Of their own: a file that takes long must not hold up what else needs a thread.
        self._threads = ThreadPoolExecutor(2, "attachments")

    async def read(self, attachment: Attachment) -> Contents:
        """Readable or a picture, or words for why it is neither."""
        if why := self._refusal(attachment):
            return why
        try:
            async with asyncio.timeout(SECONDS), self._turn:
                data = await download(self._bot, attachment.file_id)
                return await self._decoded(attachment, data)
        except TooLarge:
            return TOO_LARGE
        except Exception as error:  # noqa: BLE001 (decoders raise anything at all)
            # No more than its name: a message may hold the file's address, with the token in it.
            log.warning("attachment_unreadable", kind=attachment.kind, error=type(error).__name__)
            return FAILED

    def close(self) -> None:
        """Begin nothing new."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _refusal(self, attachment: Attachment) -> Unreadable | None:
        if (attachment.size or 0) > LARGEST_BYTES:
            return TOO_LARGE
        if attachment.kind in ("voice", "video_note"):
            return None if self._transcriber else DEAF
        if attachment.kind in ("audio", "video"):
            return UNKNOWN
        if attachment.is_picture or is_pdf(attachment) or is_text(attachment):
            return None
        return UNKNOWN

    async def _decoded(self, attachment: Attachment, data: bytes) -> Contents:
        if attachment.is_picture:
            return await self._in_thread(picture, data)
        if self._transcriber and attachment.kind in ("voice", "video_note"):
            name = "voice.ogg" if attachment.kind == "voice" else "video.mp4"
            heard = (await self._transcriber.transcribe(data, name)).strip()
            return Readable(f"It says: {heard}") if heard else SILENT
        read = text_of_pdf if is_pdf(attachment) else text_of
        return Readable(f"It reads:\n{await self._in_thread(read, data)}")

    async def _in_thread(self, decode: Callable[[bytes], T], data: bytes) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, decode, data)
