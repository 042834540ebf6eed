"""Resources that conversations share: one uses each at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storage import named_leases
from storage.database import Database
from storage.records import Fence
from storage.verbs import verb


@dataclass(frozen=True, slots=True)
class ResourceLease:
    """The right to use a resource that conversations share."""

    resource: str
    holder: str
    fence: Fence


TAKE = named_leases.take("resource_leases", "resource", "text")
RENEW = named_leases.renew("resource_leases", "resource")
RELEASE = named_leases.release("resource_leases", "resource")
HOLDER = "SELECT holder FROM resource_leases WHERE resource = :resource"


@verb
async def take_resource(
    db: Database,
    resource: str,
    *,
    holder: str,
    ttl: timedelta,
    dead: Sequence[str] = (),
    now: datetime | None = None,
) -> ResourceLease | None:
    """Take the resource; None: somebody else uses it, and has neither expired nor died."""
    given = {"name": resource, "holder": holder, "ttl": ttl, "dead": list(dead), "now": now}
    row = await db.fetch_one(TAKE, given)
    return None if row is None else ResourceLease(resource, holder, Fence(row.fence))


@verb
async def renew_resource(
    db: Database, lease: ResourceLease, *, ttl: timedelta, now: datetime | None = None
) -> bool:
    """Go on using the resource; False: somebody else took it."""
    return await db.fetch_one(RENEW, {**_mine(lease), "ttl": ttl, "now": now}) is not None


@verb
async def release_resource(db: Database, lease: ResourceLease) -> bool:
    """Let somebody else use the resource at once."""
    return await db.fetch_one(RELEASE, _mine(lease)) is not None


@verb
async def user_of(db: Database, resource: str) -> str | None:
    """Who holds the resource, expired or not."""
    row = await db.fetch_one(HOLDER, {"resource": resource})
    return None if row is None else row.holder


def _mine(lease: ResourceLease) -> dict[str, object]:
    return {"name": lease.resource, "holder": lease.holder, "fence": lease.fence}
