"""The edges of coordination, played by the test: each call waits until it is told what to do."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.standins.news import HANG_SECONDS
from coordination.ports import Contents, Delivered, Delivery, NotNow, Show, Unreadable
from llm.contract import Answer, Chunk, ToolCall, Turn, Usage
from storage.records import Attachment, ConversationKey, Format

USAGE = Usage(10, 2, estimated=True)


@dataclass
class ModelCall:
    """A prompt that waits for its answer."""

    turns: Sequence[Turn]
    on_chunk: Callable[[Chunk], None] | None = None
    was_cancelled: bool = False
    _streamed: str = ""
    _outcome: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def asks(self) -> str:
        """The burst, as the model gets it."""
        return self.turns[-1].text

    def streams(self, *pieces: str) -> None:
        """So much of the answer has come."""
        assert self.on_chunk
        for number, piece in enumerate(pieces):
            self.on_chunk(Chunk(1, number, piece))
            self._streamed += piece

    def answer(self, text: str) -> None:
        self._outcome.set_result(Answer(text, "stop", 0, 0, usage=USAGE))

    def calls(self, tool: str, **arguments: object) -> None:
        """Have the model ask for a tool, after what it streamed."""
        asked = ToolCall("call_0", tool, json.dumps(arguments))
        self._outcome.set_result(Answer(self._streamed, "tool_calls", 0, 0, USAGE, (asked,)))

    def fail(self, error: Exception) -> None:
        self._outcome.set_exception(error)

    async def outcome(self) -> Answer:
        try:
            return await self._outcome
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


class HeldWriter:
    """A model that answers when the test says so."""

    def __init__(self) -> None:
        self.calls: list[ModelCall] = []
        self._asked: asyncio.Queue[ModelCall] = asyncio.Queue()

    async def write(
        self,
        turns: Sequence[Turn],
        *,
        on_chunk: Callable[[Chunk], None] | None = None,
        **_options: object,
    ) -> Answer:
        call = ModelCall(turns, on_chunk)
        self.calls.append(call)
        self._asked.put_nowait(call)
        return await call.outcome()

    async def next_call(self) -> ModelCall:
        """The next prompt, as soon as it is there."""
        async with asyncio.timeout(HANG_SECONDS):
            return await self._asked.get()


Meanwhile = Callable[[], Awaitable[object]]


class ScriptedCourier:
    """Delivers as scripted, and everything once the script is at its end."""

    def __init__(self) -> None:
        self.script: list[Delivery | Exception] = []
        self.meanwhile: Meanwhile | None = None
        """What happens while a part is on its way."""
        self.best_format: Format = "plain"
        self.letters: list[tuple[ConversationKey, str]] = []
        self.formats: list[Format] = []
        self.typing_in: list[ConversationKey] = []
        self.drafts: list[str] = []

    @property
    def sent(self) -> list[str]:
        """What went out, to whomever."""
        return [text for _, text in self.letters]

    async def send(
        self, key: ConversationKey, text: str, how: Format, may_go: Callable[[], bool]
    ) -> Delivery:
        if not may_go():
            return NotNow("held back")
        self.letters.append((key, text))
        self.formats.append(how)
        if self.meanwhile:
            await self.meanwhile()
        delivery = self.script.pop(0) if self.script else Delivered(len(self.letters))
        if isinstance(delivery, Exception):
            raise delivery
        return delivery

    @contextmanager
    def composing(self, key: ConversationKey) -> Iterator[Show]:
        self.typing_in.append(key)
        try:
            yield self.drafts.append
        finally:
            self.typing_in.remove(key)


class ScriptedAttachments:
    """Files by their ids; of all others nothing can be had."""

    def __init__(self) -> None:
        self.files: dict[str, Contents] = {}
        self.meanwhile: Meanwhile | None = None
        """What happens while a file is fetched."""
        self.asked: list[str] = []

    async def read(self, attachment: Attachment) -> Contents:
        self.asked.append(attachment.file_id)
        if self.meanwhile:
            await self.meanwhile()
        return self.files.get(attachment.file_id, Unreadable("[it could not be read]"))


class AlarmBook:
    """Rings nothing; says what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[ConversationKey, float]] = []

    @property
    def seconds(self) -> list[float]:
        """In how many seconds it was to ring, each time."""
        return [seconds for _, seconds in self.asked]

    def set(self, key: ConversationKey, seconds: float) -> None:
        self.asked.append((key, seconds))
