"""Histories: one conversation lived through by the verbs, at times of the test's choosing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storage import deliveries, messages, outbox, runs, taking
from storage.database import Database
from storage.records import Burst, ConversationKey, InboundMessage, Released, Run, Taken
from tests.support.acts import ADA, CAP, MAX_SUPERSEDES, MAX_WAIT, NOON, QUIET, TTL

TELL = """
WITH counted AS (
    UPDATE conversations SET event_version = event_version + 1
    WHERE chat_id = :chat_id AND thread_id = :thread_id
    RETURNING chat_id, thread_id, event_version
)
INSERT INTO events (
    chat_id, thread_id, version, type, payload, correlation_id, run, holder, recorded_at
)
SELECT chat_id, thread_id, event_version, :type, CAST(:payload AS jsonb), CAST(:burst AS bigint),
    CAST(:run AS bigint), CAST(:holder AS text), CAST(:at AS timestamptz)
FROM counted RETURNING version
"""


@dataclass
class Past:
    """What happens here happens so many seconds after `start`."""

    db: Database
    key: ConversationKey = ADA
    start: datetime = NOON

    def after(self, seconds: float) -> datetime:
        return self.start + timedelta(seconds=seconds)

    async def say(self, *message_ids: int, at: float, text: str = "text") -> None:
        inbound = [InboundMessage(self.key, each, f"{text} {each}") for each in message_ids]
        await messages.receive(self.db, inbound, quiet=QUIET, cap=CAP, now=self.after(at))

    async def take(self, holder: str, *, at: float) -> Taken:
        taken = await taking.take_lease(
            self.db,
            self.key,
            holder=holder,
            ttl=TTL,
            max_supersedes=MAX_SUPERSEDES,
            max_wait=MAX_WAIT,
            now=self.after(at),
        )
        assert taken
        return taken

    async def commit(
        self,
        taken: Taken,
        *,
        at: float,
        parts: Sequence[str] = ("one",),
        failure: str | None = None,
    ) -> Run:
        assert isinstance(taken.work, Burst)
        run = await runs.commit_reply(
            self.db,
            taken.lease,
            taken.work,
            reply="\n".join(parts),
            parts=parts,
            failure=failure,
            now=self.after(at),
        )
        assert run
        return run

    async def start_part(self, taken: Taken, run: Run, part: int, *, at: float) -> None:
        assert await outbox.start_part(self.db, taken.lease, run, part, now=self.after(at))

    async def send(self, taken: Taken, run: Run, *, at: float) -> None:
        """Every part that is open goes out."""
        for part in await outbox.open_parts(self.db, taken.lease, run):
            await self.start_part(taken, run, part.number, at=at)
            assert await outbox.record_part(
                self.db,
                taken.lease,
                run,
                part.number,
                state="sent",
                message_id=900 + part.number,
                now=self.after(at),
            )

    async def finish(
        self, taken: Taken, run: Run, *, at: float, unreachable: str | None = None
    ) -> Released:
        released = await deliveries.finish(
            self.db, taken.lease, run, unreachable=unreachable, now=self.after(at)
        )
        assert released
        return released

    async def answered(self, *message_ids: int, at: float, failure: str | None = None) -> Run:
        """A whole burst, answered four seconds after it began."""
        await self.say(*message_ids, at=at)
        taken = await self.take("a", at=at + 2)
        model = {"outcome": "answered", "total_ms": 800, "tokens_in": 50, "tokens_out": 7}
        await self.tell("model_called", model, at=at + 3, run=taken.work.run.number)
        run = await self.commit(taken, at=at + 3, failure=failure)
        await self.send(taken, run, at=at + 3)
        await self.finish(taken, run, at=at + 4)
        return run

    async def superseded(self, first: int, second: int, *, at: float) -> None:
        """A run that began with one message is dropped for the next one, which waits."""
        await self.say(first, at=at)
        taken = await self.take("a", at=at + 2)
        await self.say(second, at=at + 3)
        assert await runs.supersede(self.db, taken.lease, taken.work.run, now=self.after(at + 3))

    async def postponed(self, *message_ids: int, at: float, reason: str = "HTTP 503") -> None:
        """The model fails; there is to be another try 12 seconds later."""
        await self.say(*message_ids, at=at)
        taken = await self.take("a", at=at + 2)
        assert await runs.postpone_run(
            self.db,
            taken.lease,
            taken.work.run,
            delay=timedelta(seconds=12),
            reason=reason,
            now=self.after(at + 3),
        )

    async def unreachable(self, *message_ids: int, at: float) -> None:
        """The chat has blocked the bot."""
        await self.say(*message_ids, at=at)
        taken = await self.take("a", at=at + 2)
        run = await self.commit(taken, at=at + 3)
        await self.start_part(taken, run, 1, at=at + 3)
        await self.finish(taken, run, at=at + 4, unreachable="Forbidden: bot was blocked")

    async def tell(
        self,
        kind: str,
        payload: Mapping[str, object],
        *,
        at: float,
        burst: int | None = None,
        run: int | None = None,
        holder: str | None = "a",
    ) -> None:
        """Append an event that no verb here would."""
        told = {"type": kind, "payload": json.dumps(payload), "at": self.after(at)}
        place = {**self.key._asdict(), "burst": burst, "run": run, "holder": holder}
        assert await self.db.fetch(TELL, {**told, **place})
