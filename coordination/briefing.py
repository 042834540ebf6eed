"""What the model is told: who writes, what was said before, and the burst."""

from collections.abc import Sequence

from coordination.background import known, with_silences
from coordination.dialogue import Dialogue
from coordination.history import Said, history, with_effects
from coordination.lease_keeper import HeldLease
from coordination.patience import until_available
from coordination.reading import Reading
from coordination.rules import Rules
from coordination.summary import Summarizer, block_of
from llm.contract import Turn
from llm.prompt import assemble
from storage import messages, people
from storage.database import Database
from storage.records import Burst, ConversationKey, SentReply, StoredMessage


class Briefing:
    """Puts prompts together from the database."""

    def __init__(
        self,
        db: Database,
        rules: Rules,
        dialogue: Dialogue,
        summarizer: Summarizer,
        reading: Reading,
    ) -> None:
        self._db = db
        self._rules = rules
        self._dialogue = dialogue
        self._summarizer = summarizer
        self._reading = reading

    async def turns(
        self, held: HeldLease, burst: Burst, *, with_history: bool = True
    ) -> list[Turn]:
        """The prompt for a burst."""
        key = held.lease.key
        stored, replies = await self._stored(key, burst, with_history=with_history)
        fresh = [message for message in stored if message.seq > burst.answered_seq]
        fresh.sort(key=lambda message: message.message_id)
        answered = [each for each in stored if each.seq <= burst.answered_seq]
        summary, recent = await self._remembered(held, burst, history(answered, replies))
        system = [self._rules.system_prompt, await self._known(key), summary]
        effects = await self._dialogue.effects_so_far(burst, held)
        said = with_effects(await self._reading.turns(key, fresh), effects)
        return assemble("\n\n".join(filter(None, system)), recent, said, len(recent))

    async def _stored(
        self, key: ConversationKey, burst: Burst, *, with_history: bool
    ) -> tuple[list[StoredMessage], list[SentReply]]:
        limit = self._rules.history_messages if with_history else 0
        limit += block_of(self._rules) if limit else 0
        stored = await until_available(
            lambda: messages.messages_between(
                self._db,
                key,
                after_seq=max(burst.answered_seq - limit, burst.reset_seq),
                last_seq=burst.last_seq,
            )
        )
        return with_silences(stored), await self._replies(key, burst, limit)

    async def _replies(self, key: ConversationKey, burst: Burst, limit: int) -> list[SentReply]:
        if not limit or burst.answered_seq <= burst.reset_seq:
            return []
        return await until_available(
            lambda: messages.last_replies(
                self._db,
                key,
                after_seq=burst.reset_seq,
                answered_seq=burst.answered_seq,
                most=limit,
            )
        )

    async def _remembered(
        self, held: HeldLease, burst: Burst, said: Sequence[Said]
    ) -> tuple[str, list[Turn]]:
        """The newest turns, and in words what came before them."""
        words, limit = "", self._rules.history_messages
        recent = said[-limit:] if limit else []
        if recent and (summary := await self._summarizer.before(held, burst, recent[0].seq)):
            recent = [each for each in said if each.seq > summary.last_seq]
            words = f"The conversation so far, in short:\n{summary.text}"
        return words, [turn for _, turn in recent]

    async def _known(self, key: ConversationKey) -> str:
        background = await until_available(lambda: people.background_of(self._db, key.chat_id))
        return known(background, with_time=self._dialogue.has_tools)
