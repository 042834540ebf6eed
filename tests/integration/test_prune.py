"""Pruning: a prefix goes, the sums stay, and nothing that is still needed is touched."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Row

from coordination.project import Projector, rebuild
from storage import deliveries, projections
from storage.database import Database
from storage.partitions import make_partitions
from storage.prune import Removed, prune
from storage.prune.content import prune_content
from storage.prune.events import prune_events
from storage.records import ConversationKey
from tests.support.acts import ADA, BOB
from tests.support.past import Past
from tests.support.queues import queue_behind
from tests.support.tallied import fold_everything, tallied
from tests.support.waiting import opened

DAY = 86_400.0
WEEK = timedelta(days=7)

POSTED_REMINDER = """
INSERT INTO runs (
    chat_id, thread_id, number, holder, kind, state, first_seq, last_seq, reply, started_at
) VALUES (501, 0, 2, 'a', 'reminder', 'committed', 2, 1, 'x', CAST(:at AS timestamptz)) RETURNING 1
"""
A_TALLY = "SELECT FROM tallies WHERE kind = 'usage' AND label = 'messages' FOR UPDATE"
EVENTS = "SELECT version, type FROM events WHERE chat_id = :chat_id ORDER BY version"
FLOOR = (
    "SELECT version, inbound_seq, answered_seq, content_seq FROM floors WHERE chat_id = :chat_id"
)
MESSAGES = "SELECT message_id FROM messages WHERE chat_id = :chat_id ORDER BY seq"
RUNS = "SELECT number FROM runs WHERE chat_id = :chat_id ORDER BY number"
REPLAYED = """
SELECT max(CAST(payload ->> 'last_seq' AS bigint)) FILTER (WHERE type = 'received') AS inbound_seq,
    max(CAST(payload ->> 'answered_seq' AS bigint)) AS answered_seq
