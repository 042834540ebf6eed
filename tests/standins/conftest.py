"""The stand-ins, and the clients that ask them."""

from collections.abc import AsyncIterator

import pytest
from aiogram import Bot
from openai import AsyncOpenAI

from bot.standins.model import ModelStandIn
from bot.standins.telegram import TelegramStandIn
from tests.support.neighbours import KEY
from tests.support.raw_bot import RawBot, raw_bot
from tests.support.standin_bot import TOKEN, StandInBot, bot_at, standin_bot
from tests.support.started import started


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    """The Bot API; nobody has said anything yet."""
    async with started(TelegramStandIn(token=TOKEN, seed=11)) as server:
        yield server


@pytest.fixture
async def bot(telegram: TelegramStandIn) -> AsyncIterator[Bot]:
    """aiogram's."""
    async with bot_at(telegram.url) as made:
        yield made


@pytest.fixture
async def made(telegram: TelegramStandIn) -> AsyncIterator[StandInBot]:
    async with standin_bot(telegram) as standing:
        yield standing


@pytest.fixture
async def raw(telegram: TelegramStandIn) -> AsyncIterator[RawBot]:
    async with raw_bot(telegram) as calling:
        yield calling


@pytest.fixture
async def model() -> AsyncIterator[ModelStandIn]:
    """The model, for those who know the key."""
    async with started(ModelStandIn(api_key=KEY)) as server:
        yield server


@pytest.fixture
async def client(model: ModelStandIn) -> AsyncIterator[AsyncOpenAI]:
    """openai's, which does not ask again."""
    async with AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0) as made:
        yield made
