"""What this process counts, for Prometheus. Labels are few, and none names a chat."""

from typing import get_args

from prometheus_client import Counter, Gauge, Histogram

from storage.counting import counter
from storage.model_calls import ModelOutcome
from storage.states import RunState, may_become

SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
MESSAGES = (1, 2, 3, 5, 8, 13, 21, 50, 100)

MESSAGES_RECEIVED = Counter(
    "onereply_messages_received_total", "Messages counted for the first time."
)
DUPLICATES = Counter(
    "onereply_duplicate_updates_total", "Messages that came again and changed nothing."
)
LEASES_TAKEN = counter(
    "onereply_leases_taken_total",
    "Leases taken, by what there was to do.",
    work=("burst", "delivery"),
)
LEASES_LOST = Counter(
    "onereply_leases_lost_total", "Leases that somebody else had taken when they were needed."
)
LEASES_EXPIRED = Counter(
    "onereply_leases_expired_total", "Runs found unfinished under the lease of another."
)
WAKE_LAG = Histogram(
    "onereply_wake_lag_seconds",
    "From the time a conversation was due to the take of its lease.",
    buckets=SECONDS,
)
BURST = Histogram("onereply_burst_messages", "Messages in a burst.", buckets=MESSAGES)
STAGE = Histogram(
    "onereply_stage_seconds", "Time of a run, by its stage.", ["stage"], buckets=SECONDS
)
SUPERSEDED = Counter("onereply_runs_superseded_total", "Runs dropped for a newer message.")
TOKENS_LOST = Counter(
    "onereply_superseded_tokens_total", "Tokens spent on runs that were superseded."
)
MODEL_CALLS = counter(
    "onereply_model_calls_total", "Requests to the model.", outcome=get_args(ModelOutcome)
)
MODEL_TOKENS = counter(
    "onereply_model_tokens_total", "Tokens of the model.", direction=("in", "out")
)
MODEL_FIRST_TOKEN = Histogram(
    "onereply_model_first_token_seconds", "Until the model's first token.", buckets=SECONDS
)
MODEL_SECONDS = Histogram(
    "onereply_model_call_seconds", "Length of a request to the model.", buckets=SECONDS
)
BREAKER_OPEN = Gauge("onereply_model_breaker_open", "1 while the model is taken to be away.")
REPLIES = counter(
    "onereply_replies_total",
    "Replies by how they ended.",
    outcome=sorted(may_become(RunState.COMMITTED)),
)
PARTS_UNCONFIRMED = Counter(
    "onereply_parts_unconfirmed_total", "Parts of which Telegram never said that it has them."
)
PARTS_RESENT = Counter(
    "onereply_parts_resent_total", "Parts sent again because their fate was unknown."
)
TOOL_CALLS = counter(
    "onereply_tool_calls_total",
    "Effects of tools; replayed: the recorded result.",
    outcome=("done", "failed", "given_up", "repeated", "replayed", "unknown", "verified"),
)
RETRIES = counter(
    "onereply_retries_total",
    "What failed and is tried again.",
    cause=("database", "delivery", "model", "own_fault", "polling", "undo"),
)
