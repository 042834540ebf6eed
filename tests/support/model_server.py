"""A loopback model server that answers each request as the test scripted it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Reply = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class ModelServer:
    """What was asked of the server, and when a client left it waiting."""

    script: list[Reply] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    client_ports: list[int] = field(default_factory=list)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    client_left: asyncio.Event = field(default_factory=asyncio.Event)
    base_url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.authorizations.append(request.headers["Authorization"])
        assert request.transport is not None
        self.client_ports.append(request.transport.get_extra_info("peername")[1])
        return await self.script.pop(0)(request)

    def hang(self, *before: bytes) -> Reply:
        """Send `before`, then nothing until the client goes away."""

        async def reply(request: web.Request) -> web.StreamResponse:
            response = await _start(request) if before else web.StreamResponse()
            for part in before:
                await response.write(part)
            try:
                self.waiting.set()
                await asyncio.Event().wait()
            finally:
                self.client_left.set()
            return response

        return reply

    def trickle(self, part: bytes) -> Reply:
        """Send `part` every 20 ms until the client goes away."""

        async def reply(request: web.Request) -> web.StreamResponse:
            response = await _start(request)
            try:
                while True:
                    await response.write(part)
                    await asyncio.sleep(0.02)
            finally:
                self.client_left.set()

        return reply


@asynccontextmanager
async def model_server() -> AsyncIterator[ModelServer]:
    server = ModelServer()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.answer)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield server
    finally:
        await runner.cleanup()


def event(data: object) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def chunk(content: object = None, finish_reason: object = None, **delta: object) -> bytes:
    choice = {"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish_reason}
    return event({"object": "chat.completion.chunk", "choices": [choice]})


DONE = b"data: [DONE]\n\n"


def stream(*parts: bytes, drop: bool = False) -> Reply:
    """Send `parts` as events, then end the response, or with `drop` cut the connection."""

    async def reply(request: web.Request) -> web.StreamResponse:
        response = await _start(request)
        for part in parts:
            await response.write(part)
        if drop:
            assert request.transport is not None
            request.transport.abort()
        return response

    return reply


def fixed(
    status: int, body: object, content_type: str = "application/json", **headers: str
) -> Reply:
    """Answer at once with `body`: text as it is, anything else as JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    dashed = {name.replace("_", "-"): value for name, value in headers.items()}

    async def reply(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=text, content_type=content_type, headers=dashed)

    return reply


async def _start(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response
