"""From a burst to an answer: read it with its history, and ask the model."""

from collections.abc import Sequence

import structlog

from coordination.breaker import Breaker
from coordination.briefing import Briefing
from coordination.dialogue import Dialogue
from coordination.draft import Draft
from coordination.lease_keeper import HeldLease, Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import PROBING, RetryPolicy
from coordination.ports import Courier
from coordination.rules import Rules
from coordination.voice import Voice
from llm.contract import ForGood, TooLong, TryLater, Turn
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
        breaker: Breaker,
    ) -> None:
        self._rules = rules
        self._dialogue = dialogue
        self._briefing = briefing
        self._courier = courier
        self._voice = voice
        self._breaker = breaker
        self._policy = RetryPolicy(attempts=rules.model_max_attempts)

    async def compose(self, held: HeldLease, burst: Burst) -> Outcome:
        """Answer the burst, unless the lease is lost or a newer message makes that useless."""
        draft = Draft()
        was_away = self._breaker.is_open
        try:
            with self._courier.composing(held.lease.key) as draft.show:
                text = await held.unless_stopped(self._write(held, burst, draft))
        except ForGood as error:
            return Apology(error.reason)
        except TryLater as error:
            may_give_up = not was_away and self._owes_nothing(burst)
            return self._later(burst, error.reason, error.retry_after, may_give_up=may_give_up)
        except Exception as error:
            log.exception("composing_failed")
            may_give_up = self._owes_nothing(burst)
            return self._later(burst, type(error).__name__, None, may_give_up=may_give_up)
        if text is Stop.BY_USER:
            # What was seen of the answer is the answer.
            seen = draft.text if _is_seen(draft.text) else await self._voice.stopped(held.lease.key)
            return Reply(storable(seen))
        return Stopped(text) if isinstance(text, Stop) else Reply(storable(text))

    async def _write(self, held: HeldLease, burst: Burst, draft: Draft) -> str:
        """Ask; what was refused is asked again without what was most likely refused."""
        turns = await self._briefing.turns(held, burst)
        try:
            return await self._dialogue.answer(held, burst, turns, draft)
        except ForGood as error:
            refusal = error
        if isinstance(refusal, TooLong):
            alone = await self._briefing.turns(held, burst, with_history=False)
            if _users(alone) != _users(turns):
                log.warning("asking_without_history", reason=refusal.reason)
                turns = alone
                try:
                    return await self._dialogue.answer(held, burst, turns, draft)
                except ForGood as error:
                    refusal = error
        if not any(turn.images for turn in turns):
            raise refusal
        # It cannot see, but can still answer the words.
        log.warning("asking_without_pictures", reason=refusal.reason)
        return await self._dialogue.answer(held, burst, without_images(turns), draft)

    def _owes_nothing(self, burst: Burst) -> bool:
        # Who was told to wait for the model gets no apology before it has answered somebody.
        return not burst.is_promised or self._breaker.is_known_to_be_back

    def _later(
        self, burst: Burst, reason: str, wish: float | None, *, may_give_up: bool
    ) -> Outcome:
        failures = burst.model_attempts + 1
        if may_give_up and self._policy.is_exhausted(failures):
            return Apology(reason)
        policy = self._policy if may_give_up else PROBING
        return Postponed(reason, policy.delay(failures, wish))


def _users(turns: Sequence[Turn]) -> list[Turn]:
    # What tools did since may be more than the history was.
    return [turn for turn in turns if turn.role == "user"]


def _is_seen(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)
