"""A process that dies, an error, a delay: before and after every step of a message's path."""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import pytest

from coordination import answer
from llm.contract import TryLater
from storage.database import Unavailable
from storage.embedded import EmbeddedPostgres
from tests.faults.scenes import ADA
from tests.faults.steps import POINTS, SCENES, all_steps, scene_of
from tests.support.forked import Nursery, nursery
from tests.support.neighbours import Neighbours, neighbours, running_bot
from tests.support.postgres import fresh_database
from tests.support.waiting import until_found, until_settled

LONG_TTL = 300
"""Nobody would wait for it: a successor has to prove that the holder is dead."""
SIDE_BY_SIDE = 5
HANG_SECONDS = 60

BOTH_RECEIVED = (
    "SELECT 1 AS yes FROM messages WHERE text IN ('first', 'second') HAVING count(*) = 2"
)

Trial = Callable[[Neighbours, str], Awaitable[None]]


def test_every_step_of_the_program_has_a_scene() -> None:
    assert set(SCENES) == all_steps()


@pytest.mark.timeout(400)
async def test_g7_a_process_may_die_at_any_step(postgres: EmbeddedPostgres) -> None:
    async with nursery() as bots:
        await try_all(postgres, lambda around, point: die_and_recover(around, bots, point))


@pytest.mark.timeout(400)
@pytest.mark.parametrize("fault", ["raise", "delay"])
async def test_g7_an_error_or_a_delay_at_any_step_changes_nothing(
    postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(answer, "LEAST_SET_BACK_SECONDS", 0.1)
    await try_all(postgres, lambda around, point: stumble(around, point, fault))


async def try_all(postgres: EmbeddedPostgres, trial: Trial) -> None:
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

    results = await asyncio.gather(*(try_one(point) for point in POINTS))
    assert [result for result in results if result] == []


async def die_and_recover(around: Neighbours, bots: Nursery, point: str) -> None:
    """Let a bot die at the point and another one finish."""
    environment = around.environment(lease_ttl_seconds=LONG_TTL, debounce_quiet_seconds=0.2)
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
    assert_said_once(around, resent=point in ("after send_message", "before record_part"))


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
    async with running_bot(around.settings(debounce_quiet_seconds=0.2), at=at):
        await scene_of(point)(around, lambda _signal: None)
        await answered(around)
    assert met, "never came there"
    assert_said_once(around, resent=fault == "raise" and point == "after send_message")


async def answered(around: Neighbours) -> None:
    await until_found(around.database_url, BOTH_RECEIVED)
    await until_settled(around.database_url)


def assert_said_once(around: Neighbours, *, resent: bool) -> None:
    seen = [sent.text for sent in around.seen_by(ADA)]
    texts = ("first", "second")
    times = [sum(text in reply for reply in seen) for text in texts]
    assert times == ([2, 2] if resent else [1, 1]), seen
