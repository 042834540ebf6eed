"""From update to reply, through aiogram and openai over HTTP."""

import asyncio
from collections.abc import Callable
from typing import Any

from bot.standins.model_calls import ModelCall
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import rows_of, until_found, until_settled

ADA = 501
DROPPED = "SELECT superseded_count, inbound_seq FROM conversations"
MORE_THAN = "SELECT 1 FROM conversations WHERE inbound_seq > :said"
STATES = "SELECT state FROM runs ORDER BY number"


def prompt_of(call: Any) -> str:
    return str(call.messages[-1]["content"])


async def say_in_turn(around: Neighbours, chat_id: int, count: int, every: float) -> list[str]:
    texts = [f"line {number}" for number in range(1, count + 1)]
    for text in texts:
        around.telegram.say(chat_id, text)
        await asyncio.sleep(every)
    return texts


async def test_g1_a_burst_of_four_gets_one_call_and_one_reply(around: Neighbours) -> None:
    async with running_bot(around.settings(debounce_quiet_seconds=5, debounce_cap_seconds=60)):
        texts = await say_in_turn(around, ADA, 4, every=0.3)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [prompt_of(call) for call in around.model.calls] == ["\n".join(texts)]
    assert all(text in reply.text for text in texts)
    assert len(around.seen_by(ADA)) == 1


async def test_g4_the_cap_fires_and_nothing_is_lost_or_answered_twice(around: Neighbours) -> None:
    texts: list[str] = []

    async def type_on(until: Callable[[], bool]) -> None:
        while not until():
            texts.append(f"line {len(texts) + 1}.")
            around.telegram.say(ADA, texts[-1])
            await asyncio.sleep(0.3)

    # She types on within the quiet period: only the cap can fire.
    async with running_bot(around.settings(debounce_quiet_seconds=3, debounce_cap_seconds=3)):
        await type_on(lambda: len(around.seen_by(ADA)) == 1)
        await type_on(lambda: texts[-1] not in around.seen_by(ADA)[0].text)
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    replies = [reply.text for reply in around.seen_by(ADA)]
    assert len(replies) == 2
    assert [sum(text in reply for reply in replies) for text in texts] == [1] * len(texts)


async def test_g1_a_message_during_generation_cancels_the_call(around: Neighbours) -> None:
    around.model.delay = 30
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "first")
        await around.model.wait_for_calls(1)
        around.model.delay = 0
        around.telegram.say(ADA, "second")
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert [call.outcome for call in around.model.calls] == ["cancelled", "answered"]
    assert "first" in reply.text
    assert "second" in reply.text
    assert len(around.seen_by(ADA)) == 1


async def test_g5_who_never_stops_typing_is_answered(around: Neighbours) -> None:
    """The runs that may be dropped never end by themselves; the next one outlasts a message."""
    settings = around.settings(debounce_quiet_seconds=0.4, debounce_cap_seconds=0.8)
    most = settings.max_supersedes

    async def hook(_call: ModelCall) -> None:
        if around.seen_by(ADA):
            return
        [row] = await rows_of(around.database_url, DROPPED)
        if row.superseded_count < most:
            await asyncio.Event().wait()
        await until_found(around.database_url, MORE_THAN, {"said": row.inbound_seq})

    around.model.hook = hook
    async with running_bot(settings):
        typing = asyncio.create_task(say_in_turn(around, ADA, 2000, every=0.25))
        await around.telegram.wait_for_reply(ADA)
        assert not typing.done()
        typing.cancel()
        await until_settled(around.database_url)
    states = [row.state for row in await rows_of(around.database_url, STATES)]
    assert states[: most + 1] == ["superseded"] * most + ["sent"]
    # A run may be dropped before it has called.
    outcomes = [call.outcome for call in around.model.calls]
    assert set(outcomes[: outcomes.index("answered")]) <= {"cancelled"}
