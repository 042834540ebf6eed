"""What each request to the model took and cost."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

from storage.database import Database
from storage.events import burst_of, told
from storage.fragments import CLOCK, FENCED
from storage.records import Lease, Run
from storage.transitions import of_run
from storage.verbs import verb

ModelOutcome = Literal["answered", "tools", "failed", "refused", "cancelled"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to the model, as the log tells of it; times in milliseconds."""

    number: int
    """From 1 within its run."""
    outcome: ModelOutcome
    reason: str | None
    first_token_ms: int | None
    total_ms: int
    tokens_in: int
    tokens_out: int
    is_estimated: bool
    """True if the server said nothing of tokens, or was not heard to the end."""


_CALLED = told(
    "numbered",
    "'model_called'",
    """jsonb_build_object(
        'outcome', CAST(:outcome AS text), 'reason', CAST(:reason AS text),
        'first_token_ms', CAST(:first_token_ms AS bigint), 'total_ms', CAST(:total_ms AS bigint),
        'tokens_in', CAST(:tokens_in AS bigint), 'tokens_out', CAST(:tokens_out AS bigint),
        'estimated', CAST(:is_estimated AS boolean)
    )""",
    run=":run",
    burst=burst_of("numbered"),
    cause="CAST(:version AS bigint)",
)
# The number tells a second telling of the same call, whose first answer was lost.
RECORD = f"""
WITH {CLOCK}, {FENCED},
paid AS (
    UPDATE runs r
    SET tokens_in = r.tokens_in + CAST(:tokens_in AS bigint),
        tokens_out = r.tokens_out + CAST(:tokens_out AS bigint), model_calls = :number
    FROM fenced
    WHERE r.chat_id = fenced.chat_id AND r.thread_id = fenced.thread_id AND r.number = :run
      AND r.model_calls = :number - 1
    RETURNING r.chat_id, r.thread_id
),
numbered AS (
    UPDATE conversations c SET event_version = c.event_version + 1
    FROM paid WHERE c.chat_id = paid.chat_id AND c.thread_id = paid.thread_id
    RETURNING c.chat_id, c.thread_id, c.event_version
),
{_CALLED}
SELECT event_version FROM numbered
"""


@verb
async def record_model_call(
    db: Database, lease: Lease, run: Run, call: ModelCall, *, now: datetime | None = None
) -> bool:
    """Write down a request to the model; False: it is known, or the lease is lost."""
    arguments = {**of_run(lease, run), **asdict(call), "now": now}
    return await db.fetch_one(RECORD, arguments) is not None
