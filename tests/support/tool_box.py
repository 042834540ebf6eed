"""A shop whose tools count their effects by key, and get into trouble when the test says so."""

from collections import Counter

from coordination.tools.tool import Call, Tool, ToolFailed, acting, reading
from coordination.tools.toolbox import Toolbox
from tests.support.gates import Gate


class Unsayable:
    """A result that is no text and does not become one."""

    def __str__(self) -> str:
        raise ValueError


class Shop:
    """What happened outside, and what is about to go wrong."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.undone: list[str] = []
        self.undo_attempts: Counter[str] = Counter()
        self.failing_undos: Counter[str] = Counter()
        """How often each still fails."""
        self.troubles: list[BaseException] = []
        """What is raised after an effect."""
        self.gate: Gate | None = None
        """Where effects wait before they happen."""
        self.box = Toolbox([*self._orders(), *self._others()])

    @property
    def effects(self) -> int:
        """How many there were in all."""
        return self.done.total()

    async def _act(self, call: Call) -> None:
        if self.gate:
            await self.gate.pass_through()
        self.done[call.key] += 1
        if self.troubles:
            raise self.troubles.pop(0)

    def _undo(self, what: str) -> None:
        self.undo_attempts[what] += 1
        if self.failing_undos[what] > 0:
            self.failing_undos[what] -= 1
            raise ToolFailed(f"{what} cannot be undone now")
        self.undone.append(what)

    def _orders(self) -> list[Tool]:
        async def cancel(day: str, people: int, result: str) -> None:
            assert result == f"booked for {people} on {day}"
            self._undo(day)

        async def found(call: Call, text: str) -> str | None:
            return f"{text} was sent before" if self.done[call.key] else None

        @acting(on_crash="repeat", undo=cancel)
        async def book(call: Call, day: str, people: int = 2) -> str:
            """Book a table."""
            await self._act(call)
            return f"booked for {people} on {day}"

        @acting(on_crash="verify", verify=found)
        async def send(call: Call, text: str) -> str:
            """Send a letter."""
            await self._act(call)
            return f"{text} is sent"

        @acting(on_crash="give_up")
        async def pay(call: Call, amount: int) -> str:
            """Pay."""
            await self._act(call)
            return f"paid {amount}"

        return [book, send, pay]

    def _others(self) -> list[Tool]:
        def put_back(names: list[str], result: str) -> None:
            assert result == f"used {', '.join(names)}"
            self._undo(*names)

        @acting(on_crash="repeat", undo=put_back, resources=lambda names: names)
        async def use(call: Call, names: list[str]) -> str:
            """Use what is shared."""
            await self._act(call)
            return f"used {', '.join(names)}"

        @acting(on_crash="repeat", time_limit=0.01)
        async def dawdle(call: Call) -> None:
            """Never come to an end."""
            self.done[call.key] += 1
            await Gate().pass_through()

        @reading()
        def look(day: str) -> str:
            """Look whether a table is free."""
            return f"free on {day}"

        @acting(on_crash="repeat")
        async def mumble(call: Call) -> Unsayable:
            """Do it, and return what nobody can read."""
            await self._act(call)
            return Unsayable()

        return [use, dawdle, look, mumble]
