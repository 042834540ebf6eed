"""G7: a process is killed at any point of a reply, and the reply comes all the same."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from storage.embedded import EmbeddedPostgres
from tests.processes.killing import (
    BETWEEN_PARTS,
    COMMITTED,
    GENERATING,
    IN_WINDOW,
    SENDING,
    Aftermath,
    Scene,
    scene,
)
from tests.support.neighbours import neighbours
from tests.support.postgres import fresh_database
from tests.support.processes import FAR_AWAY, frozen, poller

# Nine processes start side by side, each of which imports for seconds.
pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("killed")]

LEASE_SECONDS = 3
"""A successor elsewhere waits for it."""
LONG_LEASE_SECONDS = 300
"""More than anything here waits for: on the same machine nobody has to."""

Aftermaths = Mapping[int, Aftermath]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(postgres: EmbeddedPostgres) -> tuple[Aftermaths, Aftermaths]:
    """The two scenes side by side: most of their time is waiting."""
    async with asyncio.TaskGroup() as group:
        first = group.create_task(take_over(postgres))
        second = group.create_task(start_again(postgres))
    return first.result(), second.result()


@pytest.fixture
def taken_over(both: tuple[Aftermaths, Aftermaths]) -> Aftermaths:
    return both[0]


@pytest.fixture
def resumed(both: tuple[Aftermaths, Aftermaths]) -> Aftermaths:
    return both[1]


async def take_over(postgres: EmbeddedPostgres) -> Aftermaths:
    """Killed on another machine, as far as the process that stands by can tell."""
    async with (
        fresh_scene(postgres) as play,
        play.process(lease_ttl_seconds=LEASE_SECONDS, module=FAR_AWAY) as one,
        play.process(lease_ttl_seconds=LEASE_SECONDS, module=FAR_AWAY) as two,
    ):
        leader = await poller([one, two])
        standby = two if leader is one else one
        await standby.logged("standing_by")
        async with frozen([standby]):
            await play.reach_every_point()
        await play.kill(leader)
        return await play.aftermath(standby)


async def start_again(postgres: EmbeddedPostgres) -> Aftermaths:
    """Killed and started again on the same machine."""
    async with fresh_scene(postgres) as play:
        async with play.process(lease_ttl_seconds=LONG_LEASE_SECONDS) as first:
            await first.logged("polling_started")
            await play.reach_every_point()
            await play.kill(first)
        async with play.process(
            lease_ttl_seconds=LONG_LEASE_SECONDS, on_uncertain_delivery="hold"
        ) as second:
            return await play.aftermath(second)


@asynccontextmanager
async def fresh_scene(postgres: EmbeddedPostgres) -> AsyncIterator[Scene]:
    async with fresh_database(postgres) as dsn, neighbours(dsn) as around, scene(around) as play:
        yield play


def test_g7_killed_inside_the_window(taken_over: Aftermaths, resumed: Aftermaths) -> None:
    for found in (taken_over[IN_WINDOW], resumed[IN_WINDOW]):
        assert len(found.seen) == 1
        assert found.model_calls == ["answered"]
        assert found.runs == ["sent"]


def test_g7_killed_while_generating(taken_over: Aftermaths, resumed: Aftermaths) -> None:
    for found in (taken_over[GENERATING], resumed[GENERATING]):
        assert len(found.seen) == 1
        assert found.model_calls == ["cancelled", "answered"]
        assert found.runs == ["lost", "sent"]


def test_g7_killed_between_commit_and_send(taken_over: Aftermaths, resumed: Aftermaths) -> None:
    for found in (taken_over[COMMITTED], resumed[COMMITTED]):
        assert len(found.seen) == 1
        assert found.model_calls == ["answered"]
        assert found.runs == ["sent"]


def test_g7_killed_between_two_parts(taken_over: Aftermaths, resumed: Aftermaths) -> None:
    for found in (taken_over[BETWEEN_PARTS], resumed[BETWEEN_PARTS]):
        assert found.seen == ["a", "b", "c"]
        assert found.model_calls == ["answered"]
        assert found.parts == ["sent", "sent", "sent"]


def test_g7_killed_inside_a_send_and_resent(taken_over: Aftermaths) -> None:
    found = taken_over[SENDING]
    assert found.seen == ["a", "b", "b", "c"]
    assert found.model_calls == ["answered"]
    assert found.parts == ["sent", "sent", "sent"]


def test_g7_killed_inside_a_send_and_held(resumed: Aftermaths) -> None:
    found = resumed[SENDING]
    assert found.seen == ["a", "b", "c"]
    assert found.model_calls == ["answered"]
    assert found.parts == ["sent", "unconfirmed", "sent"]
