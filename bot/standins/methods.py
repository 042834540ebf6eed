"""The Bot API's methods: what each one checks, does and answers."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from aiohttp import web

from bot.standins.commands import Commands
from bot.standins.editing import Editor
from bot.standins.files import Files
from bot.standins.polling import Polling
from bot.standins.presses import Presses
from bot.standins.sending import Sender
from bot.standins.wire import ApiError, Params, flag, integer, success, success_list

Method: TypeAlias = Callable[[Params], Awaitable[web.Response]]

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

    def __init__(
        self,
        polling: Polling,
        sender: Sender,
        files: Files,
        commands: Commands,
        presses: Presses,
    ) -> None:
        self._polling = polling
        self._sender = sender
        editor = Editor(sender)
        self.by_name: Mapping[str, Method] = {
            "getme": self._get_me,
            "getupdates": self._get_updates,
            "setwebhook": self._set_webhook,
            "deletewebhook": self._delete_webhook,
            "getwebhookinfo": self._get_webhook_info,
            "sendchataction": self._send_chat_action,
            "sendmessage": _answering(sender.send),
            "sendrichmessage": _answering(sender.send_rich),
            "senddocument": _answering(sender.send_document),
            "sendmessagedraft": _doing(sender.drafts.write),
            "sendrichmessagedraft": _doing(sender.drafts.write_rich),
            "editmessagetext": _answering(editor.edit_text),
            "editmessagereplymarkup": _answering(editor.edit_markup),
            "deletemessage": _doing(editor.delete),
            "answercallbackquery": _doing(presses.answer),
            "getfile": _answering(files.describe),
            "setmycommands": _doing(commands.set),
            "getmycommands": _answering(commands.get),
            "deletemycommands": _doing(commands.delete),
        }

    async def _get_me(self, _params: Params) -> web.Response:
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

    async def _get_updates(self, params: Params) -> web.Response:
        if "allowed_updates" in params:
            self._polling.remember_allowed(params["allowed_updates"])
        return success_list(
            await self._polling.get_updates(
                offset=integer(params, "offset"),
                limit=integer(params, "limit", default=100),
                seconds=integer(params, "timeout"),
            )
        )

    async def _set_webhook(self, params: Params) -> web.Response:
        url = params.get("url", "")
        if not url:
            return await self._delete_webhook(params)
        if "allowed_updates" in params:
            self._polling.remember_allowed(params["allowed_updates"])
        self._drop_pending_if_asked(params)
        already = self._polling.webhook_url == url
        self._polling.set_webhook(url)
        return success(True, "Webhook is already set" if already else "Webhook was set")

    async def _delete_webhook(self, params: Params) -> web.Response:
        self._drop_pending_if_asked(params)
        already = not self._polling.webhook_url
        self._polling.set_webhook("")
        return success(True, "Webhook is already deleted" if already else "Webhook was deleted")

    def _drop_pending_if_asked(self, params: Params) -> None:
        if flag(params, "drop_pending_updates"):
            self._polling.queue.forget_all()

    async def _get_webhook_info(self, _params: Params) -> web.Response:
        info: dict[str, Any] = {
            "url": self._polling.webhook_url,
            "has_custom_certificate": False,
            "pending_update_count": len(self._polling.queue),
        }
        if self._polling.allowed_updates:
            info["allowed_updates"] = sorted(self._polling.allowed_updates)
        return success(info)

    async def _send_chat_action(self, params: Params) -> web.Response:
        if params.get("action", "").lower() not in _CHAT_ACTIONS:
            raise ApiError(400, "Bad Request: wrong parameter action in request")
        self._sender.act(params)
        return success(True)


def _answering(act: Callable[[Params], Any]) -> Method:
    async def method(params: Params) -> web.Response:
        return success(act(params))

    return method


def _doing(act: Callable[[Params], None]) -> Method:
    async def method(params: Params) -> web.Response:
        act(params)
        return success(True)

    return method
