"""The commands with their descriptions, for people and for Telegram's menu."""

from collections.abc import Mapping

import structlog
from aiogram import Bot
from aiogram.types import BotCommand, BotCommandScopeAllPrivateChats

from bot.commands.names import OWN
from bot.words import Words

log = structlog.get_logger(__name__)

LONGEST_DESCRIPTION = 256
"""https://core.telegram.org/bots/api#botcommand"""


def listed(words: Words, canned: Mapping[str, str], language: str | None) -> dict[str, str]:
    """Each command by its name; those of the operator show how their answers begin."""
    own = {name: words.say(f"command-{name}", language) for name in OWN}
    return own | {name: _beginning(answer) for name, answer in canned.items()}


async def register(bot: Bot, words: Words, canned: Mapping[str, str]) -> None:
    """Tell Telegram of them in every language; never raises."""
    try:
        for language in (None, *words.languages):
            commands = [
                BotCommand(command=name, description=description)
                for name, description in listed(words, canned, language).items()
            ]
            await bot.set_my_commands(
                commands, scope=BotCommandScopeAllPrivateChats(), language_code=language
            )
    except Exception as error:  # noqa: BLE001 (the commands work without a menu)
        log.warning("commands_not_registered", error=type(error).__name__)


def _beginning(answer: str) -> str:
    line = answer.strip().splitlines()[0]
    return line if len(line) <= LONGEST_DESCRIPTION else line[: LONGEST_DESCRIPTION - 1] + "…"
