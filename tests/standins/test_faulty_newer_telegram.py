"""The switches that strike rich messages, drafts and files, and leave the rest alone."""

import asyncio

import pytest

from tests.support.standin_bot import ADA, TOKEN, StandInBot

RICH = {"chat_id": ADA, "draft_id": 1, "rich_message": {"markdown": "a"}}
CALLS = {
    "sendMessage": {"chat_id": ADA, "text": "a"},
    "sendRichMessage": RICH,
    "sendMessageDraft": {"chat_id": ADA, "draft_id": 1, "text": "a"},
    "sendRichMessageDraft": RICH,
}


@pytest.mark.parametrize(
    ("name", "struck", "code", "description"),
    [
        (
            "no-rich",
            ["sendRichMessage", "sendRichMessageDraft"],
            400,
            "Bad Request: can't parse rich message",
        ),
        (
            "old-server",
            ["sendRichMessage", "sendMessageDraft", "sendRichMessageDraft"],
            404,
            "Not Found: method not found",
        ),
        (
            "no-drafts",
            ["sendMessageDraft", "sendRichMessageDraft"],
            400,
            "Bad Request: TEXTDRAFT_PEER_INVALID",
        ),
        (
            "429-drafts",
            ["sendMessageDraft", "sendRichMessageDraft"],
            429,
            "Too Many Requests: retry after 3",
        ),
    ],
)
async def test_only_what_it_names(
    made: StandInBot, name: str, struck: list[str], code: int, description: str
) -> None:
    made.telegram.switches.on(name)
    said = {method: await made.call(method, **params) for method, params in CALLS.items()}
    refused = {method: answer for method, answer in said.items() if not answer["ok"]}
    assert sorted(refused) == sorted(struck)
    for answer in refused.values():
        assert (answer["error_code"], answer["description"]) == (code, description)
        assert answer.get("parameters") == ({"retry_after": 3} if code == 429 else None)


async def test_refuses_edits_to_rich_too(made: StandInBot) -> None:
    sent = await made.call("sendMessage", chat_id=ADA, text="one")
    place = {"chat_id": ADA, "message_id": sent["result"]["message_id"]}
    made.telegram.switches.on("no-rich")
    said = await made.refusal("editMessageText", **place, rich_message={"markdown": "a"})
    assert said == "Bad Request: can't parse rich message"
    assert (await made.call("editMessageText", **place, text="two"))["ok"]


async def test_file_that_is_too_big(made: StandInBot) -> None:
    made.telegram.say_document(ADA, b"small")
    document = (await made.message()).document
    assert document is not None
    made.telegram.switches.on("big-file")
    said = await made.refusal("getFile", file_id=document.file_id)
    assert said == "Bad Request: file is too big"


async def test_slow_download(made: StandInBot) -> None:
    made.telegram.say_document(ADA, b"small")
    document = (await made.message()).document
    assert document is not None
    made.telegram.switches.on("slow-file", 0.2)
    file = await made.bot.get_file(document.file_id)
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with made.http.get(f"{made.telegram.url}/file/bot{TOKEN}/{file.file_path}") as answer:
        assert await answer.read() == b"small"
    assert loop.time() - began > 0.2
    assert made.telegram.call_counts["downloadFile"] == 1
