"""Pieces of SQL that several verbs share."""

# `now` is read once per statement; tests may pass their own.
CLOCK = (
    "clock AS MATERIALIZED (SELECT COALESCE(CAST(:now AS timestamptz), clock_timestamp()) AS now)"
)

# A holder that could not renew because PostgreSQL itself was away gets a moment to come back
# before somebody else takes over what may be half delivered: after a restart, and (`wary`) after
# any other trouble that the taker has met itself.
RESTART_GRACE_SECONDS = 2
LEASE_IS_FREE = f"""(
    c.lease_expires_at IS NULL
    OR c.lease_holder = :holder
    OR NOT CAST(:wary AS boolean)
       AND c.lease_expires_at <= clock.now
       AND pg_postmaster_start_time() + interval '{RESTART_GRACE_SECONDS} seconds' <= clock.now
)"""

# A burst whose run came to nothing waits again: a message that arrives before the next take joins
# it, as before the first one.
WAITING_AGAIN = """waiting_again AS (
    UPDATE windows w SET consumed_by = NULL
    FROM freed
    WHERE w.chat_id = freed.chat_id AND w.thread_id = freed.thread_id
      AND freed.committed_run IS NULL
)"""

# The row lock serialises this write with a take, so that a lost fence is always seen.
FENCED = """fenced AS (
    SELECT c.chat_id, c.thread_id, c.lease_expires_at, c.committed_run, c.inbound_seq,
        c.answered_seq, c.event_version, c.received_version, c.revision
    FROM conversations c
    WHERE c.chat_id = :chat_id AND c.thread_id = :thread_id
      AND c.lease_fence = :fence AND c.lease_holder = :holder
    FOR UPDATE
)"""

GIVEN_CONVERSATIONS = """given AS (
    SELECT DISTINCT chat_id, thread_id
    FROM unnest(CAST(:chat_ids AS bigint[]), CAST(:thread_ids AS bigint[]))
        AS given(chat_id, thread_id)
)"""
