"""The model call: chat completions of any OpenAI-compatible server."""

import asyncio
import json
from collections.abc import Callable, Sequence

from openai import APIError, APITimeoutError, AsyncStream

from llm.client import openai_client
from llm.completion import Completion
from llm.contract import Answer, Chunk, Meter, ModelSettings, NothingSaid, ToolSpec, Turn, Usage
from llm.failures import refuses_usage, sort_failure
from llm.request import CompletionRequest
from llm.writing import Writing

# Some servers keep the stream open after the last token; others claim to finish in every chunk.
_TAIL_SECONDS = 5.0
_WITH_USAGE = {"stream_options": {"include_usage": True}}
_NOTHING = Usage(0, 0, estimated=False)


class OpenAIWriter:
    """A `Writer` that streams, so that cancelling it stops the server too."""

    def __init__(self, settings: ModelSettings) -> None:
        """Raise what `openai_client` raises."""
        self._settings = settings
        self._asks_usage = True
        self._client = openai_client(settings)

    async def write(
        self,
        turns: Sequence[Turn],
        *,
        tools: Sequence[ToolSpec] = (),
        on_chunk: Callable[[Chunk], None] | None = None,
        temperature: float | None = None,
        meter: Meter | None = None,
    ) -> Answer:
        """Answer `turns`; a blank answer is asked for once more within the same time limit."""
        request = CompletionRequest(turns, tools, temperature)
        writing = Writing(request, on_chunk, meter or Meter())
        deadline = writing.started + self._settings.timeout_seconds
        for number in (1, 2):
            with writing.attempt(number) as completion:
                await self._complete(request, completion, deadline)
            if answer := writing.answer(completion):
                return answer
        raise NothingSaid("empty answer twice")

    async def probe(self) -> None:
        """Raise the `ModelError` that keeps this endpoint, key and model from answering.

        A real question of a few tokens: the list of models, on many servers, needs no key, and
        says nothing about quota.
        """
        await self.write([Turn("user", "Reply with the word OK.")])

    async def aclose(self) -> None:
        """Close idle connections; call it when nothing is being written."""
        await self._client.close()

    async def _complete(
        self, request: CompletionRequest, completion: Completion, deadline: float
    ) -> None:
        clock = asyncio.get_running_loop().time
        try:
            async with (
                asyncio.timeout_at(deadline) as limit,
                await self._open(request, completion) as events,
            ):
                if _is_plain_json(events):
                    completion.add(await _whole_body(events), clock())
                    return
                async for event in events:
                    completion.add(event, clock())
                    if completion.finish_reason:
                        limit.reschedule(min(deadline, clock() + _TAIL_SECONDS))
        except Exception as error:  # noqa: BLE001 (sort_failure says why)
            if not completion.finish_reason:
                # The cause is dropped: it may quote the prompt or the key in a traceback.
                raise sort_failure(error) from None

    async def _open(
        self, request: CompletionRequest, completion: Completion
    ) -> AsyncStream[object]:
        body = request.body(self._settings.model)
        # Calls run side by side: another one may learn of the refusal while this one waits.
        with_usage = self._asks_usage
        try:
            return await self._post({**body, **_WITH_USAGE} if with_usage else body)
        except APIError as error:
            if with_usage and refuses_usage(error):
                self._asks_usage = False
                return await self._open(request, completion)
            if not isinstance(error, APITimeoutError):
                completion.usage = _NOTHING  # refused, or never arrived
            raise

    async def _post(self, body: dict[str, object]) -> AsyncStream[object]:
        # `chat.completions.create` would build a pydantic model of each event, which costs more
        # than the rest of the call.
        return await self._client.post(
            "/chat/completions",
            cast_to=object,
            body=body,
            stream=True,
            stream_cls=AsyncStream[object],
        )


def _is_plain_json(events: AsyncStream[object]) -> bool:
    """Tell whether the server ignored `stream`."""
    content_type: str = events.response.headers.get("content-type", "")
    return content_type.startswith("application/json")


async def _whole_body(events: AsyncStream[object]) -> object:
    body = json.loads(await events.response.aread())
    if isinstance(body, dict) and body.get("error"):
        raise APIError("error in a 200", events.response.request, body=body["error"])
    return body
