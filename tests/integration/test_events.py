"""G11: what each verb appends to the log, and what caused it."""

from datetime import timedelta
from typing import Any

import pytest

from storage import deliveries, leases, outbox, runs
from storage.database import Database
from storage.records import PartState, Taken
from tests.support.acts import (
    ADA,
    BOB,
    NOON,
    after,
    as_it_stands,
    burst_of,
    commit,
    deliver,
    finish,
    must_take,
    renew,
    say,
)
from tests.support.facts import assert_guarantees
from tests.support.log import events_of, types_of
from tests.support.one_of_each import one_of_each

DELAY = timedelta(seconds=5)
TEXTS = "SELECT text FROM messages UNION SELECT reply FROM runs UNION SELECT text FROM outbox"
SAYS_IT = "SELECT type FROM events WHERE payload::text LIKE '%' || :text || '%'"


async def last_event(db: Database) -> dict[str, Any]:
    return (await events_of(db))[-1]._asdict()


async def generating(db: Database) -> Taken:
    """Events 1 and 2."""
    await say(db, 1, at=0)
    return await must_take(db, "ada's", at=2)


async def committed(db: Database, *parts: str) -> Taken:
    """Events 1 to 3."""
    taken = await generating(db)
    assert await commit(db, taken, at=3, parts=parts or ("one", "two"))
    return taken


async def test_a_message_is_received(db: Database) -> None:
    await say(db, 7, 8, at=0)
    assert await last_event(db) == {
        "version": 1,
        "type": "received",
        "payload": {
            "first_seq": 1,
            "last_seq": 2,
            "message_ids": [7, 8],
            "lengths": [6, 6],
            "opened": True,
            "closes_in_ms": 2000,
            "cap_in_ms": 10000,
        },
        "burst": 1,
        "run": None,
        "holder": None,
        "recorded_at": NOON,
        "cause": None,
    }
    await say(db, 9, at=1)
    event = await last_event(db)
    assert event["payload"]["opened"] is False
    assert (event["payload"]["first_seq"], event["payload"]["cap_in_ms"]) == (3, 9000)
    assert (event["version"], event["burst"]) == (2, 1)


async def test_each_conversation_is_told_of_its_own_messages(db: Database) -> None:
    await say(db, 1, 2, at=0, keys=[ADA, BOB])
    for key in (ADA, BOB):
        [event] = await events_of(db, key)
        assert (event.version, event.payload["last_seq"]) == (1, 2)


async def test_a_message_during_a_delivery_belongs_to_the_next_burst(db: Database) -> None:
    await committed(db)
    await say(db, 2, at=4)
    assert (await last_event(db))["burst"] == 2


async def test_a_run_begins(db: Database) -> None:
    await say(db, 1, at=0)
    await say(db, 2, at=1)
    taken = await must_take(db, "ada's", at=3)
    event = await last_event(db)
    assert event["payload"] == {
        "first_seq": 1,
        "last_seq": 2,
        "superseded": 0,
        "attempt": 1,
        "final": False,
    }
    assert (event["type"], event["run"], event["version"]) == ("run_generating", 1, 3)
    assert (event["cause"], event["burst"], event["holder"]) == (2, 1, "ada's")
    assert taken.work.run.version == 3


async def test_a_run_is_lost_to_the_next_take(db: Database) -> None:
    await generating(db)
    taken = await must_take(db, "bob's", at=33)
    lost, begun = (await events_of(db))[2:]
    assert (lost.type, lost.run, lost.cause, lost.holder) == ("run_lost", 1, 2, "bob's")
    assert lost.payload == {"holder": "ada's", "expired_ms": 1000}
    assert (begun.type, begun.run, begun.cause) == ("run_generating", 2, 3)
    assert taken.work.run.version == begun.version == 4


async def test_a_run_is_superseded_by_the_last_message(db: Database) -> None:
    taken = await generating(db)
    await say(db, 2, at=3)
    assert await runs.supersede(db, taken.lease, taken.work.run, now=after(4))
    event = await last_event(db)
    assert (event["type"], event["cause"]) == ("run_superseded", 3)
    assert event["payload"] == {"inbound_seq": 2, "tokens_in": 0, "tokens_out": 0}


async def test_a_run_is_postponed(db: Database) -> None:
    taken = await generating(db)
    lease, run = taken.lease, taken.work.run
    assert await runs.postpone_run(db, lease, run, delay=DELAY, reason="busy", now=after(3))
    event = await last_event(db)
    assert (event["type"], event["cause"], event["run"]) == ("run_postponed", 2, 1)
    assert event["payload"] == {"reason": "busy", "retry_in_ms": 5000}


