"""An error and a delay before and after every step of a message's path."""

import asyncio
from collections.abc import Mapping

import pytest

from coordination import answer
from coordination.patience import RetryPolicy
from llm.contract import TryLater
from storage.database import Unavailable
from storage.embedded import EmbeddedPostgres
from tests.faults.scenes import Scene
from tests.faults.steps import scene_of
from tests.faults.trying import answered, assert_said, parts, settings_for, try_all
from tests.support.neighbours import Neighbours, running_bot


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
    resent = fault == "raise" and point == "after send_message"
    assert_said(around, point, times={2} if resent else {1})
