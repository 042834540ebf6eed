"""What the event log costs: messages received a second without it and with it."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count, cycle
from time import monotonic
from unittest.mock import patch

from storage import messages
from storage.database import Database
from storage.embedded import EmbeddedPostgres
from storage.messages import RECEIVE, TOLD_OF_EACH, TOLD_RECEIVED
from storage.records import ConversationKey, InboundMessage
from tests.bench.figures import Figure
from tests.bench.pgbench import TEXT
from tests.support.postgres import fresh_database
from tests.support.waiting import opened

MOST = 1.35
LONG = timedelta(hours=20)
AT_ONCE = 100
"""As many as Telegram hands over at once; what came together is stored together."""
TURN = 10
"""Statements of one kind, then as many of the other: a busy machine slows both."""

# From `RECEIVE`, besides the event itself.
COUNTED_FOR_THE_LOG = {
    TOLD_RECEIVED: """
SELECT chat_id, thread_id, inbound_seq, places, revision,
    CAST(EXTRACT(EPOCH FROM due_at - clock.now) AS float) AS due_in
FROM counted JOIN opened USING (chat_id, thread_id) JOIN chats USING (chat_id, thread_id), clock
""",
    TOLD_OF_EACH: "",
    "inbound_seq, event_version, received_version\n": "inbound_seq\n",
    "places, 1, 1 FROM": "places FROM",
    ",\n        event_version = c.event_version + 1, received_version = c.event_version + 1": "",
    "inbound_seq, event_version, answered_seq, committed_run, revision\n": (
        "inbound_seq, revision\n"
    ),
    ", opened_at, closes_at, cap_at\n": "\n",
}


async def event_log(server: EmbeddedPostgres, *, chats: int, statements: int) -> Figure:
    """Both rates by turns, each in a database of its own, as the bot receives under load."""
    inbound = _inbound(chats)
    async with (
        fresh_database(server) as bare_dsn,
        fresh_database(server) as logged_dsn,
        opened(bare_dsn) as bare,
        opened(logged_dsn) as logged,
    ):
        without_log, with_log = 0.0, 0.0
        for _ in range(statements // TURN):
            without_log += await _seconds(bare, receive_without_log(), inbound)
            with_log += await _seconds(logged, RECEIVE, inbound)
    received = statements // TURN * TURN * AT_ONCE
    return Figure(
        name="event log on receiving",
        ours=received / without_log,
        base=received / with_log,
        unit="a second",
        at_most=MOST,
    )


def _inbound(chats: int) -> Iterator[InboundMessage]:
    keys = cycle(ConversationKey(chat_id, 0) for chat_id in range(1, chats + 1))
    return (InboundMessage(key, number, TEXT) for key, number in zip(keys, count(1), strict=False))


async def _seconds(db: Database, sql: str, inbound: Iterator[InboundMessage]) -> float:
    batches = [[next(inbound) for _ in range(AT_ONCE)] for _ in range(TURN)]
    began = monotonic()
    with patch.object(messages, "RECEIVE", sql):
        for batch in batches:
            await messages.receive(db, batch, quiet=LONG, cap=LONG)
    return monotonic() - began


def receive_without_log() -> str:
    """`RECEIVE` as it would be if nothing were told."""
    sql = RECEIVE
    for piece, instead in COUNTED_FOR_THE_LOG.items():
        if sql.count(piece) != 1:
            raise ValueError(f"RECEIVE has changed: {piece!r} is not in it once")
        sql = sql.replace(piece, instead)
    return sql
