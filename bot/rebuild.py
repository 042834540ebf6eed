"""`onereply rebuild`: make the read models anew from the events."""

import typer

from bot.on_database import on_database
from coordination.project import rebuild
from storage.database import Database


async def rebuild_database() -> int:
    """Fold all events anew and say how far it is; 2 if it could not be done."""

    async def fold_anew(db: Database) -> int:
        await rebuild(db, _tell)
        typer.echo("The read models are as the events say.")
        return 0

    return await on_database(fold_anew)


def _tell(conversations: int, events: int) -> None:
    typer.echo(f"{conversations:,} conversations, {events:,} events")
