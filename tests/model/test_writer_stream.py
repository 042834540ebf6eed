"""What a caller of the writer is told while the answer comes, and what the call is said to cost."""

import asyncio

import pytest
from aiohttp import web

from llm.contract import Chunk, ForGood, Meter, TryLater, Turn, Usage
from llm.stream import Transcript
from llm.writer import OpenAIWriter
from tests.support.model_server import (
    DONE,
    ModelServer,
    Reply,
    chunk,
    event,
    fixed,
    stream,
)

TURNS = [Turn("user", "Hello, how are you?")]
ESTIMATED_IN = 5
OLD_SERVER = fixed(400, {"error": {"message": "Unknown field.", "param": "stream_options"}})
STRICT_SERVER = fixed(422, {"detail": [{"loc": ["body", "stream_options"], "type": "extra"}]})


def usage(tokens_in: object, tokens_out: object) -> dict[str, object]:
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}


async def test_chunks_are_numbered_anew_for_the_repeat_after_a_blank_answer(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [
        stream(chunk(" "), chunk("\n", "stop"), DONE),
        stream(chunk("Fine "), chunk(""), chunk("\ud83d"), chunk("\ude00"), chunk("!", "stop")),
    ]
    told: list[Chunk] = []
    transcript = Transcript()
    answer = await writer.write(TURNS, on_chunk=told.append)
    assert told == [
        Chunk(1, 0, " "),
        Chunk(1, 1, "\n"),
        Chunk(2, 0, "Fine "),
        Chunk(2, 1, "😀"),
        Chunk(2, 2, "!"),
    ]
    assert all(map(transcript.apply, told))
    assert transcript.text == answer.text == "Fine 😀!"


async def test_half_a_character_at_the_end_is_told_too(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk("Hm \ud83d", "stop"), DONE)]
    told: list[Chunk] = []
    answer = await writer.write(TURNS, on_chunk=told.append)
    assert "".join(each.text for each in told) == answer.text == "Hm \N{REPLACEMENT CHARACTER}"


async def test_temperature(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("Hi.", "stop"), DONE)] * 2
    await writer.write(TURNS, temperature=0.0)
    await writer.write(TURNS)
    assert [body.get("temperature") for body in server.bodies] == [0.0, None]


@pytest.mark.parametrize(
    ("after", "counted"),
    [
        ([event({"choices": [], "usage": usage(12, 3)})], Usage(12, 3, estimated=False)),
        (
            [event({"choices": [], "usage": usage(*each)}) for each in ((0, 0), (12, 1), (12, 3))],
            Usage(12, 3, estimated=False),
        ),
        ([event({"choices": [], "usage": None})], Usage(ESTIMATED_IN, 2, estimated=True)),
        ([event({"choices": [], "usage": "12"})], Usage(ESTIMATED_IN, 2, estimated=True)),
        (
            [event({"choices": [], "usage": usage(12, True)})],
            Usage(ESTIMATED_IN, 2, estimated=True),
        ),
        (
            [event({"choices": [], "usage": usage(10**30, 3)})],
            Usage(ESTIMATED_IN, 2, estimated=True),
        ),
    ],
    ids=["last event", "every event", "none", "text", "bool", "absurd"],
)
async def test_usage_comes_after_the_end(
    server: ModelServer, writer: OpenAIWriter, after: list[bytes], counted: Usage
) -> None:
    server.script = [stream(chunk("I am "), chunk("fine."), chunk(None, "stop"), *after, DONE)]
    meter = Meter()
    answer = await writer.write(TURNS, meter=meter)
    assert answer.usage == meter.usage == counted
    assert (meter.first_token_seconds, meter.total_seconds) == (
        answer.first_token_seconds,
        answer.total_seconds,
    )


async def test_content_in_parts(server: ModelServer, writer: OpenAIWriter) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    said = {"type": "text", "text": "I am "}
    server.script = [stream(chunk([thought]), chunk([said]), chunk("fine.", "stop"), DONE)]
    assert (await writer.write(TURNS)).text == "I am fine."


