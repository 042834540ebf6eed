"""The model call: chat completions of any OpenAI-compatible server."""

import asyncio
import json
from collections.abc import Sequence

from openai import APIError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient

from llm.completion import Completion
from llm.contract import Answer, ForGood, ModelSettings, Turn
from llm.failures import sort_failure

_LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")
# Some servers keep the stream open after the last token; others claim to finish in every chunk.
_TAIL_SECONDS = 5.0


class OpenAIWriter:
    """A `Writer` that streams, so that cancelling it stops the server too."""

    def __init__(self, settings: ModelSettings) -> None:
        """Raise `OpenAIError` on an empty key, `httpx2.InvalidURL` on a broken address."""
        self._settings = settings
        self._client = AsyncOpenAI(
            api_key=settings.api_key,
            base_url=settings.base_url,
            timeout=settings.timeout_seconds,
            max_retries=0,
            # HTTP_PROXY without NO_PROXY would send calls to a server on this machine away.
            http_client=DefaultAsyncHttpxClient(mounts=dict.fromkeys(_LOOPBACK)),
        )

    async def write(self, turns: Sequence[Turn]) -> Answer:
        """Answer `turns`; a blank answer is asked for once more within the same time limit."""
        clock = asyncio.get_running_loop().time
        started = clock()
        for _ in range(2):
            completion = await self._complete(turns, started + self._settings.timeout_seconds)
            text = completion.finished_text()
            if text.strip():
                return Answer(
                    text=text,
                    finish_reason=completion.finish_reason,
                    first_token_seconds=(completion.first_piece_at or started) - started,
                    total_seconds=clock() - started,
                )
        raise ForGood("empty answer twice")

    async def probe(self) -> None:
        """Raise the `ModelError` that keeps this endpoint, key and model from answering.

        A real question of a few tokens: the list of models, on many servers, needs no key, and
        says nothing about quota.
        """
        await self.write([Turn("user", "Reply with the word OK.")])

    async def aclose(self) -> None:
        """Close idle connections; call it when nothing is being written."""
        await self._client.close()

    async def _complete(self, turns: Sequence[Turn], deadline: float) -> Completion:
        clock = asyncio.get_running_loop().time
        completion = Completion()
        try:
            async with asyncio.timeout_at(deadline) as limit, await self._request(turns) as events:
                if _is_plain_json(events):
                    completion.add(await _whole_body(events), clock())
                    return completion
                async for event in events:
                    completion.add(event, clock())
                    if completion.finish_reason:
                        limit.reschedule(min(deadline, clock() + _TAIL_SECONDS))
        except Exception as error:  # noqa: BLE001 (sort_failure says why)
            if not completion.finish_reason:
                # The cause is dropped: it may quote the prompt or the key in a traceback.
                raise sort_failure(error) from None
        return completion

    async def _request(self, turns: Sequence[Turn]) -> AsyncStream[object]:
        # `chat.completions.create` would build a pydantic model of each event, which costs more
        # than the rest of the call.
        return await self._client.post(
            "/chat/completions",
            cast_to=object,
            body={
                "model": self._settings.model,
                "messages": [{"role": turn.role, "content": turn.text} for turn in turns],
                "stream": True,
            },
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
