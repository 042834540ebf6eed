"""One call of a tool, from the model's words to the words for the model."""

import asyncio
from collections.abc import Coroutine

from pydantic import BaseModel, ValidationError

from coordination.lease_keeper import HeldLease
from coordination.tools.attempt import attempt
from coordination.tools.calls import key_of
from coordination.tools.ledger import DONE, Ledger
from coordination.tools.resources import Resources
from coordination.tools.tool import Call, Tool
from coordination.tools.toolbox import Toolbox
from llm.contract import ToolCall
from storage.database import Database
from storage.records import Burst


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
            made = await attempt(self._db, tool, tool.function, call, arguments)
            return made.words or DONE
        return await self._act(held, burst, tool, call, arguments)

    async def _act(
        self, held: HeldLease, burst: Burst, tool: Tool, call: Call, arguments: BaseModel
    ) -> str:
        async with self._resources.using(tool.resources_for(arguments), held.lease):
            return await _to_its_end(self._ledger.once(held, burst, tool, call, arguments))


async def _to_its_end(work: Coroutine[object, object, str]) -> str:
    """Half an effect is worse than one for a run that is superseded: the next one replays it."""
    working = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise


def _described(error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults)
