"""Two want the same conversation at the same moment."""

import asyncio

from storage import leases
from storage.database import Database
from storage.fragments import RESTART_GRACE_SECONDS
from storage.records import CommittedReply
from tests.support.acts import (
    ADA,
    BOB,
    NOON,
    TICK,
    burst_of,
    commit,
    must_take,
    renew,
    say,
    take,
)
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn, queue_for

EXPIRY = 32
"""Seconds after noon, of a lease taken two seconds after noon."""


async def test_g3_one_of_two_takes_wins(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    first, second = await in_turn(database_url, take(db, "ada", at=2), take(db, "bob", at=2))
    assert first
    assert second is None


async def test_g3_one_of_many_takes_wins(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    async with queue_for(database_url, ADA) as queue:
        takes = [await queue.joined_by(take(db, f"process {n}", at=2)) for n in range(8)]
    won = [taken for taken in await asyncio.gather(*takes) if taken]
    assert [taken.lease.holder for taken in won] == ["process 0"]


async def test_g3_a_renewal_at_expiry_keeps_the_take_away(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    renewed, taken = await in_turn(
        database_url, renew(db, [held.lease], at=EXPIRY), take(db, "bob", at=EXPIRY)
    )
    assert [each.lease for each in renewed] == [held.lease]
    assert taken is None


async def test_g3_a_take_at_expiry_ends_the_renewals(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    taken, renewed = await in_turn(
        database_url, take(db, "bob", at=EXPIRY), renew(db, [held.lease], at=EXPIRY)
    )
    assert taken
    assert renewed == []


async def test_g3_a_renewal_that_waited_behind_a_later_one_shortens_nothing(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    later, earlier = await in_turn(
        database_url, renew(db, [held.lease], at=10), renew(db, [held.lease], at=5)
    )
    assert len(later) == len(earlier) == 1
    assert await take(db, "bob", at=40 - TICK) is None
    assert await take(db, "bob", at=40)


async def test_g3_a_commit_at_expiry_is_too_late(db: Database) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    assert not await commit(db, held, at=EXPIRY)
    assert burst_of(await must_take(db, "bob", at=EXPIRY)).last_seq == 1


async def test_g3_a_commit_after_the_take_of_another_changes_nothing(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    # Its own clock says that there is time left.
    taken, committed = await in_turn(
        database_url, take(db, "bob", at=EXPIRY), commit(db, held, at=EXPIRY - TICK)
    )
    assert taken
    assert not committed
    assert await commit(db, taken, at=EXPIRY)
    await assert_guarantees(db)


async def test_g7_a_take_right_after_the_commit_gets_the_reply(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    committed, taken = await in_turn(
        database_url, commit(db, held, at=EXPIRY - TICK), take(db, "bob", at=EXPIRY)
    )
    assert committed
    assert taken
    assert taken.work == CommittedReply(committed)
    await assert_guarantees(db)


async def test_g7_a_holder_whose_postgresql_restarted_gets_a_moment_to_renew(db: Database) -> None:
    """Its lease expired while nobody could renew it; what it holds may be half delivered."""
    [row] = await db.fetch("SELECT pg_postmaster_start_time() AS started", {})
    started = (row.started - NOON).total_seconds()
    await say(db, 1, at=started - 50)
    held = await must_take(db, "ada", at=started - 45)
    assert await take(db, "bob", at=started + RESTART_GRACE_SECONDS - TICK) is None
    assert await renew(db, [held.lease], at=started + RESTART_GRACE_SECONDS - TICK)
    assert await take(db, "bob", at=started + RESTART_GRACE_SECONDS) is None
    assert await take(db, "bob", at=started + 99)


async def test_g7_the_moment_after_a_restart_is_short(db: Database) -> None:
    [row] = await db.fetch("SELECT pg_postmaster_start_time() AS started", {})
    started = (row.started - NOON).total_seconds()
    await say(db, 1, at=started - 50)
    await must_take(db, "ada", at=started - 45)
    assert await take(db, "bob", at=started + RESTART_GRACE_SECONDS)


async def test_g3_freed_as_dead_before_the_renewal(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    freed, renewed = await in_turn(
        database_url, leases.free_leases_of(db, ["ada"]), renew(db, [held.lease], at=3)
    )
    assert freed == 1
    assert renewed == []
    assert await take(db, "bob", at=3)


async def test_g3_freed_as_dead_after_the_renewal(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    held = await must_take(db, "ada", at=2)
    renewed, freed = await in_turn(
        database_url, renew(db, [held.lease], at=3), leases.free_leases_of(db, ["ada"])
    )
    assert len(renewed) == 1
    assert freed == 1
    assert await renew(db, [held.lease], at=4) == []
    assert not await commit(db, held, at=4)


async def test_g3_a_take_that_overtook_the_finding_of_the_dead_is_left_alone(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    await must_take(db, "ada", at=2)
    taken, freed = await in_turn(
        database_url, take(db, "bob", at=EXPIRY), leases.free_leases_of(db, ["ada"])
    )
    assert freed == 0
    assert taken
    assert await commit(db, taken, at=EXPIRY)


async def test_g3_many_renewed_while_messages_come_in_the_other_order(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0, keys=[ADA, BOB])
    held = [await must_take(db, "ada", at=2, key=key) for key in (BOB, ADA)]
    # Whoever came first to Bob's row would hold it while it waits for Ada's.
    said, renewed = await in_turn(
        database_url,
        say(db, 2, at=3, keys=[BOB, ADA]),
        renew(db, [each.lease for each in held], at=3),
    )
    assert len(renewed) == len(said) == 2
