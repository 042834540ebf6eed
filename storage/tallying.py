"""What an event adds to which tally. The event alone decides; nothing else is looked at."""

USAGE_LABELS = (
    "messages",
    "bursts",
    "replies",
    "model_calls",
    "tokens_in",
    "tokens_out",
    "tokens_superseded",
)
REPLY_TIME_BOUNDS = (1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300)
"""Upper bounds of the histogram of reply times, in seconds; above them there is `BEYOND`."""
BEYOND = "inf"
TOTAL = "total_ms"

TALLY = "chat_id, thread_id, day, kind, label, is_pruned"


def _number(name: str) -> str:
    return f"CAST(e.payload ->> '{name}' AS numeric)"


def _when(types: str, amount: str) -> str:
    return f"CASE WHEN e.type IN ({types}) THEN {amount} END"


_WAITED = _number("waited_ms")
_STEPS = " ".join(f"WHEN {_WAITED} <= {1000 * each} THEN '{each}'" for each in REPLY_TIME_BOUNDS)
_ENDED = "'run_sent', 'run_failed', 'run_undeliverable', 'run_cancelled'"
_TOKENS = f"COALESCE({_number('tokens_in')}, 0) + COALESCE({_number('tokens_out')}, 0)"

# A reminder answers no message and waited for nothing.
_VALUES = ",\n        ".join(
    f"({kind}, {label}, {amount})"
    for kind, label, amount in (
        (
            "'usage'",
            "'messages'",
            _when("'received'", f"{_number('last_seq')} - {_number('first_seq')} + 1"),
        ),
        ("'usage'", "'bursts'", _when(_ENDED, f"LEAST({_number('messages')}, 1)")),
        ("'usage'", "'replies'", _when("'run_sent'", "1")),
        ("'usage'", "'model_calls'", _when("'model_called'", "1")),
        ("'usage'", "'tokens_in'", _when("'model_called'", _number("tokens_in"))),
        ("'usage'", "'tokens_out'", _when("'model_called'", _number("tokens_out"))),
        ("'usage'", "'tokens_superseded'", _when("'run_superseded'", _TOKENS)),
        (
            "'reply_time'",
            f"CASE {_STEPS} ELSE '{BEYOND}' END",
            f"CASE WHEN e.type = 'run_sent' AND {_WAITED} IS NOT NULL THEN 1 END",
        ),
        ("'reply_time'", f"'{TOTAL}'", _when("'run_sent'", _WAITED)),
        (
            "'failure'",
            "e.type || ': ' || COALESCE(e.payload ->> 'reason', 'no reason')",
            _when("'run_failed', 'run_undeliverable', 'run_postponed'", "1"),
        ),
    )
)


def contributions(source: str) -> str:
    """SQL: the sums that the events of the CTE `source` add to the tallies."""
    return f"""
    SELECT e.chat_id, e.thread_id, CAST(e.recorded_at AT TIME ZONE 'UTC' AS date) AS day,
        tally.kind, tally.label, CAST(sum(tally.amount) AS bigint) AS amount
    FROM {source} e, LATERAL (VALUES
        {_VALUES}
    ) AS tally(kind, label, amount)
    WHERE tally.amount > 0
    GROUP BY e.chat_id, e.thread_id, day, tally.kind, tally.label
    """
