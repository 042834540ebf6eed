"""How long an audit takes: `python -m tests.bench.audit [conversations]`, a million by default.

1,000,000 conversations with 3,000,000 messages, 1,600,000 runs and 2,500,000 parts, PostgreSQL 18
as it comes, everything in memory: 22 to 27 s on two cores with other work on them, 16 s of it
processor time.
"""

import asyncio
import sys
from collections.abc import Awaitable
from time import monotonic
from typing import TypeVar

import asyncpg

from storage.audit import audit
from storage.database import Database
from storage.schema import upgrade
from tests.support.postgres import private_server

T = TypeVar("T")

ONE_MILLION = 1_000_000
MOST_SECONDS = 1800.0

# Three messages each. A reply in two parts answered the first two, after a superseded run in every
# tenth conversation; the third is answered in every second one, and waits in the others.
CONVERSATIONS = """
INSERT INTO conversations (chat_id, thread_id, inbound_seq, answered_seq, lease_fence)
SELECT chat, 0, 3, CASE WHEN chat % 2 = 0 THEN 3 ELSE 2 END, 3
FROM generate_series(1, $1::bigint) chat
"""
# Neighbours in time are not neighbours by key, as in life.
MESSAGES = """
INSERT INTO messages (chat_id, thread_id, seq, message_id, text, received_at)
SELECT chat, 0, seq, chat * 10 + seq, 'a message of fifty letters, which is about usual', now()
FROM generate_series(1, $1::bigint) chat, generate_series(1, 3) seq
ORDER BY seq, hashint8(chat)
"""
RUNS = """
INSERT INTO runs (chat_id, thread_id, number, holder, state, first_seq, last_seq, reply,
    started_at, committed_at, ended_at)
SELECT chat, 0, number, 'somebody', state, first_seq, last_seq,
    CASE WHEN state = 'sent' THEN 'a reply' END, now(),
    CASE WHEN state = 'sent' THEN now() END, now()
FROM generate_series(1, $1::bigint) chat, (
    VALUES (1, 'superseded', 1, 1, 10), (2, 'sent', 1, 2, 1), (3, 'sent', 3, 3, 2)
) run(number, state, first_seq, last_seq, every)
WHERE chat % every = 0
ORDER BY number, hashint8(chat)
"""
PARTS = """
INSERT INTO outbox (chat_id, thread_id, run, part, text, state, attempts, message_id, changed_at)
SELECT chat_id, thread_id, number, part, 'a reply', 'sent', 1, chat_id * 10 + 3 + part, now()
FROM runs, generate_series(1, 2) part
WHERE chat_id <= $1 AND state = 'sent' AND (number = 2 OR part = 1)
ORDER BY number, hashint8(chat_id), part
"""
WINDOWS = """
INSERT INTO windows (chat_id, thread_id, opened_at, closes_at, cap_at)
SELECT chat, 0, now(), now() + interval '2 seconds', now() + interval '10 seconds'
FROM generate_series(1, $1::bigint, 2) chat
"""


async def measure(count: int) -> None:
    """Fill a database of its own and audit it three times."""
    async with private_server() as server:
        db = Database(server.dsn, statement_seconds=None)
        try:
            await upgrade(db)
            await _timed("filled", _fill(server.dsn, count))
            found = await _timed("audited", audit(db))
            assert not found.broken, found.broken
            for _ in range(2):
                await _timed("audited again", audit(db))
            print(*(f"{name}: {value:,}" for name, value in found.figures.items()), sep="\n")
        finally:
            await db.close()


async def _fill(dsn: str, count: int) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in (CONVERSATIONS, MESSAGES, RUNS, PARTS, WINDOWS):
            await connection.execute(statement, count)
        await connection.execute("VACUUM (ANALYZE)")
    finally:
        await connection.close()


async def _timed(what: str, work: Awaitable[T]) -> T:
    began = monotonic()
    async with asyncio.timeout(MOST_SECONDS):
        done = await work
    print(f"{what} in {monotonic() - began:.1f} s", flush=True)
    return done


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else ONE_MILLION))
