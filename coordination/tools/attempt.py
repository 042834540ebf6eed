"""Calling one of a tool's functions, whatever it does."""

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

import structlog
from pydantic import BaseModel

from coordination.tools.tool import Call, Function, Tool, ToolFailed
from storage.database import Database, Unavailable
from storage.steps import step
from storage.text import storable

log = structlog.get_logger(__name__)

BROKEN = "It failed: the tool is broken."


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a call ended, and the words for the model (None: the function returned none)."""

    state: Literal["done", "failed", "unknown"]
    words: str | None


async def attempt(
    db: Database, tool: Tool, function: Function, call: Call, arguments: BaseModel, **more: Any
) -> Attempt:
    """Call `function`, one of the tool's, within its time; never raises for what it does.

    Raises:
        Unavailable: the function needs our database, which is away; it may have acted.
    """
    try:
        async with step(db.at, "tool_call"):
            result = await tool.run(function, call, arguments, **more)
    except ToolFailed as error:
        return Attempt("failed", storable(str(error)) or "It failed.")
    except TimeoutError:
        log.warning("tool_took_too_long", tool=tool.name)
        return Attempt("unknown", "It took too long; it is not known whether it was done.")
    except Unavailable:
        raise
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        log.exception("tool_broke", tool=tool.name)
        return Attempt("failed", BROKEN)
    return Attempt("done", None if result is None else _words(tool, result))


def _is_cancelled() -> bool:
    """Whether we are; or else something of the tool's own was."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _words(tool: Tool, result: object) -> str:
    """What it returned, as far as that can be said: it has acted in any case."""
    try:
        return storable(str(result))
    except Exception:
        log.exception("tool_broke", tool=tool.name)
        return ""
