"""The switches of all stand-ins in one place, each by its stand-in's name and its own."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from bot.standins.switch_kinds import Kind, Setting, SwitchError
from bot.standins.switches import Switches


class Order(BaseModel):
    """How somebody wants a switch to be: see `Kind.setting`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    on: bool = True
    argument: float | None = None
    rate: float = 1.0
    count: int | None = None
    methods: tuple[str, ...] | None = None


class Switchboard:
    """Finds a switch by a name such as `telegram:slow` or `model:hang`."""

    def __init__(self, neighbours: Mapping[str, Switches]) -> None:
        self._neighbours = neighbours

    def obey(self, orders: Iterable[Order]) -> None:
        """Carry out all of the orders, or none.

        Raises:
            SwitchError: one of them cannot be carried out.
        """
        for switches, kind, setting in self._understood(orders):
            switches.set(kind.name, setting)

    def check(self, orders: Iterable[Order]) -> None:
        """Raise what `obey` would raise, and change nothing."""
        self._understood(orders)

    def all_off(self) -> None:
        """Switch everything off."""
        for switches in self._neighbours.values():
            switches.all_off()

    def sow(self, seed: int) -> None:
        """Begin every random series again."""
        for switches in self._neighbours.values():
            switches.sow(seed)

    def shown(self) -> dict[str, Any]:
        """The state of every switch, and the seeds."""
        return {
            "seeds": {name: switches.seed for name, switches in self._neighbours.items()},
            "faults": [
                {
                    "name": name,
                    **_kind_detail(kind),
                    **_setting_detail(kind, switches.get(kind.name)),
                    "struck": switches.struck[kind.name],
                }
                for name, switches, kind in self._all()
            ],
        }

    def _understood(self, orders: Iterable[Order]) -> list[tuple[Switches, Kind, Setting | None]]:
        understood = []
        for order in orders:
            switches, kind = self._find(order.name)
            understood.append((switches, kind, _setting(order, kind)))
        return understood

    def _all(self) -> list[tuple[str, Switches, Kind]]:
        return [
            (f"{neighbour}:{kind.name}", switches, kind)
            for neighbour, switches in self._neighbours.items()
            for kind in switches.kinds.values()
        ]

    def _find(self, wanted: str) -> tuple[Switches, Kind]:
        for name, switches, kind in self._all():
            if name == wanted:
                return switches, kind
        raise SwitchError(f"no fault is called {wanted!r}. There are:\n{self._listing()}")

    def _listing(self) -> str:
        rows = [
            (f"{name}[={kind.argument.unit}]" if kind.argument else name, kind.does)
            for name, _, kind in self._all()
        ]
        width = max((len(name) for name, _ in rows), default=0)
        return "\n".join(f"  {name:{width}}  {does}" for name, does in rows)


def _setting(order: Order, kind: Kind) -> Setting | None:
    if not order.on:
        return None
    return kind.setting(order.argument, rate=order.rate, count=order.count, methods=order.methods)


def _kind_detail(kind: Kind) -> dict[str, Any]:
    argument = kind.argument
    return {
        "title": kind.title,
        "does": kind.does,
        "touches": list(kind.touches),
        "steady": kind.steady,
        "unit": None if argument is None else argument.unit,
        "highest": None if argument is None else argument.highest,
    }


def _setting_detail(kind: Kind, setting: Setting | None) -> dict[str, Any]:
    if setting is None:
        usual = None if kind.argument is None else kind.argument.usual
        return {"on": False, "argument": usual, "rate": 1.0, "count": None, "methods": None}
    return {
        "on": True,
        "argument": None if kind.argument is None else setting.argument,
        "rate": setting.rate,
        "count": setting.left,
        "methods": [method for method in kind.touches if setting.touches(method)],
    }
