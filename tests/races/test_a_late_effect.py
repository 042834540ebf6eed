"""An effect is recorded after its burst got an apology: it is undone as if it had come before."""

from datetime import timedelta

import pytest

from storage import claims, effects, runs
from storage.database import Database
from storage.effects import EffectState
from storage.records import Run, Taken
from tests.support.acts import ADA, after, burst_of, must_take, say
from tests.support.facts import assert_guarantees
from tests.support.queues import queue_for

LIMIT = timedelta(seconds=5)
STATES = "SELECT state, undo_error, undo_due_at IS NOT NULL AS is_due FROM effects"


async def claim(db: Database, taken: Taken, *, can_be_undone: bool = True) -> None:
    assert await claims.claim_effect(
        db,
        taken.lease,
        burst_of(taken),
        key="key",
        tool="book",
        arguments="{}",
        can_be_undone=can_be_undone,
        time_limit=LIMIT,
        now=after(3),
    )


async def settle(db: Database, taken: Taken, state: EffectState = "done") -> bool:
    return await effects.settle_effect(
        db, taken.lease, key="key", state=state, result="", outcome=state, now=after(6)
    )


async def apologise(db: Database, taken: Taken, failure: str | None = "refused") -> Run | None:
    return await runs.commit_reply(
        db,
        taken.lease,
        burst_of(taken),
        reply="Sorry.",
        parts=["Sorry."],
        failure=failure,
        now=after(5),
    )


async def left(db: Database) -> tuple[object, ...]:
    [row] = await db.fetch(STATES, {})
    return tuple(row)


@pytest.fixture
async def taken(db: Database) -> Taken:
    await say(db, 1, at=0)
    return await must_take(db, "ada", at=2)


@pytest.mark.parametrize(
    ("can_be_undone", "expected"),
    [(True, ("to_undo", None, True)), (False, ("not_undone", effects.NO_UNDO, False))],
)
async def test_it_is_to_be_undone(
    db: Database, taken: Taken, can_be_undone: bool, expected: tuple[object, ...]
) -> None:
    await claim(db, taken, can_be_undone=can_be_undone)
    assert await apologise(db, taken)
    assert await settle(db, taken)
    assert await left(db) == expected
    assert not await settle(db, taken), "once"
    await assert_guarantees(db)


async def test_it_waits_for_the_apology_and_sees_it(
    db: Database, database_url: str, taken: Taken
) -> None:
    await claim(db, taken)
    async with queue_for(database_url, ADA) as queue:
        apology = await queue.joined_by(apologise(db, taken))
        settling = await queue.joined_by(settle(db, taken))
    assert await apology
    assert await settling
    assert await left(db) == ("to_undo", None, True)


@pytest.mark.parametrize("state", ["failed", "unknown"])
async def test_what_did_not_happen_for_sure_is_not_undone(
    db: Database, taken: Taken, state: EffectState
) -> None:
    await claim(db, taken)
    assert await apologise(db, taken)
    assert await settle(db, taken, state)
    assert await left(db) == (state, None, False)


async def test_an_answer_keeps_its_effects(db: Database, taken: Taken) -> None:
    await claim(db, taken)
    assert await apologise(db, taken, failure=None)
    assert await settle(db, taken)
    assert await left(db) == ("done", None, False)
