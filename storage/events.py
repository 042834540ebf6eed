"""The event log: what every change appends in its own statement.

An event takes the next `event_version` of its conversation, drawn under the conversation's row
lock: versions have no gaps, and they commit in their order. Payloads hold numbers, ids, lengths
and reasons, never what somebody wrote, so that the log may outlive the content.
"""


def event_id(row: str, version: str) -> str:
    """SQL: the id of the event at `version` in the conversation of `row` (see `tables.log`).

    NULL at version 0: what happened before there was a log.
    """
    number = f"NULLIF(CAST({version} AS bigint), 0)::text"
    place = f"{row}.chat_id::text || '/' || {row}.thread_id::text || '/' || {number}"
    return f"md5({place})::uuid"


def milliseconds(interval: str) -> str:
    """SQL: an interval as a whole number of milliseconds."""
    return f"CAST(1000 * date_part('epoch', {interval}) AS bigint)"


def told(
    source: str,
    kind: str,
    payload: str,
    *,
    name: str = "told",
    version: str = "event_version",
    run: str = "NULL",
    burst: str = "NULL",
    cause: str | None = None,
    holder: str = "CAST(:holder AS text)",
) -> str:
    """SQL: a CTE called `name` that appends one event for each row of the CTE `source`.

    `kind` and the rest are expressions over `source` and `clock`; `cause` is the version of the
    event that caused this one, None if the cause lies outside; `burst` its first message.
    """
    caused_by = "NULL" if cause is None else event_id(source, cause)
    columns = (
        "chat_id, thread_id, version, type, payload, causation_id, correlation_id, run, holder, "
        "recorded_at"
    )
    return f"""{name} AS (
    INSERT INTO events ({columns})
    SELECT {source}.chat_id, {source}.thread_id, {version}, {kind}, {payload},
        {caused_by}, {burst}, {run}, {holder}, clock.now
    FROM {source}, clock
)"""


def burst_of(source: str, run: str = ":run") -> str:
    """SQL: the first message of what the run of `source` answers; NULL: a reminder."""
    return f"""(
        SELECT CASE r.kind WHEN 'burst' THEN r.first_seq END FROM runs r
        WHERE r.chat_id = {source}.chat_id AND r.thread_id = {source}.thread_id
          AND r.number = {run}
    )"""
