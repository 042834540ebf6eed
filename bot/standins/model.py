"""An OpenAI-compatible model that answers from the prompt it got, as slowly as one likes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from aiohttp import web

from bot.standins.answers import friendly_answer, split_words
from bot.standins.completions import Completion
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
from bot.standins.hearing import Hearing
from bot.standins.loopback import LoopbackServer, hang_up
from bot.standins.model_calls import CallLog, ModelCall
from bot.standins.model_control import add_model_control
from bot.standins.model_errors import RequestError, refusal
from bot.standins.model_names import add_model_names
from bot.standins.model_requests import CompletionRequest, check_key, read_completion_request
from bot.standins.model_stream import AnswerStream
from bot.standins.model_switches import ModelSwitches
from bot.standins.news import HANG_SECONDS
from bot.standins.switch_routes import add_switches
from bot.standins.switchboard import Switchboard
from bot.standins.tool_choice import ToolUse, chosen_tools

Answer: TypeAlias = Callable[[list[dict[str, Any]]], str | list[ToolUse]]
ModelHook: TypeAlias = Callable[[ModelCall], Awaitable[ModelFault | None]]

_LARGEST_REQUEST = 64 * 1024 * 1024


class ModelStandIn:
    """Serves chat completions under `/v1`, and what `hearing` says transcriptions.

    Stopping and starting again keeps state and port.

    `delay` passes before the first word, `per_word` before each word; both may be changed at any
    time. `answer` makes of the messages a text or tool calls; without it, the model calls the
    offered tools it sees a use for, and repeats what it was told. `switches` makes calls fail by
    name, `hook` one by one.
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
        self.answer: Answer | None = None
        self.hook: ModelHook | None = None
        self.switches = ModelSwitches(seed)
        self.hearing = Hearing(self.switches, api_key)

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
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> None:
        """Return as soon as that many calls ever arrived."""
        await self._log.wait_for(count, timeout)

    def _build_app(self) -> web.Application:
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self._take_call)
        app.router.add_post("/v1/audio/transcriptions", self.hearing.take_call)
        add_model_names(app, self._api_key)
        add_model_control(app, self)
        add_switches(app, "/control/faults", Switchboard({"model": self.switches}))
        return app

    async def _take_call(self, request: web.Request) -> web.StreamResponse:
        try:
            check_key(request, self._api_key)
            asked = await read_completion_request(request)
        except RequestError as refused:
            return refused.as_response()
        call = self._log.begin(asked)
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
                return refusal(fault)
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
        said = fault.text if isinstance(fault, Say) else self._say(call)
        completion = self._complete(call, said)
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

    def _say(self, call: ModelCall) -> str | list[ToolUse]:
        if self.answer is not None:
            return self.answer(call.messages)
        return chosen_tools(call.messages, call.offered) or friendly_answer(call.messages)

    def _complete(self, call: ModelCall, said: str | list[ToolUse]) -> Completion:
        if isinstance(said, str):
            return Completion.answering(call.messages, call.model, said)
        call.tool_uses = said
        completion = Completion.answering(call.messages, call.model, "", said)
        broken = said and self.switches.break_arguments()
        return completion.with_broken_arguments() if broken else completion

    async def _fault(self, call: ModelCall) -> ModelFailure | None:
        chosen = await self.hook(call) if self.hook is not None else None
        faults: Iterable[ModelFault] = [chosen] if chosen else self.switches.faults_of_call()
        for fault in faults:
            if not isinstance(fault, Stall):
                return fault
            await asyncio.sleep(fault.seconds)
        return None

    async def _answer_plainly(self, call: ModelCall, completion: Completion) -> web.StreamResponse:
        await asyncio.sleep(self.per_word * len(split_words(completion.spoken)))
        call.text = completion.text
        return web.json_response(completion.plain())
