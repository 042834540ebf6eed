"""What storage counts of itself. Labels are few and never name a chat."""

from typing import Literal, get_args

from prometheus_client import Counter

from storage.counting import counter

Step = Literal["committed", "superseded", "postponed", "handed_over", "finished"]
Refusal = Literal["illegal", "late"]

REFUSED_TRANSITIONS = counter(
    "onereply_run_transitions_refused_total",
    "Steps of a run that changed nothing: illegal from its state, or late after its lease.",
    to=get_args(Step),
    why=get_args(Refusal),
)
VERSION_CONFLICTS = Counter(
    "onereply_event_version_conflicts_total",
    "Appends to the event log whose version was already there.",
)
