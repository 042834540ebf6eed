"""Menus of commands: each list is for a scope and a language, and people see the narrowest."""

import pytest
from aiogram.types import (
    BotCommand,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
    BotCommandScopeDefault,
)

from tests.support.standin_bot import ADA, StandInBot, plain

HELP = BotCommand(command="help", description="What I can do")
STOP = BotCommand(command="stop", description="Be quiet")
HILFE = BotCommand(command="help", description="Was ich kann")


def menu(made: StandInBot) -> list[str]:
    return [command["description"] for command in made.telegram.menu_in(ADA)]


async def test_narrowest_list_wins(made: StandInBot) -> None:
    assert menu(made) == []
    await made.bot.set_my_commands([HELP])
    assert menu(made) == ["What I can do"]
    private = BotCommandScopeAllPrivateChats()
    await made.bot.set_my_commands([HELP, STOP], scope=private)
    await made.bot.set_my_commands([HILFE], scope=private, language_code="de")
    assert menu(made) == ["Was ich kann"]
    made.telegram.introduce(ADA, language_code="pt-br")
    assert menu(made) == ["What I can do", "Be quiet"]
    chat = BotCommandScopeChat(chat_id=ADA)
    await made.bot.set_my_commands([STOP], scope=chat)
    assert menu(made) == ["Be quiet"]
    await made.bot.delete_my_commands(scope=chat)
    await made.bot.delete_my_commands(scope=private)
    assert menu(made) == ["What I can do"]


async def test_each_list_is_read_by_itself(made: StandInBot) -> None:
    await made.bot.set_my_commands([HELP])
    read = await made.bot.get_my_commands(scope=BotCommandScopeDefault())
    assert plain(*read) == plain(HELP)
    assert await made.bot.get_my_commands(language_code="de") == []
    assert await made.bot.delete_my_commands()
    assert await made.bot.get_my_commands() == []


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"commands": "["}, "can't parse commands JSON object"),
        ({"commands": {}}, "expected an Array of BotCommand"),
        ({"commands": [1]}, "expected an Object as BotCommand"),
        ({"commands": [{"command": "Ä", "description": "a"}]}, "BOT_COMMAND_INVALID"),
        ({"commands": [{"command": "a"}]}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"commands": [{"command": "a", "description": "a"}] * 101}, "BOT_COMMANDS_TOO_MUCH"),
        ({"commands": [], "language_code": "deu"}, "invalid language code specified"),
        ({"commands": [], "scope": {"type": "moon"}}, "unsupported type specified"),
        ({"commands": [], "scope": {"type": "chat"}}, "chat_id is empty"),
    ],
)
async def test_menu_refused(made: StandInBot, params: dict[str, object], complaint: str) -> None:
    assert complaint in await made.refusal("setMyCommands", **params)