async def test_usage_of_a_whole_answer(server: ModelServer, writer: OpenAIWriter) -> None:
    choice = {"message": {"content": "Fine."}, "finish_reason": "stop"}
    server.script = [fixed(200, {"choices": [choice], "usage": usage(7, 2)})]
    assert (await writer.write(TURNS)).usage == Usage(7, 2, estimated=False)


async def test_a_blank_answer_costs_too(server: ModelServer, writer: OpenAIWriter) -> None:
    counted = event({"choices": [], "usage": usage(12, 1)})
    server.script = [stream(chunk(" ", "stop"), counted, DONE), stream(chunk("Fine.", "stop"))]
    answer = await writer.write(TURNS)
    assert answer.usage == Usage(12 + ESTIMATED_IN, 1 + 1, estimated=True)


@pytest.mark.parametrize(
    ("before", "counted"),
    [
        ((), Usage(ESTIMATED_IN, 0, estimated=True)),
        ((chunk("I am "), chunk("fine")), Usage(ESTIMATED_IN, 2, estimated=True)),
    ],
    ids=["no header", "in the text"],
)
async def test_a_cancelled_call_still_tells_its_usage(
    server: ModelServer, writer: OpenAIWriter, before: tuple[bytes, ...], counted: Usage
) -> None:
    server.script = [server.hang(*before)]
    seen, meter = asyncio.Event(), Meter()
    call = asyncio.create_task(
        writer.write(TURNS, meter=meter, on_chunk=lambda each: seen.set() if each.number else None)
    )
    await server.waiting.wait()
    if before:
        await seen.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert meter.usage == counted
    assert (meter.first_token_seconds is not None) == bool(before)
    assert meter.total_seconds > 0


@pytest.mark.parametrize(
    ("reply", "error", "counted"),
    [
        (fixed(429, {}), TryLater, Usage(0, 0, estimated=False)),
        (fixed(401, {}), ForGood, Usage(0, 0, estimated=False)),
        (stream(chunk("I"), drop=True), TryLater, Usage(ESTIMATED_IN, 1, estimated=True)),
        (stream(chunk("I")), TryLater, Usage(ESTIMATED_IN, 1, estimated=True)),
    ],
    ids=["refused for now", "refused for good", "connection cut", "ended early"],
)
async def test_a_failed_call_still_tells_its_usage(
    server: ModelServer,
    writer: OpenAIWriter,
    reply: Reply,
    error: type[Exception],
    counted: Usage,
) -> None:
    server.script = [reply]
    meter = Meter()
    with pytest.raises(error):
        await writer.write(TURNS, meter=meter)
    assert meter.usage == counted
    assert meter.total_seconds > 0


@pytest.mark.parametrize("refusal", [OLD_SERVER, STRICT_SERVER], ids=["400", "422"])
async def test_server_without_stream_options_is_asked_without_from_then_on(
    server: ModelServer, writer: OpenAIWriter, refusal: Reply
) -> None:
    fine = stream(chunk("Fine.", "stop"), DONE)
    server.script = [refusal, fine, fine]
    told: list[Chunk] = []
    answers = [await writer.write(TURNS, on_chunk=told.append) for _ in range(2)]
    assert [answer.usage for answer in answers] == [Usage(ESTIMATED_IN, 1, estimated=True)] * 2
    assert told == [Chunk(1, 0, "Fine.")] * 2
    assert ["stream_options" in body for body in server.bodies] == [True, False, False]


async def test_two_calls_that_learn_of_it_at_once(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    fine = stream(chunk("Fine.", "stop"), DONE)
    both_asked = asyncio.Barrier(2)

    async def refuse_both(request: web.Request) -> web.StreamResponse:
        await both_asked.wait()
        return await OLD_SERVER(request)

    server.script = [refuse_both, refuse_both, fine, fine]
    answers = await asyncio.gather(writer.write(TURNS), writer.write(TURNS))
    assert [answer.text for answer in answers] == ["Fine."] * 2
    assert len(server.bodies) == 4


async def test_another_bad_request_is_not_repeated(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [fixed(400, {"error": {"message": "Unknown field.", "param": "stream"}})]
    with pytest.raises(ForGood):
        await writer.write(TURNS)
    assert len(server.bodies) == 1