async def test_a_run_is_handed_over(db: Database) -> None:
    taken = await generating(db)
    assert await leases.hand_over(db, taken.lease, taken.work.run, now=after(3))
    event = await last_event(db)
    assert (event["type"], event["cause"], event["payload"]) == ("run_handed_over", 2, {})


@pytest.mark.parametrize("failure", [None, "too long"])
async def test_a_reply_is_committed(db: Database, failure: str | None) -> None:
    taken = await generating(db)
    run = await runs.commit_reply(
        db,
        taken.lease,
        burst_of(taken),
        reply="so be it",
        parts=["so be", "it"],
        failure=failure,
        now=after(3),
    )
    event = await last_event(db)
    assert run
    assert (event["type"], event["version"], event["cause"]) == ("run_committed", run.version, 2)
    assert event["payload"] == {"parts": 2, "length": 8, "reason": failure}


async def test_a_part_goes_out(db: Database) -> None:
    taken = await committed(db, "one")
    lease, run = taken.lease, await as_it_stands(db, taken)
    states: tuple[PartState, ...] = ("pending", "unconfirmed")
    for state in states:
        assert await outbox.start_part(db, lease, run, 1, now=after(4))
        assert await outbox.record_part(db, lease, run, 1, state=state, now=after(5))
    tale = [(event.type, event.payload) for event in (await events_of(db))[3:]]
    part = {"part": 1, "length": 3, "message_id": None}
    assert tale == [
        ("part_started", {**part, "attempts": 1}),
        ("part_postponed", {**part, "attempts": 1}),
        ("part_started", {**part, "attempts": 2}),
        ("part_unconfirmed", {**part, "attempts": 2}),
    ]


async def test_a_reply_is_sent(db: Database) -> None:
    taken = await committed(db, "one")
    await deliver(db, taken, at=4)
    assert await finish(db, taken, at=5)
    started, sent, finished = (await events_of(db))[3:]
    assert (started.type, sent.type, sent.payload["message_id"]) == (
        "part_started",
        "part_sent",
        900,
    )
    assert {event.burst for event in await events_of(db)} == {1}
    assert (finished.type, finished.run, finished.cause) == ("run_sent", 1, 3)
    assert finished.payload == {
        "answered_seq": 1,
        "messages": 1,
        "reason": None,
        "waited_ms": 5000,
    }


async def test_a_reply_is_given_up(db: Database) -> None:
    taken = await committed(db)
    run = await as_it_stands(db, taken)
    assert await deliveries.finish(db, taken.lease, run, unreachable="blocked", now=after(5))
    event = await last_event(db)
    assert (event["type"], event["payload"]["reason"]) == ("run_undeliverable", "blocked")


async def test_a_delivery_changes_hands(db: Database) -> None:
    taken = await committed(db)
    lease, run = taken.lease, await as_it_stands(db, taken)
    assert await leases.hand_over_delivery(db, lease, run, now=after(4))
    assert (await last_event(db))["cause"] == run.version
    again = await must_take(db, "bob's", at=4)
    assert await deliveries.postpone_delivery(
        db, again.lease, delay=DELAY, reason="busy", now=after(5)
    )
    await must_take(db, "cyd's", at=10)
    assert await leases.free_leases_of(db, ["cyd's"])
    tale = [(each.type, each.run, each.burst, each.payload) for each in (await events_of(db))[3:]]
    assert tale == [
        ("delivery_handed_over", 1, 1, {}),
        ("delivery_taken", 1, 1, {}),
        ("delivery_postponed", 1, 1, {"reason": "busy", "retry_in_ms": 5000}),
        ("delivery_taken", 1, 1, {}),
        ("lease_freed", 1, None, {"holder": "cyd's"}),
    ]
    await assert_guarantees(db)


async def test_a_renewal_is_no_event(db: Database) -> None:
    taken = await generating(db)
    assert await renew(db, [taken.lease], at=3)
    assert await types_of(db) == ["received", "run_generating"]


async def test_no_event_tells_what_somebody_wrote(db: Database) -> None:
    await one_of_each(db)
    texts = [row.text for row in await db.fetch(TEXTS, {}) if row.text]
    assert len(texts) > 5
    for text in texts:
        assert await db.fetch(SAYS_IT, {"text": text}) == [], text
