"""Routes by which another process plays the people: queue updates, read what was sent."""

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from aiohttp import web

from bot.standins.acts import perform
from bot.standins.guard import from_here_only
from bot.standins.replies import Sent

if TYPE_CHECKING:
    from bot.standins.telegram import TelegramStandIn

_SENT_PER_ANSWER = 10_000


class Control:
    """The routes under /control of one Bot API stand-in."""

    def __init__(self, telegram: "TelegramStandIn") -> None:
        self._telegram = telegram

    async def queue_updates(self, request: web.Request) -> web.Response:
        """Queue a list of {chat_id, text, …} as messages, or of raw updates, all at once."""
        try:
            queued = [self._queue(item) for item in json.loads(await request.read())]
        except (LookupError, TypeError, ValueError) as error:
            raise web.HTTPBadRequest(text=f"expected a JSON list of objects: {error}\n") from None
        return web.json_response({"ids": queued})

    async def do_acts(self, request: web.Request) -> web.Response:
        """Do a list of acts in order, up to the first that cannot be done."""
        done = []
        try:
            for wish in json.loads(await request.read()):
                done.append(await perform(self._telegram, wish))  # noqa: PERF401 - each waits
        except (TypeError, ValueError) as error:
            raise web.HTTPBadRequest(text=f"act {len(done)}: {error}\n") from None
        return web.json_response({"done": done})

    async def show_drafts(self, _request: web.Request) -> web.Response:
        """Show the latest drafts, whether they still show or not."""
        return web.json_response({"drafts": [asdict(each) for each in self._telegram.drafts]})

    async def show_file(self, request: web.Request) -> web.Response:
        """Show a file that somebody sent, by its file_unique_id."""
        stored = self._telegram.files.by_unique_id(request.match_info["unique_id"])
        if stored is None:
            raise web.HTTPNotFound(text="no such file\n")
        return web.Response(body=stored.data, content_type="application/octet-stream")

    async def show_sent(self, request: web.Request) -> web.Response:
        """Show what the users saw, from the position `since` on; `next` continues."""
        try:
            since = int(request.query.get("since", "0"))
        except ValueError:
            raise web.HTTPBadRequest(text="since must be a number\n") from None
        sent = self._telegram.sent[since : since + _SENT_PER_ANSWER]
        shown = [_as_json(one) for one in sent]
        return web.json_response({"sent": shown, "next": since + len(shown)})

    async def show_status(self, _request: web.Request) -> web.Response:
        """Show counts; times are this process's monotonic seconds."""
        telegram = self._telegram
        return web.json_response(
            {
                "pending": telegram.pending,
                "confirmed_offset": telegram.confirmed_offset,
                "confirmed_at": telegram.confirmed_at,
                "next_update_id": telegram.next_update_id,
                "sent": len(telegram.sent),
                "sent_at": telegram.sent[-1].at if telegram.sent else None,
                "calls": dict(telegram.call_counts),
                "now": time.monotonic(),
            }
        )

    def _queue(self, item: dict[str, Any]) -> int:
        if "chat_id" in item:
            return self._telegram.say(**item)
        return self._telegram.push(item)


def add_control(app: web.Application, telegram: "TelegramStandIn") -> None:
    """Add the control routes to the stand-in's application."""
    control = Control(telegram)
    app.router.add_post("/control/updates", from_here_only(control.queue_updates))
    app.router.add_post("/control/acts", from_here_only(control.do_acts))
    app.router.add_get("/control/drafts", from_here_only(control.show_drafts))
    app.router.add_get("/control/files/{unique_id}", from_here_only(control.show_file))
    app.router.add_get("/control/sent", from_here_only(control.show_sent))
    app.router.add_get("/control/status", from_here_only(control.show_status))


def _as_json(sent: Sent) -> dict[str, Any]:
    shown = {
        "chat_id": sent.chat_id,
        "thread_id": sent.thread_id,
        "message_id": sent.message_id,
        "text": sent.text,
        "method": sent.method,
        "at": sent.at,
    }
    if sent.content.keys() - {"text"}:
        shown["content"] = sent.content
    if sent.rich is not None:
        shown["rich"] = sent.rich
    return shown
