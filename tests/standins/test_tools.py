"""The stand-in model calls tools as OpenAI's do, asked through the openai client."""

import json
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from bot.standins.model import ModelStandIn
from llm.contract import ToolCall, ToolSpec, Turn
from llm.writer import OpenAIWriter
from tests.support.neighbours import KEY
from tests.support.writing import writer_at

SAVE: dict[str, Any] = {"type": "function", "function": {"name": "save_contact"}}
LIST: dict[str, Any] = {"type": "function", "function": {"name": "list_reminders"}}
ASKED: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I am ada@example.org\nlist my reminders"},
]
CONTACT = {"email": "ada@example.org"}
USES = [("save_contact", CONTACT), ("list_reminders", {})]


@pytest.fixture
async def writer(model: ModelStandIn) -> AsyncIterator[OpenAIWriter]:
    async with writer_at(model.url, key=KEY) as made:
        yield made


async def ask(client: AsyncOpenAI, messages: Any, **options: Any) -> Any:
    return await client.chat.completions.create(model="any", messages=messages, **options)


def read(calls: Any) -> list[tuple[str, Any]]:
    return [(call.function.name, json.loads(call.function.arguments)) for call in calls]


async def test_plain(model: ModelStandIn, client: AsyncOpenAI) -> None:
    completion = await ask(client, ASKED, tools=[SAVE, LIST])
    (choice,) = completion.choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", None)
    assert read(choice.message.tool_calls) == USES
    assert len({call.id for call in choice.message.tool_calls}) == 2
    assert completion.usage.completion_tokens > 0
    (call,) = model.calls
    assert (call.offered, call.tools) == (["save_contact", "list_reminders"], [SAVE, LIST])
    assert [(use["name"], use["arguments"]) for use in call.tool_uses] == USES
    assert (call.outcome, call.text, call.tool_turns) == ("answered", "", [])


@pytest.mark.parametrize("per_word", [0.0, 0.001])
async def test_stream(model: ModelStandIn, client: AsyncOpenAI, per_word: float) -> None:
    model.per_word = per_word
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = [each async for each in await ask(client, ASKED, tools=[SAVE, LIST], **options)]
    *deltas, counted = chunks
    assert deltas[0].choices[0].delta.role == "assistant"
    assert {each.choices[0].delta.content for each in deltas} == {None}
    assert deltas[-1].choices[0].finish_reason == "tool_calls"
    pieces = [call for each in deltas for call in each.choices[0].delta.tool_calls or ()]
    named = [call for call in pieces if call.function.name]
    assert [(call.index, bool(call.id), call.type) for call in named] == [
        (0, True, "function"),
        (1, True, "function"),
    ]
    arguments = ["".join(c.function.arguments for c in pieces if c.index == i) for i in (0, 1)]
    assert list(map(json.loads, arguments)) == [arguments for _, arguments in USES]
    assert len(pieces) > 4
    assert counted.usage.completion_tokens > 0


async def test_the_writer_has_a_tool_called_and_tells_what_came_of_it(
    model: ModelStandIn, writer: OpenAIWriter
) -> None:
    turns = [Turn("user", "I am ada@example.org")]
    tools = [ToolSpec("save_contact", "Keep it.", {"type": "object"})]
    first = await writer.write(turns, tools=tools)
    (call,) = first.tool_calls
    assert (call.name, json.loads(call.arguments), first.text) == ("save_contact", CONTACT, "")
    assert first.usage.tokens_out > 0
    assert not first.usage.estimated
    turns += [
        Turn("assistant", first.text, tool_calls=first.tool_calls),
        Turn("tool", "saved as 7", tool_call_id=call.id),
    ]
    second = await writer.write(turns, tools=tools)
    assert second.tool_calls == ()
    assert "ada@example.org" in second.text
    assert "saved as 7" in second.text
    assert [turn["content"] for turn in model.calls[1].tool_turns] == ["saved as 7"]


async def test_scripted_calls(model: ModelStandIn, writer: OpenAIWriter) -> None:
    model.answer = lambda messages: [{"name": "count", "arguments": {"messages": len(messages)}}]
    tools = [ToolSpec("other", "Anything.", {"type": "object"})]
    (call,) = (await writer.write([Turn("user", "hello")], tools=tools)).tool_calls
    assert call == ToolCall(call.id, "count", '{"messages": 1}')


