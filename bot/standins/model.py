"""An OpenAI-compatible model that answers from the prompt it got, as slowly as one likes."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from aiohttp import web

from bot.standins.answers import friendly_answer, split_words
from bot.standins.completions import Completion, error_object
from bot.standins.faults import (
    CutStream,
    DropBefore,
    Hang,
    ModelFailure,
    ModelFault,
    RawBody,
    RefuseCompletion,
    Say,
    Stall,
)
from bot.standins.loopback import LoopbackServer, hang_up
from bot.standins.model_calls import CallLog, ModelCall
from bot.standins.model_control import add_model_control
from bot.standins.model_requests import (
    CompletionRequest,
    RequestError,
    check_key,
    read_completion_request,
)
from bot.standins.model_stream import AnswerStream
from bot.standins.model_switches import ModelSwitches
from bot.standins.switch_routes import add_switches
from bot.standins.switchboard import Switchboard

Answer: TypeAlias = Callable[[list[dict[str, Any]]], str]
ModelHook: TypeAlias = Callable[[ModelCall], Awaitable[ModelFault | None]]

_LARGEST_REQUEST = 64 * 1024 * 1024
_MODEL = "stand-in"
_SERVER_ERRORS_FROM = 500


class ModelStandIn:
    """Serves chat completions under `/v1`. Stopping and starting again keeps state and port.

    `delay` passes before the first word, `per_word` before each word; both may be changed at any
    time. `answer` makes the text, `switches` makes calls fail by name, `hook` one by one.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        delay: float = 0.0,
        api_key: str | None = None,
        *,
        per_word: float = 0.0,
        record_calls: bool = True,
        seed: int = 0,
    ) -> None:
        self._api_key = api_key
        self._log = CallLog(keep=record_calls)
        # A client that hangs up must stop the answer at once, as it stops the spending.
        self._server = LoopbackServer(self._build_app, host, port, cancel_on_disconnect=True)
        self.delay = delay
        self.per_word = per_word
        self.answer: Answer = friendly_answer
        self.hook: ModelHook | None = None
        self.switches = ModelSwitches(seed)

    @property
    def url(self) -> str:
        """Base URL with /v1, for OPENAI_BASE_URL."""
        return f"{self._server.url}/v1"

    @property
    def calls(self) -> list[ModelCall]:
        """Every call, in order of arrival."""
        return self._log.calls

    @property
    def counts(self) -> dict[str, int]:
        """How many calls began, and how they ended."""
        return {"begun": self._log.begun, **self._log.counts}

    async def start(self) -> None:
        """Listen."""
        await self._server.start()

    async def stop(self) -> None:
        """Go away as a server that dies: calls under way get no answer."""
        await self._server.stop()

    async def wait_for_calls(
        self,
        count: int = 1,
        timeout: float = 10.0,  # noqa: ASYNC109 - its error tells what came instead
    ) -> None:
        """Return as soon as that many calls ever arrived."""
        await self._log.wait_for(count, timeout)

    def _build_app(self) -> web.Application:
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_get("/v1/models/{model:.+}", self._show_model)
        add_model_control(app, self)
        add_switches(app, "/control/faults", Switchboard({"model": self.switches}))
        return app

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            check_key(request, self._api_key)
            asked = await read_completion_request(request)
        except RequestError as refused:
            return refused.as_response()
        call = self._log.begin(asked.messages, asked.model, streamed=asked.stream)
        try:
            response = await self._answer_call(request, asked, call)
        except asyncio.CancelledError:
            self._log.end(call, "cancelled")
            raise
        except ConnectionResetError:
            self._log.end(call, "cancelled")
            response = web.Response()  # nobody is there to get one
        finally:
            self._log.end(call, "failed")
        return response

    async def _answer_call(
        self, request: web.Request, asked: CompletionRequest, call: ModelCall
    ) -> web.StreamResponse:
        fault = await self._fault(call)
        match fault:
            case RefuseCompletion():
                return _refusal(fault)
            case RawBody():
                return web.Response(
                    status=fault.status, body=fault.body, content_type=fault.content_type
                )
            case DropBefore():
                hang_up(request)
                return web.Response()
            case Hang():
                await asyncio.Event().wait()
            case None | CutStream() | Say():
                pass
        await asyncio.sleep(self.delay)
        text = fault.text if isinstance(fault, Say) else self.answer(asked.messages)
        completion = Completion.answering(asked.messages, asked.model, text)
        if isinstance(fault, CutStream):
            return await AnswerStream(request, call, completion).send_cut(self.per_word, fault)
        if asked.stream:
            response = await AnswerStream(request, call, completion).send(
                self.per_word, with_usage=asked.with_usage
            )
        else:
            response = await self._answer_plainly(call, completion)
        self._log.end(call, "answered")
        return response

    async def _fault(self, call: ModelCall) -> ModelFailure | None:
        chosen = await self.hook(call) if self.hook is not None else None
        faults: Iterable[ModelFault] = [chosen] if chosen else self.switches.faults_of_call()
        for fault in faults:
            if not isinstance(fault, Stall):
                return fault
            await asyncio.sleep(fault.seconds)
        return None

    async def _answer_plainly(self, call: ModelCall, completion: Completion) -> web.StreamResponse:
        await asyncio.sleep(self.per_word * len(split_words(completion.text)))
        call.text = completion.text
        return web.json_response(completion.plain())

    async def _list_models(self, request: web.Request) -> web.Response:
        try:
            check_key(request, self._api_key)
        except RequestError as refused:
            return refused.as_response()
        return web.json_response({"object": "list", "data": [_model_object(_MODEL)]})

    async def _show_model(self, request: web.Request) -> web.Response:
        try:
            check_key(request, self._api_key)
        except RequestError as refused:
            return refused.as_response()
        return web.json_response(_model_object(request.match_info["model"]))


def _model_object(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": int(time.time()), "owned_by": "stand-in"}


def _refusal(fault: RefuseCompletion) -> web.Response:
    usual = "server_error" if fault.status >= _SERVER_ERRORS_FROM else "invalid_request_error"
    headers = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
    body = error_object(fault.message, fault.kind or usual, fault.code)
    return web.json_response(body, status=fault.status, headers=headers)
