"""What one sees at the edges: the chat in Telegram, and the calls of the model."""

from collections.abc import Sequence
from time import monotonic

from bot.demo.timeline import Timeline
from bot.standins.answers import lines_since_last_answer
from bot.standins.happenings import Subscription
from bot.standins.model import ModelStandIn
from bot.standins.model_calls import ModelCall
from bot.standins.telegram import TelegramStandIn


class Edges:
    """Watches one chat; the model's calls for it are known by a word that only it contains."""

    def __init__(
        self,
        telegram: TelegramStandIn,
        model: ModelStandIn,
        timeline: Timeline,
        *,
        chat_id: int,
        word: str,
    ) -> None:
        self._telegram = telegram
        self._model = model
        self._timeline = timeline
        self._chat_id = chat_id
        self._word = word
        self._messages = 0
        self._noted: dict[int, str] = {}

    @property
    def calls(self) -> list[ModelCall]:
        """The model's calls for this chat."""
        return [call for call in self._model.calls if self._word in str(call.messages)]

    @property
    def replies(self) -> Sequence[str]:
        """What the person sees of the bot."""
        chat = self._telegram.chats.by_id.get(self._chat_id)
        return [line.text for line in chat.lines.values() if line.from_bot] if chat else []

    async def listen(self, happenings: Subscription) -> None:
        """Note every message of the chat, until the subscription ends."""
        async for happening in happenings:
            if happening.kind != "message" or happening.chat_id != self._chat_id:
                continue
            topic, words = "reply", happening.detail["text"]
            if not happening.detail["from_bot"]:
                self._messages += 1
                topic = f"message {self._messages}"
                busy = any(call.outcome == "running" for call in self.calls)
                words += "   <- the model is at work" if busy else ""
            self._timeline.add(monotonic(), topic, words)

    def look(self) -> None:
        """Note which calls began and ended since the last look."""
        for number, call in enumerate(self.calls, start=1):
            noted = self._noted.get(number)
            if noted is None:
                count = len(lines_since_last_answer(call.messages))
                words = f"call {number} begun with {count} messages"
                self._timeline.add(call.started, "model", words)
            if call.ended is not None and noted in (None, "running"):
                wishes = ", ".join(use["name"] for use in call.tool_uses)
                words = f"asks for {wishes}" if wishes else call.outcome
                self._timeline.add(call.ended, "model", f"call {number} {words}")
            self._noted[number] = call.outcome
