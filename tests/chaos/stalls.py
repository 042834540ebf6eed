"""How long the stand-ins, and with them whoever watches, may have been without the processor."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic

LOOK_SECONDS = 0.02


class Stalls:
    """Notes how much later than it should the event loop comes back."""

    def __init__(self) -> None:
        self.longest = 0.0
        """In seconds: what reached a socket may have waited there so long unseen."""

    async def watch(self) -> None:
        while True:
            due = monotonic() + LOOK_SECONDS
            await asyncio.sleep(LOOK_SECONDS)
            self.longest = max(self.longest, monotonic() - due)


@asynccontextmanager
async def watching_stalls() -> AsyncIterator[Stalls]:
    """Watch for the length of the block."""
    stalls = Stalls()
    watching = asyncio.create_task(stalls.watch())
    try:
        yield stalls
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
