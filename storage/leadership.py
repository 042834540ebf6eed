"""Who polls a bot's updates: a lease like any other, one per bot."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage import named_leases
from storage.database import Database
from storage.records import Fence
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class Polling:
    """The right to poll one bot's updates."""

    bot_id: int
    holder: str
    fence: Fence


TAKE_POLLING = named_leases.take("pollers", "bot_id", "bigint")
RENEW_POLLING = named_leases.renew("pollers", "bot_id")
RELEASE_POLLING = named_leases.release("pollers", "bot_id")
POLLER = "SELECT holder FROM pollers WHERE bot_id = :bot_id"
OTHER_BOTS = "SELECT bot_id FROM pollers WHERE bot_id <> :bot_id"


@verb
async def take_polling(
    db: Database,
    bot_id: int,
    *,
    holder: str,
    ttl: timedelta,
    dead: list[str],
    now: datetime | None = None,
) -> Polling | None:
    """Become the one who polls, unless somebody else is and has neither expired nor died."""
    arguments = {"name": bot_id, "holder": holder, "ttl": ttl, "dead": dead, "now": now}
    row = await db.fetch_one(TAKE_POLLING, arguments)
    return None if row is None else Polling(bot_id, holder, Fence(row.fence))


@verb
async def renew_polling(
    db: Database, polling: Polling, *, ttl: timedelta, now: datetime | None = None
) -> bool:
    """Stay the one who polls; False: somebody else took over."""
    arguments = {**_mine(polling), "ttl": ttl, "now": now}
    return await db.fetch_one(RENEW_POLLING, arguments) is not None


@verb
async def release_polling(db: Database, polling: Polling) -> bool:
    """Let another process poll at once."""
    return await db.fetch_one(RELEASE_POLLING, _mine(polling)) is not None


@verb
async def poller_of(db: Database, bot_id: int) -> str | None:
    """Who holds the polling lease, expired or not."""
    row = await db.fetch_one(POLLER, {"bot_id": bot_id})
    return None if row is None else row.holder


@verb
async def other_bots(db: Database, bot_id: int) -> list[int]:
    """Bots other than this one that ever polled into this database."""
    return [row.bot_id for row in await db.fetch(OTHER_BOTS, {"bot_id": bot_id})]


def _mine(polling: Polling) -> dict[str, object]:
    return {"name": polling.bot_id, "holder": polling.holder, "fence": polling.fence}
