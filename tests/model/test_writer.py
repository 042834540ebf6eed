"""What the writer answers, how long it takes, and that cancelling reaches the server."""

import asyncio
import json

import pytest

from bot.standins.news import HANG_SECONDS
from llm import writer as writer_module
from llm.contract import ForGood, Image, TryLater, Turn
from llm.writer import OpenAIWriter
from tests.support.model_server import DONE, ModelServer, chunk, event, fixed, stream
from tests.support.writing import KEY, writer_at

TURNS = [Turn("system", "Be kind."), Turn("user", "Hello?")]


async def test_streamed_answer(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [
        stream(
            b": keep-alive\n\n",
            event({"choices": [], "prompt_filter_results": []}),
            chunk("", role="assistant"),
            chunk("Hel"),
            chunk("lo."),
            chunk(None, "stop"),
            event({"choices": [], "usage": {"total_tokens": 3}}),
            DONE,
        )
    ]
    answer = await writer.write(TURNS)
    assert (answer.text, answer.finish_reason) == ("Hello.", "stop")
    assert 0 < answer.first_token_seconds <= answer.total_seconds
    assert server.authorizations == [f"Bearer {KEY}"]
    assert server.bodies == [
        {
            "model": "some-model",
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "Hello?"},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_pictures_go_beside_the_words(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("A turtle."), chunk(None, "stop"), DONE)]
    turtle = Image("image/jpeg", b"turtle")
    answer = await writer.write([Turn("user", "What is it?", images=(turtle,))])
    assert server.bodies[0]["messages"][0]["content"] == [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,dHVydGxl"}},
    ]
    assert answer.usage.tokens_in > 700


async def test_answer_cut_at_the_length_limit_is_an_answer(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk("Once upon"), chunk(None, "length"), DONE)]
    answer = await writer.write(TURNS)
    assert (answer.text, answer.finish_reason) == ("Once upon", "length")


async def test_server_that_ignores_stream(server: ModelServer, writer: OpenAIWriter) -> None:
    message = {"role": "assistant", "content": "Whole.", "refusal": None}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    server.script = [fixed(200, body)]
    assert (await writer.write(TURNS)).text == "Whole."


async def test_emoji_cut_between_two_chunks_and_half_an_emoji(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk("\ud83d"), chunk("\ude00, \ud83d"), chunk(None, "stop"), DONE)]
    assert (await writer.write(TURNS)).text == "😀, \N{REPLACEMENT CHARACTER}"


async def test_finish_reason_in_every_chunk(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("a", "stop"), chunk("b", "stop"), DONE)]
    assert (await writer.write(TURNS)).text == "ab"


async def test_connection_lost_after_the_end(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk("Done."), chunk(None, "stop"), drop=True)]
    assert (await writer.write(TURNS)).text == "Done."


async def test_stream_held_open_after_the_end(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_TAIL_SECONDS", 0.05)
    server.script = [server.hang(chunk("Done.", "stop"))]
    async with writer_at(server.base_url, timeout_seconds=600) as patient:
        answer = await asyncio.wait_for(patient.write(TURNS), HANG_SECONDS)
    assert answer.text == "Done."
    await asyncio.wait_for(server.client_left.wait(), HANG_SECONDS)


async def test_blank_answer_is_asked_for_once_more(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk(" \n", "stop"), DONE), stream(chunk("Now.", "stop"), DONE)]
    assert (await writer.write(TURNS)).text == "Now."
    assert len(server.bodies) == 2


async def test_blank_answer_twice_is_for_good(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [stream(chunk(None, "stop"), DONE), stream(chunk("\n", "length"), DONE)]
    with pytest.raises(ForGood, match="empty answer twice"):
        await writer.write(TURNS)


@pytest.mark.parametrize("before", [(), (chunk("Once "),)], ids=["no-header", "in-the-stream"])
async def test_cancelling_closes_the_connection_at_once(
    server: ModelServer, writer: OpenAIWriter, before: tuple[bytes, ...]
) -> None:
    server.script = [server.hang(*before)]
    call = asyncio.create_task(writer.write(TURNS))
    await server.waiting.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, HANG_SECONDS)
    await asyncio.wait_for(server.client_left.wait(), HANG_SECONDS)


async def test_trickling_answer_ends_at_the_time_limit(server: ModelServer) -> None:
    server.script = [server.trickle(chunk("very "))]
    async with writer_at(server.base_url, timeout_seconds=3) as hurried:
        with pytest.raises(TryLater, match="no answer in time"):
            await hurried.write(TURNS)
        await asyncio.wait_for(server.client_left.wait(), HANG_SECONDS)


async def test_calls_follow_each_other_on_one_connection(
    server: ModelServer, writer: OpenAIWriter
) -> None:
    server.script = [stream(chunk(str(n), "stop"), DONE) for n in range(3)]
    assert [(await writer.write(TURNS)).text for _ in range(3)] == ["0", "1", "2"]
    assert len(set(server.client_ports)) == 1


async def test_proxy_setting_does_not_catch_loopback(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    server.script = [stream(chunk("Direct.", "stop"), DONE)]
    async with writer_at(server.base_url) as behind_proxy:
        assert (await behind_proxy.write(TURNS)).text == "Direct."


async def test_probe(server: ModelServer, writer: OpenAIWriter) -> None:
    server.script = [
        stream(chunk("OK", "stop"), DONE),
        fixed(404, {"error": {"code": "model_not_found", "message": json.dumps(KEY)}}),
    ]
    await writer.probe()
    with pytest.raises(ForGood, match=r"^HTTP 404 Not Found \(model_not_found\)$"):
        await writer.probe()
