"""Commands that need the database and nothing else, and say so if they cannot have it."""

import sys
from collections.abc import Awaitable, Callable

from bot.database import reachable_database
from bot.settings import DatabaseSettings, SettingsError, load
from storage import schema
from storage.database import Database, Unavailable, Unusable

FAILED = 1
NOT_DONE = 2


async def on_database(work: Callable[[Database], Awaitable[int]]) -> int:
    """The exit code of `work`; 2, and a line on standard error, if it could not be done."""
    try:
        async with reachable_database(load(DatabaseSettings)) as url:
            # A statement may go over every row of a large table.
            db = Database(url.get_secret_value(), statement_seconds=None)
            try:
                await _check_schema(db)
                return await work(db)
            finally:
                await db.close()
    except SettingsError as error:
        return give_up(str(error))
    except Unusable as error:
        return give_up(f"DATABASE_URL: {error}")
    except Unavailable as error:
        return give_up(f"DATABASE_URL: not reached ({error})")


async def _check_schema(db: Database) -> None:
    version = await schema.version(db)
    if version != schema.HEAD:
        advice = "run `onereply migrate`" if version is None else "is another version running?"
        raise SettingsError(f"DATABASE_URL: schema is {version}, not {schema.HEAD}: {advice}")


def give_up(why: str, code: int = NOT_DONE) -> int:
    """Say why on standard error; the exit code."""
    print(why, file=sys.stderr)  # noqa: T201
    return code
