"""Routes by which another process plays the people: queue updates, read what was sent."""

import json
import time
from typing import TYPE_CHECKING, Any

from aiohttp import web

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
        except (TypeError, ValueError) as error:
            raise web.HTTPBadRequest(text=f"expected a JSON list of objects: {error}\n") from None
        return web.json_response({"ids": queued})

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
    app.router.add_get("/control/sent", from_here_only(control.show_sent))
    app.router.add_get("/control/status", from_here_only(control.show_status))


def _as_json(sent: Sent) -> dict[str, Any]:
    return {
        "chat_id": sent.chat_id,
        "thread_id": sent.thread_id,
        "message_id": sent.message_id,
        "text": sent.text,
        "method": sent.method,
        "at": sent.at,
    }
