"""Tools through real HTTP, with a model that calls them by itself."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.neighbours import Neighbours, running_bot
from tests.support.surroundings import ROOT
from tests.support.waiting import rows_of, until_found, until_settled
from tests.support.whole_bursts import HELD_OPEN, close_whole

README = ROOT / "README.md"

ADA = 501
SHIPPED = "bot.tools.contacts,bot.tools.reminders"
CONTACT = """
SELECT DISTINCT ON (kind) kind, value FROM contact_facts WHERE chat_id = 501
ORDER BY kind, saved_at DESC
"""
EFFECTS = "SELECT tool, state FROM effects ORDER BY burst, place"
POSTED = "SELECT 1 FROM reminders WHERE state = 'posted'"
REMINDER_RUNS = "SELECT state FROM runs WHERE kind = 'reminder' AND ended_at IS NOT NULL"


async def contact(around: Neighbours) -> dict[str, str]:
    return {row.kind: row.value for row in await rows_of(around.database_url, CONTACT)}


async def test_a_phone_number_and_an_address_in_two_messages_are_one_record(
    around: Neighbours,
) -> None:
    async with running_bot(around.settings(tools=SHIPPED, **HELD_OPEN)):
        around.telegram.say(ADA, "+44 20 7183 8750")
        around.telegram.say(ADA, "ada@example.org")
        await close_whole(around.database_url)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert await contact(around) == {"email": "ada@example.org", "phone": "+442071838750"}
    assert "Saved contact: email ada@example.org, phone +442071838750" in reply.text
    assert [tuple(row) for row in await rows_of(around.database_url, EFFECTS)] == [
        ("save_contact", "done")
    ]


async def test_the_example_of_the_readme(
    around: Neighbours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = README.read_text().partition("    # restaurant.py\n")[2].partition("\n\nPut it")[0]
    (tmp_path / "restaurant.py").write_text(dedent(example))
    monkeypatch.syspath_prepend(str(tmp_path))
    async with running_bot(around.settings(tools="restaurant", **HELD_OPEN)):
        around.telegram.say(ADA, 'call book_table {"day": "2030-01-31"}')
        around.telegram.say(ADA, "call opening_hours")
        await close_whole(around.database_url)
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert "A table for 2 is booked on 2030-01-31." in reply.text
    assert "daily from 18:00" in reply.text


async def test_they_may_come_in_two_bursts_and_be_corrected(around: Neighbours) -> None:
    async with running_bot(around.settings(tools=SHIPPED)):
        for number, text in enumerate(
            ("My phone: +44 20 7183 8750", "ada@example.org", "no, countess@example.org"), 1
        ):
            around.telegram.say(ADA, text)
            await around.telegram.wait_for_reply(ADA, number)
        await until_settled(around.database_url)
    assert await contact(around) == {"email": "countess@example.org", "phone": "+442071838750"}


async def test_an_invalid_number_is_told_and_not_saved(around: Neighbours) -> None:
    async with running_bot(around.settings(tools=SHIPPED)):
        around.telegram.say(ADA, "call 555 0134")
        [reply] = await around.telegram.wait_for_reply(ADA)
        await until_settled(around.database_url)
    assert "no phone number in international format" in reply.text
    assert await contact(around) == {}


async def test_a_second_message_after_the_tool_acted_makes_no_second_effect(
    around: Neighbours,
) -> None:
    async def hook(_call: object) -> None:
        if len(around.model.calls) == 2:
            around.telegram.say(ADA, "that is all")
            await until_found(around.database_url, "SELECT 1 FROM messages WHERE seq = 2")

    around.model.hook = hook
    async with running_bot(around.settings(tools=SHIPPED)):
        around.telegram.say(ADA, "remind me in 3 hours to drink tea")
        await until_found(around.database_url, "SELECT 1 FROM messages WHERE seq = 2")
        await until_settled(around.database_url)
    assert len(around.seen_by(ADA)) == 1
    assert [tuple(row) for row in await rows_of(around.database_url, EFFECTS)] == [
        ("remind_me", "done")
    ]
    assert len(await rows_of(around.database_url, "SELECT 1 FROM reminders")) == 1


async def test_a_reminder_comes_when_it_is_due_and_later_bursts_are_answered(
    around: Neighbours,
) -> None:
    async with running_bot(around.settings(tools=SHIPPED)):
        around.telegram.say(ADA, "remind me in 1 second to drink tea")
        await until_found(around.database_url, REMINDER_RUNS)
        around.telegram.say(ADA, "thanks")
        await around.telegram.wait_for_reply(ADA, 3)
        await until_settled(around.database_url)
    texts = [sent.text for sent in around.seen_by(ADA)]
    assert texts[1] == "⏰ drink tea"
    assert "thanks" in texts[2]


async def test_a_reminder_to_somebody_who_blocked_the_bot(around: Neighbours) -> None:
    async with running_bot(around.settings(tools=SHIPPED)):
        around.telegram.say(ADA, "remind me in 1 second to drink tea")
        await around.telegram.wait_for_reply(ADA)
        around.telegram.block(ADA)
        [run] = await until_found(around.database_url, REMINDER_RUNS)
        around.telegram.say(ADA, "back again")
        await around.telegram.wait_for_reply(ADA, 2)
        await until_settled(around.database_url)
    assert run.state == "undeliverable"
    assert not any("⏰" in sent.text for sent in around.seen_by(ADA))
