"""How long an audit takes: `python -m tests.bench.audit [conversations]`, a million by default.

1,000,000 conversations with 3,000,000 messages, 1,600,000 runs, 2,500,000 parts and 12,700,000
events, PostgreSQL 18 as it comes. A tenth of it, everything in memory, takes 9 to 10 s on two cores
with other work on them; more than half of that goes into replaying the events, 5 us each.
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
EVENTS = """
INSERT INTO events (chat_id, thread_id, version, type, payload, correlation_id, run, recorded_at)
SELECT chat, 0, row_number() OVER (PARTITION BY chat ORDER BY place), type,
    CASE WHEN type = 'received' THEN jsonb_build_object('last_seq', seq)
        WHEN type = 'run_sent' THEN jsonb_build_object('answered_seq', seq) ELSE '{}' END,
    burst, run, now()
FROM generate_series(1, $1::bigint) chat, (
    VALUES (1, 'received', 1, 1, NULL, 1), (2, 'run_generating', 1, 1, 1, 10),
        (3, 'received', 2, 1, NULL, 1), (4, 'run_superseded', 1, 1, 1, 10),
        (5, 'run_generating', 2, 1, 2, 1), (6, 'run_committed', 2, 1, 2, 1),
        (7, 'part_started', 2, 1, 2, 1), (8, 'part_sent', 2, 1, 2, 1),
        (9, 'part_started', 2, 1, 2, 1), (10, 'part_sent', 2, 1, 2, 1),
        (11, 'run_sent', 2, 1, 2, 1), (12, 'received', 3, 3, NULL, 1),
        (13, 'run_generating', 3, 3, 3, 2), (14, 'run_committed', 3, 3, 3, 2),
        (15, 'part_started', 3, 3, 3, 2), (16, 'part_sent', 3, 3, 3, 2),
        (17, 'run_sent', 3, 3, 3, 2)
) event(place, type, seq, burst, run, every)
WHERE chat % every = 0
ORDER BY place, hashint8(chat)
"""
CONVERSATIONS = """
INSERT INTO conversations (chat_id, thread_id, inbound_seq, answered_seq, lease_fence,
    event_version, received_version)
SELECT chat_id, 0, 3, CASE WHEN chat_id % 2 = 0 THEN 3 ELSE 2 END, 3,
    max(version), max(version) FILTER (WHERE type = 'received')
FROM events WHERE chat_id <= $1 GROUP BY chat_id ORDER BY chat_id
"""
# Neighbours in time are not neighbours by key, as in life.
MESSAGES = """
INSERT INTO messages (chat_id, thread_id, seq, message_id, text, received_at)
SELECT chat, 0, seq, chat * 10 + seq, 'a message of fifty letters, which is about usual', now()
FROM generate_series(1, $1::bigint) chat, generate_series(1, 3) seq
ORDER BY seq, hashint8(chat)
"""
RUNS = """
INSERT INTO runs (chat_id, thread_id, number, holder, state, version, first_seq, last_seq, reply,
    started_at, committed_at, ended_at)
SELECT chat_id, 0, number, 'somebody', state, version, first_seq, last_seq,
    CASE WHEN state = 'sent' THEN 'a reply' END, now(),
    CASE WHEN state = 'sent' THEN now() END, now()
FROM events e JOIN (
    VALUES (1, 'superseded', 1, 1), (2, 'sent', 1, 2), (3, 'sent', 3, 3)
) run(number, state, first_seq, last_seq) ON e.run = number AND e.type = 'run_' || state
WHERE chat_id <= $1
ORDER BY number, hashint8(chat_id)
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
        for statement in (EVENTS, CONVERSATIONS, MESSAGES, RUNS, PARTS, WINDOWS):
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
