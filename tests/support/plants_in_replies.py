"""More of `plants`: faults in the outbox and in how runs ended."""

from tests.support.plants import Plants

WHOLE: Plants = [
    (501, "part numbers with a gap or twice", "DELETE FROM outbox WHERE run = 2 AND part = 1"),
    (
        501,
        "part numbers with a gap or twice",
        """ALTER TABLE outbox DROP CONSTRAINT outbox_pkey;
        UPDATE outbox SET part = 1 WHERE chat_id = 501 AND run = 2""",
    ),
    (501, "a reply without parts", "DELETE FROM outbox WHERE chat_id = 501 AND run = 3"),
    (
        502,
        "a part, but no committed reply",
        "INSERT INTO outbox VALUES (502, 0, 1, 1, 'zebra', 'pending', 0, NULL, now())",
    ),
]
ORDERED: Plants = [
    (
        503,
        "begun before the part above it was through",
        "UPDATE outbox SET state = 'pending', message_id = NULL WHERE chat_id = 503 AND part = 1",
    ),
    (
        503,
        "begun before the part above it was through",
        "UPDATE outbox SET state = 'sending', message_id = NULL WHERE chat_id = 503 AND part = 1",
    ),
    (
        503,
        "begun before the part above it was through",
        """UPDATE outbox SET state = 'pending', message_id = NULL WHERE chat_id = 503;
        UPDATE outbox SET attempts = 0 WHERE chat_id = 503 AND part = 1""",
    ),
]
FITTING: Plants = [
    (
        501,
        "message id does not fit its state",
        "UPDATE outbox SET message_id = NULL WHERE chat_id = 501 AND run = 3",
    ),
    (
        503,
        "message id does not fit its state",
        "UPDATE outbox SET message_id = 7 WHERE chat_id = 503 AND part = 2",
    ),
    (
        503,
        "on its way without an attempt",
        "UPDATE outbox SET attempts = 0 WHERE chat_id = 503 AND part = 2",
    ),
    (
        501,
        "not out, but the run says so",
        """UPDATE outbox SET state = 'pending', message_id = NULL
        WHERE chat_id = 501 AND run = 2 AND part = 2""",
    ),
    (
        501,
        "not out, but the run says so",
        "UPDATE outbox SET state = 'refused', message_id = NULL WHERE chat_id = 501 AND run = 3",
    ),
    (
        504,
        "open, but the run gave up",
        "UPDATE outbox SET state = 'sending' WHERE chat_id = 504 AND part = 2",
    ),
    (
        504,
        "all out, but the run gave up",
        "UPDATE outbox SET state = 'unconfirmed' WHERE chat_id = 504 AND part = 2",
    ),
    (
        503,
        "refused, but the run goes on",
        "UPDATE outbox SET state = 'refused' WHERE chat_id = 503 AND part = 2",
    ),
    (
        501,
        "a state that nobody knows",
        """ALTER TABLE outbox DROP CONSTRAINT outbox_state_is_known;
        UPDATE outbox SET state = 'zebra' WHERE chat_id = 501 AND run = 3""",
    ),
]
ENDED: Plants = [
    (
        501,
        "time of its end does not fit its state",
        "UPDATE runs SET ended_at = NULL WHERE chat_id = 501 AND number = 2",
    ),
    (
        502,
        "time of its end does not fit its state",
        "UPDATE runs SET ended_at = now() WHERE chat_id = 502",
    ),
    (
        501,
        "commit does not fit its state",
        "UPDATE runs SET committed_at = NULL WHERE chat_id = 501 AND number = 2",
    ),
    (502, "commit does not fit its state", "UPDATE runs SET reply = 'zebra' WHERE chat_id = 502"),
    (
        501,
        "sent with a reason",
        "UPDATE runs SET reason = 'zebra' WHERE chat_id = 501 AND number = 2",
    ),
    (501, "no reason", "UPDATE runs SET reason = NULL WHERE chat_id = 501 AND number = 3"),
    (504, "no reason", "UPDATE runs SET reason = NULL WHERE chat_id = 504"),
    (502, "reads more than was counted", "UPDATE runs SET last_seq = 2 WHERE chat_id = 502"),
    (
        501,
        "a state that nobody knows",
        """ALTER TABLE runs DROP CONSTRAINT runs_state_is_known;
        UPDATE runs SET state = 'zebra' WHERE chat_id = 501 AND number = 1""",
    ),
]
