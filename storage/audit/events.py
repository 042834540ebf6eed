"""The event log beside the tables: G11."""

from storage.audit.check import FINISHED, Check, Look
from storage.states import RunState, may_become

# Replaying means no more than reading the newest event of a kind: each tells where its counter
# stands. Versions without gap or double lie as far above their places as the first of them.
LOG = f"""
SELECT chat_id, thread_id, COALESCE(f.version, 0) AS floor, e.events, e.newest, c.event_version,
    COALESCE(e.received[2], f.inbound_seq, 0) AS received, c.inbound_seq,
    COALESCE(e.answered, f.answered_seq, 0) AS answered, c.answered_seq,
    CASE
        WHEN c.event_version IS NULL THEN 'events of no conversation'
        WHEN e.lowest <> COALESCE(f.version, 0) OR e.highest <> COALESCE(f.version, 0)
        THEN 'versions with a gap or twice'
        WHEN COALESCE(e.newest, f.version, 0) <> c.event_version
        THEN 'the newest event is not where the conversation says'
    END AS misnumbered,
    CASE
        WHEN c.event_version IS NULL THEN NULL
        WHEN COALESCE(e.received[2], f.inbound_seq, 0) <> c.inbound_seq
        THEN 'counter is not what its events give'
        WHEN COALESCE(e.answered, f.answered_seq, 0) <> c.answered_seq
        THEN 'watermark is not what its events give'
        WHEN e.received[1] <> c.received_version
            OR e.received IS NULL AND c.received_version > COALESCE(f.version, 0)
        THEN 'the last message is not where the conversation says'
    END AS not_replayed
FROM conversations c FULL JOIN (
    SELECT chat_id, thread_id, count(*) AS events, max(version) AS newest,
        min(version - place) AS lowest, max(version - place) AS highest,
        max(ARRAY[version, last_seq]) FILTER (WHERE last_seq IS NOT NULL) AS received,
        max(answered_seq) AS answered
    FROM (
        SELECT chat_id, thread_id, version,
            row_number() OVER (PARTITION BY chat_id, thread_id ORDER BY version) AS place,
            CASE WHEN type IN ('received', 'edited') THEN CAST(payload ->> 'last_seq' AS bigint) END
            AS last_seq,
            CASE WHEN starts_with(type, 'run_') AND substr(type, 5) IN {FINISHED}
            THEN CAST(payload ->> 'answered_seq' AS bigint) END AS answered_seq
        FROM events
    ) placed
    GROUP BY chat_id, thread_id
) e USING (chat_id, thread_id) LEFT JOIN floors f USING (chat_id, thread_id)
"""

LEGAL = ", ".join(
    f"('{before}', '{after}')" for before in RunState for after in sorted(may_become(before))
)

# A conversation has one run under way at a time, so of the runs in what is left of its log only
# the first can have begun before it. Reminders answer no burst, and begin with their reply; a run
# made to cover what nobody answers begins cancelled; the run of an event may have been pruned
# together with the messages that it answered.
STEPS = f"""
SELECT chat_id, thread_id, number, r.state, e.last_state, r.version, e.last_version, e.illegal,
    f.version AS floor,
    CASE
        WHEN r.state IS NULL AND e.burst > COALESCE(f.content_seq, 0) THEN 'events of no run'
        WHEN e.last_state IS NULL AND r.version > COALESCE(f.version, -1)
        THEN 'no event brought it there'
        WHEN e.last_state <> r.state THEN 'state is not what its events give'
        WHEN e.last_version <> r.version THEN 'version is not that of its last event'
    END AS not_replayed,
    CASE
        WHEN e.illegal IS NOT NULL THEN 'a step that no run may take'
        WHEN e.begins_late AND NOT (e.is_first AND f.version IS NOT NULL)
        THEN 'begins in the middle'
    END AS misstepped
FROM (SELECT chat_id, thread_id, number, state, version FROM runs) r FULL JOIN (
    SELECT chat_id, thread_id, number, max(state) FILTER (WHERE is_last) AS last_state,
        max(version) AS last_version, min(burst) AS burst, bool_or(place = 1) AS is_first,
        bool_or(before IS NULL AND state <>
            CASE WHEN burst IS NULL THEN 'committed' ELSE 'generating' END
            AND state <> 'cancelled') AS begins_late,
        min(version) FILTER (
            WHERE before IS NOT NULL AND (before, state) NOT IN ({LEGAL})
        ) AS illegal
    FROM (
        SELECT chat_id, thread_id, run AS number, version, correlation_id AS burst,
            substr(type, 5) AS state, substr(lag(type) OVER steps, 5) AS before,
            lead(version) OVER steps IS NULL AS is_last,
            row_number() OVER (PARTITION BY chat_id, thread_id ORDER BY run, version) AS place
        FROM events WHERE starts_with(type, 'run_')
        WINDOW steps AS (PARTITION BY chat_id, thread_id, run ORDER BY version)
    ) step
    GROUP BY chat_id, thread_id, number
) e USING (chat_id, thread_id, number) LEFT JOIN floors f USING (chat_id, thread_id)
"""

LOOKS = (
    Look(
        LOG,
        (
            Check("G11", "events are numbered without a gap", "conversations", "misnumbered"),
            Check(
                "G11", "replayed, they give counter and watermark", "conversations", "not_replayed"
            ),
        ),
    ),
    Look(
        STEPS,
        (
            Check("G11", "replayed, they give the state of each run", "runs", "not_replayed"),
            Check("G11", "runs take only steps that they may", "runs", "misstepped"),
        ),
    ),
)
