"""What a named fault is, and how it may be set."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass


class SwitchError(ValueError):
    """There is no such switch, or it cannot be set so."""


@dataclass(frozen=True, slots=True)
class Argument:
    """The one number that says how bad a fault is."""

    unit: str
    usual: float
    highest: float


@dataclass(frozen=True, slots=True)
class Setting:
    """How a switch that is on behaves; `left` strikes remain, or any number if None."""

    argument: float
    rate: float
    left: int | None
    methods: frozenset[str]

    def touches(self, method: str) -> bool:
        """Whether it may strike there; Telegram's methods may be written in any case."""
        return method.lower() in self.methods


@dataclass(frozen=True, slots=True)
class Kind:
    """One switch: what it does when it strikes, and where it can.

    One that is `steady` has no single strikes: what it does lasts while it is on.
    """

    name: str
    title: str
    does: str
    touches: Sequence[str]
    argument: Argument | None = None
    steady: bool = False

    def setting(
        self,
        argument: float | None = None,
        *,
        rate: float = 1.0,
        count: int | None = None,
        methods: Collection[str] | None = None,
    ) -> Setting:
        """Check how the switch is to be set.

        It strikes in the named `methods` (by default wherever it can), each time with the
        probability `rate`, and `count` times in all (by default until it is switched off).

        Raises:
            SwitchError: it cannot be set so.
        """
        if self.steady and (rate, count, methods) != (1.0, None, None):
            raise SwitchError(f"{self.name} lasts while it is on: no rate, count or method")
        if not 0 < rate <= 1:
            raise SwitchError(f"{self.name}: the rate must be above 0 and at most 1, not {rate:g}")
        if count is not None and count < 1:
            raise SwitchError(f"{self.name}: the count must be at least 1, not {count}")
        return Setting(self._argument(argument), rate, count, self._methods(methods))

    def _argument(self, given: float | None) -> float:
        known = self.argument
        if known is None:
            if given is not None:
                raise SwitchError(f"{self.name} has no argument")
            return 0.0
        if given is None:
            return known.usual
        if not (math.isfinite(given) and 0 <= given <= known.highest):
            raise SwitchError(
                f"{self.name}: {given:g} is not from 0 to {known.highest:g} {known.unit}"
            )
        return given

    def _methods(self, chosen: Collection[str] | None) -> frozenset[str]:
        known = frozenset(method.lower() for method in self.touches)
        if chosen is None:
            return known
        wanted = frozenset(method.lower() for method in chosen)
        if not wanted or wanted - known:
            raise SwitchError(
                f"{self.name} cannot touch {', '.join(chosen) or 'nothing'}, "
                f"but {', '.join(self.touches)}"
            )
        return wanted
