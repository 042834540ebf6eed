"""Commands, through aiogram over HTTP: done at once, and no model is asked about them."""

import json
from typing import Any

import pytest

from bot.commands.names import OWN
from bot.standins.faults import Call, Refuse, Stall
from bot.standins.model_calls import ModelCall
from bot.words import Words
from storage.people import person
from tests.support.neighbours import Neighbours, running_bot
from tests.support.waiting import opened, until_found, until_settled
from tests.support.whole_bursts import HELD_OPEN, close_whole

ADA = 501
WORDS = Words()
CORRECTED = "SELECT 1 AS yes FROM messages WHERE text = '/weather in Oslo'"


async def said(around: Neighbours, count: int) -> list[str]:
    """What the bot said, as soon as it said so much."""
    await around.telegram.wait_for_reply(ADA, count)
    return [sent.text for sent in around.seen_by(ADA)]


def press(around: Neighbours, data: str, *, message_id: int = 77) -> None:
    person = {"id": ADA, "is_bot": False, "first_name": "Ada", "language_code": "en"}
    message = {"message_id": message_id, "date": 1, "chat": {"id": ADA, "type": "private"}}
    query: dict[str, Any] = {"id": "1", "from": person, "chat_instance": "1", "data": data}
    around.telegram.push({"callback_query": {**query, "message": message}})


async def test_what_can_be_asked_is_said_in_the_persons_language(around: Neighbours) -> None:
    async with running_bot(around.settings(canned_answers={"hours": "We are open 9-17."})):
        around.telegram.say(ADA, "/start from-a-link", language_code="ko")
        around.telegram.say(ADA, "/help")
        around.telegram.say(ADA, "/hours")
        around.telegram.say(ADA, "/privacy")
        texts = await said(around, 4)
    assert WORDS.say("start", "ko") in texts
    assert WORDS.say("privacy", "ko") in texts
    assert "We are open 9-17." in texts
    [listed] = [text for text in texts if "/forget" in text and "/hours" in text]
    assert WORDS.say("command-forget", "ko") in listed
    assert around.model.calls == []
    async with opened(around.database_url) as db:
        assert (await person(db, ADA)).start_payload == "from-a-link"


async def test_an_unknown_command_or_one_for_another_bot_is_a_message(around: Neighbours) -> None:
    async with running_bot(around.settings(**HELD_OPEN)):
        around.telegram.say(ADA, "/weather in Oslo")
        around.telegram.say(ADA, "/help@another_bot")
        await close_whole(around.database_url)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert "/weather in Oslo" in reply.text
    assert "/help@another_bot" in reply.text


async def test_a_long_list_of_commands_comes_in_parts(around: Neighbours) -> None:
    canned = {f"answer_{number}": "We are open from nine to five. " * 8 for number in range(40)}
    async with running_bot(around.settings(canned_answers=canned)):
        around.telegram.say(ADA, "/help")
        lines = "\n".join(await said(around, 3)).splitlines()
    listed = [line.partition(" ")[0] for line in lines if line.startswith("/")]
    assert listed == [f"/{name}" for name in (*OWN, *canned)]


async def test_words_after_a_slash_can_be_corrected_and_a_command_cannot(
    around: Neighbours,
) -> None:
    async with running_bot(around.settings(**HELD_OPEN)):
        asked = around.telegram.say(ADA, "/weather in Olso")
        privacy = around.telegram.say(ADA, "/privacy")
        await said(around, 1)
        around.telegram.edit(ADA, privacy, "/export")
        around.telegram.edit(ADA, asked, "/weather in Oslo")
        await until_found(around.database_url, CORRECTED)
        await close_whole(around.database_url, 1)
        reply = (await said(around, 2))[-1]
        await until_settled(around.database_url)
    assert "/weather in Oslo" in reply
    assert "Olso" not in reply
    assert len(around.seen_by(ADA)) == 2


async def test_a_stop_cancels_the_call_and_nothing_of_it_comes(around: Neighbours) -> None:
    around.model.delay = 30
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "first")
        await around.model.wait_for_calls(1)
        around.telegram.say(ADA, "/stop")
        assert await said(around, 1) == [WORDS.say("stop-done", "en")]
        around.model.delay = 0
        around.telegram.say(ADA, "second")
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    assert [call.outcome for call in around.model.calls] == ["cancelled", "answered"]
    reply = around.seen_by(ADA)[1].text
    assert "second" in reply
    assert "first" not in reply


async def test_a_retry_asks_again_with_the_history(around: Neighbours) -> None:
    async with running_bot(around.settings(debounce_quiet_seconds=2)):
        around.telegram.say(ADA, "/retry")
        assert await said(around, 1) == [WORDS.say("retry-nothing", "en")]
        around.telegram.say(ADA, "tell me a joke")
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
        around.telegram.say(ADA, "/retry")
        await around.telegram.wait_for_reply(ADA, 3)
        await until_settled(around.database_url)
    asked = [message["content"] for message in around.model.calls[-1].messages]
    assert "tell me a joke" in asked
    assert asked[-1] == WORDS.say("retry-asks", "en")


