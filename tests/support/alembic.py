"""Alembic's commands, by hand."""

from collections.abc import Callable

from alembic.config import Config
from sqlalchemy import Connection

from storage import schema
from storage.database import Database


async def alembic(db: Database, do: Callable[[Config], None]) -> None:
    """Run one of them on this database."""

    def run(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = connection
        do(config)

    async with db.transaction() as connection:
        await connection.run_sync(run)
