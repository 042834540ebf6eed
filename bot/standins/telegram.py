"""A Bot API server for one bot, as strict as Telegram is, with the people's side in reach."""

import asyncio
import time
from collections import Counter

from aiohttp import web

from bot.standins.control import add_control
from bot.standins.faults import Call, DropAfter, DropBefore, Hook, Refuse, Stall
from bot.standins.loopback import LoopbackServer, hang_up
from bot.standins.methods import Methods
from bot.standins.people import People
from bot.standins.wire import ApiError, failure, read_params

_LARGEST_REQUEST = 64 * 1024 * 1024
_IDS_BEGAN = 1_735_689_600  # 2025-01-01, so that ten ids a second stay below 2**31 until 2031


class TelegramStandIn(People):
    """Serves `/bot<token>/<method>`. Stopping keeps its state; starting again keeps its port.

    It differs from the real server where that would only slow tests down: repeated short polls
    are not throttled, and conflicts are answered at once.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        *,
        first_id: int | None = None,
        record_calls: bool = True,
    ) -> None:
        # A stand-in that starts afresh must not give ids again that the bot's database knows:
        # the bot would take the new messages for redeliveries. The clock outruns any typing.
        super().__init__(int((time.time() - _IDS_BEGAN) * 10) if first_id is None else first_id)
        self._token = token
        self._record_calls = record_calls
        self._methods = Methods(self._polling, self._sender)
        self._server = LoopbackServer(self._build_app, host, port)
        self.hook: Hook | None = None
        self.calls: list[Call] = []
        self.call_counts: Counter[str] = Counter()

    @property
    def url(self) -> str:
        """Base URL, for TELEGRAM_API_URL."""
        return self._server.url

    async def start(self) -> None:
        """Listen."""
        await self._server.start()

    async def stop(self) -> None:
        """Go away as a server that dies: calls under way get no answer."""
        self._feed.close()
        await self._server.stop()

    def _build_app(self) -> web.Application:
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_route("*", "/bot{token}/{method}", self._answer)
        add_control(app, self)
        app.router.add_route("*", "/{path:.*}", _not_found)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            self._authorize(request.match_info["token"])
            params = await read_params(request)
            return await self._carry_out(request, request.match_info["method"], params)
        except ApiError as error:
            return failure(error)

    def _authorize(self, token: str) -> None:
        bot_id, separator, secret = token.partition(":")
        if not (separator and secret and bot_id.isdecimal() and not bot_id.startswith("0")):
            raise ApiError(401, "Unauthorized: invalid token specified")
        if self._token is not None and token != self._token:
            raise ApiError(401, "Unauthorized")
        self._sender.introduce(int(bot_id))

    async def _carry_out(
        self, request: web.Request, name: str, params: dict[str, str]
    ) -> web.Response:
        call = Call(name, params, time.monotonic())
        self.call_counts[name] += 1
        if self._record_calls:
            self.calls.append(call)
        fault = await self.hook(call) if self.hook is not None else None
        if isinstance(fault, Stall):
            await asyncio.sleep(fault.seconds)
        elif isinstance(fault, Refuse):
            return _refusal(fault)
        elif isinstance(fault, DropBefore):
            hang_up(request)
            return web.Response()
        method = self._methods.by_name.get(name.lower())
        if method is None:
            raise ApiError(404, "Not Found: method not found")
        response = await method(params)
        if isinstance(fault, DropAfter):
            hang_up(request)
        return response


def _refusal(fault: Refuse) -> web.Response:
    response = failure(ApiError(fault.status, fault.description, fault.retry_after))
    if fault.raw_body is not None:
        response.body = fault.raw_body
    return response


async def _not_found(_request: web.Request) -> web.Response:
    return failure(ApiError(404, "Not Found"))
