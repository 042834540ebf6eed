"""`onereply doctor`: a line for each thing that must work, and what to do where it does not."""

from errno import EADDRINUSE
from os import strerror

import typer

from bot.database import reachable_database
from bot.http_port import is_asked_for, why_not_listen
from bot.misspelt import misspelt
from bot.settings import Settings, SettingsError, load
from bot.toolbox import toolbox
from llm.contract import ModelError
from storage import leadership, schema
from storage.database import Database, Unavailable, Unusable


async def examine() -> int:
    """Check one after the other; 0 if all is well, 1 if something failed, 2 for the settings."""
    try:
        settings = load(Settings)
        toolbox(settings)
    except SettingsError as error:
        for line in str(error).splitlines():
            _say(False, "settings", line)
        _warn_of_misspelt()
        return 2
    _say(True, "settings", "complete")
    _warn_of_misspelt()
    checks = [
        _http(settings),
        await _database(settings),
        await _model(settings),
        await _telegram(settings),
    ]
    return 0 if all(checks) else 1


def _say(well: bool, what: str, words: str) -> bool:
    typer.echo(f"{'ok  ' if well else 'FAIL'} {what}: {words}")
    return well


def _warn(what: str, words: str) -> bool:
    """What may be meant so, and fails nothing."""
    typer.echo(f"warn {what}: {words}")
    return True


def _warn_of_misspelt() -> None:
    for line in misspelt():
        _warn("settings", line)


def _http(settings: Settings) -> bool:
    port = settings.http_port
    if port == 0:
        return _say(True, "http", "no port is asked for")
    error = why_not_listen(port)
    if not error:
        return _say(True, "http", f"port {port} is free")
    words = f"cannot listen on {port} ({strerror(error)})"
    if not is_asked_for(settings):
        return _say(True, "http", f"{words}, and will take another port")
    if error == EADDRINUSE:
        # By a bot that runs, as a rule, and then all is well.
        return _warn(
            "http", f"{words}: unless this bot has it, choose another HTTP_PORT, or 0 for none"
        )
    return _say(False, "http", f"{words}: choose another HTTP_PORT, or 0 for none")


async def _database(settings: Settings) -> bool:
    try:
        async with reachable_database(settings) as url:
            db = Database(url.get_secret_value())
            try:
                return await _schema(db, settings.bot_id)
            finally:
                await db.close()
    except SettingsError as error:
        return _say(False, "database", str(error))
    except Unavailable as error:
        return _say(False, "database", f"not reached ({error}): is it running, is the host right?")
    except Unusable as error:
        return _say(False, "database", f"{error}: correct DATABASE_URL")


async def _schema(db: Database, bot_id: int) -> bool:
    found = await schema.version(db)
    if found is None:
        advice = "run `onereply migrate` (`onereply run` does so too)"
        return _say(False, "database", f"reached, but it has no schema yet: {advice}")
    if found != schema.HEAD:
        advice = "run `onereply migrate`, or update this program if the schema is the newer one"
        return _say(False, "database", f"schema is {found}, not {schema.HEAD}: {advice}")
    if others := await leadership.other_bots(db, bot_id):
        return _say(False, "database", f"belongs to bot {others[0]}: give this bot its own")
    return _say(True, "database", f"reached, schema {found}")


async def _model(settings: Settings) -> bool:
    from llm.writer import OpenAIWriter

    writer = OpenAIWriter(settings.model())
    try:
        await writer.probe()
    except ModelError as error:
        return _say(
            False,
            "model",
            f"{error.reason}: check OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL and the account",
        )
    finally:
        await writer.aclose()
    return _say(True, "model", f"{settings.openai_model} answers")


async def _telegram(settings: Settings) -> bool:
    # Seconds of importing, for this line alone.
    from bot.telegram_check import examine_telegram

    return _say(*await examine_telegram(settings))
