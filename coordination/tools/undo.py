"""Compensation: what was done for a run that failed for good is undone, the last effect first."""

from datetime import timedelta

import structlog
from pydantic import ValidationError

from coordination.metrics import RETRIES
from coordination.patience import UNDOING
from coordination.tools.attempt import attempt
from coordination.tools.tool import Call
from coordination.tools.toolbox import Toolbox
from storage import undo
from storage.database import Database
from storage.records import DueUndo

log = structlog.get_logger(__name__)

MOST_AT_ONCE = 20
CLAIM_TIME = timedelta(seconds=120)
"""Another process takes an undo that was not settled by then; its key is the same."""


class Undoer:
    """Undoes what is due. What it cannot undo stays in the table for the operator."""

    def __init__(self, db: Database, toolbox: Toolbox) -> None:
        self._db = db
        self._toolbox = toolbox

    async def sweep(self) -> None:
        """Undo whatever is due now.

        Raises:
            Unavailable: the database is away; what was not recorded is done again later.
        """
        while due := await undo.claim_undos(self._db, time_limit=CLAIM_TIME, most=MOST_AT_ONCE):
            for each in due:
                await self._undo(each)

    async def _undo(self, due: DueUndo) -> None:
        error = await self._try(due)
        if error is None:
            await undo.settle_undo(self._db, due)
            log.info("effect_undone", tool=due.tool)
            return
        retry_in = None if UNDOING.is_exhausted(due.attempts) else UNDOING.delay(due.attempts)
        RETRIES.labels("undo").inc(retry_in is not None)
        log.warning("undo_failed", tool=due.tool, error=error, final=retry_in is None)
        delay = None if retry_in is None else timedelta(seconds=retry_in)
        await undo.settle_undo(self._db, due, error=error, retry_in=delay)

    async def _try(self, due: DueUndo) -> str | None:
        tool = self._toolbox.find(due.tool)
        if tool is None or tool.undo is None:
            return "no tool of that name, with an undo, is loaded"
        try:
            arguments = tool.arguments.model_validate_json(due.arguments)
        except ValidationError:
            return "the arguments do not fit the tool any more"
        call = Call(due.conversation, due.key, self._db)
        made = await attempt(self._db, tool, tool.undo, call, arguments, result=due.result)
        return None if made.state == "done" else made.words
