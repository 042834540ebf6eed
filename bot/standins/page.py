"""A chat in the browser: several people, what is said, and the bot's state beside it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aiohttp import web

from bot.standins.chats import Chat
from bot.standins.completions import event
from bot.standins.drafts import draft_detail
from bot.standins.guard import Handler, from_here_only
from bot.standins.happenings import Happening, Subscription
from bot.standins.line_details import line_detail
from bot.standins.model import ModelStandIn
from bot.standins.model_control import pace, set_pace
from bot.standins.page_acts import PageActs
from bot.standins.page_files import HEADERS, SCRIPTS, STYLES, asset, sent_file
from bot.standins.switch_routes import add_switches
from bot.standins.switchboard import Switchboard
from bot.standins.telegram import TelegramStandIn
from bot.standins.wire import encode

Inspect: TypeAlias = Callable[[int, int], Awaitable[dict[str, object] | None]]

_PING_SECONDS = 15.0
_CHATS_SHOWN = 200
_FIRST_CHAT_ID = 1001
_NAMES = ("Ada", "Bruno", "Chloé", "Dmitri", "Emre", "Fatima", "Goran", "Hana", "Ilya", "Jun")


def add_page(
    app: web.Application,
    telegram: TelegramStandIn,
    model: ModelStandIn | None,
    inspect: Inspect | None,
) -> None:
    """Add the page at / and what it needs under /chat to an application that is not started."""
    page, acts = _Page(telegram, model, inspect), PageActs(telegram)
    routes: list[tuple[str, str, Handler]] = [
        ("GET", "/", asset("page.html", "text/html")),
        ("GET", "/chat/files/{unique_id}", sent_file(telegram)),
        ("GET", "/chat/events", page.stream_events),
        ("GET", "/chat/state", page.show_state),
        ("GET", "/chat/model", page.show_model),
        ("POST", "/chat/model", page.change_model),
        ("GET", "/chat/menu", acts.show_menu),
        ("POST", "/chat/messages", acts.write_message),
        ("POST", "/chat/acts", acts.act),
        ("POST", "/chat/chats", page.open_chat),
    ]
    routes.extend(("GET", f"/chat/{name}", asset(name, "text/javascript")) for name in SCRIPTS)
    routes.extend(("GET", f"/chat/{name}", asset(name, "text/css")) for name in STYLES)
    for method, path, handler in routes:
        app.router.add_route(method, path, from_here_only(handler))
    switches = {"telegram": telegram.switches} | ({"model": model.switches} if model else {})
    add_switches(app, "/chat/faults", Switchboard(switches), telegram.wait_until_switched)
    app.on_shutdown.append(page.end_streams)


class _Page:
    def __init__(
        self, telegram: TelegramStandIn, model: ModelStandIn | None, inspect: Inspect | None
    ) -> None:
        self._telegram = telegram
        self._model = model
        self._inspect = inspect
        self._streams: set[Subscription] = set()
        if not telegram.chats.by_id:
            self._open_chat()

    async def stream_events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
        with self._telegram.subscribe() as happenings:
            # Taken at once with the subscription: nothing falls between the two or shows twice.
            snapshot = self._snapshot()
            self._streams.add(happenings)
            try:
                await response.prepare(request)
                await response.write(event(encode(snapshot)))
                await self._send_happenings(response, happenings)
            except ConnectionResetError:
                pass  # the browser left
            finally:
                self._streams.discard(happenings)
        return response

    async def end_streams(self, _app: web.Application) -> None:
        for happenings in list(self._streams):
            happenings.close()

    async def show_state(self, request: web.Request) -> web.Response:
        if self._inspect is None:
            return web.json_response(None)
        try:
            chat_id = int(request.query["chat_id"])
            thread_id = int(request.query.get("thread_id", "0"))
        except (KeyError, ValueError):
            raise web.HTTPBadRequest(text="chat_id and thread_id must be numbers\n") from None
        return web.json_response(await self._inspect(chat_id, thread_id))

    async def show_model(self, _request: web.Request) -> web.Response:
        return web.json_response(None if self._model is None else pace(self._model))

    async def change_model(self, request: web.Request) -> web.Response:
        if self._model is None:
            raise web.HTTPNotFound(text="this bot uses a real model\n")
        await set_pace(request, self._model)
        return web.json_response(pace(self._model))

    async def open_chat(self, _request: web.Request) -> web.Response:
        chat = self._open_chat()
        return web.json_response({"chat_id": chat.chat_id, "name": chat.first_name})

    def _open_chat(self) -> Chat:
        known = self._telegram.chats.by_id
        chat_id = max((*known, _FIRST_CHAT_ID - 1)) + 1
        name = _NAMES[(chat_id - _FIRST_CHAT_ID) % len(_NAMES)]
        return self._telegram.open_chat(chat_id, name)

    def _snapshot(self) -> dict[str, Any]:
        chats = list(self._telegram.chats.by_id.values())[-_CHATS_SHOWN:]
        return {"kind": "snapshot", "chats": [self._chat_detail(chat) for chat in chats]}

    def _chat_detail(self, chat: Chat) -> dict[str, Any]:
        return {
            "chat_id": chat.chat_id,
            "name": chat.first_name,
            "language": chat.language_code,
            **draft_detail(self._telegram.draft_in(chat.chat_id)),
            "lines": [line_detail(line) for line in chat.lines.values()],
        }

    async def _send_happenings(
        self, response: web.StreamResponse, happenings: Subscription
    ) -> None:
        while True:
            try:
                async with asyncio.timeout(_PING_SECONDS):
                    happening = await anext(happenings, None)
            except TimeoutError:
                await response.write(b": still here\n\n")
                continue
            if happening is None:
                return
            await response.write(event(encode(self._as_event(happening))))

    def _as_event(self, happening: Happening) -> dict[str, Any]:
        chat = self._telegram.chats.by_id[happening.chat_id]
        return {
            "kind": happening.kind,
            "chat_id": chat.chat_id,
            "name": chat.first_name,
            **happening.detail,
        }
