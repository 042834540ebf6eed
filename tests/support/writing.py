"""The writer, as long as somebody needs it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from llm.contract import ModelSettings
from llm.writer import OpenAIWriter

KEY = "sk-very-secret"


@asynccontextmanager
async def writer_at(
    base_url: str, *, key: str = KEY, timeout_seconds: float = 60
) -> AsyncIterator[OpenAIWriter]:
    """It asks the server at that address, for some model."""
    settings = ModelSettings(key, base_url, "some-model", timeout_seconds=timeout_seconds)
    made = OpenAIWriter(settings)
    try:
        yield made
    finally:
        await made.aclose()
