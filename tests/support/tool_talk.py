"""What the model is told of its calls, and what is recorded of them."""

from storage.database import Database
from tests.support.edges import ModelCall
from tests.support.one_process import OneProcess

EFFECTS = "SELECT state, result FROM effects ORDER BY burst, place"
OUTCOMES = """
SELECT payload ->> 'outcome' AS outcome FROM events WHERE type = 'tool_called' ORDER BY version
"""


async def told(process: OneProcess, call: ModelCall, tool: str, **arguments: object) -> str:
    """What the model hears of its call; then it answers."""
    call.calls(tool, **arguments)
    then = await process.writer.next_call()
    then.answer("Done.")
    return then.turns[-1].text


async def outcomes(db: Database) -> list[str]:
    """How each call ended, the first one first."""
    return [row.outcome for row in await db.fetch(OUTCOMES, {})]
