"""Commands that only tell."""

from bot.commands.desk import Desk, Request, say, say_text
from bot.commands.listed import listed


async def assist(desk: Desk, request: Request) -> None:
    """Say what there is."""
    intro = desk.words.say("help", request.language)
    commands = listed(desk.words, desk.canned, request.language)
    lines = (f"/{name} - {description}" for name, description in commands.items())
    say_text(desk, request, "\n".join([intro, "", *lines]))


async def privacy(desk: Desk, request: Request) -> None:
    """Say what is kept."""
    say(desk, request, "privacy")
