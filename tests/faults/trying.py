"""A fault at each of the steps, some side by side: what all trials have in common."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence

import pytest

from bot.standins.answers import friendly_answer
from storage.embedded import EmbeddedPostgres
from tests.faults.scenes import ADA, enough, interrupted, model_away, remembered, throttled
from tests.faults.scenes_with_tools import TOOLS, left_behind, reminded, superseded, undone
from tests.faults.steps import ALL_SCENES, SCENES, TOOL_SCENES, scene_of
from tests.support.neighbours import Neighbours, neighbours
from tests.support.postgres import fresh_database
from tests.support.said import APOLOGY, STOPPED
from tests.support.waiting import rows_of, until_found, until_settled
from tests.support.whole_bursts import closed_when_whole

SIDE_BY_SIDE = 5
HANG_SECONDS = 240

NOTHING_TO_DELIVER = "SELECT 1 FROM conversations HAVING bool_and(committed_run IS NULL)"
EFFECTS_NOT_ONCE = """
SELECT tool, count(*), min(state) FROM effects GROUP BY burst, tool
HAVING count(*) > 1 OR bool_or(state IN ('processing', 'to_undo'))
"""
BOTH_RECEIVED = (
    "SELECT 1 AS yes FROM messages WHERE text IN ('first', 'second') HAVING count(*) = 2"
)

ONE_BY_ONE = (interrupted, left_behind, model_away, remembered, superseded, throttled)
"""Scenes in which a message is to be answered, or begun to be, before the next one is said."""

CLOSED_WHEN_WHOLE = {
    "debounce_quiet_seconds": 20,
    "debounce_long_quiet_seconds": 20,
    "debounce_cap_seconds": 20,
}

parts = pytest.mark.parametrize("part", [SCENES, TOOL_SCENES], ids=["plain", "tools"])

Trial = Callable[[Neighbours, str], Awaitable[None]]


async def try_all(postgres: EmbeddedPostgres, cases: Iterable[str], trial: Trial) -> None:
    """Try every case, some side by side, and fail with all that went wrong.

    A case is "before …", "after …" or "around …" a step.
    """
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def try_one(case: str) -> str | None:
        async with (
            room,
            fresh_database(postgres) as dsn,
            neighbours(dsn) as around,
            closed_when_whole(dsn),
        ):
            try:
                async with asyncio.timeout(HANG_SECONDS):
                    await trial(around, case)
            except Exception as error:  # noqa: BLE001 (all of them are reported together)
                return f"{case}: {error!r}"
        return None

    results = await asyncio.gather(*map(try_one, cases))
    wrong = [result for result in results if result]
    if wrong:
        pytest.fail("\n".join(wrong))


async def answered(around: Neighbours) -> None:
    await until_found(around.database_url, BOTH_RECEIVED)
    await until_settled(around.database_url)
    await until_found(around.database_url, NOTHING_TO_DELIVER)
    twice = await rows_of(around.database_url, EFFECTS_NOT_ONCE)
    assert not twice, twice


def settings_for(point: str, **changed: object) -> dict[str, object]:
    """What the bot of the point's scene is to run with."""
    _, _, step = point.partition(" ")
    tools = {"tools": TOOLS} if step in TOOL_SCENES else {}
    # So that it is renewed while a call of some seconds is under way.
    short = {"lease_ttl_seconds": 3} if step == "renew_resource" else {}
    forgetful = {"history_messages": 1} if ALL_SCENES[step] is remembered else {}
    soon = {"outage_notice_seconds": 0} if step == "tell_to_wait" else {}
    # Somebody is to die there before anything else was said.
    is_one_by_one = ALL_SCENES[step] in ONE_BY_ONE or step == "free_leases_of"
    quiet = {"debounce_quiet_seconds": 0.2} if is_one_by_one else CLOSED_WHEN_WHOLE
    return {**quiet, **changed, **tools, **short, **forgetful, **soon}


def was_stopped_early(seen: Sequence[str]) -> bool:
    """Whether the press came to the run of a successor, which had shown little or nothing yet."""
    whole = friendly_answer([{"role": "user", "content": "first\nsecond"}])
    return len(seen) == 1 and (seen[0] == STOPPED or whole.startswith(seen[0].rstrip()))


def assert_said(around: Neighbours, point: str, *, times: Container[int]) -> None:
    """What Ada wrote came back so many times, each of it."""
    seen = [sent.text for sent in around.seen_by(ADA)]
    scene = scene_of(point)
    assert sum("⏰ tea" in text for text in seen) in (times if scene is reminded else {0}), seen
    if scene is undone:
        assert set(seen) == {APOLOGY}
        assert len(seen) in times
        return
    if scene is enough and was_stopped_early(seen):
        return
    for said in ("first", "second"):
        assert sum(said in reply for reply in seen) in times, seen
