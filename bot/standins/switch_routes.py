"""Routes by which the page or another process throws the switches."""

from collections.abc import Awaitable, Callable
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.standins.guard import from_here_only
from bot.standins.switch_kinds import SwitchError
from bot.standins.switchboard import Order, Switchboard


class Wish(BaseModel):
    """What a POST asks for, carried out in this order."""

    model_config = ConfigDict(strict=True, extra="forbid")

    all: Literal["off"] | None = None
    seed: int | None = None
    faults: list[Order] = []


async def _at_once() -> None:
    pass


def add_switches(
    app: web.Application,
    path: str,
    board: Switchboard,
    settled: Callable[[], Awaitable[None]] = _at_once,
) -> None:
    """Add GET, which shows every switch, and POST of a `Wish`, which then does the same.

    The POST is answered once `settled` returns, which must not wait for this very server.
    """

    async def show(_request: web.Request) -> web.Response:
        return web.json_response(board.shown())

    async def throw(request: web.Request) -> web.Response:
        try:
            _grant(Wish.model_validate_json(await request.read()), board)
        except ValidationError as error:
            raise web.HTTPBadRequest(text=_in_words(error)) from None
        except SwitchError as error:
            raise web.HTTPBadRequest(text=f"{error}\n") from None
        await settled()
        return await show(request)

    app.router.add_get(path, from_here_only(show))
    app.router.add_post(path, from_here_only(throw))


def _grant(wish: Wish, board: Switchboard) -> None:
    board.check(wish.faults)
    if wish.all == "off":
        board.all_off()
    if wish.seed is not None:
        board.sow(wish.seed)
    board.obey(wish.faults)


def _in_words(error: ValidationError) -> str:
    return "".join(
        f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}\n" for each in error.errors()
    )
