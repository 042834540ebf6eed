"""An effect at most once a burst: claimed, carried out, recorded, and replayed from then on."""

import asyncio
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
from storage import effects
from storage.database import Database
from storage.records import Burst, Claim

log = structlog.get_logger(__name__)

LOOK_AGAIN_SECONDS = 0.2
DONE = "Done."
NOT_DONE = "Not done: another run answers this now."
UNKNOWN = (
    "It is not known whether this was done: an earlier attempt was interrupted. "
    "Do not repeat it, and tell the user so."
)


_OUTCOMES = {"done": "verified", "failed": "given_up", "unknown": "given_up"}


class Ledger:
    """Who may carry out an effect, and what came of it (G9)."""

    def __init__(self, db: Database, is_dead: IsDead) -> None:
        self._db = db
        self._is_dead = is_dead

    async def once(
        self, held: HeldLease, burst: Burst, tool: Tool, call: Call, arguments: BaseModel
    ) -> str:
        """Carry the effect out, or return what is recorded of it."""
        while claim := await until_available(
            lambda: effects.claim_effect(
                self._db,
                held.lease,
                burst,
                key=call.key,
                tool=tool.name,
                arguments=canonical(arguments),
                can_be_undone=tool.undo is not None,
                time_limit=tool.time_limit,
            )
        ):
            if claim.is_won:
                return await self._carry_out(held, tool, call, arguments, "done")
            if claim.state != "processing":
                return await self._replay(held, burst, tool, call, claim)
            if not self._is_over(claim, held):
                # The claimant is still at work; to find it so is no failure.
                await asyncio.sleep(LOOK_AGAIN_SECONDS)
            elif await self._take_over(held, burst, tool, call, claim):
                return await self._resolve(held, tool, call, arguments)
        return NOT_DONE

    def _is_over(self, claim: Claim, held: HeldLease) -> bool:
        """Whether nobody carries it out any more. A process answers a conversation in one task."""
        if claim.expires_in <= 0 or claim.holder in (None, held.lease.holder):
            return True
        return self._is_dead(claim.holder or "")

    async def _take_over(
        self, held: HeldLease, burst: Burst, tool: Tool, call: Call, claim: Claim
    ) -> bool:
        return await until_available(
            lambda: effects.take_over_effect(
                self._db,
                held.lease,
                burst,
                key=call.key,
                last_fence=claim.fence,
                time_limit=tool.time_limit,
            )
        )

    async def _resolve(self, held: HeldLease, tool: Tool, call: Call, arguments: BaseModel) -> str:
        log.warning("effect_interrupted", tool=tool.name, policy=tool.on_crash)
        match tool.on_crash:
            case "repeat":
                return await self._carry_out(held, tool, call, arguments, "repeated")
            case "verify":
                found = await self._found_out(tool, call, arguments)
                if found.state == "done" and found.words is None:
                    return await self._carry_out(held, tool, call, arguments, "done")
                return await self._settle(held, call, found, _OUTCOMES[found.state])
            case "give_up":
                return await self._settle(held, call, Attempt("failed", UNKNOWN), "given_up")
        assert_never(tool.on_crash)

    async def _carry_out(
        self, held: HeldLease, tool: Tool, call: Call, arguments: BaseModel, outcome: str
    ) -> str:
        made = await attempt(self._db, tool, tool.function, call, arguments)
        if made.state == "done":
            return await self._settle(held, call, made, outcome)
        if made.state == "unknown" and tool.verify is not None:
            found = await self._found_out(tool, call, arguments)
            if found.state == "done" and found.words is not None:
                return await self._settle(held, call, found, "verified")
        return await self._settle(held, call, made, "failed")

    async def _found_out(self, tool: Tool, call: Call, arguments: BaseModel) -> Attempt:
        """Ask the tool whether it happened: what it would have said, or no words if it did not."""
        if tool.verify is None:
            return Attempt("unknown", UNKNOWN)
        found = await attempt(self._db, tool, tool.verify, call, arguments)
        return found if found.state == "done" else Attempt("unknown", UNKNOWN)

    async def _settle(self, held: HeldLease, call: Call, made: Attempt, outcome: str) -> str:
        words = made.words or DONE
        await until_available(
            lambda: effects.settle_effect(
                self._db,
                held.lease,
                key=call.key,
                state="done" if made.state == "done" else "failed",
                result=words,
                outcome=outcome,
            )
        )
        TOOL_CALLS.labels(outcome).inc()
        log.info("tool_called", outcome=outcome)
        return words

    async def _replay(
        self, held: HeldLease, burst: Burst, tool: Tool, call: Call, claim: Claim
    ) -> str:
        await until_available(
            lambda: effects.replay_effect(self._db, held.lease, burst, key=call.key, tool=tool.name)
        )
        TOOL_CALLS.labels("replayed").inc()
        log.info("tool_replayed", tool=tool.name)
        return claim.result
