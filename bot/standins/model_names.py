"""The models that the stand-in claims to have: one, and any other that is asked for by name."""

import time
from typing import Any

from aiohttp import web

from bot.standins.model_errors import RequestError
from bot.standins.model_requests import check_key

_MODEL = "stand-in"


def add_model_names(app: web.Application, api_key: str | None) -> None:
    """Add the routes under /v1/models."""

    def answer(request: web.Request, body: dict[str, Any]) -> web.Response:
        try:
            check_key(request, api_key)
        except RequestError as refused:
            return refused.as_response()
        return web.json_response(body)

    async def list_models(request: web.Request) -> web.Response:
        return answer(request, {"object": "list", "data": [_model_object(_MODEL)]})

    async def show_model(request: web.Request) -> web.Response:
        return answer(request, _model_object(request.match_info["model"]))

    app.router.add_get("/v1/models", list_models)
    app.router.add_get("/v1/models/{model:.+}", show_model)


def _model_object(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": int(time.time()), "owned_by": "stand-in"}
