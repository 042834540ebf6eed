"""A file's bytes, from Telegram."""

from contextlib import aclosing

from aiogram import Bot

from bot.inbound.files import LARGEST_BYTES


class TooLarge(Exception):
    """More than anybody may ask for."""


async def download(bot: Bot, file_id: str) -> bytes:
    """Fetch a file.

    Raises:
        TooLarge: it has more than `LARGEST_BYTES`, whatever was said of its size.
    """
    file = await bot.get_file(file_id)
    url = bot.session.api.file_url(bot.token, file.file_path or "")
    data = bytearray()
    async with aclosing(bot.session.stream_content(url)) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > LARGEST_BYTES:
                raise TooLarge
    return bytes(data)
