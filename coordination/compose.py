"""From a burst to an answer: read it with its history, and ask the model."""

import structlog

from coordination.lease_keeper import HeldLease, Stop
from coordination.outcomes import Apology, Outcome, Postponed, Reply, Stopped
from coordination.patience import backoff, until_available
from coordination.ports import Courier
from coordination.rules import Rules
from llm.contract import Answer, ForGood, TryLater, Turn, Writer
from llm.prompt import assemble
from storage import messages
from storage.database import Database
from storage.records import Burst, ConversationKey, SentReply, StoredMessage
from storage.steps import step
from storage.text import storable

log = structlog.get_logger(__name__)

LONGEST_WISH_SECONDS = 900.0
"""A server may ask for a day of silence; the people in the chat would not wait that long."""


class Composer:
    """Writes answers; changes nothing but what the user sees of the typing."""

    def __init__(self, db: Database, rules: Rules, writer: Writer, courier: Courier) -> None:
        self._db = db
        self._rules = rules
        self._writer = writer
        self._courier = courier

    async def compose(self, held: HeldLease, burst: Burst) -> Outcome:
        """Answer the burst, unless the lease is lost or a newer message makes that useless."""
        key = held.lease.key
        try:
            with self._courier.typing(key):
                answer = await held.unless_stopped(self._write(key, burst))
        except ForGood as error:
            return Apology(error.reason)
        except TryLater as error:
            return self._later(burst, error.reason, error.retry_after)
        except Exception as error:
            log.exception("composing_failed")
            return self._later(burst, type(error).__name__, None)
        return Stopped(answer) if isinstance(answer, Stop) else Reply(storable(answer.text))

    async def _write(self, key: ConversationKey, burst: Burst) -> Answer:
        turns = await until_available(lambda: self._prompt(key, burst))
        async with step(self._db.at, "model_call"):
            return await self._writer.write(turns)

    async def _prompt(self, key: ConversationKey, burst: Burst) -> list[Turn]:
        limit = self._rules.history_messages
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
            [message.text for message in fresh],
            limit,
        )

    def _later(self, burst: Burst, reason: str, retry_after: float | None) -> Outcome:
        failures = burst.model_attempts + 1
        if failures >= self._rules.model_max_attempts:
            return Apology(reason)
        wished = min(retry_after or 0.0, LONGEST_WISH_SECONDS)
        return Postponed(reason, wished + backoff(failures))


def history(answered: list[StoredMessage], replies: list[SentReply]) -> list[Turn]:
    """Messages and replies as turns, in the order in which they belong together."""
    turns = [
        (message.seq, 0, message.message_id, Turn("user", message.text)) for message in answered
    ]
    turns += [(reply.last_seq, 1, 0, Turn("assistant", reply.text)) for reply in replies]
    return [turn for *_, turn in sorted(turns, key=lambda each: each[:3])]
