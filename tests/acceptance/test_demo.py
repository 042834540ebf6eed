"""The demonstration as a person starts it, and its verdict on endings it must not accept."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.demo.timeline import Timeline
from bot.demo.verdict import Ending, complaints, complaints_about_tools
from storage.history import PastEffect, PastRun
from storage.records import RunNumber, Seq
from tests.support.modules import run_module
from tests.support.postgres import reachable_folder

SAID = ["one", "two", "three", "four"]
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SUPERSEDED = PastRun(RunNumber(1), "superseded", Seq(1), Seq(3), NOON, None, NOON)
SENT = PastRun(RunNumber(2), "sent", Seq(1), Seq(4), NOON, NOON, NOON)
GOOD = Ending(
    inbound_seq=4, answered_seq=4, has_window=False, lease_holder=None, runs=[SUPERSEDED, SENT]
)

# In this order, whatever comes between.
KEY_LINES = r"""
message 1 +Hi!
counter +1
window +opened: closes in .* s, cap in .* s
message 2
counter +2
window +extended
message 3
counter +3
window +closed
lease +taken, fence 1
run 1 +started for messages 1 to 3
model +call 1 begun with 3 messages
message 4 .*<- the model is at work
counter +4
window +opened
run 1 +superseded by message 4, nothing was sent
lease +free
window +closed
lease +taken, fence 2
run 2 +started for messages 1 to 4
model +call 2 begun with 4 messages
model +call 2 asks for save_contact
tool +save_contact done: Saved contact: email ada@example.org, phone .442071838750
model +call 3 begun
model +call 3 answered
run 2 +committed
reply +
run 2 +sent, for messages 1 to 4
watermark +4 of 4
lease +free
message 5 +remind me
tool +remind_me done
reply +Got it, you wrote
run 4 +a reminder is due
reply +⏰ ask for order
One reply covered all 4 messages
Model calls for that reply: 3, of which cancelled before they answered: 1
Phone and e-mail, given in two messages, were saved as one contact
"""


async def demonstrate(folder: Path) -> tuple[int | None, str, str]:
    return await run_module(
        "tests.support.slow_demo",
        EMBEDDED_DATA_DIR=str(folder / "postgres"),
        # The settings of a bot do not change the play, not even wrong ones.
        DEBOUNCE_CAP_SECONDS="nonsense",
        TELEGRAM_API_URL="http://127.0.0.1:9",
    )


async def test_one_reply_covers_the_burst_and_what_came_while_the_model_worked() -> None:
    with reachable_folder() as folder:
        code, out, err = await demonstrate(folder)
    assert (code, err) == (0, "")
    rest = out
    for line in KEY_LINES.split("\n")[1:-1]:
        found = re.search(line, rest)
        assert found, f"no “{line}” in:\n{rest}\n\nof:\n{out}"
        rest = rest[found.end() :]
    times = [float(time) for time in re.findall(r"^ +(\d+\.\d\d)  \w", out, re.MULTILINE)]
    assert times == sorted(times)
    assert out.count("reply  ") == 3
    assert len(set(re.findall(r"model +(call \d+) begun", out))) == 5


def test_a_good_ending_leaves_nothing_to_complain_about() -> None:
    assert complaints(SAID, ["one two three four"], GOOD) == []


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (["one two three four", "one two three four"], "2 replies are in the chat"),
        (["one two three", "four"], "2 replies are in the chat"),
        ([], "0 replies are in the chat"),
        (["one two four"], "does not cover “three”"),
    ],
)
def test_the_chat_must_show_one_reply_with_every_line(seen: list[str], word: str) -> None:
    assert any(word in each for each in complaints(SAID, seen, GOOD))


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        (None, "does not know"),
        (replace(GOOD, inbound_seq=5), "the counter is 5 after 4 messages"),
        (replace(GOOD, answered_seq=3), "the watermark is 3 instead of 4"),
        (replace(GOOD, runs=[SUPERSEDED]), "the finished runs are []"),
        (replace(GOOD, runs=[SENT, SENT]), "the finished runs are"),
        (replace(GOOD, runs=[replace(SENT, first_seq=Seq(2))]), "the finished runs are"),
        (replace(GOOD, runs=[replace(SENT, state="failed")]), "the finished runs are"),
        (replace(GOOD, has_window=True), "a window is left"),
        (replace(GOOD, lease_holder="somebody"), "somebody still holds the lease"),
    ],
)
def test_the_database_must_say_the_same(ending: Ending | None, word: str) -> None:
    [complaint] = complaints(SAID, ["one two three four"], ending)
    assert word in complaint


@pytest.mark.parametrize(
    ("seen", "effects", "word"),
    [
        (["⏰ x"], ["save_contact"], "instead of saving one contact"),
        (["⏰ x"], ["save_contact", "save_contact", "remind_me"], "instead of saving one contact"),
        ([], ["save_contact", "remind_me"], "0 reminders"),
        (["⏰ x", "⏰ x"], ["save_contact", "remind_me"], "2 reminders"),
    ],
)
def test_the_tools_must_have_worked_once(seen: list[str], effects: list[str], word: str) -> None:
    done = [PastEffect(tool, "done", "", NOON) for tool in effects]
    [complaint] = complaints_about_tools(seen, replace(GOOD, effects=done))
    assert word in complaint


def test_the_timeline_tells_in_the_order_of_time() -> None:
    told: list[str] = []
    timeline = Timeline(told.append)
    timeline.add(10.0, "first", "a\nb")
    timeline.show(10.1)
    assert told == []  # something earlier may still come
    timeline.add(11.0, "last", "d")
    timeline.add(10.5, "second", "c")
    timeline.show(20.0)
    assert told == [
        "  0.00  first     a",
        "                  b",
        "  0.50  second    c",
        "  1.00  last      d",
    ]
