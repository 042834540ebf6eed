"""The tools of this process, and what the model is told of them."""

import importlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from coordination.tools.tool import Tool
from llm.contract import ToolSpec


class ToolboxError(Exception):
    """A module of tools cannot be used."""


class Toolbox:
    """Tools by name."""

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.specs = [_spec(tool) for tool in tools]

    @property
    def longest_call(self) -> timedelta:
        """The longest time that one of them may take."""
        return max((tool.time_limit for tool in self._tools.values()), default=timedelta())

    def find(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self._tools.get(name)


def load(modules: Sequence[str]) -> Toolbox:
    """Import the modules and take every tool that they declare.

    Raises:
        ToolboxError: a module cannot be imported, declares nothing, or a name is there twice.
    """
    found: dict[str, Tool] = {}
    for name in modules:
        tools = _declared_in(name)
        if not tools:
            raise ToolboxError(f"{name} declares no tools")
        for tool in tools:
            if tool.name in found and found[tool.name] is not tool:
                raise ToolboxError(f"{name}: there is another tool called {tool.name}")
            found[tool.name] = tool
    return Toolbox(list(found.values()))


def _declared_in(name: str) -> list[Tool]:
    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        why = " ".join(str(error).split())
        raise ToolboxError(f"cannot import {name}: {type(error).__name__}: {why}") from error
    return [each for each in vars(module).values() if isinstance(each, Tool)]


def _spec(tool: Tool) -> ToolSpec:
    schema: dict[str, Any] = tool.arguments.model_json_schema()
    schema.pop("title", None)
    return ToolSpec(tool.name, tool.description, schema)
