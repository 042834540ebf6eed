"""What is looked at, which promises that can show to be kept, and what was found."""

from collections.abc import Mapping
from dataclasses import dataclass

FINISHED = "('sent', 'failed', 'undeliverable', 'cancelled')"
"""The states in which the watermark has passed over a run."""

REPLIED = "('committed', 'sent', 'failed', 'undeliverable')"
"""The states of a run that has a reply in the outbox."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise. It holds between any two statements of the protocol, with processes dying and
    leases expiring as they like: an audit of a live system raises no false alarm.
    """

    guarantee: str
    promise: str
    things: str
    wrong: str
    """The column that says in words what is wrong with a row, or is null."""
    among: str = "true"
    """A condition that counts each thing once."""
    is_warning: bool = False
    """Nothing is broken, but somebody should look."""


@dataclass(frozen=True, slots=True)
class Look:
    """One pass over the tables, and what it shows.

    The rows begin with their key and hold the numbers that explain them; what people and models
    wrote stays out.
    """

    sql: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one check."""

    check: Check
    checked: int
    violations: int
    rows: tuple[Mapping[str, object], ...]
    """The first of those that are wrong, by key."""

    @property
    def is_clean(self) -> bool:
        """Nothing was found to be wrong."""
        return self.violations == 0

    @property
    def is_broken(self) -> bool:
        """A guarantee is not kept; of a warning nobody says that."""
        return not (self.is_clean or self.check.is_warning)


@dataclass(frozen=True, slots=True)
class Audit:
    """What the database showed in one moment."""

    findings: tuple[Finding, ...]
    figures: Mapping[str, int]

    @property
    def broken(self) -> tuple[Finding, ...]:
        """Guarantees that are not kept."""
        return tuple(finding for finding in self.findings if finding.is_broken)