FROM events WHERE chat_id = :chat_id
"""
CACHED_COLUMNS = "key, recipe, last_seq, value, made_at"
KEPT_BY_TOOLS = """
INSERT INTO {table} ({columns})
VALUES (501, 0, {values}) RETURNING 1
"""


async def rows(db: Database, sql: str, key: ConversationKey = ADA) -> Sequence[Row[Any]]:
    return await db.fetch(sql, {"chat_id": key.chat_id})


async def column(db: Database, sql: str, key: ConversationKey = ADA) -> list[Any]:
    return [row[0] for row in await rows(db, sql, key)]


async def ten_days(db: Database, key: ConversationKey = ADA) -> Past:
    """A burst of two messages each day at noon; odd ones are first superseded."""
    past = Past(db, key)
    for day in range(10):
        await past.superseded(10 * day, 10 * day + 1, at=day * DAY)
        await past.answered(10 * day + 2, at=day * DAY + 4)
    await fold_everything(db)
    return past


async def prune_at(past: Past, day: float, older_than: timedelta = WEEK) -> Removed:
    return await prune(past.db, older_than=older_than, now=past.after(day * DAY))


async def test_what_is_older_goes_and_the_rest_stays(db: Database) -> None:
    past = await ten_days(db)
    before = await tallied(db)
    removed = await prune_at(past, 9.5)
    # Noon of day 2 is older than half past day 2: three days are gone.
    assert removed == Removed(events=33, messages=9, runs=6, parts=3)
    assert await column(db, MESSAGES) == [
        10 * day + each for day in range(3, 10) for each in range(3)
    ]
    assert (await column(db, RUNS))[0] == 7
    [floor] = await rows(db, FLOOR)
    assert floor == (33, 9, 9, 9)
    assert (await rows(db, EVENTS))[0] == (34, "received")
    assert await tallied(db) == before
    assert not await prune_at(past, 9.5)


async def test_rebuilding_after_it_gives_the_same_sums(db: Database) -> None:
    past = await ten_days(db)
    before = await tallied(db)
    for day in (8.0, 9.5, 12.25):
        await prune_at(past, day)
        await rebuild(db, lambda _conversations, _events: None)
        assert await tallied(db) == before


async def test_the_tail_replays_from_the_floor_to_where_it_was(db: Database) -> None:
    past = await ten_days(db)
    await prune_at(past, 20)
    await past.say(999, at=21 * DAY)
    [replayed], [floor] = await rows(db, REPLAYED), await rows(db, FLOOR)
    [kept] = await rows(
        db, "SELECT inbound_seq, answered_seq FROM conversations WHERE chat_id = :chat_id"
    )
    inbound = max(replayed.inbound_seq or 0, floor.inbound_seq)
    answered = max(replayed.answered_seq or 0, floor.answered_seq)
    assert (inbound, answered) == (kept.inbound_seq, kept.answered_seq)


async def test_events_that_were_not_folded_stay(db: Database) -> None:
    past = Past(db)
    await past.answered(1, at=0)
    await fold_everything(db)
    [(folded, _), *_] = reversed(await rows(db, EVENTS))
    await past.answered(2, at=10)
    await prune_at(past, 30)
    assert (await rows(db, EVENTS))[0] == (folded + 1, "received")


async def test_nothing_of_an_unanswered_message_goes(db: Database) -> None:
    past = Past(db)
    await past.answered(1, at=0)
    await past.postponed(2, at=10)
    await fold_everything(db)
    await prune_at(past, 30)
    types = [row.type for row in await rows(db, EVENTS)]
    assert types == ["received", "run_generating", "run_postponed"]
    assert await column(db, MESSAGES) == [2]
    assert await column(db, RUNS) == [2]


async def test_nothing_of_a_run_that_goes_on_goes(db: Database) -> None:
    """Its reply is committed and waits for a chat that cannot be reached for weeks."""
    past = Past(db)
    await past.answered(1, at=0)
    await past.say(2, at=10)
    taken = await past.take("a", at=12)
    await past.commit(taken, at=13)
    assert await deliveries.postpone_delivery(
        db, taken.lease, delay=timedelta(days=60), reason="too many requests", now=past.after(14)
    )
    await fold_everything(db)
    await prune_at(past, 30)
    types = [row.type for row in await rows(db, EVENTS)]
    assert types == ["received", "run_generating", "run_committed", "delivery_postponed"]
    assert await column(db, MESSAGES) == [2]


async def test_no_run_is_cut_in_two(db: Database) -> None:
    """It ended after the cutoff, so its beginning stays, however old."""
    past = Past(db)
    await past.answered(1, at=0)
    await past.say(2, at=10)
    taken = await past.take("a", at=12)
    run = await past.commit(taken, at=13)
    await past.finish(taken, run, at=5 * DAY)
    await fold_everything(db)
    await prune_at(past, 8)
    types = [row.type for row in await rows(db, EVENTS)]
    assert types[0] == "run_generating"
    assert await column(db, MESSAGES) == [2]


async def test_nothing_of_a_reminder_that_is_being_delivered_goes(db: Database) -> None:
    past = Past(db)
    await past.answered(1, at=0)
    await db.fetch(POSTED_REMINDER, {"at": past.after(10)})
    await past.tell("run_committed", {"parts": 1, "length": 1}, at=10, run=2)
    await fold_everything(db)
    await prune_at(past, 30)
    assert [row.type for row in await rows(db, EVENTS)] == ["run_committed"]


async def test_a_message_that_is_too_young_keeps_its_reply(db: Database) -> None:
    """PostgreSQL's clock was wrong when it came."""
    past = await ten_days(db)
    await db.fetch(
        "UPDATE messages SET received_at = CAST(:at AS timestamptz) WHERE seq = 5 RETURNING 1",
        {"at": past.after(25 * DAY)},
    )
    await prune_at(past, 30)
    assert (await rows(db, FLOOR))[0].content_seq == 3


async def test_what_is_folded_while_it_waits_is_not_lost(db: Database, database_url: str) -> None:
    past = Past(db)
    await past.answered(1, at=0)
    await fold_everything(db)
    await past.say(2, at=10)
    async with opened(database_url) as bots, queue_behind(database_url, A_TALLY) as queue:
        folding = await queue.joined_by(projections.fold(bots, [ADA]))
        pruning = await queue.joined_by(
            prune_events(db, [ADA], older_than=WEEK, now=past.after(30 * DAY))
        )
    await asyncio.gather(folding, pruning)
    beside = await tallied(db)
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == beside


async def test_a_batch_ends_between_two_runs(db: Database) -> None:
    past = await ten_days(db)
    now = past.after(20 * DAY)
    total = 0
    while removed := await prune_events(db, [ADA], older_than=WEEK, most=15, now=now):
        total += removed
        left = await rows(db, EVENTS)
        assert not left or left[0].type in ("received", "run_generating")
    assert total
    assert not await rows(db, EVENTS)


