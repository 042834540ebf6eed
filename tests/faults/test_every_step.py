"""A process that dies, an error, a delay: before and after every step of a message's path."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping

import pytest

from bot.wording import APOLOGY
from coordination import answer
from coordination.patience import RetryPolicy
from llm.contract import TryLater
from storage.database import Unavailable
from storage.embedded import EmbeddedPostgres
from tests.faults.scenes import ADA, Scene, remembered
from tests.faults.scenes_with_tools import TOOLS, reminded, undone
from tests.faults.steps import ALL_SCENES, SCENES, TOOL_SCENES, all_steps, points, scene_of
from tests.support.forked import Nursery, nursery
from tests.support.neighbours import Neighbours, neighbours, running_bot
from tests.support.postgres import fresh_database
from tests.support.waiting import rows_of, until_found, until_settled

LONG_TTL = 300
"""Nobody would wait for it: a successor has to prove that the holder is dead."""
SIDE_BY_SIDE = 5
HANG_SECONDS = 60

NOTHING_TO_DELIVER = "SELECT 1 FROM conversations HAVING bool_and(committed_run IS NULL)"
EFFECTS_NOT_ONCE = """
SELECT tool, count(*), min(state) FROM effects GROUP BY burst, tool
HAVING count(*) > 1 OR bool_or(state IN ('processing', 'to_undo'))
"""
BOTH_RECEIVED = (
    "SELECT 1 AS yes FROM messages WHERE text IN ('first', 'second') HAVING count(*) = 2"
)

parts = pytest.mark.parametrize("part", [SCENES, TOOL_SCENES], ids=["plain", "tools"])

Trial = Callable[[Neighbours, str], Awaitable[None]]


def test_every_step_of_the_program_has_a_scene() -> None:
    assert set(ALL_SCENES) == all_steps()


@pytest.mark.timeout(400)
@parts
async def test_g7_a_process_may_die_at_any_step(
    postgres: EmbeddedPostgres, part: Mapping[str, Scene]
) -> None:
    async with nursery() as bots:
        await try_all(postgres, part, lambda around, point: die_and_recover(around, bots, point))


@pytest.mark.timeout(400)
@parts
@pytest.mark.parametrize("fault", ["raise", "delay"])
async def test_g7_an_error_or_a_delay_at_any_step_changes_nothing(
    postgres: EmbeddedPostgres,
    monkeypatch: pytest.MonkeyPatch,
    part: Mapping[str, Scene],
    fault: str,
) -> None:
    monkeypatch.setattr(answer, "OWN_FAULTS", RetryPolicy(base=0.1))
    await try_all(postgres, part, lambda around, point: stumble(around, point, fault))


async def try_all(postgres: EmbeddedPostgres, part: Mapping[str, Scene], trial: Trial) -> None:
    """Try every point, some side by side, and fail with all that went wrong."""
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def try_one(point: str) -> str | None:
        async with room, fresh_database(postgres) as dsn, neighbours(dsn) as around:
            try:
                async with asyncio.timeout(HANG_SECONDS):
                    await trial(around, point)
            except Exception as error:  # noqa: BLE001 (all of them are reported together)
                return f"{point}: {error!r}"
        return None

    results = await asyncio.gather(*(try_one(point) for point in points(part)))
    assert [result for result in results if result] == []


async def die_and_recover(around: Neighbours, bots: Nursery, point: str) -> None:
    """Let a bot die at the point and another one finish."""
    environment = around.environment(**(settings_for(point, lease_ttl_seconds=LONG_TTL)))
    if point.endswith("free_leases_of"):
        await leave_a_lease_behind(around, bots, environment)
    dying = await bots.start(environment, die=point)
    scene = asyncio.create_task(scene_of(point)(around, dying.signal))
    code = await dying.exit_code
    assert code == -signal.SIGKILL, f"ended with {code}: {dying.log.read_text()[-2000:]}"
    successor = await bots.start(environment)
    try:
        await scene
        await answered(around)
    finally:
        await successor.kill()
    # Telegram has it and nobody wrote that down: the one place without exactly-once.
    assert_said_once(around, point, resent=point in ("after send_message", "before record_part"))


async def leave_a_lease_behind(
    around: Neighbours, bots: Nursery, environment: dict[str, str]
) -> None:
    around.model.delay = 30
    first = await bots.start(environment)
    around.telegram.say(ADA, "zeroth")
    await around.model.wait_for_calls(1, timeout=30)
    await first.kill()
    around.model.delay = 0


async def stumble(around: Neighbours, point: str, fault: str) -> None:
    """Let the bot meet an error or a delay at the point, once, and go on."""
    met: list[str] = []

    async def at(where: str) -> None:
        if where == point and not met:
            met.append(where)
            if fault == "raise":
                raise TryLater("injected") if "model_call" in where else Unavailable("injected")
            await asyncio.sleep(0.4)

    if point.endswith(("hand_over", "hand_over_delivery", "release_polling", "free_leases_of")):
        return  # those belong to a process that ends; it dies there in the other test
    async with running_bot(around.settings(**settings_for(point)), at=at):
        await scene_of(point)(around, lambda _signal: None)
        await answered(around)
    assert met, "never came there"
    assert_said_once(around, point, resent=fault == "raise" and point == "after send_message")


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
    # So that it is renewed while a call of a second and a half is under way.
    short = {"lease_ttl_seconds": 3} if step == "renew_resource" else {}
    forgetful = {"history_messages": 1} if ALL_SCENES[step] is remembered else {}
    return {"debounce_quiet_seconds": 0.2} | changed | tools | short | forgetful


def assert_said_once(around: Neighbours, point: str, *, resent: bool) -> None:
    seen = [sent.text for sent in around.seen_by(ADA)]
    scene = scene_of(point)
    assert sum("⏰ tea" in text for text in seen) == (scene is reminded), seen
    if scene is undone:
        assert seen == [APOLOGY]
        return
    texts = ("first", "second")
    times = [sum(text in reply for reply in seen) for text in texts]
    assert times == ([2, 2] if resent else [1, 1]), seen
