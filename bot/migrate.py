"""`onereply migrate`: needs the database and nothing else."""

import typer

from bot.database import prepare_database, reachable_database
from bot.settings import DatabaseSettings, load
from storage import schema
from storage.database import Database


async def migrate_database() -> None:
    """Bring the schema up to date and say so."""
    settings = load(DatabaseSettings)
    async with reachable_database(settings) as url:
        db = Database(url.get_secret_value())
        try:
            await prepare_database(db)
        finally:
            await db.close()
    typer.echo(f"The database is at schema {schema.HEAD}.")
