"""How the stand-in model hears: transcriptions of recordings, as OpenAI serves them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from aiohttp import web
from aiohttp.web_request import FileField

from bot.standins.faults import DropBefore, Hang, ModelFault, RawBody, RefuseCompletion, Say, Stall
from bot.standins.loopback import hang_up
from bot.standins.model_errors import RequestError, refusal
from bot.standins.model_requests import check_key
from bot.standins.model_switches import TRANSCRIPTION, ModelSwitches
from bot.standins.news import HANG_SECONDS, News
from bot.standins.wire import read_upload


@dataclass(frozen=True, slots=True)
class Recording:
    """What was to be heard, and how it was asked for."""

    name: str
    mime_type: str
    data: bytes = field(repr=False)
    model: str
    language: str


Transcript: TypeAlias = Callable[[Recording], str]
HearingHook: TypeAlias = Callable[[Recording], Awaitable[ModelFault | None]]


class Hearing:
    """Serves `/v1/audio/transcriptions`.

    `transcript` makes of a recording its words, by default how many bytes it has. `hook` makes
    calls fail one by one, as the switches do by name.
    """

    def __init__(self, switches: ModelSwitches, api_key: str | None) -> None:
        self._switches = switches
        self._api_key = api_key
        self._news = News()
        self.recordings: list[Recording] = []
        self.transcript: Transcript = _in_bytes
        self.hook: HearingHook | None = None

    async def wait_for(
        self,
        count: int = 1,
        timeout: float = HANG_SECONDS,  # noqa: ASYNC109 - its error tells what came instead
    ) -> None:
        """Return as soon as there were so many recordings."""
        await self._news.wait_until(
            lambda: len(self.recordings) >= count,
            timeout,
            lambda: f"{len(self.recordings)} of {count} recordings",
        )

    async def take_call(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        try:
            check_key(request, self._api_key)
            recording = await _read(request)
        except RequestError as refused:
            return refused.as_response()
        self.recordings.append(recording)
        self._news.tell()
        return await self._answer(request, recording)

    async def _answer(self, request: web.Request, recording: Recording) -> web.StreamResponse:
        chosen = await self.hook(recording) if self.hook is not None else None
        faults: Iterable[ModelFault] = (
            [chosen] if chosen else self._switches.faults_of_call(TRANSCRIPTION)
        )
        said = None
        for fault in faults:
            match fault:
                case Stall():
                    await asyncio.sleep(fault.seconds)
                case RefuseCompletion():
                    return refusal(fault)
                case RawBody():
                    return _raw(fault)
                case DropBefore():
                    hang_up(request)
                    return web.Response()
                case Hang():
                    await asyncio.Event().wait()
                case Say():
                    said = fault.text
                case _:
                    raise TypeError(f"a transcription cannot fail so: {fault}")
        return web.json_response({"text": self.transcript(recording) if said is None else said})


async def _read(request: web.Request) -> Recording:
    if request.content_type != "multipart/form-data":
        raise RequestError(400, "Could not parse multipart form")
    form = await request.post()
    file, model = form.get("file"), form.get("model")
    if not isinstance(file, FileField):
        raise RequestError(400, "Missing required parameter: 'file'.", "missing_required_parameter")
    upload = read_upload(file)
    if not isinstance(model, str) or not model:
        raise RequestError(400, "you must provide a model parameter")
    if not upload.data:
        raise RequestError(400, "Audio file is too short. Minimum audio length is 0.1 seconds.")
    language = str(form.get("language", ""))
    return Recording(upload.name, upload.mime_type, upload.data, model, language)


def _raw(fault: RawBody) -> web.Response:
    return web.Response(status=fault.status, body=fault.body, content_type=fault.content_type)


def _in_bytes(recording: Recording) -> str:
    return f"a recording of {len(recording.data)} bytes"
