"""One call of a writer: what has come of the answer, and what it takes."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llm.completion import Completion
from llm.contract import Answer, Chunk, Meter, Usage
from llm.request import CompletionRequest
from llm.stream import Transcript


class Writing:
    """Begins when it is made."""

    def __init__(
        self, request: CompletionRequest, on_chunk: Callable[[Chunk], None] | None, meter: Meter
    ) -> None:
        self._request = request
        self._on_chunk = on_chunk
        self._meter = meter
        self._clock = asyncio.get_running_loop().time
        self._transcript = Transcript()
        self.started = self._clock()

    @contextmanager
    def attempt(self, number: int) -> Iterator[Completion]:
        """Measure what is done to the completion, however that ends."""
        completion = Completion(number, self._tell)
        before = self._meter.usage
        try:
            yield completion
        finally:
            self._meter.usage = before + (completion.usage or self._estimate(completion))
            self._meter.first_token_seconds = self._since_start(completion.first_piece_at)
            self._meter.total_seconds = self._clock() - self.started

    def answer(self, completion: Completion) -> Answer | None:
        """Return the answer, or None if it is blank, or raise what its end means."""
        calls = completion.finish()
        if not self._request.tools:
            calls = ()
        text = self._transcript.text
        if not (text.strip() or calls):
            return None
        return Answer(
            text=text,
            finish_reason=completion.finish_reason,
            first_token_seconds=self._meter.first_token_seconds or 0.0,
            total_seconds=self._meter.total_seconds,
            usage=self._meter.usage,
            tool_calls=calls,
        )

    def _tell(self, chunk: Chunk) -> None:
        if self._transcript.apply(chunk) and self._on_chunk is not None:
            self._on_chunk(chunk)

    def _estimate(self, completion: Completion) -> Usage:
        return Usage(self._request.estimated_tokens(), completion.pieces, estimated=True)

    def _since_start(self, moment: float | None) -> float | None:
        return None if moment is None else moment - self.started
