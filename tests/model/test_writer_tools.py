"""Tools offered to the model, and the calls it answers with, in the shapes servers send them."""

from typing import Any

import pytest

from llm.contract import Chunk, ForGood, Meter, ToolCall, ToolSpec, TryLater, Turn
from llm.writer import OpenAIWriter
from tests.support.model_server import DONE, ModelServer, chunk, fixed, stream

TURNS = [Turn("user", "a@example.org")]
SCHEMA: dict[str, object] = {"type": "object", "properties": {"email": {"type": "string"}}}
TOOLS = [ToolSpec("save", "Keep it.", SCHEMA), ToolSpec("show", "Show it.", {"type": "object"})]
SAVE = ToolCall("call_a", "save", '{"email": "a@example.org"}')
SHOW = ToolCall("call_b", "show", "{}")
END = chunk(None, "tool_calls")


def call(**fields: object) -> dict[str, Any]:
    function = {name: fields.pop(name) for name in ("name", "arguments") if name in fields}
    return {**fields, "function": function}


def calls(*deltas: object) -> bytes:
    return chunk(tool_calls=list(deltas))


SAVE_WHOLE = call(id="call_a", type="function", name="save", arguments=SAVE.arguments)
SHOW_WHOLE = call(id="call_b", type="function", name="show", arguments="{}")


async def test_tools_and_their_dialogue_on_the_wire(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk("Saved.", "stop"), DONE)]
    dialogue = [
        Turn("assistant", "", tool_calls=(SAVE,)),
        Turn("tool", "saved", tool_call_id="call_a"),
        Turn("assistant", "Now the other.", tool_calls=(SHOW,)),
        Turn("tool", "shown", tool_call_id="call_b"),
    ]
    await writer.write([*TURNS, *dialogue], tools=TOOLS[:1])
    (body,) = server.bodies
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "save", "description": "Keep it.", "parameters": SCHEMA},
        }
    ]
    assert body["messages"] == [
        {"role": "user", "content": "a@example.org"},
        {"role": "assistant", "content": None, "tool_calls": [SAVE_WHOLE]},
        {"role": "tool", "tool_call_id": "call_a", "content": "saved"},
        {"role": "assistant", "content": "Now the other.", "tool_calls": [SHOW_WHOLE]},
        {"role": "tool", "tool_call_id": "call_b", "content": "shown"},
    ]


async def test_no_tools_are_not_mentioned(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("Hi.", "stop"), DONE)]
    assert (await writer.write(TURNS)).tool_calls == ()
    assert "tools" not in server.bodies[0]


