"""The database that the settings name: started if it is embedded, and brought up to date."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

from pydantic import SecretStr

from bot.setting_types import EMBEDDED
from bot.settings import DatabaseSettings, Settings, SettingsError
from coordination.patience import until_available
from storage import partitions, schema
from storage.database import Database, Unusable


@asynccontextmanager
async def reachable_database(settings: Settings | DatabaseSettings) -> AsyncIterator[SecretStr]:
    """The URL to connect to; where the setting says `embedded`, with that server running."""
    if settings.database_url.get_secret_value() != EMBEDDED:
        yield settings.database_url
        return
    from storage import embedded

    folder = settings.embedded_data_dir or embedded.default_data_dir(Path.cwd())
    try:
        server = await embedded.start(folder)
    except embedded.EmbeddedPostgresError as error:
        raise SettingsError(f"DATABASE_URL=embedded: {error}") from None
    try:
        yield SecretStr(server.dsn)
    finally:
        await server.stop()


async def prepare_database(db: Database, patience: float = inf) -> None:
    """Wait for the database, migrate it, and give the weeks to come their partitions.

    Raises:
        SettingsError: it refuses us for good, or was migrated by a newer program.
        Unavailable: it was away for longer than `patience`, in seconds.
    """
    try:
        await until_available(lambda: schema.upgrade(db), patience)
        await until_available(lambda: partitions.make_partitions(db), patience)
    except (Unusable, schema.TooNew) as error:
        raise SettingsError(f"DATABASE_URL: {error}") from None
