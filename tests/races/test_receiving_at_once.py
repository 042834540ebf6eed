"""Two processes store messages at the same moment."""

import asyncio

from storage.database import Database
from tests.support.acts import ADA, BOB, say, take
from tests.support.facts import assert_guarantees
from tests.support.queues import in_turn, queue_behind

NEW_CONVERSATION = "INSERT INTO conversations (chat_id, thread_id, inbound_seq) VALUES ($1, $2, 0)"
COUNTERS = "SELECT inbound_seq FROM conversations ORDER BY chat_id"


async def test_g1_a_message_delivered_to_two_processes_is_counted_once(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    first, second = await in_turn(database_url, say(db, 2, at=1), say(db, 2, at=1))
    assert [counted.inbound_seq for counted in first] == [2]
    assert second == []
    await assert_guarantees(db)


async def test_g1_the_first_message_delivered_to_two_processes_is_counted_once(
    db: Database, database_url: str
) -> None:
    async with queue_behind(database_url, NEW_CONVERSATION, *ADA) as queue:
        both = [await queue.joined_by(say(db, 1, at=0)) for _ in range(2)]
    assert sorted(map(len, await asyncio.gather(*both))) == [0, 1]
    assert await db.fetch(COUNTERS, {}) == [(1,)]
    await assert_guarantees(db)


async def test_g1_what_only_one_of_two_deliveries_holds_is_not_lost(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    first, second = await in_turn(database_url, say(db, 2, 3, at=1), say(db, 3, 4, at=1))
    assert [counted.inbound_seq for counted in first] == [3]
    assert [counted.inbound_seq for counted in second] == [4]
    await assert_guarantees(db)


async def test_g6_the_same_chats_in_opposite_order_do_not_deadlock(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0, keys=[ADA, BOB])
    # Whoever came first to Bob's row would hold it while it waits for Ada's.
    first, second = await in_turn(
        database_url, say(db, 2, at=1, keys=[ADA, BOB]), say(db, 3, at=1, keys=[BOB, ADA])
    )
    assert [counted.inbound_seq for counted in first] == [2, 2]
    assert [counted.inbound_seq for counted in second] == [3, 3]
    await assert_guarantees(db)


async def test_g4_a_statement_that_waited_long_does_not_move_the_close_back(
    db: Database, database_url: str
) -> None:
    """Its clock was read before it waited."""
    await say(db, 1, at=0)
    first, second = await in_turn(database_url, say(db, 2, at=1.5), say(db, 3, at=1))
    assert [counted.due_in for counted in first] == [2]
    assert [counted.due_in for counted in second] == [2.5]


async def test_g4_a_statement_that_waited_for_the_take_opens_a_window_of_its_own_time(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken, said = await in_turn(database_url, take(db, "ada", at=2), say(db, 2, at=1.9))
    assert taken
    assert [counted.due_in for counted in said] == [2]
