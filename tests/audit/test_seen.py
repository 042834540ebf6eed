"""What people saw, held against what the database says they saw."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.standins.faults import Call, DropAfter, Fault
from bot.standins.replies import NEW_MESSAGES, Sent
from storage.database import Database
from tests.support.acts import ADA
from tests.support.neighbours import Neighbours, running_bot
from tests.support.one_of_each import ada_is_answered
from tests.support.said import ONLY_PRIVATE
from tests.support.seen import Comparison, Said, all_said, audit_seen
from tests.support.waiting import opened, until_settled
from tests.support.whole_bursts import HELD_OPEN, closed_when_whole

SAID = [Said(ADA.chat_id, 0, number, f"text {number}") for number in (1, 2, 3)]
NAMED = "UPDATE outbox SET message_id = 100 * run + part RETURNING part"


def saw(message_id: int, text: str) -> Sent:
    return Sent(ADA.chat_id, 0, message_id, text, "sendMessage", 0.0, {})


ONE, TWO, SORRY = saw(201, "one"), saw(202, "two"), saw(301, "sorry")
ALL = [ONE, TWO, SORRY]


async def compared(
    db: Database,
    *changes: str,
    seen: Sequence[Sent] = ALL,
    said: Sequence[Said] = SAID,
    echoes: bool = False,
) -> Comparison:
    await ada_is_answered(db)
    for change in (NAMED, *changes):
        await db.fetch(change, {})
    return await audit_seen(db, said, seen, echoes=echoes)


async def test_no_complaint_where_all_is_well(db: Database) -> None:
    notice = replace(saw(400, ONLY_PRIVATE), chat_id=-1)
    assert await compared(db, seen=[*ALL, notice]) == Comparison((), 0)


@pytest.mark.parametrize(
    ("seen", "complaint"),
    [
        ([ONE, SORRY], "part 2 of run 2 of chat 501 (sent) says sent and was not seen"),
        (
            [*ALL, saw(401, "two")],
            "part 2 of run 2 of chat 501 (sent) seen 1 times more than recorded, 0 were possible",
        ),
        ([*ALL, saw(401, "why")], "chat 501 saw 1 times what is not in the outbox: 'why'"),
        (
            [*ALL, *[replace(saw(number, ONLY_PRIVATE), chat_id=-1) for number in (401, 402)]],
            f"chat -1 saw 2 times what is not in the outbox: '{ONLY_PRIVATE[:60]}'",
        ),
        (
            [saw(201, "two"), TWO, SORRY],
            "part 1 of run 2 of chat 501 (sent) is not what was seen as message 201",
        ),
    ],
)
async def test_what_was_seen_and_recorded_differ(
    db: Database, seen: Sequence[Sent], complaint: str
) -> None:
    assert (await compared(db, seen=seen)).complaints == (complaint,)


@pytest.mark.parametrize(
    ("state", "attempts", "times", "resent", "is_well"),
    [
        ("sent", 2, 2, 1, True),
        ("sent", 2, 3, 2, False),
        ("unconfirmed", 1, 1, 0, True),
        ("unconfirmed", 1, 0, 0, True),
        ("unconfirmed", 2, 2, 1, True),
        ("unconfirmed", 1, 2, 1, False),
        ("refused", 1, 1, 0, False),
        ("refused", 2, 1, 0, True),
    ],
)
async def test_a_part_is_seen_as_often_as_it_may_be(
    db: Database, state: str, attempts: int, times: int, resent: int, *, is_well: bool
) -> None:
    message_id = 301 if state == "sent" else "NULL"
    change = (
        f"UPDATE outbox SET state = '{state}', attempts = {attempts}, message_id = {message_id} "  # noqa: S608
        "WHERE run = 3 RETURNING part"
    )
    copies = [SORRY, saw(401, "sorry"), saw(402, "sorry")][:times]
    found = await compared(db, change, seen=[ONE, TWO, *copies])
    assert (not found.complaints, found.resent) == (is_well, resent)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ([*SAID, Said(501, 0, 9, "hello?")], "message 9 of chat 501 was lost"),
        (SAID[:2], "message 3 of chat 501 was never said"),
        (
            [*SAID[:2], replace(SAID[2], text="text 4")],
            "message 3 of chat 501 was stored as something else",
        ),
    ],
)
async def test_what_was_said_and_stored_differ(
    db: Database, said: Sequence[Said], complaint: str
) -> None:
    assert (await compared(db, said=said)).complaints == (complaint,)


@pytest.mark.parametrize(("change", "times"), [("first_seq = 2", 0), ("last_seq = 3", 2)])
async def test_a_message_in_no_range_or_two_is_told(db: Database, change: str, times: int) -> None:
    sql = f"UPDATE runs SET {change} WHERE number = 2 RETURNING number"  # noqa: S608
    [complaint] = (await compared(db, sql)).complaints
    assert complaint.endswith(f"was answered {times} times")


async def test_a_reply_that_leaves_a_message_out_is_told(db: Database) -> None:
    assert (await compared(db, echoes=True)).complaints == (
        "message 1 of chat 501 is not in the reply of run 2",
        "message 2 of chat 501 is not in the reply of run 2",
    )


async def test_two_parts_with_one_message_are_told(db: Database) -> None:
    change = "UPDATE outbox SET message_id = 201 WHERE run = 2 RETURNING part"
    found = (await compared(db, change, seen=[ONE, SORRY])).complaints
    assert found == ("part 2 of run 2 of chat 501 (sent) has another's message id",)


@pytest.mark.parametrize(("policy", "resent"), [("balanced", 0), ("resend", 1)])
async def test_the_bot_at_work_is_as_seen(around: Neighbours, policy: str, resent: int) -> None:
    faults: list[Fault] = [DropAfter()]

    async def once(call: Call) -> Fault | None:
        return faults.pop() if faults and call.method in NEW_MESSAGES else None

    around.telegram.hook = once
    said = ("hello", "are you\n there?", " ")
    async with (
        running_bot(around.settings(on_uncertain_delivery=policy, **HELD_OPEN)),
        closed_when_whole(around.database_url, len(said)),
    ):
        for chat_id in (501, 502):
            for text in said:
                around.telegram.say(chat_id, text)
        await around.model.wait_for_calls(2)
        await until_settled(around.database_url)
    async with opened(around.database_url) as db:
        found = await audit_seen(db, all_said(around.telegram), around.telegram.sent)
    assert found == Comparison((), resent)
