"""`usage`, `rebuild`, `prune` and `timeline` as an operator types them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from storage.database import Database
from tests.support.acts import ADA, BOB
from tests.support.past import Past
from tests.support.processes import BotProcess, bot_process
from tests.support.tallied import fold_everything, tallied

NEEDS_THE_DATABASE = (
    ("usage",),
    ("rebuild",),
    ("prune", "--older-than", "90d"),
    ("timeline", "501"),
)


async def ended(database_url: str, *command: str, code: int = 0) -> BotProcess:
    async with bot_process({"DATABASE_URL": database_url}, *command) as process:
        assert await process.ended() == code, process.stderr
    return process


async def some_days_ago(db: Database, days: int) -> None:
    for key in (ADA, BOB):
        past = Past(db, key, datetime.now(UTC) - timedelta(days=days))
        await past.answered(1, 2, at=0)
        await past.answered(3, at=10, failure="context too long")
        await past.postponed(4, at=20)


async def test_usage(db: Database, database_url: str) -> None:
    nothing = await ended(database_url, "usage")
    assert nothing.stdout == "Nothing was counted in these days.\n"
    await some_days_ago(db, 3)
    await fold_everything(db)
    table = (await ended(database_url, "usage")).stdout.splitlines()
    assert table[0].split()[:4] == ["day", "chat", "messages", "bursts"]
    assert table[1].split()[1:] == ["501", "4", "2", "1", "2", "100", "14", "0"]
    assert "Seconds from the first message to the reply: 4.0 on average of 2" in table
    assert "    up to 5           2" in table
    assert table[-2:] == [
        "    run_failed: context too long           2",
        "    run_postponed: HTTP 503                2",
    ]
    rows = json.loads((await ended(database_url, "usage", "--json")).stdout)
    assert {"chat_id": 502, "kind": "usage", "label": "messages", "amount": 4}.items() <= next(
        row.items() for row in rows if (row["chat_id"], row["label"]) == (502, "messages")
    )
    assert json.loads((await ended(database_url, "usage", "--days", "2", "--json")).stdout) == []


async def test_rebuild(db: Database, database_url: str) -> None:
    await some_days_ago(db, 3)
    await fold_everything(db)
    before = await tallied(db)
    await db.fetch("UPDATE tallies SET amount = 99 RETURNING 1", {})
    process = await ended(database_url, "rebuild")
    [progress, done] = process.stdout.splitlines()
    [row] = await db.fetch("SELECT count(*) AS events FROM events", {})
    assert progress == f"2 conversations, {row.events} events"
    assert done == "The read models are as the events say."
    assert await tallied(db) == before


async def test_prune(db: Database, database_url: str) -> None:
    await some_days_ago(db, 3)
    await fold_everything(db)
    before = await tallied(db)
    kept = await ended(database_url, "prune", "--older-than", "99999w")
    assert "           0 messages removed" in kept.stdout.splitlines()
    gone = await ended(database_url, "prune", "--older-than", "48h")
    assert "           6 messages removed" in gone.stdout.splitlines()
    assert "           4 parts removed" in gone.stdout.splitlines()
    assert await tallied(db) == before
    await ended(database_url, "rebuild")
    assert await tallied(db) == before


@pytest.mark.parametrize(
    ("age", "why"), [("47h", "within 24 hours"), ("1d", "at least 2d"), ("soon", "such as 90d")]
)
async def test_prune_refuses_what_is_too_young(database_url: str, age: str, why: str) -> None:
    process = await ended(database_url, "prune", "--older-than", age, code=2)
    assert why in process.stderr
    assert process.stdout == ""


async def test_timeline(db: Database, database_url: str) -> None:
    await some_days_ago(db, 3)
    process = await ended(database_url, "timeline", "501")
    assert process.stdout.startswith("Chat 501, burst 4: message 4, from ")
    assert "nobody took it" in process.stdout.splitlines()[-1]
    first = json.loads(
        (await ended(database_url, "timeline", "501", "--burst", "1", "--json")).stdout
    )
    assert (first["burst"], first["last_message"]) == (1, 2)
    unknown = await ended(database_url, "timeline", "501", "--burst", "2", code=1)
    assert unknown.stderr == "no burst begins with message 2; these do: 1, 3, 4\n"
    nobody = await ended(database_url, "timeline", "501", "--thread", "9", code=1)
    assert "nothing was ever received" in nobody.stderr


@pytest.mark.parametrize("command", NEEDS_THE_DATABASE, ids=lambda command: command[0])
async def test_what_cannot_reach_the_database_says_so(command: tuple[str, ...]) -> None:
    process = await ended("postgresql://nobody@127.0.0.1:1/nothing", *command, code=2)
    assert process.stderr.startswith("DATABASE_URL: not reached")
