"""What a tool is: a function of the operator's, with a schema for the model.

    from coordination.tools.tool import Call, acting

    @acting(time_limit=5, on_crash="repeat")
    async def book_table(call: Call, day: date, people: int) -> str:
        \"\"\"Book a table at the restaurant.\"\"\"

Name and description come from the function, the schema of the arguments from its annotations
(`Annotated[int, Field(description=...)]` describes one). What it returns goes to the model.
"""

import asyncio
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError

from coordination.tools.in_thread import in_thread
from storage.database import Database
from storage.records import ConversationKey

OnCrash = Literal["repeat", "verify", "give_up"]
"""What to do about a call whose process died half-way: call again with the same key, which the
other side recognises; ask `verify` whether it happened; or tell the model that nobody knows."""

# https://platform.openai.com/docs/api-reference/chat/create: letters, digits, _ and -, up to 64.
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

TIME_LIMIT_SECONDS = 10.0
SPARE_TIME = timedelta(seconds=5)

# Neither an argument that nobody asked for nor a number that JSON does not have.
_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False, protected_namespaces=())

Function = Callable[..., Any]


class ToolFailed(Exception):
    """Raised by a tool that cannot do it. The message goes to the model, who tells the user."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool is told beside its arguments; the parameter must be called `call`."""

    conversation: ConversationKey
    key: str
    """The same for every repetition of this call, and for no other: hand it to outside systems."""
    db: Database


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool."""

    name: str
    description: str
    arguments: type[BaseModel]
    function: Function
    acts: bool
    time_limit: timedelta
    on_crash: OnCrash = "give_up"
    verify: Function | None = None
    undo: Function | None = None
    resources: Sequence[str] | Callable[..., Sequence[str]] = ()

    @property
    def claim_time(self) -> timedelta:
        """How long a call may be under way: with its verification, and with some time to spare."""
        return self.time_limit * (1 if self.verify is None else 2) + SPARE_TIME

    def resources_for(self, arguments: BaseModel) -> list[str]:
        """What the call needs for itself, in the order in which everybody takes it."""
        needed = self.resources
        names = needed(**as_keywords(arguments)) if callable(needed) else needed
        return sorted(set(names))

    async def run(self, function: Function, call: Call, arguments: BaseModel, **more: Any) -> Any:
        """Call one of the tool's functions within its time.

        Raises:
            TimeoutError, and whatever the function raises.
        """
        given = {**as_keywords(arguments), **more}
        if "call" in inspect.signature(function).parameters:
            given["call"] = call
        async with asyncio.timeout(self.time_limit.total_seconds()):
            if inspect.iscoroutinefunction(function):
                return await function(**given)
            result = await in_thread(function, **given)
            # A lambda, or what a decorator made, need not say that it is a coroutine function.
            return await result if inspect.isawaitable(result) else result


def reading(*, time_limit: float = TIME_LIMIT_SECONDS) -> Callable[[Function], Tool]:
    """Declare a function that changes nothing; `time_limit` in seconds.

    Raises:
        TypeError: the function cannot be a tool; the message says why.
    """
    return lambda function: _declare(function, acts=False, time_limit=timedelta(seconds=time_limit))


def acting(
    *,
    time_limit: float = TIME_LIMIT_SECONDS,
    on_crash: OnCrash,
    verify: Function | None = None,
    undo: Function | None = None,
    resources: Sequence[str] | Callable[..., Sequence[str]] = (),
) -> Callable[[Function], Tool]:
    """Declare a function with an effect, which happens once a burst; `time_limit` in seconds.

    `verify` gets the same arguments and returns what the function would have, or None if the
    effect did not happen. `undo` gets them and `result`. `resources` (names, or a function of the
    arguments that gives names) are used by one call at a time.

    Raises:
        TypeError: the function cannot be a tool; the message says why.
    """
    if (verify is not None) != (on_crash == "verify"):
        raise TypeError('on_crash="verify" and verify=... go together')
    return lambda function: _declare(
        function,
        acts=True,
        time_limit=timedelta(seconds=time_limit),
        on_crash=on_crash,
        verify=verify,
        undo=undo,
        resources=resources,
    )


def as_keywords(arguments: BaseModel) -> dict[str, Any]:
    """The arguments as Python values, defaults included: not every function repeats them."""
    return {name: getattr(arguments, name) for name in type(arguments).model_fields}


def _declare(function: Function, **how: Any) -> Tool:
    name = function.__name__
    description = inspect.getdoc(function)
    if not NAME.fullmatch(name):
        raise TypeError(f"{name}: the name of a tool is letters, digits and _, 64 at most")
    if not description:
        raise TypeError(f"{name}: a tool needs a docstring, which tells the model what it is for")
    tool = Tool(name, description, _arguments_of(function), function, **how)
    _refuse_misfits(tool)
    return tool


def _arguments_of(function: Function) -> type[BaseModel]:
    name = function.__name__
    signature = inspect.signature(function, eval_str=True)
    fields = {each.name: _field(name, each) for each in signature.parameters.values()}
    fields.pop("call", None)
    try:
        model: type[BaseModel] = create_model(name, __config__=_STRICT, **fields)
        model.model_json_schema()
    except (PydanticUserError, NameError) as error:
        why = str(error).partition("\n")[0]
        raise TypeError(f"{name}: no schema can be made of its parameters: {why}") from None
    return model


def _field(tool: str, parameter: inspect.Parameter) -> Any:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise TypeError(f"{tool}: a tool takes no *{parameter.name}")
    if parameter.kind is parameter.POSITIONAL_ONLY or parameter.name.startswith("_"):
        raise TypeError(f"{tool}: the parameter {parameter.name} has no name for the model to use")
    if parameter.annotation is parameter.empty and parameter.name != "call":
        raise TypeError(f"{tool}: the parameter {parameter.name} has no type")
    default = ... if parameter.default is parameter.empty else parameter.default
    return (parameter.annotation, default)


def _refuse_misfits(tool: Tool) -> None:
    """An undo is seldom called: that it cannot be must not come out then."""
    if tool.on_crash not in get_args(OnCrash):
        raise TypeError(f"{tool.name}: on_crash must be one of {', '.join(get_args(OnCrash))}")
    if tool.time_limit <= timedelta(0):
        raise TypeError(f"{tool.name}: its time_limit must be more than 0 seconds")
    if isinstance(tool.resources, str):
        raise TypeError(f"{tool.name}: its resources must be a list of names")
    given = dict.fromkeys(tool.arguments.model_fields)
    for role, function, more in (
        ("verify", tool.verify, {}),
        ("undo", tool.undo, {"result": ""}),
        ("resources", tool.resources, {}),
    ):
        if not callable(function):
            continue
        signature = inspect.signature(function)
        called = {"call": None} if role != "resources" and "call" in signature.parameters else {}
        try:
            signature.bind(**given, **more, **called)
        except TypeError as error:
            raise TypeError(f"{tool.name}: its {role} cannot be called: {error}") from None
