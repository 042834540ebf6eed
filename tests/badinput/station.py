"""The way of an update into the database, without HTTP, and a count of where each one went."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from bot.acquaintance import Acquaintance
from bot.commands.desk import Desk
from bot.handlers import dispatcher
from bot.polling import Poller, SetAside
from bot.speaker import Speaker
from bot.telegram import telegram_bot
from bot.words import Words
from coordination.lease_keeper import LeaseKeeper
from coordination.receive import Receiver
from storage import edge
from storage.database import Database
from storage.records import ConversationKey
from tests.support.neighbours import Neighbours

FORGET = """
WITH a AS (DELETE FROM messages), b AS (DELETE FROM windows), c AS (DELETE FROM set_aside_updates),
d AS (DELETE FROM told_chats), e AS (DELETE FROM events)
DELETE FROM conversations RETURNING 1
"""
COUNTED = "SELECT chat_id, thread_id, message_id, text FROM messages ORDER BY chat_id, seq"
ASIDE = "SELECT payload, error FROM set_aside_updates ORDER BY id"


class NoAlarm:
    """Wakes nobody."""

    def set(self, key: ConversationKey, seconds: float) -> None:
        """Forget it."""


@dataclass
class Whereabouts:
    """Where the updates of one batch went."""

    counted: list[dict[str, Any]]
    aside: list[str]
    told: list[int]


@dataclass
class Station:
    """Where the test hands in what a poller would have fetched."""

    db: Database
    new_poller: Callable[[SetAside], Poller]
    set_aside: SetAside
    told: list[int] = field(default_factory=list)

    async def handle(self, *updates: Any) -> Whereabouts:
        """Handle a batch as the poller does, with nothing in the tables before."""
        await self.db.fetch(FORGET, {})
        self.told.clear()
        await self.new_poller(self.set_aside).handle_all(updates)
        return Whereabouts(
            counted=[row._asdict() for row in await self.db.fetch(COUNTED, {})],
            aside=[normal(json.loads(row.payload)) for row in await self.db.fetch(ASIDE, {})],
            told=list(self.told),
        )


def normal(update: Any) -> str:
    """JSON of which equal values have equal texts, not-a-number included."""
    return json.dumps(update)


@asynccontextmanager
async def station(around: Neighbours) -> AsyncIterator[Station]:
    """The real receiver, dispatcher and poller on a database of their own."""
    settings = around.settings(http_port=0)
    bot, db = telegram_bot(settings), Database(around.database_url)
    told: list[int] = []

    async def tell(chat_id: int, _language: str | None) -> None:
        await edge.tell_once(db, chat_id)
        told.append(chat_id)

    async def set_aside(payload: str, error: str) -> None:
        await edge.set_aside(db, payload=payload, error=error)

    keeper = LeaseKeeper(db, holder="the test", ttl=timedelta(seconds=30))
    receiver = Receiver(db, settings.rules(), keeper, NoAlarm())
    desk = Desk(db, receiver, Words(), Speaker(bot), Acquaintance(db), {})
    routes = dispatcher(receiver, tell, desk, settings.long_quiet)
    try:
        yield Station(db, partial(Poller, bot, routes), set_aside, told)
    finally:
        await desk.speaker.close()
        await bot.session.close()
        await db.close()
