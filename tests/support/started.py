"""A server for the length of a block."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar


class Server(Protocol):
    """Whatever starts and stops."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


SomeServer = TypeVar("SomeServer", bound=Server)


@asynccontextmanager
async def started(server: SomeServer) -> AsyncIterator[SomeServer]:
    """It is stopped however the block ends."""
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
