"""The stand-in model speaks OpenAI's protocol, asked through the openai client."""

import asyncio
from dataclasses import dataclass
from typing import Any

import aiohttp
import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

from bot.standins.faults import (
    CutStream,
    DropBefore,
    ModelFault,
    RawBody,
    RefuseCompletion,
    Stall,
)
from bot.standins.model import ModelStandIn
from bot.standins.model_calls import ModelCall
from bot.standins.news import HANG_SECONDS
from tests.support.neighbours import KEY

BURST: list[ChatCompletionMessageParam] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "an older question"},
    {"role": "assistant", "content": "an older answer"},
    {"role": "user", "content": "my phone is 123\nor 456"},
    {"role": "user", "content": [{"type": "text", "text": "and a@example.org"}]},
]
ANSWER = "Thank you, I read all of it:\n• my phone is 123\n• or 456\n• and a@example.org"


@dataclass
class Asker:
    """The openai client, asking about the burst."""

    client: AsyncOpenAI

    async def plainly(self) -> str | None:
        completion = await self.client.chat.completions.create(model="any", messages=BURST)
        assert completion.usage is not None
        assert completion.choices[0].finish_reason == "stop"
        return completion.choices[0].message.content

    async def streamed(self, **options: Any) -> list[ChatCompletionChunk]:
        stream = await self.client.chat.completions.create(
            model="any", messages=BURST, stream=True, **options
        )
        return [chunk async for chunk in stream]


@pytest.fixture
def asker(client: AsyncOpenAI) -> Asker:
    return Asker(client)


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def fail_with(model: ModelStandIn, fault: ModelFault) -> None:
    async def hook(_call: ModelCall) -> ModelFault:
        return fault

    model.hook = hook


async def test_answers_everything_since_the_last_answer(model: ModelStandIn, asker: Asker) -> None:
    assert await asker.plainly() == ANSWER
    (call,) = model.calls
    assert (call.model, call.outcome, call.text) == ("any", "answered", ANSWER)
    assert call.messages == BURST


@pytest.mark.parametrize("per_word", [0.0, 0.001])
async def test_stream(model: ModelStandIn, asker: Asker, per_word: float) -> None:
    model.per_word = per_word
    first, *middle, last = await asker.streamed()
    assert first.choices[0].delta.role == "assistant"
    assert text_of(middle) == ANSWER
    assert [chunk.choices[0].finish_reason for chunk in (first, last)] == [None, "stop"]
    assert len({chunk.id for chunk in (first, *middle, last)}) == 1
    assert (model.calls[0].streamed, model.calls[0].text) == (True, ANSWER)


async def test_stream_with_usage(asker: Asker) -> None:
    *_, last = await asker.streamed(stream_options={"include_usage": True})
    assert last.choices == []
    assert last.usage is not None
    assert last.usage.total_tokens == last.usage.prompt_tokens + last.usage.completion_tokens


async def test_other_answer(model: ModelStandIn, asker: Asker) -> None:
    model.answer = lambda messages: f"{len(messages)} messages"
    assert await asker.plainly() == "5 messages"


@pytest.mark.parametrize(("delay", "per_word"), [(60.0, 0.0), (0.0, 60.0)])
@pytest.mark.parametrize("way", ["plainly", "streamed"])
async def test_client_that_leaves_is_noticed_at_once(
    model: ModelStandIn, asker: Asker, way: str, delay: float, per_word: float
) -> None:
    model.delay, model.per_word = delay, per_word
    asking = asyncio.create_task(getattr(asker, way)())
    await model.wait_for_calls(1)
    asking.cancel()
    async with asyncio.timeout(HANG_SECONDS):
        await model.calls[0].done.wait()
    assert (model.calls[0].outcome, model.calls[0].text) == ("cancelled", "")
    assert model.counts == {"begun": 1, "answered": 0, "cancelled": 1, "failed": 0}


async def test_models(asker: Asker) -> None:
    assert [model.id async for model in asker.client.models.list()] == ["stand-in"]
    assert (await asker.client.models.retrieve("some/model")).id == "some/model"


async def test_wrong_key(model: ModelStandIn) -> None:
    async with AsyncOpenAI(base_url=model.url, api_key="sk-wrong-key-456") as client:
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key") as refused:
            await client.models.list()
        assert refused.value.code == "invalid_api_key"
        with pytest.raises(openai.AuthenticationError):
            await Asker(client).plainly()
    assert model.calls == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "could not parse the JSON body"),
        (b'{"messages": []}', "must provide a model"),
        (b'{"model": "any"}', "Missing required parameter"),
        (b'{"model": "any", "messages": "hello"}', "expected an array"),
        (b'{"model": "any", "messages": []}', "empty array"),
        (b'{"model": "any", "messages": [{"role": "guest"}]}', "messages[0].role"),
    ],
)
async def test_bad_request(model: ModelStandIn, body: bytes, complaint: str) -> None:
    url, headers = f"{model.url}/chat/completions", {"Authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession(headers=headers) as http, http.post(url, data=body) as answer:
        assert answer.status == 400
        assert complaint in (await answer.json())["error"]["message"]


async def test_refusal(model: ModelStandIn, asker: Asker) -> None:
    fail_with(model, RefuseCompletion(429, "rate_limit_exceeded", "Slow down", retry_after=2))
    with pytest.raises(openai.RateLimitError, match="Slow down") as refused:
        await asker.streamed()
    assert (refused.value.code, refused.value.response.headers["Retry-After"]) == (
        "rate_limit_exceeded",
        "2",
    )
    assert model.calls[0].outcome == "failed"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (DropBefore(), openai.APIConnectionError),
        (CutStream(2, "drop"), openai.APIConnectionError),
        (CutStream(2, "error"), openai.APIError),
        (CutStream(2, "malformed"), ValueError),
    ],
)
async def test_broken_off(
    model: ModelStandIn, asker: Asker, fault: ModelFault, error: type[Exception]
) -> None:
    fail_with(model, fault)
    with pytest.raises(error):
        await asker.streamed()
    assert model.calls[0].outcome == "failed"


async def test_clean_cut_has_no_finish_reason(model: ModelStandIn, asker: Asker) -> None:
    fail_with(model, CutStream(2, "clean"))
    chunks = await asker.streamed()
    assert text_of(chunks) == model.calls[0].text == "Thank you, "
    assert {chunk.choices[0].finish_reason for chunk in chunks} == {None}


async def test_raw_body_and_stall(model: ModelStandIn, asker: Asker) -> None:
    fail_with(model, RawBody(b'{"id": "x", "choices": []}'))
    completion = await asker.client.chat.completions.create(model="any", messages=BURST)
    assert completion.choices == []
    fail_with(model, Stall(0.01))
    assert await asker.plainly() == ANSWER


async def test_control(model: ModelStandIn) -> None:
    url = f"{model.url.removesuffix('/v1')}/control"
    async with aiohttp.ClientSession() as http:
        async with http.post(url, json={"delay": 1.5}) as answer:
            assert (await answer.json())["delay"] == model.delay == 1.5
        for wrong in ({"delay": -1}, {"per_word": "fast"}, {"delay": True}, 7):
            async with http.post(url, json=wrong) as answer:
                assert answer.status == 400
        async with http.get(url) as answer:
            assert await answer.json() == {"delay": 1.5, "per_word": 0, "calls": model.counts}
