"""The database that the settings name: started if it is embedded, and brought up to date."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from bot.setting_types import EMBEDDED
from bot.settings import DatabaseSettings, Settings, SettingsError, load
from coordination.patience import until_available
from storage import schema
from storage.database import STATEMENT_SECONDS, Database, Unavailable, Unusable


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


@asynccontextmanager
async def migrated_database(
    *, statement_seconds: float | None = STATEMENT_SECONDS
) -> AsyncIterator[Database]:
    """The database for a command that only looks, and neither waits for it nor migrates it.

    Raises:
        SettingsError: it is not there, refuses us or has another schema; also from the block.
    """
    try:
        async with reachable_database(load(DatabaseSettings)) as url:
            db = Database(url.get_secret_value(), statement_seconds=statement_seconds)
            try:
                await _must_be_migrated(db)
                yield db
            finally:
                await db.close()
    except Unusable as error:
        raise SettingsError(f"DATABASE_URL: {error}") from None
    except Unavailable as error:
        raise SettingsError(f"DATABASE_URL: not reached ({error})") from None


async def _must_be_migrated(db: Database) -> None:
    version = await schema.version(db)
    if version != schema.HEAD:
        advice = "run `onereply migrate`" if version is None else "is another version running?"
        raise SettingsError(f"DATABASE_URL: schema is {version}, not {schema.HEAD}: {advice}")


async def prepare_database(db: Database) -> None:
    """Wait for the database and migrate it.

    Raises:
        SettingsError: it refuses us for good, or was migrated by a newer program.
    """
    try:
        await until_available(lambda: schema.upgrade(db))
    except (Unusable, schema.TooNew) as error:
        raise SettingsError(f"DATABASE_URL: {error}") from None
