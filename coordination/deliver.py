"""From the outbox to the chat, part by part, each with its state written down before and after."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import assert_never

import structlog

from coordination.lease_keeper import HeldLease
from coordination.metrics import PARTS_RESENT, PARTS_UNCONFIRMED, REPLIES, RETRIES
from coordination.patience import DELIVERING, until_available
from coordination.ports import (
    Courier,
    Cut,
    Delivered,
    Delivery,
    NotNow,
    Unconfirmed,
    Unformatted,
    Unreachable,
)
from coordination.rules import Rules
from storage import deliveries, leases, outbox
from storage.database import Database
from storage.records import Format, Part, PartState, Released, Run
from storage.steps import step

log = structlog.get_logger(__name__)

Recorded = Delivered | Unconfirmed | NotNow

PLAINER: dict[Format, Format] = {"rich": "entities", "entities": "plain"}
"""What is tried next when a format was refused."""


class Deliverer:
    """Brings committed replies to their chats."""

    def __init__(self, db: Database, rules: Rules, courier: Courier, *, cut: Cut) -> None:
        self._db = db
        self._rules = rules
        self._courier = courier
        self._cut = cut

    async def cut(self, reply: str) -> tuple[list[str], Format]:
        """The parts of a reply, for the best format that the chat is known to take."""
        how = self._courier.best_format
        # An answer of the longest sort takes a moment, in which others want to be heard.
        return await asyncio.to_thread(self._cut, reply, how), how

    async def deliver(self, held: HeldLease, run: Run) -> Released | None:
        """Send what is left of the reply and finish the run; None: the lease is not ours."""
        with held.stages.stage("deliver"):
            return await self._deliver(held, run)

    async def _deliver(self, held: HeldLease, run: Run) -> Released | None:
        parts = await self._open_parts(held, run)
        while parts:
            if held.is_leaving:
                log.info("delivery_handed_over", part=parts[0].number)
                return await until_available(
                    lambda: leases.hand_over_delivery(self._db, held.lease, run)
                )
            match await self._send(held, run, parts[0]):
                case None:
                    return None
                case Delivered() | Unconfirmed():
                    del parts[0]
                case Unformatted(reason) if await self._recut(held, run, parts, reason):
                    parts = await self._open_parts(held, run)
                case Unreachable(reason) | Unformatted(reason):
                    return await self._finish(held, run, unreachable=reason)
                case NotNow() as delivery:
                    return await self._postpone(held, parts[0], delivery)
        return await self._finish(held, run)

    async def _open_parts(self, held: HeldLease, run: Run) -> list[Part]:
        return await until_available(lambda: outbox.open_parts(self._db, held.lease, run))

    async def _recut(self, held: HeldLease, run: Run, parts: Sequence[Part], reason: str) -> bool:
        """Say what is left in a plainer format; False: there is none, or the lease is not ours."""
        how = PLAINER.get(parts[0].format)
        if how is None:
            return False
        part, rest = parts[0].number, "\n\n".join(part.text for part in parts)
        fresh = await asyncio.to_thread(self._cut, rest, how)
        if not fresh:
            return False
        log.warning("parts_recut", part=part, parts=len(fresh), format=how, reason=reason)
        return await until_available(
            lambda: outbox.recut(self._db, held.lease, run, part, parts=fresh, how=how)
        )

    async def _send(self, held: HeldLease, run: Run, part: Part) -> Delivery | None:
        if part.state == "sending" and self._rules.on_uncertain_delivery == "hold":
            found = Unconfirmed("found in sending after a crash")
            _unconfirmed(found)
            return found if await self._record(held, run, part, found) else None
        if not await until_available(
            lambda: outbox.start_part(
                self._db, held.lease, run, part.number, attempts=part.attempts
            )
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
            sent = await self._courier.send(
                held.lease.key, part.text, part.format, held.is_surely_valid
            )
        delivery = self._as_ruled(sent)
        if isinstance(delivery, Unreachable | Unformatted):
            # `finish` writes it down together with the end of the run: a successor that found a
            # refused part and a run still going would take the reply for sent. And `recut` writes
            # it down together with what goes out instead.
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
            lambda: deliveries.finish(self._db, held.lease, run, unreachable=unreachable)
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
            lambda: deliveries.postpone_delivery(
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
