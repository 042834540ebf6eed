"""The words by which the command line throws a switch: `telegram:429=5,rate=0.1,count=3`."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from bot.standins.switch_kinds import SwitchError
from bot.standins.switchboard import Order

GRAMMAR = "NEIGHBOUR:NAME[=ARG][,rate=P][,count=N][,method=M]…"


def read_orders(words: Iterable[str]) -> list[Order]:
    """Understand one order each.

    Raises:
        SwitchError: not of that grammar; whether there is such a switch shows when it is thrown.
    """
    return [_read(each) for each in words]


def _read(words: str) -> Order:
    head, *options = words.split(",")
    name, equals, argument = head.partition("=")
    given: dict[str, Any] = {"name": name, "argument": argument} if equals else {"name": name}
    methods: list[str] = []
    for option in options:
        key, _, value = option.partition("=")
        if key == "method":
            methods.append(value)
        elif key in ("rate", "count"):
            given[key] = value
        else:
            raise SwitchError(f"{words}: {option!r} is not understood: {GRAMMAR}")
    if methods:
        given["methods"] = methods
    try:
        return Order.model_validate(given, strict=False)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise SwitchError(f"{words}: {wrong['loc'][0]}: {wrong['msg']}: {GRAMMAR}") from None