async def test_the_newest_run_stays(db: Database) -> None:
    past = await ten_days(db)
    await prune_at(past, 30)
    assert await column(db, RUNS) == [19, 20]
    assert await column(db, MESSAGES) == [90, 91, 92]
    await past.answered(500, at=40 * DAY)
    await fold_everything(db)
    await prune_at(past, 50)
    assert await column(db, RUNS) == [21]


async def test_pruning_replies_in_small_batches(db: Database) -> None:
    past = await ten_days(db)
    now = past.after(9.5 * DAY)
    gone = await prune_content(db, [ADA], older_than=WEEK, most=1, now=now)
    assert gone == {"messages": 3, "runs": 2, "parts": 1, "cached_results": 0}
    assert (await rows(db, FLOOR))[0].content_seq == 3


async def test_what_tools_keep_stays_and_cached_results_go(db: Database) -> None:
    past = await ten_days(db)
    for table, columns, values in (
        ("contact_facts", "key, kind, value, saved_at", "'k', 'phone', '555', '2100-01-01'"),
        ("reminders", "number, key, text, due_at, state", "1, 'k', 't', '2100-01-01', 'posted'"),
        (
            "effects",
            "key, burst, place, last_seq, tool, arguments, can_be_undone, state, fence, started_at",
            "'k', 1, 1, 1, 'note', '{}', false, 'done', 1, '2100-01-01'",
        ),
        ("cached_results", CACHED_COLUMNS, "'old', 'r', 1, 'v', '2100-01-01'"),
        ("cached_results", CACHED_COLUMNS, "'new', 'r', 2, 'v', '2100-01-11'"),
    ):
        sql = KEPT_BY_TOOLS.format(
            table=table, columns=f"chat_id, thread_id, {columns}", values=values
        )
        await db.fetch(sql, {})
    assert (await prune_at(past, 12)).cached_results == 1
    for table in ("contact_facts", "reminders", "effects", "cached_results"):
        assert len(await db.fetch(f"SELECT 1 FROM {table}", {})) == 1, table  # noqa: S608


async def test_reminders_go_with_the_burst_after_them(db: Database) -> None:
    past = await ten_days(db)
    await db.fetch(
        "UPDATE runs SET kind = 'reminder', first_seq = last_seq + 1 "
        "WHERE chat_id = 501 AND number = 1 RETURNING 1",
        {},
    )
    await prune_at(past, 30)
    assert await column(db, RUNS) == [19, 20]


async def test_weeks_that_became_empty_are_dropped(db: Database) -> None:
    past = Past(db)
    made = await make_partitions(db, ahead=2, now=past.start)
    await past.answered(1, at=0)
    await fold_everything(db)
    assert (await prune_at(past, 6)).partitions == 0
    assert (await prune_at(past, 16)).partitions == 1
    assert await make_partitions(db, ahead=2, now=past.start) == made[:1]


async def test_it_goes_over_every_conversation(db: Database) -> None:
    pasts = [Past(db, ConversationKey(chat, 0)) for chat in (-7, 501, 2**40)]
    for past in pasts:
        await past.answered(1, at=0)
        await past.answered(2, at=10)
    await fold_everything(db)
    removed = await prune_at(pasts[0], 30)
    assert (removed.messages, removed.runs) == (3, 3)


@pytest.mark.parametrize("folding", ["before", "while it prunes"])
async def test_bots_and_other_pruners_go_on_beside_it(
    db: Database, database_url: str, folding: str
) -> None:
    pasts = [await ten_days(db, key) for key in (ADA, BOB)]
    async with opened(database_url) as bots, opened(database_url) as third:
        projector = Projector(bots)

        async def live() -> None:
            for turn in range(6):
                for past in pasts:
                    await Past(bots, past.key).answered(1000 + turn, at=20 * DAY + 20 * turn)
                    projector.note(past.key)
                if folding == "while it prunes":
                    await projector.project()

        async def step_by_step(database: Database) -> None:
            for day in (8.0, 9.0, 12.0, 21.0):
                await prune(database, older_than=WEEK, now=pasts[0].after(day * DAY))

        rebuilding = rebuild(third, lambda _conversations, _events: None)
        await asyncio.gather(live(), step_by_step(db), step_by_step(third), rebuilding)
    await fold_everything(db)
    beside = await tallied(db)
    await rebuild(db, lambda _conversations, _events: None)
    assert await tallied(db) == beside
    messages = sum(amount for (_, _, _, _, label), amount in beside.items() if label == "messages")
    assert messages == 2 * (30 + 6)
