"""The writer, and the model server that it asks."""

from collections.abc import AsyncIterator

import pytest

from llm.writer import OpenAIWriter
from tests.support.model_server import ModelServer, model_server
from tests.support.writing import writer_at


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with model_server() as running:
        yield running


@pytest.fixture
async def writer(server: ModelServer) -> AsyncIterator[OpenAIWriter]:
    async with writer_at(server.base_url) as made:
        yield made
