"""Faults to put into the tables of `one_of_each`, and how an audit must tell each of them.

By promise: the chat whose row shows it (501 is Ada, 502 Bob, 503 Eve, 504 Dan, 999 nobody), what
is wrong with the row, and the SQL.
"""

Plants = list[tuple[int, str, str]]

NUMBERED: Plants = [
    (
        501,
        "counter is not the number of messages",
        "DELETE FROM messages WHERE chat_id = 501 AND seq = 2",
    ),
    (
        501,
        "numbers with a gap or twice",
        """ALTER TABLE messages DROP CONSTRAINT messages_pkey;
        UPDATE messages SET seq = 2 WHERE chat_id = 501 AND seq = 3""",
    ),
    (
        999,
        "messages of no conversation",
        """ALTER TABLE messages DROP CONSTRAINT messages_conversations_fkey;
        INSERT INTO messages VALUES (999, 0, 1, 1, 'zebra', now())""",
    ),
]
ONCE: Plants = [
    (
        501,
        "counted more than once",
        """DROP INDEX messages_once;
        UPDATE messages SET message_id = 1 WHERE chat_id = 501 AND seq = 3""",
    ),
]
TILED: Plants = [
    (
        501,
        "leaves a gap or overlaps",
        "UPDATE runs SET first_seq = 2 WHERE chat_id = 501 AND number = 3",
    ),
    (
        501,
        "leaves a gap or overlaps",
        "UPDATE runs SET last_seq = 1 WHERE chat_id = 501 AND number = 2",
    ),
    (
        501,
        "leaves a gap or overlaps",
        "UPDATE runs SET first_seq = 2, last_seq = 2 WHERE chat_id = 501 AND number = 1",
    ),
    (
        504,
        "covers nothing",
        """ALTER TABLE runs DROP CONSTRAINT runs_covers_what_its_kind_says;
        UPDATE runs SET last_seq = 0 WHERE chat_id = 504;
        UPDATE conversations SET answered_seq = 0 WHERE chat_id = 504;
        INSERT INTO windows VALUES (504, 0, now(), now(), now())""",
    ),
]
REACHED: Plants = [
    (
        501,
        "watermark is not where the finished ranges end",
        "UPDATE conversations SET answered_seq = 2 WHERE chat_id = 501",
    ),
    (
        503,
        "watermark is not where the finished ranges end",
        """UPDATE conversations SET answered_seq = 1 WHERE chat_id = 503;
        DELETE FROM windows WHERE chat_id = 503""",
    ),
]
BOUNDED: Plants = [
    (
        504,
        "watermark above the counter",
        """ALTER TABLE conversations DROP CONSTRAINT conversations_watermark_below_counter;
        UPDATE conversations SET inbound_seq = 0 WHERE chat_id = 504;
        DELETE FROM messages WHERE chat_id = 504""",
    ),
]
LEASED: Plants = [
    (
        504,
        "held, but nothing is under way",
        """UPDATE conversations SET lease_holder = 'x', lease_expires_at = now()
        WHERE chat_id = 504""",
    ),
    (
        502,
        "held by another than the run",
        "UPDATE conversations SET lease_holder = 'x' WHERE chat_id = 502",
    ),
    (
        503,
        "half a lease",
        """ALTER TABLE conversations DROP CONSTRAINT conversations_lease_is_held_or_free;
        UPDATE conversations SET lease_holder = NULL WHERE chat_id = 503""",
    ),
]
FENCED: Plants = [
    (
        502,
        "generating below the fence",
        """UPDATE conversations SET lease_fence = 2, lease_holder = NULL, lease_expires_at = NULL
        WHERE chat_id = 502""",
    ),
    (
        501,
        "a number that no take has drawn",
        "UPDATE conversations SET lease_fence = 2 WHERE chat_id = 501",
    ),
    (
        503,
        "generating beside a committed reply",
        """UPDATE conversations SET lease_fence = 2 WHERE chat_id = 503;
        INSERT INTO runs (chat_id, thread_id, number, holder, state, first_seq, last_seq,
            started_at)
        VALUES (503, 0, 2, 'x', 'generating', 1, 1, now())""",
    ),
    (
        999,
        "a run of no conversation",
        """ALTER TABLE runs DROP CONSTRAINT runs_conversations_fkey;
        INSERT INTO runs (chat_id, thread_id, number, holder, state, first_seq, last_seq,
            started_at, ended_at)
        VALUES (999, 0, 1, 'x', 'lost', 1, 1, now(), now())""",
    ),
]
CAPPED: Plants = [
    (
        501,
        "closes after its cap",
        """ALTER TABLE windows DROP CONSTRAINT windows_closes_within_cap;
        UPDATE windows SET closes_at = cap_at + interval '1 second' WHERE chat_id = 501""",
    ),
    (
        501,
        "closes before it opens",
        "UPDATE windows SET opened_at = closes_at + interval '1 second' WHERE chat_id = 501",
    ),
    (501, "consumed by no run", "UPDATE windows SET consumed_by = 4 WHERE chat_id = 501"),
    (501, "consumed by a finished run", "UPDATE windows SET consumed_by = 3 WHERE chat_id = 501"),
]
COUNTED: Plants = [
    (
        502,
        "superseded runs miscounted",
        "UPDATE conversations SET superseded_count = 1 WHERE chat_id = 502",
    ),
    (
        501,
        "postponed runs miscounted",
        "UPDATE conversations SET model_attempts = 1 WHERE chat_id = 501",
    ),
]
WAITING: Plants = [
    (501, "unanswered, no window", "DELETE FROM windows WHERE chat_id = 501"),
    (
        504,
        "a window, but nothing unanswered",
        "INSERT INTO windows VALUES (504, 0, now(), now(), now())",
    ),
]
KNOWN: Plants = [
    (
        503,
        "committed, but its conversation does not name it",
        """UPDATE conversations SET committed_run = NULL, deliver_after = NULL,
        lease_holder = NULL, lease_expires_at = NULL WHERE chat_id = 503""",
    ),
    (
        501,
        "the conversation names a run that is not committed",
        "UPDATE conversations SET committed_run = 1, deliver_after = now() WHERE chat_id = 501",
    ),
    (
        503,
        "no time of delivery",
        """ALTER TABLE conversations DROP CONSTRAINT conversations_committed_has_a_due_time;
        UPDATE conversations SET deliver_after = NULL WHERE chat_id = 503""",
    ),
]
