"""The Bot API's methods: what each one checks, does and answers."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from aiohttp import web

from bot.standins.polling import Polling
from bot.standins.sending import Sender
from bot.standins.wire import ApiError, flag, integer, success, success_list

Method: TypeAlias = Callable[[dict[str, str]], Awaitable[web.Response]]

METHODS = (
    "getMe",
    "getUpdates",
    "setWebhook",
    "deleteWebhook",
    "getWebhookInfo",
    "sendMessage",
    "sendRichMessage",
    "editMessageText",
    "deleteMessage",
    "sendChatAction",
    "setMyCommands",
    "getMyCommands",
)

_CHAT_ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)


class Methods:
    """Each of `METHODS`, by its name in small letters."""

    def __init__(self, polling: Polling, sender: Sender) -> None:
        self._polling = polling
        self._sender = sender
        self._commands: dict[tuple[str, str], Any] = {}
        self.by_name: Mapping[str, Method] = {
            "getme": self._get_me,
            "getupdates": self._get_updates,
            "setwebhook": self._set_webhook,
            "deletewebhook": self._delete_webhook,
            "getwebhookinfo": self._get_webhook_info,
            "sendmessage": self._send_message,
            "sendrichmessage": self._send_rich_message,
            "editmessagetext": self._edit_message_text,
            "deletemessage": self._delete_message,
            "sendchataction": self._send_chat_action,
            "setmycommands": self._set_my_commands,
            "getmycommands": self._get_my_commands,
        }

    async def _get_me(self, _params: dict[str, str]) -> web.Response:
        return success(
            {
                **self._sender.bot,
                "can_join_groups": True,
                "can_read_all_group_messages": False,
                "supports_inline_queries": False,
                "can_connect_to_business": False,
                "has_main_web_app": False,
            }
        )

    async def _get_updates(self, params: dict[str, str]) -> web.Response:
        if "allowed_updates" in params:
            self._polling.remember_allowed(params["allowed_updates"])
        return success_list(
            await self._polling.get_updates(
                offset=integer(params, "offset"),
                limit=integer(params, "limit", default=100),
                seconds=integer(params, "timeout"),
            )
        )

    async def _set_webhook(self, params: dict[str, str]) -> web.Response:
        url = params.get("url", "")
        if not url:
            return await self._delete_webhook(params)
        if "allowed_updates" in params:
            self._polling.remember_allowed(params["allowed_updates"])
        self._drop_pending_if_asked(params)
        already = self._polling.webhook_url == url
        self._polling.set_webhook(url)
        return success(True, "Webhook is already set" if already else "Webhook was set")

    async def _delete_webhook(self, params: dict[str, str]) -> web.Response:
        self._drop_pending_if_asked(params)
        already = not self._polling.webhook_url
        self._polling.set_webhook("")
        return success(True, "Webhook is already deleted" if already else "Webhook was deleted")

    def _drop_pending_if_asked(self, params: dict[str, str]) -> None:
        if flag(params, "drop_pending_updates"):
            self._polling.queue.forget_all()

    async def _get_webhook_info(self, _params: dict[str, str]) -> web.Response:
        info: dict[str, Any] = {
            "url": self._polling.webhook_url,
            "has_custom_certificate": False,
            "pending_update_count": len(self._polling.queue),
        }
        if self._polling.allowed_updates:
            info["allowed_updates"] = sorted(self._polling.allowed_updates)
        return success(info)

    async def _send_message(self, params: dict[str, str]) -> web.Response:
        return success(self._sender.send(params))

    async def _send_rich_message(self, params: dict[str, str]) -> web.Response:
        return success(self._sender.send_rich(params))

    async def _edit_message_text(self, params: dict[str, str]) -> web.Response:
        return success(self._sender.edit(params))

    async def _delete_message(self, params: dict[str, str]) -> web.Response:
        self._sender.delete(params)
        return success(True)

    async def _send_chat_action(self, params: dict[str, str]) -> web.Response:
        if params.get("action", "").lower() not in _CHAT_ACTIONS:
            raise ApiError(400, "Bad Request: wrong parameter action in request")
        self._sender.act(params)
        return success(True)

    async def _set_my_commands(self, params: dict[str, str]) -> web.Response:
        try:
            commands = json.loads(params.get("commands", ""))
        except ValueError:
            raise ApiError(400, "Bad Request: can't parse commands JSON object") from None
        if not isinstance(commands, list):
            raise ApiError(400, "Bad Request: expected an Array of BotCommand")
        self._commands[_commands_key(params)] = commands
        return success(True)

    async def _get_my_commands(self, params: dict[str, str]) -> web.Response:
        return success(self._commands.get(_commands_key(params), []))


def _commands_key(params: dict[str, str]) -> tuple[str, str]:
    return params.get("scope", ""), params.get("language_code", "")
