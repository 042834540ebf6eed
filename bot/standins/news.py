"""Waiting, with a time limit, until something that others bring about is so."""

import asyncio
from collections.abc import Callable
from typing import Final

HANG_SECONDS: Final = 60.0
"""How long to wait for what does come, unless something hangs; a busy machine is slow."""


class News:
    """Wakes those who wait whenever there is something new to look at."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def tell(self) -> None:
        """Let everybody look again."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait_until(
        self, so: Callable[[], bool], seconds: float, otherwise: Callable[[], str]
    ) -> None:
        """Return as soon as it is so.

        Raises:
            TimeoutError: it was not in time; `otherwise` says what was instead.
        """
        try:
            async with asyncio.timeout(seconds):
                while not so():
                    await self._event.wait()
        except TimeoutError:
            raise TimeoutError(otherwise()) from None
