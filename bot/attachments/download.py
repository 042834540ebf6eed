"""A file's bytes, from Telegram."""

import asyncio
from contextlib import aclosing
from http import HTTPStatus

from aiogram import Bot
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.types import File
from aiohttp import ClientError, ClientResponseError

from bot.inbound.files import LARGEST_BYTES

PAUSES = (0.5, 2.0)
"""Seconds before it is tried again: whoever waits for the answer sees the bot think meanwhile."""


class TooLarge(Exception):
    """More than anybody may ask for."""


async def download(bot: Bot, file_id: str) -> bytes:
    """Fetch a file; what passes by itself is tried again.

    Raises:
        TooLarge: it has more than `LARGEST_BYTES`, whatever was said of its size.
    """
    for pause in PAUSES:
        try:
            return await _fetched(bot, file_id)
        except (TelegramNetworkError, TelegramServerError, ClientError) as error:
            if _is_refusal(error):
                raise
            await asyncio.sleep(pause)
        except TelegramRetryAfter as error:
            await asyncio.sleep(error.retry_after)
    return await _fetched(bot, file_id)


async def _fetched(bot: Bot, file_id: str) -> bytes:
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


def _is_refusal(error: Exception) -> bool:
    return (
        isinstance(error, ClientResponseError) and error.status < HTTPStatus.INTERNAL_SERVER_ERROR
    )
