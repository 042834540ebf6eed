"""From a burst to an answer: read it with its history, and ask the model."""

import structlog

from coordination.briefing import Briefing
from coordination.dialogue import Dialogue
from coordination.draft import Draft
from coordination.lease_keeper import HeldLease, Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import RetryPolicy
from coordination.ports import Courier
from coordination.rules import Rules
from coordination.voice import Voice
from llm.contract import ForGood, TryLater
from llm.prompt import without_images
from storage.records import Burst
from storage.text import storable

log = structlog.get_logger(__name__)


class Composer:
    """Writes answers; changes nothing but what the user sees of the typing, and what tools do."""

    def __init__(
        self,
        rules: Rules,
        dialogue: Dialogue,
        briefing: Briefing,
        courier: Courier,
        voice: Voice,
    ) -> None:
        self._rules = rules
        self._dialogue = dialogue
        self._briefing = briefing
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
        turns = await self._briefing.turns(held, burst)
        try:
            return await self._dialogue.answer(held, burst, turns, draft)
        except ForGood as error:
            if not any(turn.images for turn in turns):
                raise
            # Most likely a model that cannot see: it can still answer the words.
            log.warning("asking_without_pictures", reason=error.reason)
            return await self._dialogue.answer(held, burst, without_images(turns), draft)

    def _later(self, burst: Burst, reason: str, wish: float | None) -> Outcome:
        failures = burst.model_attempts + 1
        if self._policy.is_exhausted(failures):
            return Apology(reason)
        return Postponed(reason, self._policy.delay(failures, wish))
