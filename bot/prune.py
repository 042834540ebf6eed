"""`onereply prune`: let go of what is old."""

import re
from datetime import timedelta

import typer

from bot.on_database import give_up, on_database
from storage.database import Database
from storage.prune import LEAST, prune

AGE = re.compile(r"([0-9]{1,5})([hdw])")
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


async def prune_database(age: str) -> int:
    """Remove what is older and print how much that was; 2 if it could not be done."""
    found = AGE.fullmatch(age.strip().lower())
    if found is None:
        return give_up("--older-than: a number with h, d or w, such as 90d")
    older_than = int(found[1]) * UNITS[found[2]]
    if older_than < LEAST:
        return give_up(
            "--older-than: at least 2d. Telegram may deliver an update again within 24 hours "
            "(https://core.telegram.org/bots/api#getupdates), and a message that is not known any "
            "more would be counted and answered anew"
        )

    async def remove(db: Database) -> int:
        removed = await prune(db, older_than=older_than)
        for name, amount in removed.as_dict().items():
            typer.echo(f"{amount:>12,} {name.replace('_', ' ')} removed")
        return 0

    return await on_database(remove)
