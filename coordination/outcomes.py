"""What composing an answer can come to."""

from dataclasses import dataclass

from coordination.lease_keeper import Stop


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Apology:
    """There will be no answer to this burst; the watermark passes over it all the same."""

    reason: str


@dataclass(frozen=True, slots=True)
class Postponed:
    """The model cannot do it now; the watermark stays."""

    reason: str
    delay: float
    """Seconds."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The work became useless before it was done; the watermark stays."""

    why: Stop


Outcome = Reply | Apology | Postponed | Stopped
