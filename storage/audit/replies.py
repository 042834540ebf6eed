"""Replies in the outbox, part by part: G7."""

from storage.audit.check import REPLIED, Check, Look
from storage.states import PART_STATES

# A reply that is given up ends in refused parts: the one that was refused and all below it, all
# written down by the statement that ends the run.
PARTS = f"""
SELECT chat_id, thread_id, run, o.part, o.state, o.attempts, o.message_id, o.part_before,
    o.state_before, r.state AS run_state,
    CASE
        WHEN r.state IS NULL THEN 'a part, but no committed reply'
        WHEN o.part IS NULL THEN 'a reply without parts'
        WHEN o.part <> COALESCE(o.part_before, 0) + 1 THEN 'part numbers with a gap or twice'
    END AS misnumbered,
    CASE
        WHEN o.state_before IS NULL OR o.state_before IN ('sent', 'unconfirmed') THEN NULL
        WHEN o.attempts > 0 OR o.state IN ('sending', 'sent', 'unconfirmed')
        THEN 'begun before the part above it was through'
    END AS out_of_order,
    CASE
        WHEN o.state NOT IN {PART_STATES} THEN 'a state that nobody knows'
        WHEN (o.message_id IS NOT NULL) <> (o.state = 'sent')
        THEN 'message id does not fit its state'
        WHEN o.attempts = 0 AND o.state IN ('sending', 'sent', 'unconfirmed')
        THEN 'on its way without an attempt'
        WHEN r.state IN ('sent', 'failed') AND o.state NOT IN ('sent', 'unconfirmed')
        THEN 'not out, but the run says so'
        WHEN r.state = 'undeliverable' AND o.state IN ('pending', 'sending')
        THEN 'open, but the run gave up'
        WHEN r.state = 'undeliverable' AND o.is_last AND o.state <> 'refused'
        THEN 'all out, but the run gave up'
        WHEN r.state = 'committed' AND o.state = 'refused' THEN 'refused, but the run goes on'
    END AS unfit
FROM (
    SELECT chat_id, thread_id, run, part, state, attempts, message_id,
        lag(part) OVER reply AS part_before, lag(state) OVER reply AS state_before,
        lead(part) OVER reply IS NULL AS is_last
    FROM outbox
    WINDOW reply AS (PARTITION BY chat_id, thread_id, run ORDER BY part)
) o FULL JOIN (
    SELECT chat_id, thread_id, number AS run, state FROM runs WHERE state IN {REPLIED}
) r USING (chat_id, thread_id, run)
"""

ONE_PER_REPLY = "part_before IS NULL"
IS_PART = "part IS NOT NULL"

LOOKS = (
    Look(
        PARTS,
        (
            Check("G7", "replies are in parts 1..n", "replies", "misnumbered", ONE_PER_REPLY),
            Check("G7", "parts go out in order, one at a time", "parts", "out_of_order", IS_PART),
            Check("G7", "parts are as far as their runs", "parts", "unfit", IS_PART),
        ),
    ),
)
