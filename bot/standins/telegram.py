"""A Bot API server for one bot, as strict as Telegram is, with the people's side in reach."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from aiohttp import web

from bot.standins.away import Away
from bot.standins.control import add_control
from bot.standins.faults import (
    Call,
    DropAfter,
    DropBefore,
    Failure,
    Fault,
    GarbleAfter,
    GarbleBefore,
    Hook,
    Refuse,
    Stall,
)
from bot.standins.loopback import LoopbackServer, hang_up
from bot.standins.method_names import DOWNLOAD
from bot.standins.methods import Methods
from bot.standins.news import HANG_SECONDS, News
from bot.standins.people_acts import PeopleWhoAct
from bot.standins.refusals import refused
from bot.standins.switch_kinds import Kind
from bot.standins.switch_routes import add_switches
from bot.standins.switchboard import Switchboard
from bot.standins.telegram_switches import AWAY, POLL, TelegramSwitches
from bot.standins.wire import ApiError, Params, failure, garbled, read_params, success

Perform: TypeAlias = Callable[[str, Params], Awaitable[web.Response]]

_LARGEST_REQUEST = 64 * 1024 * 1024
_IDS_BEGAN = 1_735_689_600  # 2025-01-01, so that ten ids a second stay below 2**31 until 2031


class TelegramStandIn(PeopleWhoAct):
    """Serves `/bot<token>/<method>` and `/file/bot<token>/<path>`.

    Stopping keeps its state; starting again keeps its port.

    It differs from the real server where that would only slow tests down: repeated short polls
    are not throttled, and conflicts are answered at once. `switches` makes it fail by name,
    `hook` call by call.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        *,
        first_id: int | None = None,
        record_calls: bool = True,
        seed: int = 0,
    ) -> None:
        # A stand-in that starts afresh must not give ids again that the bot's database knows:
        # the bot would take the new messages for redeliveries. The clock outruns any typing.
        began = int((time.time() - _IDS_BEGAN) * 10) if first_id is None else first_id
        super().__init__(began, TelegramSwitches(seed))
        self.switches.changed = self._follow
        self._token = token
        self._record_calls = record_calls
        self._methods = Methods(
            self._polling, self._sender, self.files, self._commands, self._presses
        )
        self._server = LoopbackServer(self._build_app, host, port)
        self._away = Away(self.switches, self._server)
        self.hook: Hook | None = None
        self.calls: list[Call] = []
        self.call_counts: Counter[str] = Counter()
        self._called = News()

    @property
    def url(self) -> str:
        """Base URL, for TELEGRAM_API_URL."""
        return self._server.url

    async def start(self) -> None:
        """Listen, unless the switch `away` is on."""
        await self._away.start()

    async def stop(self) -> None:
        """Go away as a server that dies: calls under way get no answer."""
        self._feed.close()
        await self._away.stop()

    async def wait_for_calls(
        self,
        method: str,
        count: int = 1,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> None:
        """Return as soon as the method was ever called so many times."""
        await self._called.wait_until(
            lambda: self.call_counts[method] >= count,
            timeout,
            lambda: f"{self.call_counts[method]} of {count} calls of {method}",
        )

    async def wait_until_switched(self) -> None:
        """Return once the port is open or closed as the switch `away` says."""
        await self._away.settled()

    def _follow(self, kind: Kind) -> None:
        setting = self.switches.get(kind.name)
        if kind.name == AWAY:
            self._away.follow()
        elif setting is not None and setting.touches(POLL):
            self._polling.wake()  # a poll that began before would hide the trouble for long

    def _build_app(self) -> web.Application:
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_route("*", "/bot{token}/{method}", self._answer)
        app.router.add_get("/file/bot{token}/{path:.+}", self._answer_download)
        add_control(app, self)
        add_switches(app, "/control/faults", Switchboard({"telegram": self.switches}))
        app.router.add_route("*", "/{path:.*}", _not_found)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            self._authorize(request.match_info["token"])
            params, name = await read_params(request), request.match_info["method"]
            return await self._carry_out(request, name, params, self._perform)
        except ApiError as error:
            return failure(error)

    async def _answer_download(self, request: web.Request) -> web.Response:
        try:
            self._authorize(request.match_info["token"])
            params = Params({"path": request.match_info["path"]})
            return await self._carry_out(request, DOWNLOAD, params, self._download)
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
        self, request: web.Request, name: str, params: Params, perform: Perform
    ) -> web.Response:
        call = Call(name, params, time.monotonic())
        self.call_counts[name] += 1
        self._called.tell()
        if self._record_calls:
            self.calls.append(call)
        match fault := await self._fault(call):
            case Refuse():
                return refused(fault)
            case DropBefore():
                hang_up(request)
                return web.Response()
            case GarbleBefore():
                return garbled(success(True))
            case None | DropAfter() | GarbleAfter():
                pass
        response = await perform(name, params)
        if isinstance(fault, DropAfter):
            hang_up(request)
        return garbled(response) if isinstance(fault, GarbleAfter) else response

    async def _fault(self, call: Call) -> Failure | None:
        chosen = await self.hook(call) if self.hook is not None else None
        faults: Iterable[Fault] = [chosen] if chosen else self.switches.faults_of_call(call)
        for fault in faults:
            if not isinstance(fault, Stall):
                return fault
            await asyncio.sleep(fault.seconds)
        return None

    async def _perform(self, name: str, params: Params) -> web.Response:
        method = self._methods.by_name.get(name.lower())
        if method is None:
            return failure(ApiError(404, "Not Found: method not found"))
        try:
            return await method(params)
        except ApiError as error:
            return failure(error)

    async def _download(self, _name: str, params: Params) -> web.Response:
        stored = self.files.by_path(params["path"])
        if stored is None:
            raise ApiError(404, "Not Found")
        return web.Response(body=stored.data, content_type="application/octet-stream")


async def _not_found(_request: web.Request) -> web.Response:
    return failure(ApiError(404, "Not Found"))
