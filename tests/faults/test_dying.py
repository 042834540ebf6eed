"""A process that dies before and after every step of a message's path."""

import asyncio
import signal
from collections.abc import Mapping

import pytest

from storage.embedded import EmbeddedPostgres
from tests.faults.scenes import ADA, Scene
from tests.faults.steps import ALL_SCENES, all_steps, points, scene_of
from tests.faults.trying import answered, assert_said, parts, settings_for, try_all
from tests.support.doomed import DIED_SENDING
from tests.support.litter import ForkedBot, Litter, litter
from tests.support.neighbours import Neighbours

LONG_TTL = 300
"""Nobody would wait for it: a successor has to prove that the holder is dead."""


def test_every_step_of_the_program_has_a_scene() -> None:
    assert set(ALL_SCENES) == all_steps()


@pytest.mark.timeout(900)
@parts
async def test_g7_a_process_may_die_at_any_step(
    postgres: EmbeddedPostgres, part: Mapping[str, Scene]
) -> None:
    async with litter() as bots:
        await try_all(
            postgres, points(part), lambda around, point: die_and_recover(around, bots, point)
        )


async def die_and_recover(around: Neighbours, bots: Litter, point: str) -> None:
    """Let a bot die at the point and another one finish."""
    environment = around.environment(**(settings_for(point, lease_ttl_seconds=LONG_TTL)))
    if point.endswith("free_leases_of"):
        await leave_a_lease_behind(around, bots, environment)
    dying = await bots.start(environment, die=point)
    scene = asyncio.create_task(scene_of(point)(around, dying.signal))
    code = await dying.ended()
    assert code == -signal.SIGKILL, f"ended with {code}: {dying.log.read_text()[-2000:]}"
    successor = await bots.start(environment)
    try:
        await scene
        await answered(around)
    finally:
        await successor.kill()
    # Telegram has it and nobody wrote that down: the one place without exactly-once.
    if point in ("after send_message", "before record_part"):
        assert_said(around, point, times={2})
    else:
        # Another task may have been there when this one died.
        assert_said(around, point, times={1, 2} if died_sending(dying) else {1})


def died_sending(bot: ForkedBot) -> bool:
    return bot.log.read_text().endswith(DIED_SENDING)


async def leave_a_lease_behind(
    around: Neighbours, bots: Litter, environment: dict[str, str]
) -> None:
    around.model.delay = 30
    first = await bots.start(environment)
    around.telegram.say(ADA, "zeroth")
    await around.model.wait_for_calls(1)
    await first.kill()
    around.model.delay = 0
