"""What a person sees while the answer is being written, from the update to the last draft."""

import pytest

from bot.standins.faults import Call, Refuse
from bot.standins.model_calls import ModelCall
from bot.standins.telegram import TelegramStandIn
from storage.database import Database
from tests.support.facts import assert_guarantees
from tests.support.neighbours import Neighbours, running_bot

ADA, BOB = 501, 502
WORDS = "Once upon a time there was a bot that answered exactly once and never twice at all"


def tell_slowly(around: Neighbours, per_word: float = 1) -> None:
    """So slowly that no answer is told before the test has done what it does meanwhile."""
    around.model.answer = lambda _messages: WORDS
    around.model.per_word = per_word


def tell_after(around: Neighbours, method: str, per_word: float = 0) -> None:
    """Begin to tell when the bot has called that method."""

    async def hook(_call: ModelCall) -> None:
        await around.telegram.wait_for_calls(method)

    tell_slowly(around, per_word)
    around.model.hook = hook


async def drafts_of(telegram: TelegramStandIn, word: str, chat_id: int = ADA) -> list[str]:
    """The drafts up to the first that shows the word."""
    count = 1
    while word not in (drafts := await telegram.wait_for_draft(chat_id, count))[-1].text:
        count += 1
    return [draft.text for draft in drafts]


async def test_a_draft_thinks_and_grows_until_the_reply_takes_its_place(
    around: Neighbours, db: Database
) -> None:
    tell_after(around, "sendMessageDraft", per_word=0.4)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await around.telegram.wait_for_reply(ADA)
    drafts = list(around.telegram.drafts)
    assert drafts[0].text == "", "Thinking…"
    texts = [draft.text for draft in drafts if draft.text]
    assert len(texts) >= 2
    assert all(WORDS.startswith(text) for text in texts)
    assert texts == sorted(texts, key=len)
    assert {draft.draft_id for draft in drafts} == {1}
    assert all(draft.can_stop for draft in drafts)
    assert [sent.text for sent in around.seen_by(ADA)] == [WORDS]
    await assert_guarantees(db)


async def test_the_first_words_are_seen_at_once(
    around: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pace at which drafts follow must not hold up the first."""
    monkeypatch.setattr("bot.sketch.PACE_SECONDS", 600)
    tell_after(around, "sendMessageDraft", per_word=1)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await drafts_of(around.telegram, "Once")
        around.telegram.stop_draft(ADA)
        await around.telegram.wait_for_reply(ADA)


async def test_stop_keeps_what_was_seen(around: Neighbours, db: Database) -> None:
    tell_slowly(around)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        shown = (await drafts_of(around.telegram, "upon"))[-1]
        around.telegram.stop_draft(ADA)
        await around.telegram.wait_for_reply(ADA)
    [sent] = around.seen_by(ADA)
    assert sent.text.startswith(shown)
    assert sent.text != WORDS
    assert around.model.counts["cancelled"] == 1
    await assert_guarantees(db)


async def test_the_draft_of_a_dropped_answer_is_replaced(around: Neighbours, db: Database) -> None:
    tell_slowly(around)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await drafts_of(around.telegram, "Once")
        around.model.per_word = 0
        around.telegram.say(ADA, "a short one")
        await around.telegram.wait_for_reply(ADA)
    assert {draft.draft_id for draft in around.telegram.drafts} == {1}
    assert [sent.text for sent in around.seen_by(ADA)] == [WORDS]
    await assert_guarantees(db)


@pytest.mark.parametrize("status", [400, 404], ids=["refused", "an old server"])
async def test_where_drafts_are_refused_there_is_typing(around: Neighbours, status: int) -> None:
    async def hook(call: Call) -> Refuse | None:
        return Refuse(status, "no drafts") if call.method.endswith("Draft") else None

    around.telegram.hook = hook
    tell_after(around, "sendChatAction")
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await around.telegram.wait_for_reply(ADA)
    assert [sent.text for sent in around.seen_by(ADA)] == [WORDS]


async def test_an_answer_too_long_for_a_rich_draft_leaves_others_theirs(
    around: Neighbours,
) -> None:
    async def hook(call: Call) -> Refuse | None:
        is_too_long = call.method == "sendRichMessageDraft" and call.params["chat_id"] == str(ADA)
        return Refuse(400, "Bad Request: RICH_MESSAGE_TOO_LONG") if is_too_long else None

    around.telegram.hook = hook
    tell_slowly(around)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await drafts_of(around.telegram, "Once")
        around.telegram.say(BOB, "me too")
        await drafts_of(around.telegram, "Once", BOB)
        for chat in (ADA, BOB):
            around.telegram.stop_draft(chat)
            await around.telegram.wait_for_reply(chat)
    methods = {(draft.chat_id, draft.method) for draft in around.telegram.drafts if draft.text}
    assert methods == {(ADA, "sendMessageDraft"), (BOB, "sendRichMessageDraft")}


async def test_an_old_server_is_asked_for_rich_drafts_once(around: Neighbours) -> None:
    async def hook(call: Call) -> Refuse | None:
        is_new = call.method == "sendRichMessageDraft"
        return Refuse(404, "Not Found: method not found") if is_new else None

    around.telegram.hook = hook
    tell_slowly(around)
    async with running_bot(around.settings()):
        for chat in (ADA, BOB):
            around.telegram.say(chat, "tell me a story")
            await drafts_of(around.telegram, "Once", chat)
            around.telegram.stop_draft(chat)
            await around.telegram.wait_for_reply(chat)
    assert around.telegram.call_counts["sendRichMessageDraft"] == 1
    assert {draft.method for draft in around.telegram.drafts} == {"sendMessageDraft"}


async def test_drafts_slow_down_when_told_to(around: Neighbours) -> None:
    refused: list[str] = []

    async def hook(call: Call) -> Refuse | None:
        if not call.method.endswith("Draft") or refused:
            return None
        refused.append(call.method)
        return Refuse(429, "Too Many Requests: retry after 1", retry_after=1)

    around.telegram.hook = hook
    tell_after(around, "sendMessageDraft", per_word=0.15)
    async with running_bot(around.settings()):
        around.telegram.say(ADA, "tell me a story")
        await around.telegram.wait_for_reply(ADA)
    assert len(refused) == 1
    assert [sent.text for sent in around.seen_by(ADA)] == [WORDS]


async def test_streaming_can_be_turned_off(around: Neighbours) -> None:
    tell_after(around, "sendChatAction")
    async with running_bot(around.settings(streaming=False)):
        around.telegram.say(ADA, "tell me a story")
        await around.telegram.wait_for_reply(ADA)
    assert not around.telegram.drafts
    assert [sent.text for sent in around.seen_by(ADA)] == [WORDS]


async def test_an_edit_changes_what_is_answered(around: Neighbours, db: Database) -> None:
    around.model.delay = 300
    async with running_bot(around.settings()):
        number = around.telegram.say(ADA, "a tabel for two")
        await around.model.wait_for_calls(1)
        around.model.delay = 0
        around.telegram.edit(ADA, number, "a table for two")
        await around.telegram.wait_for_reply(ADA)
        around.telegram.edit(ADA, number, "a table for three")
        around.telegram.say(ADA, "thanks")
        await around.telegram.wait_for_reply(ADA, 2)
    first, second = around.seen_by(ADA)
    assert "a table for two" in first.text
    assert "tabel" not in first.text
    assert "thanks" in second.text
    assert "a table for three" in str(around.model.calls[-1].messages), "the history is corrected"
    await assert_guarantees(db)
