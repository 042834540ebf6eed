"""After trouble with the database, leases that expired are left to their holders for a moment."""

from datetime import UTC, datetime, timedelta

import pytest

from storage import database, leases, messages, taking, windows
from storage.database import Database, Unavailable
from storage.records import ConversationKey, InboundMessage, Taken
from tests.support.waiting import opened

KEY = ConversationKey(501, 0)
EXPIRED = timedelta(0)
TTL = timedelta(seconds=30)


def later() -> datetime:
    """Long after this server was started, which is a reason to wait of its own."""
    return datetime.now(UTC) + timedelta(hours=1)


async def due(db: Database) -> list[ConversationKey]:
    return await windows.due_conversations(db, holder="second", most=9, now=later())


async def take(db: Database, holder: str, ttl: timedelta = TTL) -> Taken | None:
    return await taking.take_lease(
        db,
        KEY,
        holder=holder,
        ttl=ttl,
        max_supersedes=2,
        max_wait=timedelta(seconds=60),
        now=later(),
    )


async def meet_trouble(db: Database) -> None:
    with pytest.raises(Unavailable):
        await db.fetch("SELECT pg_terminate_backend(pg_backend_pid())", {})


async def test_g3_who_met_trouble_leaves_expired_leases_alone_for_a_moment(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as db:
        message = InboundMessage(KEY, 1, "hello")
        await messages.receive(db, [message], quiet=timedelta(0), cap=timedelta(0))
        first = await take(db, "first", EXPIRED)
        assert first
        await meet_trouble(db)
        assert await take(db, "second") is None
        assert await due(db) == []
        assert await leases.renew_leases(db, [first.lease], holder="first", ttl=EXPIRED)
        monkeypatch.setattr(database, "WARY_SECONDS", 0.0)
        assert await due(db) == [KEY]
        assert await take(db, "second")


async def test_g6_who_met_trouble_takes_what_is_free(database_url: str) -> None:
    async with opened(database_url) as db:
        await meet_trouble(db)
        message = InboundMessage(KEY, 1, "hello")
        await messages.receive(db, [message], quiet=timedelta(0), cap=timedelta(0))
        assert await due(db) == [KEY]
        assert await take(db, "second")
