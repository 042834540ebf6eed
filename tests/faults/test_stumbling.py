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
from tests.faults.steps import points, scene_of
from tests.faults.trying import answered, assert_said, parts, settings_for, try_all
from tests.support.neighbours import Neighbours, running_bot


@pytest.mark.timeout(900)
@parts
@pytest.mark.parametrize("fault", ["raise", "delay"])
async def test_g7_an_error_or_a_delay_at_any_step_changes_nothing(
    postgres: EmbeddedPostgres,
    monkeypatch: pytest.MonkeyPatch,
    part: Mapping[str, Scene],
    fault: str,
) -> None:
    monkeypatch.setattr(answer, "OWN_FAULTS", RetryPolicy(base=0.1))
    cases = points(part) if fault == "raise" else [f"around {step}" for step in part]
    await try_all(postgres, cases, lambda around, case: stumble(around, case, fault))


async def stumble(around: Neighbours, case: str, fault: str) -> None:
    """Let the bot meet an error or a delay there, once at each point, and go on."""
    when, _, step = case.partition(" ")
    left = set(points([step]) if when == "around" else [case])

    async def at(where: str) -> None:
        if where in left:
            left.remove(where)
            if fault == "raise":
                raise TryLater("injected") if "model_call" in where else Unavailable("injected")
            await asyncio.sleep(0.4)

    if case.endswith(("hand_over", "hand_over_delivery", "release_polling", "free_leases_of")):
        return  # those belong to a process that ends; it dies there in the other test
    async with running_bot(around.settings(**settings_for(case)), at=at):
        await scene_of(case)(around, lambda _signal: None)
        await answered(around)
    assert not left, "never came there"
    resent = fault == "raise" and case == "after send_message"
    assert_said(around, case, times={2} if resent else {1})
