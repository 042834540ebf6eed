"""The pieces of the model, by the names of the tables' columns."""

from dataclasses import dataclass
from datetime import datetime

from tests.support.acts import QUIET


@dataclass
class Window:
    opened_at: datetime
    closes_at: datetime
    cap_at: datetime
    retry_at: datetime | None = None
    consumed_by: int | None = None
    told_burst: int | None = None

    @property
    def due_at(self) -> datetime:
        return max(self.closes_at, self.retry_at or self.closes_at)

    def gets_a_message(self, now: datetime) -> None:
        if now < self.closes_at:
            self.closes_at = max(self.closes_at, min(now + QUIET, self.cap_at))


@dataclass
class Message:
    message_id: int
    text: str
    received_at: datetime
    sent_at: datetime | None = None
    edited_at: datetime | None = None
    attachments: None = None
    heard: str | None = None


@dataclass
class RunRow:
    holder: str
    version: int
    first_seq: int
    last_seq: int
    started_at: datetime
    kind: str = "burst"
    state: str = "generating"
    tokens_in: int = 0
    tokens_out: int = 0
    model_calls: int = 0
    reply: str | None = None
    reason: str | None = None
    committed_at: datetime | None = None
    ended_at: datetime | None = None

    def ends(self, version: int, state: str, now: datetime, reason: str | None = None) -> None:
        self.state, self.version = state, version
        self.ended_at, self.reason = now, reason or self.reason


@dataclass
class Part:
    text: str
    changed_at: datetime
    state: str = "pending"
    attempts: int = 0
    message_id: int | None = None
    format: str = "plain"


@dataclass
class State:
    inbound_seq: int = 0
    answered_seq: int = 0
    lease_holder: str | None = None
    lease_fence: int = 0
    lease_expires_at: datetime | None = None
    superseded_count: int = 0
    model_attempts: int = 0
    committed_run: int | None = None
    deliver_after: datetime | None = None
    event_version: int = 0
    received_version: int = 0
    revision: int = 0
    stop_fence: int | None = None
    reset_seq: int = 0
