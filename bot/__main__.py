"""The command line: `onereply`, or `python -m bot`."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Annotated

import typer

from bot.settings import SettingsError

SETTINGS_EXIT = 2
BIGGEST = 2**63 - 1
"""What PostgreSQL takes for a number."""

cli = typer.Typer(
    name="onereply",
    help="A Telegram bot that answers a burst of messages with exactly one reply.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

# The commands import what they need themselves: loading aiogram takes seconds, and only those
# that talk to Telegram should pay for it.


@cli.command()
def run() -> None:
    """Run the bot. Settings come from the environment and .env; see .env.example."""
    from bot.serving import run_bot

    _finish(run_bot())


@cli.command()
def local(
    model_delay: Annotated[
        float, typer.Option(min=0, help="Seconds the stand-in model thinks.")
    ] = 1.0,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NEIGHBOUR:NAME[=ARG]",
            help="Make a stand-in fail, for example telegram:slow=2 or model:500,rate=0.3; "
            "more than once for more faults. A name that is none lists all.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the faults that strike at random.")] = 0,
) -> None:
    """Run the bot with a stand-in for whatever is not set: database, Telegram, model."""
    from bot.local import run_local

    _finish(run_local(model_delay, fault or (), seed))


@cli.command()
def migrate() -> None:
    """Bring the database to the schema of this program (`run` does so too)."""
    from bot.migrate import migrate_database

    _finish(migrate_database())


@cli.command()
def doctor() -> None:
    """Check settings, port, database, model and token, and say what to do about what fails."""
    from bot.doctor import examine

    raise typer.Exit(asyncio.run(examine()))


@cli.command()
def audit(
    late_after: Annotated[
        float, typer.Option(min=0, help="Seconds after which due work that nobody took is late.")
    ] = 60.0,
    rows: Annotated[int, typer.Option(min=1, help="The most to show of what breaks one.")] = 20,
) -> None:
    """Check the guarantees on the data, only reading: exit 1 if one is broken, 2 if it cannot."""
    from bot.audit import audit_database

    raise typer.Exit(asyncio.run(audit_database(late_after, rows)))


@cli.command()
def effects(
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    close: Annotated[
        str | None, typer.Option(metavar="KEY", help="Take that one off: it was seen to.")
    ] = None,
) -> None:
    """List what tools did that needs looking after: exit 1 if there is any, 2 if nobody knows."""
    from bot.effects import close_effect, show_effects

    doing = show_effects(as_json=as_json) if close is None else close_effect(close)
    raise typer.Exit(asyncio.run(doing))


@cli.command()
def timeline(
    chat: Annotated[int, typer.Argument(min=1, max=BIGGEST, help="The chat's id.")],
    burst: Annotated[
        int | None,
        typer.Option(min=1, max=BIGGEST, help="The number of its first message; else the newest."),
    ] = None,
    thread: Annotated[
        int, typer.Option(min=0, max=BIGGEST, help="The topic, where the bot has topics.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Tell the story of one burst, and why it came twice or not at all."""
    from bot.timeline import tell_story

    raise typer.Exit(asyncio.run(tell_story(chat, thread, burst, as_json=as_json)))


@cli.command()
def usage(
    days: Annotated[int, typer.Option(min=1, max=36_500, help="So many, with today.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Show messages, replies, tokens, reply times and failures, by chat and day (UTC)."""
    from bot.usage import show_usage

    raise typer.Exit(asyncio.run(show_usage(days, as_json=as_json)))


@cli.command()
def rebuild() -> None:
    """Make the figures of `usage` anew from the events; bots may run meanwhile."""
    from bot.rebuild import rebuild_database

    raise typer.Exit(asyncio.run(rebuild_database()))


@cli.command()
def prune(
    older_than: Annotated[str, typer.Option(metavar="AGE", help="Such as 90d, 12w or 72h.")],
) -> None:
    """Remove old messages, replies and events, in small steps; bots may run meanwhile."""
    from bot.prune import prune_database

    raise typer.Exit(asyncio.run(prune_database(older_than)))


@cli.command()
def demo() -> None:
    """Play a burst against the stand-ins and print what happened, step by step."""
    from bot.demo import play

    raise typer.Exit(asyncio.run(play()))


def _finish(work: Coroutine[object, object, None]) -> None:
    try:
        asyncio.run(work)
    except SettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201
        raise typer.Exit(SETTINGS_EXIT) from None


def main() -> None:
    """Entry point of the console script."""
    cli()


if __name__ == "__main__":
    main()
