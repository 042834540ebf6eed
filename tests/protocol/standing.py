"""How one conversation stands: the rows of the model, and what they say."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from storage.records import ConversationKey, Lease, Run, RunNumber, Version
from tests.protocol.pieces import Message, Part, RunRow, State, Window


@dataclass
class Standing:
    """What any verb may ask of it."""

    key: ConversationKey
    state: State = field(default_factory=State)
    messages: list[Message] = field(default_factory=list)
    window: Window | None = None
    runs: dict[int, RunRow] = field(default_factory=dict)
    parts: dict[tuple[int, int], Part] = field(default_factory=dict)
    events: list[tuple[str, int | None]] = field(default_factory=list)
    """The type of each, and its run."""
    commands: set[int] = field(default_factory=set)

    def tells(self, what: str, run: int | None) -> int:
        self.events.append((what, run))
        self.state.event_version += 1
        return self.state.event_version

    def due_at(self) -> datetime | None:
        if self.state.committed_run is not None:
            return self.state.deliver_after
        return None if self.window is None else self.window.due_at

    def due_in(self, now: datetime) -> float | None:
        due_at = self.due_at()
        return None if due_at is None else (due_at - now).total_seconds()

    def is_due_for(self, holder: str, now: datetime) -> bool:
        due_at, expires = self.due_at(), self.state.lease_expires_at
        is_free = expires is None or expires <= now or self.state.lease_holder == holder
        return is_free and due_at is not None and due_at <= now

    def is_held(self, lease: Lease) -> bool:
        return (self.state.lease_holder, self.state.lease_fence) == (lease.holder, lease.fence)

    def is_valid(self, lease: Lease, now: datetime) -> bool:
        expires = self.state.lease_expires_at
        return self.is_held(lease) and expires is not None and now < expires

    def is_at(self, run: Run, state: str) -> bool:
        row = self.runs[run.number]
        return (row.state, row.version) == (state, run.version)

    def as_it_stands(self, number: int) -> Run:
        return Run(RunNumber(number), Version(self.runs[number].version))

    def free(self) -> None:
        self.state.lease_holder = self.state.lease_expires_at = None
        if self.window is not None and self.state.committed_run is None:
            self.window.consumed_by = None

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The tables as they must stand."""
        key = self.key._asdict()
        numbered = enumerate(self.messages, start=1)
        return {
            "conversations": [{**key, **vars(self.state)}] if self.messages else [],
            "messages": [{**key, "seq": seq, **vars(message)} for seq, message in numbered],
            "windows": [{**key, **vars(self.window), "due_at": self.window.due_at}]
            if self.window
            else [],
            "runs": [{**key, "number": number, **vars(run)} for number, run in self.runs.items()],
            "events": [
                {**key, "version": version, "type": what, "run": run}
                for version, (what, run) in enumerate(self.events, start=1)
            ],
            "outbox": [
                {**key, "run": run, "part": number, **vars(part)}
                for (run, number), part in self.parts.items()
            ],
        }
