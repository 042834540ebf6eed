"""A route by which another process slows the stand-in model down."""

import json
from typing import TYPE_CHECKING

from aiohttp import web

from bot.standins.guard import from_here_only

if TYPE_CHECKING:
    from bot.standins.model import ModelStandIn


_LONGEST = 3600


def add_model_control(app: web.Application, model: "ModelStandIn") -> None:
    """Add GET and POST /control."""

    async def show(_request: web.Request) -> web.Response:
        return web.json_response({**pace(model), "calls": model.counts})

    async def change(request: web.Request) -> web.Response:
        await set_pace(request, model)
        return await show(request)

    app.router.add_get("/control", from_here_only(show))
    app.router.add_post("/control", from_here_only(change))


def pace(model: "ModelStandIn") -> dict[str, float]:
    """The delays in force."""
    return {"delay": model.delay, "per_word": model.per_word}


async def set_pace(request: web.Request, model: "ModelStandIn") -> None:
    """Take over the delays named in the body; nothing changes when one of them is no delay."""
    try:
        wanted = json.loads(await request.read())
        chosen = {name: _seconds(wanted[name]) for name in pace(model) if name in wanted}
    except (TypeError, ValueError) as error:
        raise web.HTTPBadRequest(text=f"not understood: {error}\n") from None
    model.delay = chosen.get("delay", model.delay)
    model.per_word = chosen.get("per_word", model.per_word)


def _seconds(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LONGEST:
        return float(value)
    raise ValueError(f"{value!r} is not a number of seconds up to {_LONGEST}")
