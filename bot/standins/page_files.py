"""What the page serves besides what happens: its own files, and those that people sent."""

from pathlib import Path

from aiohttp import web

from bot.standins.guard import Handler
from bot.standins.telegram import TelegramStandIn

SCRIPTS = (
    "page.js",
    "page_bubble.js",
    "page_composer.js",
    "page_conversation.js",
    "page_dialogs.js",
    "page_dom.js",
    "page_link.js",
    "page_marks.js",
    "page_media.js",
    "page_panel.js",
    "page_people.js",
    "page_rich.js",
    "page_trouble.js",
)
STYLES = ("page.css", "page_messages.css")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
# Anything else, shown at this address, could be a page that acts in the visitor's name.
_SHOWN = frozenset({"image/png", "image/jpeg"})


def asset(name: str, content_type: str) -> Handler:
    """A file of the page itself."""
    body = Path(__file__).with_name(name).read_bytes()

    async def show(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type=content_type, charset="utf-8", headers=HEADERS)

    return show


def sent_file(telegram: TelegramStandIn) -> Handler:
    """A file that somebody sent: a picture to look at, or something to download."""

    async def show(request: web.Request) -> web.StreamResponse:
        stored = telegram.files.by_unique_id(request.match_info["unique_id"])
        if stored is None:
            raise web.HTTPNotFound(text="no such file\n")
        if stored.mime_type in _SHOWN:
            return web.Response(body=stored.data, content_type=stored.mime_type, headers=HEADERS)
        headers = {**HEADERS, "Content-Disposition": "attachment"}
        return web.Response(
            body=stored.data, content_type="application/octet-stream", headers=headers
        )

    return show
