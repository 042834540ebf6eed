"""One call of a tool, from the model's words to the words for the model."""

from collections.abc import Sequence

import structlog
from pydantic import BaseModel, ValidationError

from coordination.lease_keeper import HeldLease
from coordination.patience import to_its_end, until_available
from coordination.tools.attempt import BROKEN, attempt
from coordination.tools.calls import key_of
from coordination.tools.ledger import DONE, Act, Ledger
from coordination.tools.resources import Resources, user_under
from coordination.tools.tool import Call, Tool
from coordination.tools.toolbox import Toolbox
from llm.contract import ToolCall
from storage.database import Database
from storage.effects import Effect
from storage.records import Burst

log = structlog.get_logger(__name__)


class Performer:
    """Performs what the model asks for, in the name of a run."""

    def __init__(
        self, db: Database, toolbox: Toolbox, ledger: Ledger, resources: Resources
    ) -> None:
        self._db = db
        self.toolbox = toolbox
        self._ledger = ledger
        self._resources = resources

    async def perform(self, held: HeldLease, burst: Burst, asked: ToolCall) -> str:
        """What the model is told of its call; never raises for what a tool does."""
        tool = self.toolbox.find(asked.name)
        if tool is None:
            return f"There is no tool called {asked.name}."
        try:
            arguments = tool.arguments.model_validate_json(asked.arguments or "{}")
        except ValidationError as error:
            return f"The arguments are not right: {_described(error)}"
        key = key_of(held.lease.key, burst, tool.name, arguments)
        call = Call(held.lease.key, key, self._db)
        if not tool.acts:
            return await self._read(tool, call, arguments)
        return await self._act(Act(held, burst, tool, call, arguments))

    async def resume(self, held: HeldLease, burst: Burst, effects: Sequence[Effect]) -> None:
        """Bring calls to an end that an earlier run of the burst began and did not live to record.

        The model may word its call differently this time, which would be a second effect.
        """
        for effect in effects:
            tool = self.toolbox.find(effect.tool)
            if tool is None or not tool.acts:
                continue
            try:
                arguments = tool.arguments.model_validate_json(effect.arguments)
            except ValidationError:
                continue  # the tool has changed since; the operator finds it among the effects
            call = Call(held.lease.key, effect.key, self._db)
            await self._act(Act(held, burst, tool, call, arguments))

    async def _read(self, tool: Tool, call: Call, arguments: BaseModel) -> str:
        made = await until_available(
            lambda: attempt(self._db, tool, tool.function, call, arguments)
        )
        return made.words or DONE

    async def _act(self, act: Act) -> str:
        try:
            names = act.tool.resources_for(act.arguments)
        except Exception:
            log.exception("tool_broke", tool=act.tool.name)
            return BROKEN
        async with self._resources.using(names, user_under(act.held.lease)):
            return await to_its_end(self._ledger.once(act))


def _described(error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults)
