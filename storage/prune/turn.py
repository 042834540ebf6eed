"""One who prunes at a time: two would lock the same rows in different orders."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

PRUNE_LOCK = 0x6F6E67
TAKE_TURN = text("SELECT pg_advisory_xact_lock(:lock)")


async def take_turn(connection: AsyncConnection) -> None:
    """Wait until no other process is at a batch; the turn ends with the transaction."""
    await connection.execute(TAKE_TURN, {"lock": PRUNE_LOCK})
