"""The door: what arrives together is stored together, and nobody suffers for another."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from bot.standins.news import HANG_SECONDS
from coordination.lease_keeper import Stop
from storage.database import Database, Unavailable
from storage.records import ConversationKey, InboundMessage
from storage.steps import no_fault
from tests.support.acts import ADA, BOB
from tests.support.facts import assert_guarantees
from tests.support.gates import Gate
from tests.support.one_process import OneProcess
from tests.support.points import always_at, away

STORED = "SELECT message_id FROM messages ORDER BY message_id"


def message(number: int, *, key: ConversationKey = ADA, text: str = "text") -> InboundMessage:
    return InboundMessage(key, number, text)


class Door:
    """Holds every statement back until it is opened, and counts them."""

    def __init__(self, db: Database) -> None:
        self.gate = Gate()
        self.statements = 0
        db.at = self.at

    async def at(self, where: str) -> None:
        if where == "before receive":
            self.statements += 1
            await self.gate.pass_through()


async def outcomes(*receiving: Awaitable[None]) -> list[Any]:
    async with asyncio.timeout(HANG_SECONDS):
        return await asyncio.gather(*receiving, return_exceptions=True)


async def stored(db: Database) -> list[int]:
    return [row.message_id for row in await db.fetch(STORED, {})]


async def test_g6_what_was_received_is_in_the_database(process: OneProcess, db: Database) -> None:
    await process.receiver.receive(message(1))
    assert await stored(db) == [1]


async def test_what_arrives_while_a_statement_is_under_way_goes_into_the_next(
    process: OneProcess, db: Database
) -> None:
    door = Door(db)
    first = asyncio.create_task(process.receiver.receive(message(1)))
    await door.gate.arrival()
    others = [asyncio.create_task(process.receiver.receive(message(n))) for n in range(2, 100)]
    await asyncio.sleep(0)
    door.gate.open()
    assert await outcomes(first, *others) == [None] * 99
    assert door.statements == 2
    assert await stored(db) == list(range(1, 100))
    await assert_guarantees(db)


async def test_g1_a_message_that_arrives_twice_at_once_is_counted_once(
    process: OneProcess, db: Database
) -> None:
    both = [process.receiver.receive(message(1)) for _ in range(2)]
    assert await outcomes(*both) == [None, None]
    assert await stored(db) == [1]
    await assert_guarantees(db)


async def test_g6_a_message_that_the_database_refuses_harms_no_other(
    process: OneProcess, db: Database
) -> None:
    door = Door(db)
    first = asyncio.create_task(process.receiver.receive(message(1)))
    await door.gate.arrival()
    given = [message(2), message(3, text="nul \0"), message(4, key=BOB)]
    others = [asyncio.create_task(process.receiver.receive(each)) for each in given]
    await asyncio.sleep(0)
    door.gate.open()
    told = await outcomes(first, *others)
    assert [isinstance(each, Exception) for each in told] == [False, False, True, False]
    assert await stored(db) == [1, 2, 4]
    await process.receiver.receive(message(5))
    await assert_guarantees(db)


async def test_g6_a_database_that_is_away_is_told_to_every_caller(
    process: OneProcess, db: Database
) -> None:
    db.at = always_at("before receive", away)
    told = await outcomes(*(process.receiver.receive(message(n)) for n in (1, 2)))
    assert [type(each) for each in told] == [Unavailable, Unavailable]
    db.at = no_fault
    await outcomes(*(process.receiver.receive(message(n)) for n in (1, 2)))
    assert await stored(db) == [1, 2]


async def test_a_caller_that_leaves_harms_no_other(process: OneProcess, db: Database) -> None:
    door = Door(db)
    leaving = asyncio.create_task(process.receiver.receive(message(1)))
    staying = asyncio.create_task(process.receiver.receive(message(2)))
    await door.gate.arrival()
    leaving.cancel()
    await asyncio.wait({leaving})
    door.gate.open()
    await staying
    assert await stored(db) == [1, 2]


async def test_the_alarm_is_set_once_for_all_that_came_together(process: OneProcess) -> None:
    given = [message(1), message(2), message(3, key=BOB)]
    await outcomes(*map(process.receiver.receive, given))
    assert sorted(key for key, _ in process.alarm.asked) == [ADA, BOB]


async def test_g1_the_run_of_this_process_is_told_at_once(process: OneProcess) -> None:
    await process.hear(1)
    with process.holding(await process.take()) as held:
        await process.hear(2)
        assert await held.unless_stopped(asyncio.sleep(60, "done")) is Stop.NEWER_MESSAGE


async def test_a_second_delivery_stops_no_run_and_sets_no_alarm(process: OneProcess) -> None:
    await process.hear(1)
    with process.holding(await process.take()) as held:
        process.alarm.asked.clear()
        await process.hear(1)
        assert process.alarm.asked == []
        assert await held.unless_stopped(asyncio.sleep(0, "done")) == "done"