IN_PIECES = [
    calls(call(index=0, id="call_a", type="function", name="save", arguments="")),
    calls(call(index=0, arguments='{"email": ')),
    calls(call(index=0, arguments='"a@example.org"}')),
    calls(call(index=1, id="call_b", type="function", name="show", arguments="{")),
    calls(call(index=1, arguments="}")),
]
SHAPES: dict[str, list[bytes]] = {
    "in pieces": [*IN_PIECES, END],
    "finish_reason stop": [*IN_PIECES, chunk(None, "stop")],
    "all at once": [calls({**SAVE_WHOLE, "index": 0}, {**SHOW_WHOLE, "index": 1}), END],
    "interleaved": [*(IN_PIECES[place] for place in (0, 3, 1, 4, 2)), END],
    "without an index": [calls(SAVE_WHOLE), calls(SHOW_WHOLE), END],
    "without an index, in pieces": [
        calls(call(id="call_a", name="save", arguments='{"email": ')),
        calls(call(id="call_a", name="save", arguments='"a@example.org"}')),
        calls(call(id="call_b", name="show")),
        calls(call(arguments="{}")),
        END,
    ],
    "every index 0": [calls({**SAVE_WHOLE, "index": 0}), calls({**SHOW_WHOLE, "index": 0}), END],
    "name again in every piece": [
        calls(call(index=0, id="call_a", name="save", arguments='{"email": ')),
        calls(call(index=0, id="call_a", name="save", arguments='"a@example.org"}')),
        calls({**SHOW_WHOLE, "index": 1}),
        END,
    ],
    "another id in every piece": [
        calls(call(index=0, id="call_a", name="save", arguments='{"email": ')),
        calls(call(index=0, id="call_x", name=None, arguments='"a@example.org"}')),
        calls(call(index=1, id="call_b", name="show", arguments=None)),
        END,
    ],
    "no arguments": [calls(SAVE_WHOLE), calls(call(id="call_b", name="show", arguments=" ")), END],
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_streamed_calls(server: ModelServer, writer: OpenAIWriter, shape: str) -> None:
    server.script = [stream(chunk("", role="assistant"), *SHAPES[shape], DONE)]
    meter = Meter()
    answer = await writer.write(TURNS, tools=TOOLS, meter=meter)
    assert (answer.text, answer.tool_calls) == ("", (SAVE, SHOW))
    assert answer.first_token_seconds == meter.first_token_seconds
    assert answer.usage.tokens_out > 0


async def test_server_that_ignores_stream(server: ModelServer, writer: OpenAIWriter) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [SAVE_WHOLE, SHOW_WHOLE]}
    server.script = [fixed(200, {"choices": [{"message": message, "finish_reason": "tool_calls"}]})]
    answer = await writer.write(TURNS, tools=TOOLS)
    assert (answer.text, answer.tool_calls) == ("", (SAVE, SHOW))


@pytest.mark.parametrize("missing", [{}, {"id": ""}, {"id": None}])
async def test_ids_are_invented_where_they_are_missing(
    server: ModelServer, writer: OpenAIWriter, missing: dict[str, object]
) -> None:
    without_id = {"function": {"name": "show", "arguments": "{}"}, **missing}
    taken = call(id="call_1", name="show", arguments="{}")
    server.script = [stream(calls(without_id, taken, {**taken, "index": 5}, without_id), END, DONE)]
    answer = await writer.write(TURNS, tools=TOOLS)
    ids = [each.id for each in answer.tool_calls]
    assert ids == ["call_2", "call_1", "call_3", "call_4"]


async def test_words_before_the_calls(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("One moment."), calls(SHOW_WHOLE), END, DONE)]
    told: list[Chunk] = []
    answer = await writer.write(TURNS, tools=TOOLS, on_chunk=told.append)
    assert (answer.text, answer.tool_calls) == ("One moment.", (SHOW,))
    assert told == [Chunk(1, 0, "One moment.")]


async def test_broken_arguments_are_the_callers_business(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(calls(call(id="call_a", name="save", arguments='{"email')), END, DONE)]
    answer = await writer.write(TURNS, tools=TOOLS)
    assert answer.tool_calls == (ToolCall("call_a", "save", '{"email'),)


async def test_calls_nobody_offered_are_no_answer(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(calls(SHOW_WHOLE), END, DONE)] * 2
    with pytest.raises(ForGood, match="empty answer twice"):
        await writer.write(TURNS)


@pytest.mark.parametrize(
    "garbled",
    [
        [{"index": 0, "id": "call_a"}],
        [call(id="call_a", name="", arguments="{}")],
        [call(id="call_a", name=["save"], arguments="{}")],
        [call(id="call_a", name="save", arguments={"email": "a@example.org"})],
        [call(id=7, name="save", arguments="{}")],
        [{"function": "save"}],
        ["save"],
        [None],
        "save",
        {"0": SHOW_WHOLE},
    ],
)
async def test_garbled_calls_are_tried_again_later(
    server: ModelServer, writer: OpenAIWriter, garbled: object
) -> None:
    server.script = [stream(chunk(tool_calls=garbled), END, DONE)]
    with pytest.raises(TryLater):
        await writer.write(TURNS, tools=TOOLS)
    assert len(server.bodies) == 1
