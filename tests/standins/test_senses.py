"""The stand-in model sees pictures and hears recordings, asked through the openai client."""

import asyncio
import json
from base64 import b64encode
from typing import Any

import aiohttp
import openai
import pytest
from openai import AsyncOpenAI

from bot.standins.faults import DropBefore, ModelFault, RawBody
from bot.standins.hearing import Recording
from bot.standins.model import ModelStandIn
from bot.standins.pictures import blank_png
from tests.support.neighbours import KEY


def picture(data: bytes, kind: str = "png") -> dict[str, Any]:
    url = f"data:image/{kind};base64,{b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


async def answer(client: AsyncOpenAI, *messages: Any) -> str | None:
    completion = await client.chat.completions.create(model="any", messages=messages)
    return completion.choices[0].message.content


async def hear(client: AsyncOpenAI, data: bytes = b"OggS") -> str:
    heard = await client.audio.transcriptions.create(model="whisper-1", file=("voice.oga", data))
    return heard.text


async def test_pictures_are_counted_and_measured(client: AsyncOpenAI) -> None:
    parts = [
        {"type": "text", "text": "what is this?"},
        picture(blank_png(40, 30)),
        picture(b"GIF89a", "gif"),
    ]
    said = await answer(client, {"role": "user", "content": parts})
    assert said == (
        "Got it, you wrote:\n• what is this?\nIs there anything else?\n"
        "I saw 2 pictures: 40x30, of unknown size"
    )


async def test_only_pictures_since_the_last_answer(client: AsyncOpenAI) -> None:
    said = await answer(
        client,
        {"role": "user", "content": [picture(blank_png(1, 1))]},
        {"role": "assistant", "content": "nice"},
        {"role": "user", "content": [picture(blank_png(2, 3))]},
    )
    assert said == "I saw 1 picture: 2x3"


@pytest.mark.parametrize(
    ("role", "part", "complaint"),
    [
        ("system", picture(blank_png(1, 1)), "only allowed for messages of the user"),
        ("user", picture(b"plain text"), "unsupported image"),
        ("user", {"type": "image_url"}, "expected an object with a url"),
        ("user", {"type": "image_url", "image_url": {"url": "file:///etc"}}, "data URL"),
        ("user", {"type": "image_url", "image_url": {"url": "data:image/png,x"}}, "base64"),
        (
            "user",
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}},
            "invalid base64",
        ),
        ("user", {"text": "a"}, "content[0].type"),
    ],
)
async def test_pictures_refused(
    client: AsyncOpenAI, role: str, part: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await answer(client, {"role": role, "content": [part]})
    assert complaint in str(refused.value)


async def test_transcription(model: ModelStandIn, client: AsyncOpenAI) -> None:
    assert await hear(client, b"12345") == "a recording of 5 bytes"
    model.hearing.transcript = lambda recording: recording.data.decode()
    assert await hear(client, b"hello there") == "hello there"
    await model.hearing.wait_for(2)
    first = model.hearing.recordings[0]
    assert (first.name, first.data, first.model) == ("voice.oga", b"12345", "whisper-1")
    with pytest.raises(TimeoutError, match="2 of 3 recordings"):
        await model.hearing.wait_for(3, timeout=0)


async def test_transcription_meets_the_switches(model: ModelStandIn, client: AsyncOpenAI) -> None:
    model.switches.on("500", count=1)
    with pytest.raises(openai.InternalServerError):
        await hear(client)
    model.switches.on("429", 2, methods=["transcription"])
    with pytest.raises(openai.RateLimitError):
        await hear(client)
    assert await answer(client, {"role": "user", "content": "one"})
    model.switches.all_off()
    model.switches.on("empty")
    assert await hear(client) == ""


async def test_transcription_without_end(model: ModelStandIn, client: AsyncOpenAI) -> None:
    model.switches.on("hang")
    hearing = asyncio.create_task(hear(client))
    await model.switches.wait_for_strikes("hang")
    hearing.cancel()
    await asyncio.wait([hearing])
    assert hearing.cancelled()


@pytest.mark.parametrize(
    ("fault", "error"),
    [(DropBefore(), openai.APIConnectionError), (RawBody(b"{", status=502), openai.APIStatusError)],
)
async def test_transcription_fails_by_hook(
    model: ModelStandIn, client: AsyncOpenAI, fault: ModelFault, error: type[Exception]
) -> None:
    async def hook(_recording: Recording) -> ModelFault:
        return fault

    model.hearing.hook = hook
    with pytest.raises(error):
        await hear(client)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"model": "a"}, "Could not parse multipart form"),
        ({"file": b"a"}, "you must provide a model parameter"),
        ({"model": "a", "file": b""}, "Audio file is too short"),
    ],
)
async def test_transcription_refused(
    model: ModelStandIn, fields: dict[str, Any], complaint: str
) -> None:
    form = aiohttp.FormData()
    for name, value in fields.items():
        form.add_field(name, value, filename="a.oga" if name == "file" else None)
    headers = {"Authorization": f"Bearer {KEY}"}
    url = f"{model.url}/audio/transcriptions"
    async with aiohttp.ClientSession(headers=headers) as http, http.post(url, data=form) as said:
        assert said.status == 400
        assert complaint in json.loads(await said.read())["error"]["message"]


async def test_transcription_with_the_wrong_key(model: ModelStandIn) -> None:
    async with AsyncOpenAI(base_url=model.url, api_key="sk-wrong-key-456") as client:
        with pytest.raises(openai.AuthenticationError):
            await hear(client)
    assert model.hearing.recordings == []
