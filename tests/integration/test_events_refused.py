"""G11: what is refused appends nothing, and what happens at once is numbered all the same."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from storage import deliveries, leases, runs
from storage.database import Database
from storage.records import Released, Run, Taken, Version
from tests.support.acts import (
    after,
    as_it_stands,
    commit,
    deliver,
    finish,
    must_take,
    say,
    take,
)
from tests.support.facts import assert_guarantees
from tests.support.log import events_of, types_of
from tests.support.queues import in_turn
from tests.support.waiting import opened

DELAY = timedelta(seconds=5)
BREAK_THE_LOG = """
ALTER TABLE events ADD CONSTRAINT nothing_more CHECK (version <= {version}) NOT VALID
"""

Step = Callable[[Database, Taken, Run], Awaitable[Released | None]]


async def postpone(db: Database, taken: Taken, run: Run) -> Released | None:
    return await runs.postpone_run(db, taken.lease, run, delay=DELAY, reason="busy", now=after(5))


STEPS: dict[str, Step] = {
    "superseded": lambda db, taken, run: runs.supersede(db, taken.lease, run, now=after(5)),
    "postponed": postpone,
    "handed_over": lambda db, taken, run: leases.hand_over(db, taken.lease, run, now=after(5)),
    "finished": lambda db, taken, run: deliveries.finish(db, taken.lease, run, now=after(5)),
}


def refused(to: str, why: str) -> float:
    name = "onereply_run_transitions_refused_total"
    return REGISTRY.get_sample_value(name, {"to": to, "why": why}) or 0.0


async def held(db: Database, to: str) -> Taken:
    """A run from which that step is not allowed."""
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    if to != "finished":
        assert await commit(db, taken, at=3)
    return taken


async def assert_refused(db: Database, taken: Taken, run: Run, to: str, why: str) -> None:
    before, counted = await events_of(db), refused(to, why)
    assert await STEPS[to](db, taken, run) is None
    assert await events_of(db) == before
    assert refused(to, why) == counted + 1
    await assert_guarantees(db)


@pytest.mark.parametrize("to", STEPS)
async def test_an_illegal_step_changes_nothing_and_is_counted(db: Database, to: str) -> None:
    taken = await held(db, to)
    await assert_refused(db, taken, await as_it_stands(db, taken), to, "illegal")


@pytest.mark.parametrize("to", STEPS)
async def test_a_late_step_changes_nothing_and_is_counted(db: Database, to: str) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    if to == "finished":
        assert await commit(db, taken, at=3)
    assert await take(db, "bob's", at=33)
    await assert_refused(db, taken, await as_it_stands(db, taken), to, "late")


@pytest.mark.parametrize("to", STEPS)
async def test_a_step_from_another_version_changes_nothing_and_is_counted(
    db: Database, to: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    if to == "finished":
        assert await commit(db, taken, at=3)
    run = await as_it_stands(db, taken)
    stale = Run(run.number, Version(run.version - 1))
    await assert_refused(db, taken, stale, to, "illegal")
    assert await STEPS[to](db, taken, run)


async def test_a_commit_that_comes_too_late_is_counted_and_one_that_is_outrun_is_not(
    db: Database,
) -> None:
    await say(db, 1, at=0)
    outrun = await must_take(db, "ada's", at=2)
    await say(db, 2, at=3)
    counted = refused("committed", "late"), refused("committed", "illegal")
    assert await commit(db, outrun, at=4) is None
    assert (refused("committed", "late"), refused("committed", "illegal")) == counted
    assert await take(db, "bob's", at=33)
    before = await types_of(db)
    assert await commit(db, outrun, at=34) is None
    assert refused("committed", "late") == counted[0] + 1
    assert await types_of(db) == before


async def test_a_message_known_already_is_no_event(db: Database) -> None:
    await say(db, 1, at=0)
    await say(db, 1, at=1)
    assert await types_of(db) == ["received"]


async def test_what_cannot_be_told_does_not_happen(db: Database) -> None:
    """The event and the change are one statement."""
    await say(db, 1, at=0)
    async with db.transaction() as connection:
        await connection.exec_driver_sql(BREAK_THE_LOG.format(version=1))
    with pytest.raises(Exception, match="nothing_more"):
        await say(db, 2, at=1)
    with pytest.raises(Exception, match="nothing_more"):
        await take(db, "ada's", at=2)
    await assert_guarantees(db)


async def test_events_of_two_connections_have_no_gap(db: Database, database_url: str) -> None:
    await say(db, 1, at=0)
    async with opened(database_url) as other:
        talking = [say(each, number, at=1) for number in range(2, 22) for each in (db, other)]
        await asyncio.gather(*talking)
        taken = await must_take(other, "ada's", at=10)
        assert await commit(db, taken, at=11)
        await asyncio.gather(deliver(other, taken, at=12), *(say(db, n, at=12) for n in (31, 32)))
        assert await finish(other, taken, at=13)
    versions = [event.version for event in await events_of(db)]
    assert versions == list(range(1, len(versions) + 1))
    assert len(versions) == 1 + 20 + 1 + 1 + 4 + 2 + 1
    await assert_guarantees(db)


async def test_an_event_behind_another_takes_the_next_number(
    db: Database, database_url: str
) -> None:
    await say(db, 1, at=0)
    taken = await must_take(db, "ada's", at=2)
    said, dropped = await in_turn(
        database_url,
        say(db, 2, at=3),
        runs.supersede(db, taken.lease, taken.work.run, now=after(3)),
    )
    assert said
    assert dropped
    assert [(event.version, event.type, event.cause) for event in (await events_of(db))[2:]] == [
        (3, "received", None),
        (4, "run_superseded", 3),
    ]
    await assert_guarantees(db)
