"""From the outbox to the chat, part by part, each with its state written down before and after."""

from datetime import timedelta
from typing import assert_never

import structlog

from coordination.lease_keeper import HeldLease
from coordination.metrics import PARTS_RESENT, PARTS_UNCONFIRMED, REPLIES, RETRIES
from coordination.patience import DELIVERING, until_available
from coordination.ports import Courier, Delivered, Delivery, NotNow, Unconfirmed, Unreachable
from coordination.rules import Rules
from storage import leases, outbox, runs
from storage.database import Database
from storage.records import Part, PartState, Released, Run
from storage.steps import step

log = structlog.get_logger(__name__)

Recorded = Delivered | Unconfirmed | NotNow


class Deliverer:
    """Brings committed replies to their chats."""

    def __init__(self, db: Database, rules: Rules, courier: Courier) -> None:
        self._db = db
        self._rules = rules
        self._courier = courier

    async def deliver(self, held: HeldLease, run: Run) -> Released | None:
        """Send what is left of the reply and finish the run; None: the lease is not ours."""
        with held.stages.stage("deliver"):
            return await self._deliver(held, run)

    async def _deliver(self, held: HeldLease, run: Run) -> Released | None:
        parts = await until_available(lambda: outbox.open_parts(self._db, held.lease, run))
        for part in parts:
            if held.is_leaving:
                log.info("delivery_handed_over", part=part.number)
                return await until_available(
                    lambda: leases.hand_over_delivery(self._db, held.lease, run)
                )
            delivery = await self._send(held, run, part)
            if delivery is None:
                return None
            if isinstance(delivery, Unreachable):
                return await self._finish(held, run, unreachable=delivery.reason)
            if isinstance(delivery, NotNow):
                return await self._postpone(held, part, delivery)
        return await self._finish(held, run)

    async def _send(self, held: HeldLease, run: Run, part: Part) -> Delivery | None:
        if part.state == "sending" and self._rules.on_uncertain_delivery == "hold":
            found = Unconfirmed("found in sending after a crash")
            _unconfirmed(found)
            return found if await self._record(held, run, part, found) else None
        if not await until_available(
            lambda: outbox.start_part(self._db, held.lease, run, part.number)
        ):
            return None
        if not held.is_surely_valid():
            # A process that was stopped for long wakes up here: somebody else may be sending.
            # What it had found in sending stays so: it may be with Telegram already.
            if part.state == "pending":
                await self._record(held, run, part, NotNow("lease may have expired"))
            return None
        if part.state == "sending":
            PARTS_RESENT.inc()
            log.warning("part_resent", part=part.number)
        async with step(self._db.at, "send_message"):
            sent = await self._courier.send(held.lease.key, part.text, held.is_surely_valid)
        delivery = self._as_ruled(sent)
        if isinstance(delivery, Unreachable):
            # `finish` writes it down together with the end of the run: a successor that found a
            # refused part and a run still going would take the reply for sent.
            return delivery
        return delivery if await self._record(held, run, part, delivery) else None

    def _as_ruled(self, delivery: Delivery) -> Delivery:
        if isinstance(delivery, Unconfirmed):
            _unconfirmed(delivery)
            if self._rules.on_uncertain_delivery == "resend":
                return NotNow(delivery.reason)
        return delivery

    async def _record(self, held: HeldLease, run: Run, part: Part, delivery: Recorded) -> bool:
        state, message_id = _as_recorded(delivery)
        return await until_available(
            lambda: outbox.record_part(
                self._db, held.lease, run, part.number, state=state, message_id=message_id
            )
        )

    async def _finish(
        self, held: HeldLease, run: Run, unreachable: str | None = None
    ) -> Released | None:
        finished = await until_available(
            lambda: runs.finish(self._db, held.lease, run, unreachable=unreachable)
        )
        if finished:
            REPLIES.labels(finished.state).inc()
            log.info("reply_finished", state=finished.state, reason=unreachable)
        return finished

    async def _postpone(self, held: HeldLease, part: Part, why: NotNow) -> Released | None:
        wait = DELIVERING.delay(part.attempts + 1, why.retry_after)
        RETRIES.labels("delivery").inc()
        log.warning("delivery_postponed", reason=why.reason, seconds=round(wait, 1))
        return await until_available(
            lambda: runs.postpone_delivery(
                self._db, held.lease, delay=timedelta(seconds=wait), reason=why.reason
            )
        )


def _unconfirmed(delivery: Unconfirmed) -> None:
    PARTS_UNCONFIRMED.inc()
    log.warning("part_unconfirmed", reason=delivery.reason)


def _as_recorded(delivery: Recorded) -> tuple[PartState, int | None]:
    match delivery:
        case Delivered(message_id):
            return "sent", message_id
        case Unconfirmed():
            return "unconfirmed", None
        case NotNow():
            return "pending", None
    assert_never(delivery)
