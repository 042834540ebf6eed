"""`onereply migrate`: needs the database and nothing else."""

import typer

from bot.database import prepare_database, reachable_database
from bot.settings import DatabaseSettings, SettingsError, load
from storage import schema
from storage.database import Database, Unavailable

PATIENCE_SECONDS = 30.0
"""What deploys wants to know how it ended; only the bot itself waits for ever."""


async def migrate_database() -> None:
    """Bring the schema up to date and say so.

    Raises:
        SettingsError: the database cannot be had, or not for now.
    """
    settings = load(DatabaseSettings)
    async with reachable_database(settings) as url:
        db = Database(url.get_secret_value())
        try:
            await prepare_database(db, PATIENCE_SECONDS)
        except Unavailable as error:
            raise SettingsError(
                f"DATABASE_URL: not reached for {PATIENCE_SECONDS:g} s ({error}): "
                "is it running, is the host right? Then run `onereply migrate` again"
            ) from None
        finally:
            await db.close()
    typer.echo(f"The database is at schema {schema.HEAD}.")
