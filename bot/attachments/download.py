"""A file's bytes, from Telegram."""

from contextlib import aclosing

from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import File

from bot.inbound.files import LARGEST_BYTES


class TooLarge(Exception):
    """More than anybody may ask for."""


async def download(bot: Bot, file_id: str) -> bytes:
    """Fetch a file.

    Raises:
        TooLarge: it has more than `LARGEST_BYTES`, whatever was said of its size.
    """
    file = await _named(bot, file_id)
    url = bot.session.api.file_url(bot.token, file.file_path or "")
    data = bytearray()
    async with aclosing(bot.session.stream_content(url)) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > LARGEST_BYTES:
                raise TooLarge
    return bytes(data)


async def _named(bot: Bot, file_id: str) -> File:
    try:
        return await bot.get_file(file_id)
    except TelegramBadRequest as error:
        # Telegram does not say the size of every file beforehand.
        if "file is too big" in error.message.lower():
            raise TooLarge from None
        raise
