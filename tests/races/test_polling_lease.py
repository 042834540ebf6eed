"""Two processes want to poll the same bot."""

import asyncio
from datetime import timedelta

from storage.database import Database
from storage.leadership import Polling, release_polling, renew_polling, take_polling
from tests.support.acts import TTL, after
from tests.support.queues import POLLER, queue_behind

BOT = 4242
NEW_POLLER = "INSERT INTO pollers (bot_id) VALUES ($1)"


async def poll(
    db: Database, holder: str, *, at: float, dead: list[str] | None = None
) -> Polling | None:
    return await take_polling(db, BOT, holder=holder, ttl=TTL, dead=dead or [], now=after(at))


async def must_poll(db: Database, holder: str, *, at: float) -> Polling:
    polling = await poll(db, holder, at=at)
    assert polling
    return polling


async def renew(db: Database, polling: Polling, *, at: float) -> bool:
    return await renew_polling(db, polling, ttl=TTL, now=after(at))


async def test_g3_one_of_two_becomes_the_first_to_poll(db: Database, database_url: str) -> None:
    async with queue_behind(database_url, NEW_POLLER, BOT) as queue:
        both = [await queue.joined_by(poll(db, holder, at=0)) for holder in ("ada", "bob")]
    won = [polling for polling in await asyncio.gather(*both) if polling]
    assert len(won) == 1
    assert await renew(db, won[0], at=1)


async def test_g3_one_of_two_takes_over_at_expiry(db: Database, database_url: str) -> None:
    old = await must_poll(db, "ada", at=0)
    async with queue_behind(database_url, POLLER, BOT) as queue:
        first = await queue.joined_by(poll(db, "bob", at=30))
        second = await queue.joined_by(poll(db, "cyd", at=30))
        renewed = await queue.joined_by(renew(db, old, at=30))
    new = await first
    assert new
    assert (new.holder, new.fence) == ("bob", old.fence + 1)
    assert await second is None
    assert not await renewed


async def test_g3_a_renewal_at_expiry_keeps_the_others_away(
    db: Database, database_url: str
) -> None:
    old = await must_poll(db, "ada", at=0)
    async with queue_behind(database_url, POLLER, BOT) as queue:
        renewed = await queue.joined_by(renew(db, old, at=30))
        taken = await queue.joined_by(poll(db, "bob", at=30))
    assert await renewed
    assert await taken is None


async def test_g3_only_the_dead_are_overtaken_before_expiry(db: Database) -> None:
    await must_poll(db, "ada", at=0)
    assert await poll(db, "bob", at=1) is None
    assert await poll(db, "bob", at=1, dead=["cyd"]) is None
    assert await poll(db, "bob", at=1, dead=["ada"])


async def test_g3_a_release_frees_ones_own_lease_only(db: Database) -> None:
    old = await must_poll(db, "ada", at=0)
    new = await must_poll(db, "bob", at=30)
    assert not await release_polling(db, old)
    assert await poll(db, "cyd", at=31) is None
    assert await release_polling(db, new)
    assert await poll(db, "cyd", at=31)


async def test_g3_a_take_asked_for_again_gives_the_newest_fence(db: Database) -> None:
    first = await must_poll(db, "ada", at=0)
    second = await must_poll(db, "ada", at=1)
    assert second.fence == first.fence + 1
    assert not await renew(db, first, at=2)
    assert await renew(db, second, at=2)


async def test_a_bot_is_polled_beside_another(db: Database) -> None:
    await must_poll(db, "ada", at=0)
    other = await take_polling(
        db, BOT + 1, holder="bob", ttl=timedelta(seconds=1), dead=[], now=after(0)
    )
    assert other
