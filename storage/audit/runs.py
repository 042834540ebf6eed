"""Runs, their leases and their replies: G1, G3, G6, G10."""

from storage.audit.check import FINISHED, REPLIED, Check, Look
from storage.states import RUN_STATES

# The statement that takes a lease begins its run, and those that end the run free the lease; so
# this holds of an expired lease too, until somebody takes it.
LEASES = """
SELECT c.chat_id, c.thread_id, c.lease_holder, c.lease_fence, c.lease_expires_at, c.committed_run,
    r.state AS run_state, r.holder AS run_holder,
    CASE
        WHEN c.lease_holder IS NULL OR c.lease_expires_at IS NULL THEN 'half a lease'
        WHEN c.committed_run IS NOT NULL THEN NULL
        WHEN (r.state = 'generating') IS NOT TRUE THEN 'held, but nothing is under way'
        WHEN r.holder <> c.lease_holder THEN 'held by another than the run'
    END AS wrong
FROM conversations c LEFT JOIN runs r
    ON r.chat_id = c.chat_id AND r.thread_id = c.thread_id AND r.number = c.lease_fence
WHERE c.lease_holder IS NOT NULL OR c.lease_expires_at IS NOT NULL
"""

# A run that does not finish leaves the watermark to the next: each begins right above what was
# finished before it. A take marks the run before it as lost, so only the newest generates. A
# reminder covers nothing, wherever the watermark is.
RUNS = f"""
SELECT chat_id, thread_id, r.number, r.kind, r.state, r.first_seq,
    COALESCE(r.finished_before, f.content_seq, 0) + 1 AS begins_at, r.last_seq, c.inbound_seq,
    c.lease_fence, c.committed_run, r.committed_at, r.ended_at, r.has_reason,
    CASE
        WHEN r.kind <> 'burst' THEN NULL
        WHEN r.first_seq <> COALESCE(r.finished_before, f.content_seq, 0) + 1
        THEN 'leaves a gap or overlaps'
        WHEN r.first_seq > r.last_seq THEN 'covers nothing'
    END AS misplaced,
    CASE
        WHEN c.lease_fence IS NULL THEN 'a run of no conversation'
        WHEN r.number NOT BETWEEN 1 AND c.lease_fence THEN 'a number that no take has drawn'
        WHEN r.state <> 'generating' THEN NULL
        WHEN r.number <> c.lease_fence THEN 'generating below the fence'
        WHEN c.committed_run IS NOT NULL THEN 'generating beside a committed reply'
    END AS not_fenced,
    CASE
        WHEN r.state NOT IN {RUN_STATES} THEN 'a state that nobody knows'
        WHEN (r.ended_at IS NULL) <> (r.state IN ('generating', 'committed'))
        THEN 'time of its end does not fit its state'
        WHEN (r.committed_at IS NOT NULL) <> (r.state IN {REPLIED})
            OR r.has_reply <> (r.state IN {REPLIED})
        THEN 'commit does not fit its state'
        WHEN r.has_reason AND r.state = 'sent' THEN 'sent with a reason'
        WHEN NOT r.has_reason AND r.state IN ('postponed', 'failed', 'undeliverable', 'cancelled')
        THEN 'no reason'
        WHEN r.state NOT IN {FINISHED} AND r.last_seq > c.inbound_seq
        THEN 'reads more than was counted'
    END AS ended_wrong
FROM (
    SELECT chat_id, thread_id, number, kind, state, first_seq, last_seq, committed_at, ended_at,
        reply IS NOT NULL AS has_reply, reason IS NOT NULL AS has_reason,
        max(last_seq) FILTER (WHERE state IN {FINISHED} AND kind = 'burst') OVER (
            PARTITION BY chat_id, thread_id ORDER BY number
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS finished_before
    FROM runs
) r LEFT JOIN conversations c USING (chat_id, thread_id)
    LEFT JOIN floors f USING (chat_id, thread_id)
"""

COMMITTED = """
SELECT chat_id, thread_id, number, c.deliver_after, r.state,
    CASE
        WHEN r.state IS NULL THEN 'the conversation names a run that is not committed'
        WHEN c.is_named IS NULL THEN 'committed, but its conversation does not name it'
        WHEN c.deliver_after IS NULL THEN 'no time of delivery'
    END AS wrong
FROM (
    SELECT chat_id, thread_id, committed_run AS number, deliver_after, true AS is_named
    FROM conversations WHERE committed_run IS NOT NULL
) c FULL JOIN (
    SELECT chat_id, thread_id, number, state FROM runs WHERE state = 'committed'
) r USING (chat_id, thread_id, number)
"""

LOOKS = (
    Look(LEASES, (Check("G3", "a lease has a run or a committed reply", "leases", "wrong"),)),
    Look(
        RUNS,
        (
            Check(
                "G1", "finished ranges tile, and every run begins above them", "runs", "misplaced"
            ),
            Check(
                "G3", "runs bear drawn fences, a generating one the newest", "runs", "not_fenced"
            ),
            Check("G10", "every run has ended as its state says", "runs", "ended_wrong"),
        ),
    ),
    Look(
        COMMITTED,
        (Check("G6", "committed replies are known to their conversations", "replies", "wrong"),),
    ),
)
