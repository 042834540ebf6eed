"""What one does on the page: write, send files, press buttons, look at the menu."""

import json
from typing import Any

from aiohttp import web

from bot.standins.acts import ActError, perform
from bot.standins.paste import cut_paste
from bot.standins.telegram import TelegramStandIn

_LARGEST_ACT = 96 * 1024 * 1024


class PageActs:
    """The routes by which a person acts."""

    def __init__(self, telegram: TelegramStandIn) -> None:
        self._telegram = telegram

    async def write_message(self, request: web.Request) -> web.Response:
        """Write a text as a client sends it: a long one in parts, the first of them a reply."""
        try:
            body = json.loads(await request.read())
            chat_id, text = int(body["chat_id"]), str(body["text"])
            reply = {name: body[name] for name in ("reply_to", "quote") if name in body}
        except (KeyError, TypeError, ValueError):
            raise web.HTTPBadRequest(text="expected chat_id and text\n") from None
        self._check_chat(chat_id)
        ids: list[int] = []
        for part in cut_paste(text):
            manner = {} if ids else reply
            ids.append(await self._perform({"chat_id": chat_id, "text": part, **manner}))
        return web.json_response({"message_ids": ids})

    async def act(self, request: web.Request) -> web.Response:
        """Do one act."""
        # The application belongs to others, who need not think of large files.
        body = await request.clone(client_max_size=_LARGEST_ACT).read()
        try:
            wish = json.loads(body)
        except ValueError:
            raise web.HTTPBadRequest(text="expected JSON\n") from None
        return web.json_response({"done": await self._perform(wish)})

    async def show_menu(self, request: web.Request) -> web.Response:
        """Show the commands that the person is offered."""
        try:
            chat_id = int(request.query["chat_id"])
        except (KeyError, ValueError):
            raise web.HTTPBadRequest(text="chat_id must be a number\n") from None
        self._check_chat(chat_id)
        return web.json_response(self._telegram.menu_in(chat_id))

    async def _perform(self, wish: object) -> Any:
        try:
            return await perform(self._telegram, wish)
        except ActError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None

    def _check_chat(self, chat_id: int) -> None:
        if chat_id not in self._telegram.chats.by_id:
            raise web.HTTPNotFound(text="no such chat\n")
