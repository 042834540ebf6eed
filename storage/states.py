"""The states of what has states, and where each may go from there."""

from enum import StrEnum


class RunState(StrEnum):
    """A run, from its lease to its end."""

    GENERATING = "generating"
    COMMITTED = "committed"
    SENT = "sent"
    UNDELIVERABLE = "undeliverable"
    FAILED = "failed"
    SUPERSEDED = "superseded"
    POSTPONED = "postponed"
    HANDED_OVER = "handed_over"
    LOST = "lost"
    CANCELLED = "cancelled"


RUN_STATES = tuple(state.value for state in RunState)


def may_become(state: RunState) -> frozenset[RunState]:
    """The states that may follow; none: the run has ended."""
    match state:
        case RunState.GENERATING:
            return frozenset(
                {
                    RunState.COMMITTED,
                    RunState.SUPERSEDED,
                    RunState.POSTPONED,
                    RunState.HANDED_OVER,
                    RunState.LOST,
                    RunState.CANCELLED,
                }
            )
        case RunState.COMMITTED:
            return frozenset({RunState.SENT, RunState.UNDELIVERABLE, RunState.FAILED})
        case (
            RunState.SENT
            | RunState.UNDELIVERABLE
            | RunState.FAILED
            | RunState.SUPERSEDED
            | RunState.POSTPONED
            | RunState.HANDED_OVER
            | RunState.LOST
            | RunState.CANCELLED
        ):
            return frozenset()


PART_STATES = ("pending", "sending", "sent", "unconfirmed", "refused")
FORMATS = ("rich", "entities", "plain")

EFFECT_STATES = (
    "processing",
    "done",
    "failed",
    "to_undo",
    "undone",
    "not_undone",
    "unknown",
)
