"""One run: take the lease, compose, commit, deliver, release."""

from datetime import timedelta
from time import monotonic
from typing import assert_never

import structlog

from coordination.breaker import Breaker
from coordination.compose import Composer
from coordination.deliver import Deliverer
from coordination.lease_keeper import HeldLease, LeaseKeeper, Stop
from coordination.metrics import (
    BURST,
    LEASES_EXPIRED,
    LEASES_LOST,
    LEASES_TAKEN,
    RETRIES,
    SUPERSEDED,
    TOKENS_LOST,
    WAKE_LAG,
)
from coordination.outcomes import Apology, Postponed, Reply, Stopped
from coordination.patience import OWN_FAULTS, until_available
from coordination.ports import Alarm
from coordination.rules import Rules
from coordination.voice import Voice
from storage import deliveries, leases, runs, taking, windows
from storage.database import Database, Unavailable
from storage.records import Burst, CommittedReply, ConversationKey, Format, Released, Run, Taken

log = structlog.get_logger(__name__)

OUR_FAULT = "fault of our own"


class Answerer:
    """Answers one conversation at a time; call it on any hint, as often as you like."""

    def __init__(
        self,
        db: Database,
        rules: Rules,
        keeper: LeaseKeeper,
        alarm: Alarm,
        breaker: Breaker,
        composer: Composer,
        deliverer: Deliverer,
        voice: Voice,
    ) -> None:
        self._db = db
        self._rules = rules
        self._keeper = keeper
        self._alarm = alarm
        self._breaker = breaker
        self._composer = composer
        self._deliverer = deliverer
        self._voice = voice

    async def answer(self, key: ConversationKey) -> None:
        """Do what is due in this conversation, if anything is and nobody else does it."""
        asked_at = monotonic()
        try:
            with self._breaker.passing() as may_generate:
                taken = await self._take(key, may_generate=may_generate)
                if taken:
                    _count(taken)
                    due_in = await self._run(taken, asked_at)
                else:
                    due_in = await windows.due_in(self._db, key)
        except Unavailable as error:
            log.warning("take_failed", conversation=key, error=str(error))
            return
        if due_in is not None and (taken or due_in > 0):
            self._alarm.set(key, due_in)

    async def _take(self, key: ConversationKey, *, may_generate: bool) -> Taken | None:
        return await taking.take_lease(
            self._db,
            key,
            holder=self._keeper.holder,
            ttl=self._rules.lease_ttl,
            max_supersedes=self._rules.max_supersedes,
            max_wait=self._rules.max_wait,
            may_generate=may_generate,
        )

    async def _run(self, taken: Taken, asked_at: float) -> float | None:
        names = {
            "conversation": taken.lease.key,
            "burst": _burst_of(taken.work),
            "run": taken.work.run.number,
            "fence": taken.lease.fence,
            "holder": taken.lease.holder,
        }
        with (
            structlog.contextvars.bound_contextvars(**names),
            self._keeper.holding(taken, asked_at) as held,
        ):
            try:
                released = await self._work(held, taken.work)
            except Exception:
                log.exception("run_broke")
                released = await self._set_back(held, taken.work)
            if released is None:
                LEASES_LOST.inc()
                log.warning("lease_lost")
            held.stages.told()
        return None if released is None else released.due_in

    async def _set_back(self, held: HeldLease, work: Burst | CommittedReply) -> Released | None:
        """Try again later after a fault of our own, which must neither loop nor lose anything."""
        RETRIES.labels("own_fault").inc()
        failures = work.model_attempts + 1 if isinstance(work, Burst) else 1
        delay = timedelta(seconds=OWN_FAULTS.delay(failures))
        undelivered = await until_available(
            lambda: deliveries.postpone_delivery(
                self._db, held.lease, delay=delay, reason=OUR_FAULT
            )
        )
        if undelivered or isinstance(work, CommittedReply):
            return undelivered
        return await until_available(
            lambda: runs.postpone_run(self._db, held.lease, work.run, delay=delay, reason=OUR_FAULT)
        )

    async def _work(self, held: HeldLease, work: Burst | CommittedReply) -> Released | None:
        match work:
            case CommittedReply():
                log.info("delivery_resumed")
                return await self._deliverer.deliver(held, work.run)
            case Burst():
                return await self._answer_burst(held, work)
        assert_never(work)

    async def _answer_burst(self, held: HeldLease, burst: Burst) -> Released | None:
        log.info("run_started", messages=burst.last_seq - burst.answered_seq)
        with held.stages.stage("compose"):
            outcome = await self._composer.compose(held, burst)
        match outcome:
            case Reply() | Apology():
                with held.stages.stage("commit"):
                    committed = await self._commit(held, burst, outcome)
                if committed is None:
                    return await self._supersede(held, burst)
                return await self._deliverer.deliver(held, committed)
            case Postponed():
                return await self._postpone(held, burst, outcome)
            case Stopped():
                return await self._stopped(held, burst, outcome.why)
        assert_never(outcome)

    async def _commit(self, held: HeldLease, burst: Burst, outcome: Reply | Apology) -> Run | None:
        reply, parts, how, failure = await self._worded(held, outcome)

        async def commit() -> Run | None:
            if not held.is_surely_valid():
                await self._keeper.beat()
            return await runs.commit_reply(
                self._db, held.lease, burst, reply=reply, parts=parts, how=how, failure=failure
            )

        committed = await until_available(commit)
        if committed is None and not held.is_surely_valid():
            # It took so long that the lease expired meanwhile; if nobody took it, it is still ours.
            committed = await until_available(commit)
        if committed is not None:
            log.info("reply_committed", parts=len(parts), format=how, failure=failure)
        return committed

    async def _worded(
        self, held: HeldLease, outcome: Reply | Apology
    ) -> tuple[str, list[str], Format, str | None]:
        if isinstance(outcome, Reply):
            parts, how = await self._deliverer.cut(outcome.text)
            if parts:
                return outcome.text, parts, how, None
        reason = outcome.reason if isinstance(outcome, Apology) else "nothing to see in the answer"
        apology = await self._voice.apology(held.lease.key)
        return apology, [apology], "plain", reason

    async def _stopped(self, held: HeldLease, burst: Burst, why: Stop) -> Released | None:
        match why:
            case Stop.NEWER_MESSAGE | Stop.BY_USER:
                return await self._supersede(held, burst)
            case Stop.SHUTTING_DOWN:
                log.info("run_handed_over")
                return await until_available(
                    lambda: leases.hand_over(self._db, held.lease, burst.run)
                )
            case Stop.LEASE_LOST:
                return None
        assert_never(why)

    async def _supersede(self, held: HeldLease, burst: Burst) -> Released | None:
        dropped = await until_available(lambda: runs.supersede(self._db, held.lease, burst.run))
        if dropped:
            SUPERSEDED.inc()
            TOKENS_LOST.inc(dropped.tokens)
            log.info("run_superseded", tokens=dropped.tokens)
        return dropped

    async def _postpone(self, held: HeldLease, burst: Burst, outcome: Postponed) -> Released | None:
        RETRIES.labels("model").inc()
        log.warning("run_postponed", reason=outcome.reason, seconds=round(outcome.delay, 1))
        return await until_available(
            lambda: runs.postpone_run(
                self._db,
                held.lease,
                burst.run,
                delay=timedelta(seconds=outcome.delay),
                reason=outcome.reason,
            )
        )


def _burst_of(work: Burst | CommittedReply) -> int | None:
    return work.answered_seq + 1 if isinstance(work, Burst) else work.burst


def _count(taken: Taken) -> None:
    work = taken.work
    LEASES_TAKEN.labels("burst" if isinstance(work, Burst) else "delivery").inc()
    LEASES_EXPIRED.inc(taken.found_lost)
    if isinstance(work, Burst):
        WAKE_LAG.observe(taken.overdue)
        BURST.observe(work.last_seq - work.answered_seq)
