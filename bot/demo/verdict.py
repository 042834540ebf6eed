"""Did exactly one reply cover everything? Judged from the chat and from the database."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.history import PastEffect, PastRun

FINISHED = ("sent", "failed", "undeliverable")


@dataclass(frozen=True, slots=True)
class Ending:
    """The conversation as the database has it when all is over."""

    inbound_seq: int
    answered_seq: int
    has_window: bool
    lease_holder: str | None
    runs: Sequence[PastRun]
    effects: Sequence[PastEffect] = ()


def complaints(said: Sequence[str], seen: Sequence[str], ending: Ending | None) -> list[str]:
    """What is wrong: `said` is what the person wrote, `seen` the bot's messages in the chat."""
    wrong = [*_in_the_chat(said, seen)]
    if ending is None:
        return [*wrong, "the database does not know the conversation"]
    return [*wrong, *_in_the_database(len(said), ending)]


def _in_the_chat(said: Sequence[str], seen: Sequence[str]) -> list[str]:
    wrong = [] if len(seen) == 1 else [f"{len(seen)} replies are in the chat instead of one"]
    for reply in seen:
        missing = [line for line in said if line not in reply]
        wrong += [f"a reply does not cover “{line}”" for line in missing]
    return wrong


def _in_the_database(count: int, ending: Ending) -> list[str]:
    wrong = []
    if ending.inbound_seq != count:
        wrong.append(f"the counter is {ending.inbound_seq} after {count} messages")
    if ending.answered_seq != count:
        wrong.append(f"the watermark is {ending.answered_seq} instead of {count}")
    finished = [
        (run.state, run.first_seq, run.last_seq) for run in ending.runs if run.state in FINISHED
    ]
    if finished != [("sent", 1, count)]:
        wrong.append(f"the finished runs are {finished} instead of one sent for 1 to {count}")
    if ending.has_window:
        wrong.append("a window is left")
    if ending.lease_holder is not None:
        wrong.append(f"{ending.lease_holder} still holds the lease")
    return wrong


def complaints_about_tools(seen: Sequence[str], ending: Ending | None) -> list[str]:
    """What is wrong after a contact was given and a reminder was asked for."""
    effects = [] if ending is None else [(each.tool, each.state) for each in ending.effects]
    wrong = []
    if effects != [("save_contact", "done"), ("remind_me", "done")]:
        wrong.append(f"the tools did {effects} instead of saving one contact and one reminder")
    reminders = [text for text in seen if text.startswith("⏰")]
    if len(reminders) != 1:
        wrong.append(f"{len(reminders)} reminders came instead of one")
    return wrong
