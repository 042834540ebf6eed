"""Compensation: what was done for a run that failed for good is undone, the last effect first."""

import asyncio
from datetime import timedelta

import structlog
from pydantic import BaseModel, ValidationError

from coordination.metrics import RETRIES
from coordination.patience import UNDOING, RetryPolicy, until_available
from coordination.tools.attempt import BROKEN, attempt
from coordination.tools.resources import Resources, user
from coordination.tools.tool import SPARE_TIME, Call, Function, Tool
from coordination.tools.toolbox import Toolbox
from storage import undo
from storage.database import Database
from storage.undo import DueUndo

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 20
LEAST_CLAIM_TIME = timedelta(seconds=60)
"""Another process takes an undo that was not settled by then; its key is the same."""


class Undoer:
    """Undoes what is due. What it cannot undo stays in the table for the operator."""

    def __init__(
        self,
        db: Database,
        toolbox: Toolbox,
        resources: Resources,
        *,
        holder: str,
        policy: RetryPolicy = UNDOING,
    ) -> None:
        self._db = db
        self._toolbox = toolbox
        self._resources = resources
        self._holder = holder
        self._policy = policy
        self._claim_time = max(LEAST_CLAIM_TIME, toolbox.longest_call + SPARE_TIME)

    async def sweep(self) -> None:
        """Undo whatever is due now.

        Raises:
            Unavailable: the database is away.
        """
        while due := await undo.claim_undos(
            self._db, time_limit=self._claim_time, most=MOST_AT_ONCE
        ):
            # Side by side: one that takes its time must not outlast the claims of the others.
            await asyncio.gather(*map(self._undo, due))

    async def _undo(self, due: DueUndo) -> None:
        error = await self._try(due)
        if error is None:
            await self._settle(due)
            log.info("effect_undone", tool=due.tool)
            return
        retry_in = None
        if not self._policy.is_exhausted(due.attempts):
            retry_in = timedelta(seconds=self._policy.delay(due.attempts))
        RETRIES.labels("undo").inc(retry_in is not None)
        log.warning("undo_failed", tool=due.tool, error=error, final=retry_in is None)
        await self._settle(due, error, retry_in)

    async def _settle(
        self, due: DueUndo, error: str | None = None, retry_in: timedelta | None = None
    ) -> None:
        await until_available(
            lambda: undo.settle_undo(self._db, due, error=error, retry_in=retry_in)
        )

    async def _try(self, due: DueUndo) -> str | None:
        tool = self._toolbox.find(due.tool)
        if tool is None or tool.undo is None:
            return "no tool of that name, with an undo, is loaded"
        try:
            arguments = tool.arguments.model_validate_json(due.arguments)
        except ValidationError:
            return "the arguments do not fit the tool any more"
        try:
            names = tool.resources_for(arguments)
        except Exception:
            log.exception("tool_broke", tool=tool.name)
            return BROKEN
        return await self._call(tool, tool.undo, due, arguments, names)

    async def _call(
        self, tool: Tool, function: Function, due: DueUndo, arguments: BaseModel, names: list[str]
    ) -> str | None:
        call = Call(due.conversation, due.key, self._db)
        async with self._resources.using(names, user(self._holder, f"undo {due.key}")):
            made = await until_available(
                lambda: attempt(self._db, tool, function, call, arguments, result=due.result)
            )
        return None if made.state == "done" else made.words
