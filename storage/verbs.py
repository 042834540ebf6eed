"""Verbs: what storage can do, each a statement with a name, and the points around it."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from storage.database import Database
from storage.steps import step

P = ParamSpec("P")
T = TypeVar("T")

VERBS: list[str] = []
"""The names of all verbs, for those who must try every step."""


def verb(
    function: Callable[Concatenate[Database, P], Awaitable[T]],
) -> Callable[Concatenate[Database, P], Coroutine[Any, Any, T]]:
    """Let `db.at` be told before and after: a fault there is a fault between two steps."""
    name = function.__name__
    VERBS.append(name)

    @wraps(function)
    async def stepping(db: Database, /, *args: P.args, **kwargs: P.kwargs) -> T:
        async with step(db.at, name):
            return await function(db, *args, **kwargs)

    return stepping