async def test_settings_are_chosen_by_buttons(around: Neighbours) -> None:
    async with running_bot(around.settings()), opened(around.database_url) as db:
        around.telegram.say(ADA, "/settings")
        assert await said(around, 1) == [WORDS.say("settings", "en")]
        press(around, "language:ru")
        press(around, "streaming:off")
        press(around, "language:xx")
        press(around, "what:else")
        await until_found(
            around.database_url, "SELECT 1 AS yes FROM people WHERE wants_streaming = false"
        )
        assert (await person(db, ADA)).speaks == "ru"
        around.telegram.say(ADA, "/stop")
        assert (await said(around, 2))[1] == WORDS.say("stop-nothing", "ru")
        press(around, "language:auto")
        await until_found(
            around.database_url, "SELECT 1 AS yes FROM people WHERE chosen_language IS NULL"
        )


async def test_who_does_not_want_to_see_drafts_sees_typing(around: Neighbours) -> None:
    async def until_typing(_call: ModelCall) -> None:
        await around.telegram.wait_for_calls("sendChatAction")

    async with running_bot(around.settings()):
        around.telegram.say(ADA, "/settings")
        await said(around, 1)
        press(around, "streaming:off")
        await until_found(
            around.database_url, "SELECT 1 AS yes FROM people WHERE wants_streaming = false"
        )
        around.model.hook = until_typing
        around.telegram.say(ADA, "first")
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    calls = around.telegram.call_counts
    assert calls["sendMessageDraft"] + calls["sendRichMessageDraft"] == 0


async def test_telegram_learns_of_the_commands_in_every_language(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        await around.telegram.wait_for_calls("setMyCommands", 1 + len(WORDS.languages))
        around.telegram.say(ADA, "first")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)


async def test_everything_is_forgotten_once_that_is_confirmed(around: Neighbours) -> None:
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "remember this")
        await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
        around.telegram.say(ADA, "/forget")
        assert (await said(around, 2))[1] == WORDS.say("forget-asks", "en")
        press(around, "forget:no")
        press(around, "forget:yes")
        await until_found(
            around.database_url,
            "SELECT 1 AS yes WHERE NOT EXISTS (SELECT FROM conversations)",
        )
        around.telegram.say(ADA, "who am I?")
        await around.telegram.wait_for_reply(ADA, 3)
        await until_settled(around.database_url)
        press(around, "forget:yes")
        around.telegram.say(ADA, "/export")
        exported = await export_of(around, 4)
    assert [each["text"] for each in exported["messages"]] == ["who am I?"]
    assert "remember this" not in str(exported)
    assert "remember this" not in str(around.model.calls[-1].messages)


async def test_an_export_is_a_file_with_everything_of_the_person_and_nobody_else(
    around: Neighbours,
) -> None:
    async with running_bot(around.settings(tools=("bot.tools.contacts",))):
        around.telegram.say(ADA, "/start from-a-link", language_code="es")
        await around.telegram.wait_for_reply(ADA)
        around.telegram.say(ADA, "«привет», 안녕")
        around.telegram.say(502, "a secret of Bob's")
        for chat_id, count in ((ADA, 2), (502, 1)):
            await around.telegram.wait_for_reply(chat_id, count)
        await until_settled(around.database_url)
        around.telegram.say(ADA, "/export")
        exported = await export_of(around, 3)
    [sent] = [each for each in around.seen_by(ADA) if each.document]
    assert sent.text == WORDS.say("export-caption", "es")
    assert [each["text"] for each in exported["messages"]] == ["«привет», 안녕"]
    assert [each["text"] for each in exported["replies"]] == [around.seen_by(ADA)[1].text]
    [preferences] = exported["preferences"]
    assert (preferences["language"], preferences["start_payload"]) == ("es", "from-a-link")
    assert "Bob" not in str(exported)


@pytest.mark.parametrize(
    "refusal",
    [
        Refuse(429, "Too Many Requests: retry after 1", retry_after=1),
        Refuse(502, "Bad Gateway", raw_body=b"<html></html>", content_type="text/html"),
    ],
    ids=["too early", "not there"],
)
async def test_a_reply_to_a_command_that_telegram_did_not_take_is_sent_once_more(
    around: Neighbours, refusal: Refuse
) -> None:
    answers = [refusal]

    async def hook(call: Call) -> Refuse | Stall | None:
        return answers.pop() if call.method == "sendMessage" and answers else None

    around.telegram.hook = hook
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "/privacy")
        assert await said(around, 1) == [WORDS.say("privacy", "en")]


async def export_of(around: Neighbours, count: int) -> dict[str, Any]:
    """The file that is the message of that number, read as a person would."""
    sent = (await around.telegram.wait_for_reply(ADA, count))[-1]
    assert sent.document
    exported: dict[str, Any] = json.loads(sent.document.data)
    return exported
