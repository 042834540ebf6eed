"""Keeps foreign web pages away from what may change or show a chat.

The page and the control routes have no password: they rely on being reached from this machine
only. A page on the internet could still reach them through the visitor's browser, by a form sent
across sites or by a name that it lets resolve to loopback.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from ipaddress import ip_address
from typing import TypeAlias
from urllib.parse import urlsplit

from aiohttp import web

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


def from_here_only(handler: Handler) -> Handler:
    """Refuse requests whose Host is not loopback or whose Origin is another site."""

    @wraps(handler)
    async def guarded(request: web.Request) -> web.StreamResponse:
        if not _is_loopback(request.host):
            raise web.HTTPForbidden(text="only reachable as localhost\n")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="not for other sites\n")
        return await handler(request)

    return guarded


def _is_loopback(host: str) -> bool:
    name = urlsplit(f"//{host}").hostname
    if name is None:
        return False
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
