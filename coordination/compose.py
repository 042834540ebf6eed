"""From a burst to an answer: read it with its history, and ask the model."""

from collections.abc import Sequence

import structlog

from coordination.dialogue import Dialogue, as_turns
from coordination.lease_keeper import HeldLease, Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import RetryPolicy, until_available
from coordination.ports import Courier
from coordination.rules import Rules
from llm.contract import ForGood, TryLater, Turn
from llm.prompt import assemble
from storage import messages
from storage.database import Database
from storage.records import Burst, Effect, SentReply, StoredMessage
from storage.text import storable

log = structlog.get_logger(__name__)


class Composer:
    """Writes answers; changes nothing but what the user sees of the typing, and what tools do."""

    def __init__(self, db: Database, rules: Rules, dialogue: Dialogue, courier: Courier) -> None:
        self._db = db
        self._rules = rules
        self._dialogue = dialogue
        self._courier = courier
        self._policy = RetryPolicy(attempts=rules.model_max_attempts)

    async def compose(self, held: HeldLease, burst: Burst) -> Outcome:
        """Answer the burst, unless the lease is lost or a newer message makes that useless."""
        try:
            with self._courier.typing(held.lease.key):
                text = await held.unless_stopped(self._write(held, burst))
        except ForGood as error:
            return Apology(error.reason)
        except TryLater as error:
            return self._later(burst, error.reason, error.retry_after)
        except Exception as error:
            log.exception("composing_failed")
            return self._later(burst, type(error).__name__, None)
        return Stopped(text) if isinstance(text, Stop) else Reply(storable(text))

    async def _write(self, held: HeldLease, burst: Burst) -> str:
        turns = await until_available(lambda: self._prompt(held, burst))
        return await self._dialogue.answer(held, burst, turns)

    async def _prompt(self, held: HeldLease, burst: Burst) -> list[Turn]:
        key, limit = held.lease.key, self._rules.history_messages
        stored = await messages.messages_between(
            self._db, key, after_seq=burst.answered_seq - limit, last_seq=burst.last_seq
        )
        replies = await messages.last_replies(
            self._db, key, answered_seq=burst.answered_seq, most=limit
        )
        fresh = [message for message in stored if message.seq > burst.answered_seq]
        fresh.sort(key=lambda message: message.message_id)
        return assemble(
            self._rules.system_prompt,
            history([each for each in stored if each.seq <= burst.answered_seq], replies),
            with_effects(fresh, await self._dialogue.effects_so_far(burst, held)),
            limit,
        )

    def _later(self, burst: Burst, reason: str, wish: float | None) -> Outcome:
        failures = burst.model_attempts + 1
        if self._policy.is_exhausted(failures):
            return Apology(reason)
        return Postponed(reason, self._policy.delay(failures, wish))


def with_effects(fresh: Sequence[StoredMessage], effects: Sequence[Effect]) -> list[Turn]:
    """The burst as turns; what a run did stands after the messages that the run knew."""
    turns: list[Turn] = []
    waiting = list(fresh)
    for effect in effects:
        while any(message.seq <= effect.last_seq for message in waiting):
            turns.append(Turn("user", waiting.pop(0).text))
        turns += as_turns(effect)
    return turns + [Turn("user", message.text) for message in waiting]


def history(answered: list[StoredMessage], replies: list[SentReply]) -> list[Turn]:
    """Messages and replies as turns, in the order in which they belong together."""
    turns = [
        (message.seq, 0, message.message_id, Turn("user", message.text)) for message in answered
    ]
    turns += [(reply.last_seq, 1, 0, Turn("assistant", reply.text)) for reply in replies]
    return [turn for *_, turn in sorted(turns, key=lambda each: each[:3])]
