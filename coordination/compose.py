"""From a burst to an answer: read it with its history, and ask the model."""

from collections.abc import Sequence

import structlog

from coordination.dialogue import Dialogue
from coordination.draft import Draft
from coordination.history import Said, history, with_effects
from coordination.lease_keeper import HeldLease, Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import RetryPolicy, until_available
from coordination.ports import Courier
from coordination.rules import Rules
from coordination.summary import Summarizer, block_of
from coordination.voice import Voice
from llm.contract import ForGood, TryLater, Turn
from llm.prompt import assemble
from storage import messages
from storage.database import Database
from storage.records import Burst
from storage.text import storable

log = structlog.get_logger(__name__)


class Composer:
    """Writes answers; changes nothing but what the user sees of the typing, and what tools do."""

    def __init__(
        self,
        db: Database,
        rules: Rules,
        dialogue: Dialogue,
        summarizer: Summarizer,
        courier: Courier,
        voice: Voice,
    ) -> None:
        self._db = db
        self._rules = rules
        self._dialogue = dialogue
        self._summarizer = summarizer
        self._courier = courier
        self._voice = voice
        self._policy = RetryPolicy(attempts=rules.model_max_attempts)

    async def compose(self, held: HeldLease, burst: Burst) -> Outcome:
        """Answer the burst, unless the lease is lost or a newer message makes that useless."""
        draft = Draft()
        try:
            with self._courier.composing(held.lease.key) as draft.show:
                text = await held.unless_stopped(self._write(held, burst, draft))
        except ForGood as error:
            return Apology(error.reason)
        except TryLater as error:
            return self._later(burst, error.reason, error.retry_after)
        except Exception as error:
            log.exception("composing_failed")
            return self._later(burst, type(error).__name__, None)
        if text is Stop.BY_USER:
            # What was seen of the answer is the answer.
            seen = storable(draft.text) if draft.text.strip() else None
            return Reply(seen or await self._voice.stopped(held.lease.key))
        return Stopped(text) if isinstance(text, Stop) else Reply(storable(text))

    async def _write(self, held: HeldLease, burst: Burst, draft: Draft) -> str:
        turns = await self._prompt(held, burst)
        return await self._dialogue.answer(held, burst, turns, draft)

    async def _prompt(self, held: HeldLease, burst: Burst) -> list[Turn]:
        key, limit = held.lease.key, self._rules.history_messages
        limit += block_of(self._rules) if limit else 0
        stored = await until_available(
            lambda: messages.messages_between(
                self._db,
                key,
                after_seq=max(burst.answered_seq - limit, burst.reset_seq),
                last_seq=burst.last_seq,
            )
        )
        replies = await until_available(
            lambda: messages.last_replies(
                self._db,
                key,
                after_seq=burst.reset_seq,
                answered_seq=burst.answered_seq,
                most=limit,
            )
        )
        fresh = [message for message in stored if message.seq > burst.answered_seq]
        fresh.sort(key=lambda message: message.message_id)
        answered = [each for each in stored if each.seq <= burst.answered_seq]
        system, recent = await self._remembered(held, burst, history(answered, replies))
        effects = await self._dialogue.effects_so_far(burst, held)
        return assemble(system, recent, with_effects(fresh, effects), len(recent))

    async def _remembered(
        self, held: HeldLease, burst: Burst, said: Sequence[Said]
    ) -> tuple[str, list[Turn]]:
        """The system prompt, with a summary of what is not among the turns beside it."""
        system, limit = self._rules.system_prompt, self._rules.history_messages
        recent = said[-limit:] if limit else []
        if recent and (summary := await self._summarizer.before(held, burst, recent[0].seq)):
            recent = [each for each in said if each.seq > summary.last_seq]
            system = f"{system}\n\nThe conversation so far, in short:\n{summary.text}".strip()
        return system, [turn for _, turn in recent]

    def _later(self, burst: Burst, reason: str, wish: float | None) -> Outcome:
        failures = burst.model_attempts + 1
        if self._policy.is_exhausted(failures):
            return Apology(reason)
        return Postponed(reason, self._policy.delay(failures, wish))
