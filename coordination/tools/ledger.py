"""An effect at most once a burst: claimed, carried out, recorded, and replayed from then on."""

import asyncio
from dataclasses import dataclass
from typing import assert_never

import structlog
from pydantic import BaseModel

from coordination.lease_keeper import HeldLease
from coordination.metrics import TOOL_CALLS
from coordination.patience import until_available
from coordination.ports import IsDead
from coordination.tools.attempt import Attempt, attempt
from coordination.tools.calls import canonical
from coordination.tools.tool import Call, Tool
from storage import claims, effects
from storage.claims import Claim
from storage.database import Database, Unavailable
from storage.records import Burst

log = structlog.get_logger(__name__)

LOOK_AGAIN_SECONDS = 0.2
DONE = "Done."
NOT_DONE = "Not done: another run answers this now."
UNKNOWN = (
    "It is not known whether this was done: an earlier attempt was interrupted. "
    "Do not repeat it, and tell the user so."
)


@dataclass(frozen=True, slots=True)
class Act:
    """An acting tool that is to be called, and the run in whose name."""

    held: HeldLease
    burst: Burst
    tool: Tool
    call: Call
    arguments: BaseModel


class Ledger:
    """Who may carry out an effect, and what came of it (G9)."""

    def __init__(self, db: Database, is_dead: IsDead) -> None:
        self._db = db
        self._is_dead = is_dead

    async def once(self, act: Act) -> str:
        """Carry the effect out, or return what is recorded of it."""
        while True:
            words = await self._try(act)
            if words is not None:
                return words
            # The claimant is at work, the lease is being renewed or the database comes back:
            # to wait for that is no failure.
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _try(self, act: Act) -> str | None:
        claim = await until_available(lambda: self._claim(act))
        if claim is None:
            return NOT_DONE if act.held.is_stopped() else None
        if claim.is_won:
            return await self._carry_out(act, "done")
        if claim.state != "processing":
            return await self._replay(act, claim)
        if self._is_over(claim, act) and await self._take_over(act, claim):
            return await self._resolve(act)
        return None

    async def _claim(self, act: Act) -> Claim | None:
        return await claims.claim_effect(
            self._db,
            act.held.lease,
            act.burst,
            key=act.call.key,
            tool=act.tool.name,
            arguments=canonical(act.arguments),
            can_be_undone=act.tool.undo is not None,
            time_limit=act.tool.claim_time,
        )

    def _is_over(self, claim: Claim, act: Act) -> bool:
        """Whether nobody carries it out any more. A process answers a conversation in one task."""
        if claim.expires_in <= 0 or claim.holder in (None, act.held.lease.holder):
            return True
        return self._is_dead(claim.holder or "")

    async def _take_over(self, act: Act, claim: Claim) -> bool:
        return await until_available(
            lambda: claims.take_over_effect(
                self._db,
                act.held.lease,
                act.burst,
                key=act.call.key,
                last_fence=claim.fence,
                time_limit=act.tool.claim_time,
            )
        )

    async def _resolve(self, act: Act) -> str | None:
        tool = act.tool
        log.warning("effect_interrupted", tool=tool.name, policy=tool.on_crash)
        match tool.on_crash:
            case "repeat":
                return await self._carry_out(act, "repeated")
            case "verify":
                found = await self._found_out(act)
                if found is None:
                    return await self._carry_out(act, "done")
                outcome = "verified" if found.state == "done" else "given_up"
                return await self._settle(act, found, outcome)
            case "give_up":
                return await self._settle(act, Attempt("unknown", UNKNOWN), "given_up")
        assert_never(tool.on_crash)

    async def _carry_out(self, act: Act, outcome: str) -> str | None:
        try:
            made = await attempt(self._db, act.tool, act.tool.function, act.call, act.arguments)
        except Unavailable:
            if act.tool.on_crash == "repeat":
                return None  # our claim is found again, unless somebody took it over meanwhile
            made = Attempt("unknown", UNKNOWN)
        if made.state == "unknown" and act.tool.verify is not None:
            found = await self._found_out(act)
            if found is not None and found.state == "done":
                return await self._settle(act, found, "verified")
        return await self._settle(act, made, outcome if made.state == "done" else made.state)

    async def _found_out(self, act: Act) -> Attempt | None:
        """What the tool would have said; None: it was not done."""
        verify = act.tool.verify
        if verify is None:
            return Attempt("unknown", UNKNOWN)
        found = await until_available(
            lambda: attempt(self._db, act.tool, verify, act.call, act.arguments)
        )
        if found.state != "done":
            return Attempt("unknown", UNKNOWN)
        return None if found.words is None else found

    async def _settle(self, act: Act, made: Attempt, outcome: str) -> str:
        words = made.words or DONE
        await until_available(
            lambda: effects.settle_effect(
                self._db,
                act.held.lease,
                key=act.call.key,
                state=made.state,
                result=words,
                outcome=outcome,
            )
        )
        TOOL_CALLS.labels(outcome).inc()
        log.info("tool_called", tool=act.tool.name, outcome=outcome)
        return words

    async def _replay(self, act: Act, claim: Claim) -> str:
        await until_available(
            lambda: effects.replay_effect(
                self._db, act.held.lease, act.burst, key=act.call.key, tool=act.tool.name
            )
        )
        TOOL_CALLS.labels("replayed").inc()
        log.info("tool_replayed", tool=act.tool.name)
        return claim.result
