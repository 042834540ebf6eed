"""The one place where a run changes its state, and the log learns of it."""

from typing import Any

from sqlalchemy import Row

from storage.events import told
from storage.metrics import REFUSED_TRANSITIONS, Refusal, Step
from storage.records import Lease, Run
from storage.states import RunState, may_become


def moved(
    *states: RunState,
    state: str | None = None,
    sets: str = "",
    only_if: str = "true",
    payload: str = "'{}'::jsonb",
    cause: str = ":version",
) -> str:
    """SQL: the CTEs `moved` and `told`, which bring a run under `fenced` to one of `states`.

    Nothing moves unless the run is in a state that allows it and at the version that the caller
    knows (`:run`, `:version`). `state` chooses among several states; `sets` goes with the change;
    `only_if` is a further condition. What else a statement changes must hang on `moved`.
    """
    begins = sorted({each.value for each in RunState if may_become(each) >= set(states)})
    tale = told(
        "moved",
        "'run_' || state",
        payload,
        version="version",
        run="number",
        burst="CASE kind WHEN 'burst' THEN first_seq END",
        cause=cause,
    )
    return f"""moved AS (
    UPDATE runs r
    SET state = {state or f"'{states[0]}'"}, version = fenced.event_version + 1{sets}
    FROM fenced, clock
    WHERE r.chat_id = fenced.chat_id AND r.thread_id = fenced.thread_id AND r.number = :run
      AND r.state IN ({", ".join(f"'{each}'" for each in begins)}) AND r.version = :version
      AND {only_if}
    RETURNING r.chat_id, r.thread_id, r.number, r.version, r.kind, r.state, r.first_seq,
        r.last_seq, r.reason, r.tokens_in, r.tokens_out, fenced.inbound_seq,
        fenced.answered_seq, fenced.received_version
),
{tale}"""


# One row, whatever happened: was the lease ours, and did the run move?
JUDGED = "(SELECT EXISTS (SELECT FROM fenced) AS was_ours) judged LEFT JOIN moved ON true"


def fenced(lease: Lease) -> dict[str, object]:
    """The arguments by which a verb proves its lease."""
    return {**lease.key._asdict(), "holder": lease.holder, "fence": lease.fence}


def of_run(lease: Lease, run: Run) -> dict[str, object]:
    """The arguments by which a verb proves its lease and knows its run."""
    return {**fenced(lease), "run": run.number, "version": run.version}


def has_moved(row: Row[Any], to: Step) -> bool:
    """Whether the run moved; a step that came too late or is not allowed is counted."""
    if row.moved_to is None:
        why: Refusal = "illegal" if row.was_ours else "late"
        REFUSED_TRANSITIONS.labels(to, why).inc()
        return False
    return True
