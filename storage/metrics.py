"""What storage counts of itself. Labels are few and never name a chat."""

from prometheus_client import Counter

REFUSED_TRANSITIONS = Counter(
    "onereply_run_transitions_refused_total",
    "Steps of a run that changed nothing: illegal from its state, or late after its lease.",
    ["to", "why"],
)
VERSION_CONFLICTS = Counter(
    "onereply_event_version_conflicts_total",
    "Appends to the event log whose version was already there.",
)