async def test_without_tools_it_only_talks(model: ModelStandIn, client: AsyncOpenAI) -> None:
    completion = await ask(client, ASKED)
    assert "ada@example.org" in completion.choices[0].message.content
    assert (model.calls[0].offered, model.calls[0].tool_uses) == ([], [])


async def test_bad_arguments_strike_only_where_a_tool_is_called(
    model: ModelStandIn, writer: OpenAIWriter
) -> None:
    model.switches.on("bad-tool-arguments", count=1)
    tools = [ToolSpec("save_contact", "Keep it.", {"type": "object"})]
    assert "hello" in (await writer.write([Turn("user", "hello")], tools=tools)).text
    answers = [await writer.write([Turn("user", "ada@example.org")], tools=tools) for _ in range(2)]
    (broken,), (whole,) = (answer.tool_calls for answer in answers)
    with pytest.raises(ValueError, match="Unterminated string"):
        json.loads(broken.arguments)
    assert json.loads(whole.arguments) == CONTACT
    assert model.switches.struck == {"bad-tool-arguments": 1}


CALL: dict[str, Any] = {
    "id": "a",
    "type": "function",
    "function": {"name": "save_contact", "arguments": "{}"},
}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "b"}]}
ONE = {"role": "tool", "tool_call_id": "a", "content": "saved"}
TWO = {"role": "tool", "tool_call_id": "b", "content": "saved"}
ANSWER = {"role": "assistant", "content": "Saved."}


async def test_results_may_come_in_any_order(client: AsyncOpenAI) -> None:
    await ask(client, [*ASKED, CALLING, TWO, ONE])
    await ask(client, [*ASKED, CALLING, ONE, TWO, ANSWER, *ASKED, CALLING, ONE, TWO])


@pytest.mark.parametrize(
    ("dialogue", "complaint"),
    [
        ([ONE], "must be a response to a preceeding message"),
        ([ANSWER, ONE], "must be a response to a preceeding message"),
        ([CALLING, ONE, TWO, ANSWER, ONE], "must be a response to a preceeding message"),
        ([CALLING, {**ONE, "tool_call_id": "c"}], "'tool_call_id' of 'c' not found"),
        ([CALLING, {**ONE, "tool_call_id": None}], "'tool_call_id'"),
        ([CALLING], "did not have response messages: a, b"),
        ([CALLING, TWO], "did not have response messages: a"),
        ([CALLING, TWO, ASKED[1], ONE], "did not have response messages: a"),
        ([{"role": "assistant", "content": None}], "expected a string, got None"),
        ([{**CALLING, "tool_calls": []}], "tool_calls"),
        ([{**CALLING, "role": "user"}], "tool_calls"),
        ([{**CALLING, "tool_calls": [{**CALL, "id": None}]}], "id"),
        ([{**CALLING, "tool_calls": [{**CALL, "type": "other"}]}], "type"),
        ([{**CALLING, "tool_calls": [{**CALL, "function": {"name": "f"}}]}], "arguments"),
        ([{**CALLING, "tool_calls": [{**CALL, "function": {"name": "f f"}}]}], "name"),
    ],
)
async def test_refused_dialogues(
    model: ModelStandIn, client: AsyncOpenAI, dialogue: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await ask(client, [*ASKED, *dialogue], tools=[SAVE])
    assert complaint in refused.value.message
    assert model.calls == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"tools": []}, "'tools': empty array"),
        ({"tools": "save"}, "'tools': expected an array"),
        ({"tools": [{"type": "function"}]}, "tools[0]"),
        ({"tools": [{"type": "function", "function": {"name": "save contact"}}]}, "name"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": 1}}}]},
            "Invalid schema for function 'f'",
        ),
        ({"stream_options": {"include_usage": True}}, "only allowed when 'stream'"),
    ],
)
async def test_refused_options(
    client: AsyncOpenAI, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await ask(client, ASKED, **options)
    assert complaint in refused.value.message
