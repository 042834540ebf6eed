"""Four conversations in as many states of the protocol, made by its verbs."""

from storage import deliveries, outbox, runs
from storage.database import Database
from storage.records import ConversationKey
from tests.support.acts import (
    BOB,
    after,
    burst_of,
    commit,
    deliver,
    finish,
    must_take,
    say,
)

EVE, DAN = ConversationKey(503, 0), ConversationKey(504, 0)


async def one_of_each(db: Database) -> None:
    """Ada waits after two replies, Bob's is being written, Eve's delivered, Dan's was refused."""
    await ada_is_answered(db)
    await say(db, 4, at=40)
    await say(db, 1, at=0, keys=[BOB])
    await must_take(db, "bob's", at=2, key=BOB)
    await eve_reads(db)
    await dan_is_gone(db)


async def ada_is_answered(db: Database) -> None:
    """Run 1 was superseded, run 2 sent for 1..2, run 3 failed for 3."""
    await say(db, 1, at=0)
    first = await must_take(db, "ada's", at=2)
    await say(db, 2, at=3)
    assert await runs.supersede(db, first.lease, first.work.run, now=after(3))
    second = await must_take(db, "ada's", at=5)
    assert await commit(db, second, at=6)
    await deliver(db, second, at=7)
    await finish(db, second, at=8)
    await say(db, 3, at=20)
    third = await must_take(db, "ada's", at=22)
    assert await runs.commit_reply(
        db,
        third.lease,
        burst_of(third),
        reply="sorry",
        parts=["sorry"],
        failure="too long",
        now=after(23),
    )
    await deliver(db, third, at=24)
    await finish(db, third, at=25)


async def eve_reads(db: Database) -> None:
    """The first part of two has gone out, the second is on its way."""
    await say(db, 1, at=0, keys=[EVE])
    taken = await must_take(db, "eve's", at=2, key=EVE)
    lease, run = taken.lease, taken.work.run
    assert await commit(db, taken, at=3)
    assert await outbox.start_part(db, lease, run, 1, now=after(4))
    assert await outbox.record_part(db, lease, run, 1, state="sent", message_id=900, now=after(5))
    assert await outbox.start_part(db, lease, run, 2, now=after(6))


async def dan_is_gone(db: Database) -> None:
    """After the first part of two he blocked the bot."""
    await say(db, 1, at=0, keys=[DAN])
    taken = await must_take(db, "dan's", at=2, key=DAN)
    run = await commit(db, taken, at=3)
    assert run
    lease = taken.lease
    assert await outbox.start_part(db, lease, run, 1, now=after(4))
    assert await outbox.record_part(db, lease, run, 1, state="sent", message_id=901, now=after(5))
    assert await outbox.start_part(db, lease, run, 2, now=after(6))
    assert await deliveries.finish(db, lease, run, unreachable="blocked", now=after(7))
