"""The least that answering takes: one streamed call and one sendMessage for each burst.

python -m tests.bench.sdks TELEGRAM_URL MODEL_URL TOKEN KEY BURSTS AT_ONCE
"""

import asyncio
import sys
from collections.abc import Iterator

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from openai import AsyncOpenAI

SYSTEM = "You are a helpful assistant in a Telegram chat. Answer briefly."


async def answer_all(
    telegram: str, model: str, token: str, key: str, bursts: int, at_once: int
) -> None:
    """Answer one burst in each of so many chats."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(telegram))
    async with (
        AsyncOpenAI(api_key=key, base_url=model, max_retries=0) as client,
        Bot(token, session=session) as bot,
    ):
        chats = iter(range(1, bursts + 1))
        await asyncio.gather(*(_answer(client, bot, chats) for _ in range(at_once)))


async def _answer(client: AsyncOpenAI, bot: Bot, chats: Iterator[int]) -> None:
    for chat_id in chats:
        stream = await client.chat.completions.create(
            model="gpt-4.1-mini",
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": f"question {chat_id}"},
            ],
            stream=True,
        )
        pieces = [choice.delta.content or "" async for chunk in stream for choice in chunk.choices]
        await bot.send_message(chat_id, "".join(pieces))


if __name__ == "__main__":
    telegram_url, model_url, bot_token, model_key, count, limit = sys.argv[1:]
    asyncio.run(answer_all(telegram_url, model_url, bot_token, model_key, int(count), int(limit)))
