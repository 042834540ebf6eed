"""The menus of commands that the bot sets, for whom and in which language."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from bot.standins.chats import Chat
from bot.standins.wire import ApiError, integer, json_value

Menu: TypeAlias = list[dict[str, Any]]

_NAME = re.compile(r"[a-z0-9_]{1,32}")
_LANGUAGE = re.compile(r"([a-z]{2})?")
_LONGEST_DESCRIPTION = 256
_MOST_COMMANDS = 100
_DEFAULT = {"type": "default"}
_OF_A_CHAT = frozenset({"chat", "chat_administrators", "chat_member"})
_SCOPES = _OF_A_CHAT | {
    "default",
    "all_private_chats",
    "all_group_chats",
    "all_chat_administrators",
}


class Commands:
    """Every list by its scope and language."""

    def __init__(self) -> None:
        self._menus: dict[tuple[str, str], Menu] = {}

    def set(self, params: Mapping[str, str]) -> None:
        """setMyCommands; an empty list is as good as none."""
        commands = json_value(params, "commands", "can't parse commands JSON object")
        if not isinstance(commands, list):
            raise ApiError(400, "Bad Request: expected an Array of BotCommand")
        if len(commands) > _MOST_COMMANDS:
            raise ApiError(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            _check_command(command)
        self._menus[_key(params)] = commands

    def get(self, params: Mapping[str, str]) -> Menu:
        """getMyCommands: the list of exactly this scope and language."""
        return self._menus.get(_key(params), [])

    def delete(self, params: Mapping[str, str]) -> None:
        """deleteMyCommands: whoever it was for sees the next wider list."""
        self._menus.pop(_key(params), None)

    def menu_of(self, chat: Chat) -> Menu:
        """What a person sees in a chat: of the lists that fit the narrowest, by language first."""
        language = (chat.language_code or "")[:2]
        for scope in _scopes_of(chat):
            for spoken in (language, ""):
                if menu := self._menus.get((_canonical(scope), spoken)):
                    return menu
        return []


def _scopes_of(chat: Chat) -> Iterator[dict[str, Any]]:
    yield {"type": "chat", "chat_id": chat.chat_id}
    yield {"type": "all_private_chats" if chat.chat_id > 0 else "all_group_chats"}
    yield _DEFAULT


def _check_command(command: Any) -> None:
    if not isinstance(command, dict):
        raise ApiError(400, "Bad Request: expected an Object as BotCommand")
    name = str(command.get("command", "")).removeprefix("/")
    if not _NAME.fullmatch(name):
        raise ApiError(400, "Bad Request: BOT_COMMAND_INVALID")
    if not 1 <= len(str(command.get("description", ""))) <= _LONGEST_DESCRIPTION:
        raise ApiError(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")


def _key(params: Mapping[str, str]) -> tuple[str, str]:
    scope = json_value(params, "scope", "can't parse BotCommandScope JSON object") or _DEFAULT
    if not isinstance(scope, dict) or scope.get("type") not in _SCOPES:
        raise ApiError(400, "Bad Request: can't parse BotCommandScope: unsupported type specified")
    if scope["type"] in _OF_A_CHAT and not scope.get("chat_id"):
        raise ApiError(400, "Bad Request: can't parse BotCommandScope: chat_id is empty")
    language = params.get("language_code", "")
    if not _LANGUAGE.fullmatch(language):
        raise ApiError(400, "Bad Request: invalid language code specified")
    return _canonical(scope), language


def _canonical(scope: Mapping[str, Any]) -> str:
    numbers = {
        name: integer({name: str(scope[name])}, name)
        for name in ("chat_id", "user_id")
        if name in scope
    }
    return json.dumps({"type": scope["type"], **numbers})
