"""What a run left behind: tables, sights and logs."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from storage.audit import audit
from storage.audit.check import Audit
from storage.database import Database
from tests.chaos.accounts import Accounts, accounts
from tests.chaos.people import People, Said, Sight
from tests.chaos.schedule import HOUR_SECONDS
from tests.chaos.slots import Life
from tests.support.doomed import DIED_SENDING
from tests.support.said import PLEASE_WAIT

MESSAGES = "SELECT chat_id, thread_id, seq, message_id, text FROM messages ORDER BY 1, 2, 3"
RUNS = """
SELECT chat_id, thread_id, number, state, first_seq, last_seq, reply, reason FROM runs
ORDER BY 1, 2, 3
"""
OUTBOX = """
SELECT chat_id, thread_id, run, part, text, state, attempts, message_id FROM outbox
ORDER BY 1, 2, 3, 4
"""
CONVERSATIONS = "SELECT chat_id, thread_id, inbound_seq, answered_seq FROM conversations"
PROMISES = "SELECT chat_id, thread_id FROM events WHERE type = 'told_to_wait'"
SET_ASIDE = "SELECT payload, error FROM set_aside_updates"


@dataclass(frozen=True)
class Line:
    """A line of a process's log; `at` is in the harness's monotonic seconds."""

    life: Life
    at: float
    fields: Mapping[str, Any]

    @property
    def event(self) -> str:
        return str(self.fields.get("event"))


@dataclass(frozen=True)
class Evidence:
    """Everything that can be said afterwards."""

    messages: Sequence[Row[Any]]
    runs: Sequence[Row[Any]]
    outbox: Sequence[Row[Any]]
    conversations: Sequence[Row[Any]]
    set_aside: Sequence[Row[Any]]
    audit: Audit
    said: Mapping[int, Said]
    nonsense: Sequence[int]
    seen: Sequence[Sight]
    """Replies; the word that an answer will come is among `notices`."""
    notices: Sequence[Sight]
    promises: Sequence[Row[Any]]
    """Who was to be told so, by the event log."""
    lives: Sequence[Life]
    log: Sequence[Line]
    outcries: Sequence[str]
    """What processes wrote that is no line of the log: tracebacks."""
    model_calls: int
    calm_seconds: float
    longest_stall: float
    """Seconds that a request may have waited at Telegram before it was seen to arrive."""
    accounts: Accounts

    def events(self, name: str) -> list[Line]:
        """The lines of one kind of event."""
        return [line for line in self.log if line.event == name]


async def collect(
    db: Database,
    people: People,
    lives: Sequence[Life],
    *,
    model_calls: int,
    calm_seconds: float,
    longest_stall: float,
) -> Evidence:
    """Gather it, once nothing moves any more."""
    log, outcries = read_logs(lives)
    sights = people.seen()
    return Evidence(
        messages=await db.fetch(MESSAGES, {}),
        runs=await db.fetch(RUNS, {}),
        outbox=await db.fetch(OUTBOX, {}),
        conversations=await db.fetch(CONVERSATIONS, {}),
        set_aside=await db.fetch(SET_ASIDE, {}),
        audit=await audit(db),
        said=people.said,
        nonsense=people.nonsense,
        seen=[each for each in sights if each.text != PLEASE_WAIT],
        notices=[each for each in sights if each.text == PLEASE_WAIT],
        promises=await db.fetch(PROMISES, {}),
        lives=lives,
        log=log,
        outcries=outcries,
        model_calls=model_calls,
        calm_seconds=calm_seconds,
        longest_stall=longest_stall,
        accounts=await accounts(db),
    )


def read_logs(lives: Sequence[Life]) -> tuple[list[Line], list[str]]:
    """The lines of their logs, and what else they wrote."""
    to_monotonic = time.monotonic() - time.time()
    log, outcries = [], []
    for life in lives:
        if not life.log.exists():
            continue  # killed before its first line
        for text in life.log.read_text(encoding="utf-8", errors="replace").splitlines():
            if not text.startswith("{"):
                if text != DIED_SENDING:
                    outcries.append(f"process {life.pid}: {text}")
                continue
            try:
                fields = json.loads(text)
            except ValueError:
                continue  # cut off by a SIGKILL
            told = datetime.fromisoformat(fields["timestamp"]).timestamp() + to_monotonic
            # No process lives half an hour: what is more comes from its clock.
            wrong_by = round((told - life.began) / HOUR_SECONDS) * HOUR_SECONDS
            log.append(Line(life, told - wrong_by, fields))
    return sorted(log, key=lambda line: line.at), outcries
