"""Drafts: what shows in a chat while the bot is writing, until when, and the stop button."""

import pytest
from aiogram.types import InputRichMessage

from bot.standins.telegram import TelegramStandIn
from tests.support.standin_bot import ADA, StandInBot


def shown(telegram: TelegramStandIn) -> str | None:
    draft = telegram.draft_in(ADA)
    return None if draft is None else draft.text


async def test_next_draft_replaces_the_last_and_a_message_ends_it(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    assert await made.bot.send_message_draft(ADA, 5)
    assert shown(telegram) == ""
    await made.bot.send_message_draft(ADA, 5, text="Hel", message_thread_id=3)
    await made.bot.send_rich_message_draft(ADA, 6, InputRichMessage(markdown="**Hello**"))
    assert shown(telegram) == "**Hello**"
    telegram.say(ADA, "does not end it")
    await made.bot.send_chat_action(ADA, "typing")
    assert shown(telegram) == "**Hello**"
    await made.bot.send_message(ADA, "Hello")
    assert shown(telegram) is None
    written = await telegram.wait_for_draft(ADA, 3)
    assert [(draft.draft_id, draft.text, draft.thread_id) for draft in written] == [
        (5, "", 0),
        (5, "Hel", 3),
        (6, "**Hello**", 0),
    ]
    assert [draft.method for draft in written][1:] == ["sendMessageDraft", "sendRichMessageDraft"]
    assert written[-1].rich == {"markdown": "**Hello**"}
    assert [seen.text for seen in telegram.sent] == ["Hello"]
    with pytest.raises(TimeoutError, match="3 of 4 drafts"):
        await telegram.wait_for_draft(ADA, 4, timeout=0)


async def test_draft_goes_by_itself(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.keep_drafts_for(0)
    with telegram.subscribe() as happenings:
        await made.bot.send_message_draft(ADA, 5, text="Hel", can_stop=True)
        first, gone = await anext(happenings), await anext(happenings)
    assert first.detail["draft"]["can_stop"]
    assert (gone.kind, gone.detail) == ("draft", {"draft": None})
    assert shown(telegram) is None


async def test_stop(telegram: TelegramStandIn, made: StandInBot) -> None:
    with pytest.raises(LookupError):
        telegram.stop_draft(ADA)
    await made.bot.send_message_draft(ADA, 5, text="Hel")
    with pytest.raises(LookupError):
        telegram.stop_draft(ADA)
    await made.bot.send_message_draft(ADA, 6, text="Hello", can_stop=True, message_thread_id=3)
    assert telegram.stop_draft(ADA) == 6
    assert shown(telegram) is None
    stopped = (await made.update()).stopped_message_generation
    assert stopped is not None
    assert (stopped.chat.id, stopped.draft_id, stopped.message_thread_id) == (ADA, 6, 3)


async def test_kept_draft_can_be_stopped_but_once(
    telegram: TelegramStandIn, made: StandInBot
) -> None:
    await made.bot.send_message_draft(ADA, 6, text="Hello", can_stop=True, keep_on_stop=True)
    telegram.stop_draft(ADA)
    assert shown(telegram) == "Hello"
    with pytest.raises(LookupError):
        telegram.stop_draft(ADA)
    assert len(await made.updates()) == 1


async def test_stop_is_told_only_who_asked(telegram: TelegramStandIn, made: StandInBot) -> None:
    await made.bot.get_updates(allowed_updates=["message"])
    await made.bot.send_message_draft(ADA, 6, text="Hello", can_stop=True)
    telegram.stop_draft(ADA)
    assert await made.updates() == []


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"draft_id": 0}, "Bad Request: RANDOM_ID_INVALID"),
        ({}, "Bad Request: RANDOM_ID_INVALID"),
        ({"draft_id": 1, "chat_id": -5}, "Bad Request: TEXTDRAFT_PEER_INVALID"),
        ({"draft_id": 1, "chat_id": 99}, "Bad Request: chat not found"),
        ({"draft_id": 1, "text": "a" * 4097}, "Bad Request: message is too long"),
    ],
)
async def test_draft_refused(made: StandInBot, params: dict[str, object], complaint: str) -> None:
    made.telegram.open_chat(-5, "Group")
    assert await made.refusal("sendMessageDraft", **{"chat_id": ADA, **params}) == complaint
    assert list(made.telegram.drafts) == []


async def test_blocked(telegram: TelegramStandIn, made: StandInBot) -> None:
    telegram.block(ADA)
    said = await made.refusal("sendMessageDraft", chat_id=ADA, draft_id=1)
    assert said == "Forbidden: bot was blocked by the user"
