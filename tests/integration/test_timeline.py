"""The story of a burst: every event in words, and the answer to why it came twice or not at all."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from bot.story.verdict import verdict
from bot.story.words import WORDS, in_words
from bot.timeline import as_json_text, as_text, tell_story
from storage import deliveries, leases, outbox
from storage.database import Database
from storage.records import ConversationKey, PartState
from storage.story import Story, Unknown, story_of
from tests.support.acts import ADA, BOB
from tests.support.neighbours import Neighbours, running_bot
from tests.support.past import Past
from tests.support.waiting import until_found

PROOF = "0faf9240-3dfa-4317-8c5e-faff26bc6868/4026531836/2634750"
ANSWERED = "SELECT 1 FROM conversations WHERE answered_seq = 1"
CERTAIN_TO_BE_THERE = (
    "received",
    "run_generating",
    "run_committed",
    "part_started",
    "part_sent",
    "run_sent",
)
SHOW_PICTURES = """
UPDATE messages SET text = '[sent a photo]', attachments = jsonb_build_array(seq) RETURNING 1
"""


async def story(past: Past, burst: int | None = None, *, at: float) -> Story:
    return await story_of(past.db, past.key, burst, now=past.after(at))


def told(found: Story) -> list[str]:
    return [in_words(event) for event in found.events]


async def the_verdict(past: Past, burst: int | None = None, *, at: float) -> list[str]:
    return verdict(await story(past, burst, at=at))


async def test_a_burst_from_its_first_message_to_the_watermark(db: Database) -> None:
    past = Past(db)
    await past.superseded(101, 102, at=0)
    taken = await past.take("b", at=5)
    run = await past.commit(taken, at=6, parts=["one", "two"])
    await past.send(taken, run, at=7)
    await past.finish(taken, run, at=8)
    found = await story(past, at=9)
    assert told(found) == [
        "message 1 (id 101, 8 characters); window opened: closes in 2.0 s, at the latest in 10.0 s",
        "lease taken by a, fence 1: run 1 for message 1",
        "message 2 (id 102, 8 characters); window opened: closes in 2.0 s, at the latest in 10.0 s",
        "run 1 superseded by message 2",
        "lease taken by b, fence 2: run 2 for messages 1 to 2 (1 run superseded before it)",
        "run 2: reply committed to the outbox (2 parts, 7 characters)",
        "run 2: part 1 started by b",
        "run 2: part 1 sent: message id 901",
        "run 2: part 2 started by b",
        "run 2: part 2 sent: message id 902",
        "run 2 sent, 8.0 s after the first message; watermark 2",
    ]
    assert verdict(found) == [
        "Answered: one reply in 2 parts covers messages 1 to 2, 8.0 s after the first message."
    ]


async def test_what_each_message_does_to_the_window(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    await past.say(2, 3, at=1)
    for turn in range(5):
        await past.say(10 + turn, at=2.5 + 1.5 * turn)
    await past.say(30, at=9)
    await past.say(31, at=11)
    lines = [line.partition("; ")[2] for line in told(await story(past, at=12))]
    assert lines[0].startswith("window opened")
    assert lines[1] == "window moved: closes in 2.0 s, at the latest in 9.0 s"
    assert lines[-2] == "window at its cap: closes in 1.0 s, whatever comes"
    assert lines[-1].startswith("joined late")


async def test_a_part_that_was_started_twice(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("A", at=2)
    run = await past.commit(taken, at=3)
    await past.start_part(taken, run, 1, at=4)
    again = await past.take("B", at=100)
    await past.send(again, run, at=101)
    await past.finish(again, run, at=102)
    found = await story(past, at=103)
    assert "lease taken by B, to deliver what is left of run 1" in told(found)
    assert "run 1: part 1 started by B, for the second time" in told(found)
    assert verdict(found)[1] == (
        "Part 1 may have come twice: it was started twice. A died, or lost its lease, before it "
        "could record the answer, so B sent it again."
    )


async def test_a_start_that_one_holder_noted_twice(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("A", at=2)
    run = await past.commit(taken, at=3)
    await past.start_part(taken, run, 1, at=4)
    await past.send(taken, run, at=5)
    [_, twice] = await the_verdict(past, at=6)
    assert twice.startswith("Part 1 may have come twice: A noted twice that it starts.")


async def test_a_part_that_was_sent_again_in_doubt(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    for reason, holder in (("TelegramNetworkError", "a"), ("too many requests", "b"), ("", "c")):
        at = {"a": 2, "b": 20, "c": 40}[holder]
        taken = await past.take(holder, at=at)
        run = taken.work.run if holder != "a" else await past.commit(taken, at=3)
        if not reason:
            await past.send(taken, run, at=at)
            await past.finish(taken, run, at=at)
            break
        await past.start_part(taken, run, 1, at=at)
        await record(past, holder, run.number, "pending", at=at)
        assert await deliveries.postpone_delivery(
            db, taken.lease, delay=timedelta(seconds=5), reason=reason, now=past.after(at)
        )
    [_, doubt] = await the_verdict(past, at=50)
    assert doubt == (
        'Part 1 was sent again after "TelegramNetworkError". If the first request did reach '
        "Telegram, it came twice (see ON_UNCERTAIN_DELIVERY)."
    )


async def record(past: Past, holder: str, run: int, state: PartState, *, at: float) -> None:
    kind = {"pending": "part_postponed", "unconfirmed": "part_unconfirmed"}[state]
    payload = {"part": 1, "attempts": 1, "message_id": None, "length": 3}
    await past.tell(kind, payload, at=at, burst=1, run=run, holder=holder)


async def test_a_part_that_may_be_missing(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("a", at=2)
    run = await past.commit(taken, at=3)
    await past.start_part(taken, run, 1, at=4)
    await outbox.record_part(db, taken.lease, run, 1, state="unconfirmed", now=past.after(5))
    await past.finish(taken, run, at=6)
    assert (await the_verdict(past, at=7))[1].startswith("Part 1 may be missing")


async def test_one_message_under_two_ids(db: Database) -> None:
    past = Past(db)
    await past.say(101, at=0)
    await db.fetch("UPDATE messages SET text = 'text 102' WHERE seq = 1 RETURNING 1", {})
    await past.answered(102, at=1)
    said = await the_verdict(past, at=7)
    assert said[1].startswith("Messages 1 and 2 say the same, 1.0 s apart, under two ids (101 and")


async def test_the_pictures_of_an_album_are_not_the_same(db: Database) -> None:
    past = Past(db)
    await past.say(101, at=0)
    await past.answered(102, at=1)
    await db.fetch(SHOW_PICTURES, {})
    assert not any("say the same" in sentence for sentence in await the_verdict(past, at=7))
    await Past(db, BOB).answered(102, at=1)
    assert len(await the_verdict(Past(db, BOB), at=7)) == 1


async def late(db: Database) -> Past:
    """Message 2 comes while the run for message 1 is final."""
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("a", at=61)
    await past.say(2, at=62)
    run = await past.commit(taken, at=62.5)
    await past.say(3, at=63)
    await past.send(taken, run, at=63)
    await past.finish(taken, run, at=63.5)
    return past


async def test_messages_of_a_final_run_belong_to_the_next_burst(db: Database) -> None:
    past = await late(db)
    first = await story(past, 1, at=64)
    assert (first.burst.first, first.burst.last) == (1, 1)
    assert [each.first for each in first.others] == [2]
    assert verdict(first)[1:] == [
        "Too late for this reply came messages 2 to 3: that is burst 2, with a reply of its own."
    ]
    second = await story(past, at=64)
    assert (second.burst.first, second.burst.last) == (2, 3)
    assert [line.split()[1] for line in told(second)] == ["2", "3"]
    assert verdict(second) == ["Nothing came yet: the window is still open for 1.0 s."]


async def test_a_burst_before_it_is_still_being_answered(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    await past.take("a", at=61)
    await past.say(2, at=62)
    found = await story(past, at=63)
    assert found.burst.first == 2
    assert verdict(found) == ["Nothing came yet: burst 1 is before it, and still being answered."]


async def test_it_waits_for_a_retry(db: Database) -> None:
    past = Past(db)
    await past.postponed(1, at=0)
    found = await story(past, at=5)
    assert told(found)[-1] == 'run 1 postponed after "HTTP 503": due again in 12.0 s'
    assert verdict(found) == ['Nothing came yet: it waits for a retry in 10.0 s after "HTTP 503".']
    assert verdict(await story(past, at=20)) == [
        "Nothing came yet: it is due since 5.0 s, and nobody took it. Is a bot running?"
    ]


async def test_somebody_holds_the_lease(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("a", at=2)
    [held] = await the_verdict(past, at=5)
    assert held == (
        "Nothing came yet: a holds the lease until 12:00:32 (for 27.0 s more, unless it renews it) "
        "and is at run 1."
    )
    assert "has let its lease run out at 12:00:32" in (await the_verdict(past, at=33))[0]
    await past.commit(taken, at=6)
    assert "delivering run 1" in (await the_verdict(past, at=7))[0]


async def test_a_reply_waits_for_its_delivery(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take("a", at=2)
    await past.commit(taken, at=3)
    assert await deliveries.postpone_delivery(
        db, taken.lease, delay=timedelta(seconds=9), reason="too many requests", now=past.after(4)
    )
    assert await the_verdict(past, at=5) == [
        'Nothing came yet: the reply is ready, and is sent in 8.0 s after "too many requests".'
    ]
    assert "ready since 2.0 s. Is a bot" in (await the_verdict(past, at=15))[0]


async def test_what_nobody_would_see_to(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    await db.fetch("DELETE FROM windows RETURNING 1", {})
    [stranded] = await the_verdict(past, at=5)
    assert stranded.endswith("run `onereply audit`.")
    await db.fetch("UPDATE conversations SET answered_seq = 1 RETURNING 1", {})
    await past.tell("run_generating", {"first_seq": 1, "last_seq": 1}, at=1, burst=1)
    [answered] = await the_verdict(past, at=5)
    assert answered.startswith("It is answered, but")


async def test_the_story_of_a_running_bot(around: Neighbours, db: Database) -> None:
    async with running_bot(around.settings()):
        around.telegram.say(501, "hello")
        await until_found(around.database_url, ANSWERED)
    found = await story_of(db, ADA)
    assert [event.type for event in found.events if event.type in CERTAIN_TO_BE_THERE] == [
        *CERTAIN_TO_BE_THERE
    ]
    assert verdict(found)[0].startswith("Answered: one reply in 1 part covers message 1, ")


async def test_the_chat_blocked_the_bot(db: Database) -> None:
    past = Past(db)
    await past.unreachable(1, at=0)
    assert await the_verdict(past, at=9) == [
        'No whole reply to message 1: "Forbidden: bot was blocked".'
    ]


async def test_the_user_got_an_apology(db: Database) -> None:
    past = Past(db)
    await past.answered(1, at=0, failure="context too long")
    found = await story(past, at=9)
    assert 'an apology for "context too long"' in told(found)[2]
    assert verdict(found) == ['The user got an apology for message 1: "context too long".']


async def test_a_holder_that_died(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    await past.take("A", at=2)
    await past.take("B", at=40)
    await leases.free_leases_of(db, ["B"])
    lines = told(await story(past, at=41))
    assert lines[2] == (
        "run 1 given up for lost, 8.0 s after its lease ran out: A was not heard of again"
    )
    assert lines[-1] == "lease freed: B was found dead on this machine"


async def test_the_model_and_its_tools(db: Database) -> None:
    past = Past(db)
    await past.say(1, at=0)
    called: dict[str, object] = {
        "outcome": "tools",
        "reason": None,
        "first_token_ms": 400,
        "total_ms": 1200,
        "tokens_in": 50,
        "tokens_out": 7,
        "estimated": True,
    }
    happenings: tuple[tuple[str, dict[str, object]], ...] = (
        ("model_called", called),
        ("model_called", {**called, "outcome": "refused", "reason": "x", "first_token_ms": None}),
        ("tool_started", {"tool": "note", "key": "k1", "again": False}),
        ("tool_started", {"tool": "note", "key": "k1", "again": True}),
        ("tool_called", {"tool": "note", "key": "k1", "outcome": "done", "ms": 12}),
        ("tool_called", {"tool": "note", "key": "k1", "outcome": "replayed", "ms": None}),
        ("tool_undone", {"tool": "note", "key": "k1"}),
        ("tool_undo_failed", {"tool": "note", "key": "k", "attempts": 2, "reason": "no"}),
        ("reminder_set", {"number": 1, "due_in_ms": 60_000}),
        ("reminder_cancelled", {"number": 1}),
        ("a_new_kind", {"number": 1}),
    )
    for kind, payload in happenings:
        await past.tell(kind, payload, at=3, burst=1, run=1)
    assert told(await story(past, at=4))[1:] == [
        "run 1: model asked for tools in 1.2 s, first token after 0.4 s, about 50 tokens in, 7 out",
        'run 1: model refused ("x") in 1.2 s, no token came, about 50 tokens in, 7 out',
        "run 1: tool note started, key k1",
        "run 1: tool note started again: how the earlier call ended was never heard, key k1",
        "run 1: tool note done (12 ms), key k1",
        "run 1: tool note not done again: the result of before was used, key k1",
        "tool note undone, key k1",
        'tool note could not be undone (2 attempts, "no"), key k',
        "reminder 1 set, due in 60.0 s",
        "reminder 1 cancelled",
        "a new kind: number 1",
    ]


async def test_the_newest_burst_or_the_one_that_was_asked_for(db: Database) -> None:
    past = Past(db)
    await past.answered(1, 2, at=0)
    await past.answered(3, at=10)
    assert (await story(past, at=20)).burst.first == 3
    assert (await story(past, 1, at=20)).burst.last == 2
    with pytest.raises(Unknown, match="no burst begins with message 2; these do: 1, 3"):
        await story(past, 2, at=20)
    with pytest.raises(Unknown, match="nothing was ever received"):
        await story_of(db, ConversationKey(1, 2))


@pytest.mark.usefixtures("this_database")
async def test_what_it_prints(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    past = Past(db, start=datetime(2026, 11, 30, 9, tzinfo=UTC))
    await past.answered(1, at=0)
    await past.answered(2, at=10)
    assert await tell_story(501, 0, 2, as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "Chat 501, burst 2: message 2, from 2026-11-30 09:00:10 UTC",
        "Other bursts: 1 (2026-11-30 09:00:00 UTC)",
    ]
    assert lines[3].startswith("    +0.000  message 2 (id 2, ")
    assert lines[-3].startswith("    +4.000  run 2 sent")
    assert lines[-1].startswith("Answered: one reply in 1 part covers message 2")
    assert "text" not in "\n".join(lines)


async def test_of_many_other_bursts_it_names_the_nearest(db: Database) -> None:
    past = Past(db, start=datetime(2026, 11, 30, 9, tzinfo=UTC))
    for number in range(1, 10):
        await past.answered(number, at=10 * number)
    _, others, *_ = as_text(past.key, await story(past, 5, at=200))
    assert re.findall(r"(\d+) \(", others) == ["2", "3", "4", "6", "7"]
    assert others.endswith("7 (2026-11-30 09:01:10 UTC), and 3 more")
    _, others, *_ = as_text(past.key, await story(past, at=200))
    assert re.findall(r"(\d+) \(", others) == ["4", "5", "6", "7", "8"]
    assert len(json.loads(as_json_text(past.key, await story(past, at=200)))["other_bursts"]) == 8


async def test_a_process_is_told_by_host_and_pid(db: Database) -> None:
    one, another = f"vm/28652/{PROOF}", f"vm/28711/{PROOF}"
    past = Past(db)
    await past.say(1, at=0)
    taken = await past.take(one, at=2)
    run = await past.commit(taken, at=3)
    await past.start_part(taken, run, 1, at=4)
    again = await past.take(another, at=100)
    found = await story(past, at=101)
    assert verdict(found)[0].startswith("Nothing came yet: vm/28711 holds the lease until")
    assert "vm/28711 was at delivering run 1" in verdict(await story(past, at=300))[0]
    await past.send(again, run, at=101)
    await past.finish(again, run, at=102)
    found = await story(past, at=103)
    text = "\n".join(as_text(past.key, found))
    assert "lease taken by vm/28652, fence 1" in text
    assert "vm/28652 died, or lost its lease" in text
    assert "so vm/28711 sent it again" in text
    assert PROOF not in text
    holders = {each["holder"] for each in json.loads(as_json_text(past.key, found))["events"]}
    assert {one, another} <= holders


@pytest.mark.usefixtures("this_database")
async def test_it_prints_json_for_machines(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    await Past(db).answered(1, at=0)
    assert await tell_story(*ADA, None, as_json=True) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [
        "chat_id",
        "thread_id",
        "burst",
        "last_message",
        "began_at",
        "other_bursts",
        "events",
        "verdict",
    ]
    assert printed["events"][0]["payload"]["message_ids"] == [1]
    assert printed["events"][-1]["offset_ms"] == 4000
    assert {each["type"] for each in printed["events"]} <= set(WORDS)
    assert re.match("Answered: ", printed["verdict"][0])


@pytest.mark.usefixtures("this_database")
async def test_a_chat_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert await tell_story(77, 0, None, as_json=False) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "chat 77, thread 0: nothing was ever received\n"
