"""The schema's version, and bringing a database up to it."""

from pathlib import Path

from sqlalchemy import Connection, text

from storage.database import Database

HEAD = "0007"
"""The revision this program works with (a test compares it with `migrations`)."""

MIGRATIONS = Path(__file__).parent.parent / "migrations"

# Any constant will do, as long as every process takes the same one.
MIGRATION_LOCK = 0x6F6E65


class TooNew(Exception):
    """The database was migrated by a newer program than this one."""


async def version(db: Database) -> str | None:
    """The revision the database is at; None: it was never migrated."""
    exists = await db.fetch_one("SELECT to_regclass('alembic_version') IS NOT NULL AS yes", {})
    if exists is None or not exists.yes:
        return None
    row = await db.fetch_one("SELECT version_num FROM alembic_version", {})
    return None if row is None else str(row.version_num)


async def upgrade(db: Database) -> None:
    """Bring the schema to `HEAD`, one process at a time.

    Raises:
        TooNew: the database is at a revision that this program does not know.
        Unavailable, Unusable: as for any statement.
    """
    if await version(db) == HEAD:
        return
    async with db.transaction() as connection:
        await connection.execute(
            text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK}
        )
        await connection.run_sync(_to_head)


def _to_head(connection: Connection) -> None:
    # Imported here: a process that finds its schema up to date does without Alembic.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    # ConfigParser takes a percent sign for the start of a variable.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise TooNew("the database was migrated by a newer onereply: update this one") from error
