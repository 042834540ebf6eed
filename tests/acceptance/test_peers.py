"""Beside servers and rules by somebody else, so that no stand-in of ours only agrees with us."""

from collections.abc import Iterator

import pytest

from bot.standins.pictures import blank_png
from llm.contract import ForGood, ModelError, ModelSettings, ToolSpec, TryLater, Turn
from llm.writer import OpenAIWriter
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.llmock_process import LlmockProcess, llmock_process
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import until_settled
from tests.support.whole_bursts import HELD_OPEN, close_whole

pytestmark = pytest.mark.xdist_group("peers")

ADA = 501
HELLO = [Turn("user", "hello")]
WEATHER = ToolSpec(
    "weather",
    "The weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


def fail(status: int, **more: object) -> dict[str, object]:
    return {"type": "fail", "status": status, **more}


def broken(kind: str, **more: object) -> dict[str, object]:
    return {"type": "stream_fault", "kind": kind, "after_chunks": 2, **more}


FAULTS: dict[str, tuple[dict[str, object], type[ModelError]]] = {
    "too many requests": (fail(429, retry_after=7), TryLater),
    "server error": (fail(500), TryLater),
    "unavailable": (fail(503), TryLater),
    "overloaded": (fail(529), TryLater),
    "wrong key": (fail(401), ForGood),
    "unknown model": (fail(404), ForGood),
    "too long": (fail(400, code="context_length_exceeded"), ForGood),
    "no money": (fail(429, code="insufficient_quota"), ForGood),
    "hangs up": (broken("disconnect"), TryLater),
    "ends early": (broken("truncate"), TryLater),
    "no JSON": (broken("malformed"), TryLater),
    "stalls": (broken("stall", stall_seconds=30), TryLater),
}


@pytest.fixture(scope="module")
def llmock() -> Iterator[LlmockProcess]:
    with llmock_process() as running:
        yield running


def writer(llmock: LlmockProcess, seconds: float = 20) -> OpenAIWriter:
    return OpenAIWriter(ModelSettings("a-key", llmock.url, "gpt-4.1-mini", timeout_seconds=seconds))


async def test_llmock_streams_an_answer_that_the_writer_reads(llmock: LlmockProcess) -> None:
    await llmock.expect({"type": "reply", "text": "Naïve — but 👍 read."})
    client, chunks = writer(llmock), list[str]()
    answer = await client.write(HELLO, on_chunk=lambda chunk: chunks.append(chunk.text))
    await client.aclose()
    assert answer.text == "".join(chunks) == "Naïve — but 👍 read."
    assert answer.finish_reason == "stop"
    assert not answer.usage.estimated


@pytest.mark.parametrize("name", FAULTS)
async def test_each_fault_of_llmock_is_told_from_the_others(
    llmock: LlmockProcess, name: str
) -> None:
    fault, sort = FAULTS[name]
    await llmock.expect({"type": "reply", "text": "one two three four five six"}, fault)
    client = writer(llmock, seconds=5 if name == "stalls" else 20)
    with pytest.raises(sort) as caught:
        await client.write(HELLO)
    await client.aclose()
    assert await llmock.requests() == 1
    if isinstance(caught.value, TryLater) and "retry_after" in fault:
        assert caught.value.retry_after == fault["retry_after"]


async def test_llmock_calls_a_tool_and_takes_its_result(llmock: LlmockProcess) -> None:
    call = {"name": "weather", "arguments": {"city": "Wien"}}
    await llmock.expect({"type": "reply", "tool_calls": [call]})
    client = writer(llmock)
    asked = await client.write(HELLO, tools=[WEATHER])
    [wish] = asked.tool_calls
    assert (wish.name, wish.arguments.replace(" ", "")) == ("weather", '{"city":"Wien"}')
    turns = [Turn("assistant", asked.text, asked.tool_calls), Turn("tool", "rain", (), wish.id)]
    answer = await client.write([*HELLO, *turns], tools=[WEATHER])
    await client.aclose()
    assert answer.text
    assert not answer.tool_calls


async def test_the_bot_is_judged_resilient_by_llmock(
    llmock: LlmockProcess, around: Neighbours, db: Database
) -> None:
    faults = [fail(429, retry_after=1), broken("truncate"), broken("disconnect"), fail(503)]
    await llmock.expect(*faults, {"type": "reply", "text": "A grey picture.", "times": None})
    async with running_bot(around.settings(openai_base_url=llmock.url, **HELD_OPEN)):
        around.telegram.say_photo(ADA, blank_png(40, 30), "What is it?")
        around.telegram.say(ADA, "Well?")
        await close_whole(around.database_url)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert reply.text == "A grey picture."
    assert len(around.seen_by(ADA)) == 1
    assert await llmock.requests() == len(faults) + 1
    assert await llmock.faults_of_client() == []
    await assert_guarantees(db)
