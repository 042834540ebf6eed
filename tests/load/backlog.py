"""A backlog of due windows, as an outage of every process leaves it."""

from datetime import UTC, datetime, timedelta

from storage.database import Database
from storage.messages import receive
from storage.records import ConversationKey, InboundMessage
from tests.support.neighbours import Neighbours
from tests.support.waiting import opened

FIRST_CHAT = 10_001
AT_ONCE = 20
"""Windows that are due at the same time, which may be answered in any order."""


async def leave_backlog(around: Neighbours, size: int) -> list[int]:
    """Windows that were due long ago, one every few milliseconds; the chats in that order."""
    chats = list(range(FIRST_CHAT, FIRST_CHAT + size))
    began = datetime.now(UTC) - timedelta(hours=1)
    async with opened(around.database_url) as db:
        for place in range(0, size, AT_ONCE):
            await _receive(
                db, chats[place : place + AT_ONCE], began + timedelta(seconds=place / 50)
            )
    for chat_id in chats:
        around.telegram.open_chat(chat_id, "Ada")
    return chats


async def _receive(db: Database, chats: list[int], now: datetime) -> None:
    await receive(
        db,
        [InboundMessage(ConversationKey(chat, 0), 1, f"{chat}: anybody there?") for chat in chats],
        quiet=timedelta(),
        cap=timedelta(),
        now=now,
    )
