"""Windows that close when a burst is whole, however slow the machine is just then.

What a test says "at once" comes apart where a real quiet period is short and the machine
stalls: then there are two bursts, rightly. Tests that count model calls use these windows;
the quiet period itself is tested in tests/acceptance/test_bursts.py and on the tables.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from tests.support.waiting import opened, until_found

HELD_OPEN: Mapping[str, object] = {
    "debounce_quiet_seconds": 600,
    "debounce_long_quiet_seconds": 600,
    "debounce_cap_seconds": 600,
}
"""Settings under which no window closes by itself within a test."""

CLOSE_WHOLE = """
WITH whole AS (
    SELECT chat_id, thread_id FROM windows w JOIN conversations c USING (chat_id, thread_id)
    WHERE w.closes_at > clock_timestamp() AND c.inbound_seq - c.answered_seq >= :messages
      AND c.committed_run IS NULL -- what its reply covers is not answered yet, but not new
    FOR UPDATE OF w SKIP LOCKED -- who waits for nobody is part of no deadlock
)
UPDATE windows w SET closes_at = LEAST(cap_at, clock_timestamp())
FROM whole WHERE whole.chat_id = w.chat_id AND whole.thread_id = w.thread_id
RETURNING w.chat_id
"""


async def close_whole(database_url: str, messages: int = 2) -> None:
    """Close the windows in which so many messages are unanswered, as soon as there are any."""
    await until_found(database_url, CLOSE_WHOLE, {"messages": messages})


@asynccontextmanager
async def closed_when_whole(database_url: str, messages: int = 2) -> AsyncIterator[None]:
    """For the length of the block, close each window once so many messages are unanswered."""

    async def close() -> None:
        async with opened(database_url) as db:
            while True:
                await db.fetch(CLOSE_WHOLE, {"messages": messages})
                await asyncio.sleep(0.02)

    closing = asyncio.create_task(close())
    try:
        yield
    finally:
        closing.cancel()
        with suppress(asyncio.CancelledError):
            await closing
