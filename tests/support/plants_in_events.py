"""More of `plants`: faults in the event log, or beside it."""

from tests.support.plants import Plants

NUMBERED: Plants = [
    (
        503,
        "versions with a gap or twice",
        "DELETE FROM events WHERE chat_id = 503 AND type = 'part_sent'",
    ),
    (
        503,
        "versions with a gap or twice",
        """DELETE FROM events WHERE chat_id = 503 AND version = 1;
        UPDATE conversations SET received_version = 0 WHERE chat_id = 503;
        INSERT INTO floors VALUES (503, 0, 0, 1, 0, 0)""",
    ),
    (
        503,
        "versions with a gap or twice",
        """DROP INDEX events_other_once;
        UPDATE events SET version = version - 1 WHERE chat_id = 503 AND type = 'part_sent'""",
    ),
    (503, "versions with a gap or twice", "INSERT INTO floors VALUES (503, 0, 1, 1, 0, 0)"),
    (
        503,
        "the newest event is not where the conversation says",
        "UPDATE conversations SET event_version = event_version + 1 WHERE chat_id = 503",
    ),
    (
        503,
        "the newest event is not where the conversation says",
        "DELETE FROM events WHERE chat_id = 503 AND version = 6",
    ),
    (
        999,
        "events of no conversation",
        """INSERT INTO events (chat_id, thread_id, version, type, payload, recorded_at)
        VALUES (999, 0, 1, 'lease_freed', '{}', now())""",
    ),
]
COUNTING: Plants = [
    (
        502,
        "counter is not what its events give",
        """UPDATE events SET payload = '{"last_seq": 2}' WHERE chat_id = 502 AND version = 1""",
    ),
    (
        501,
        "counter is not what its events give",
        """UPDATE events SET payload = jsonb_set(payload, '{last_seq}',
            CASE version WHEN 1 THEN '4'::jsonb ELSE '3'::jsonb END)
        WHERE chat_id = 501 AND type = 'received'""",
    ),
    (
        501,
        "watermark is not what its events give",
        """UPDATE events SET payload = '{"answered_seq": 2}'
        WHERE chat_id = 501 AND type = 'run_failed'""",
    ),
    (
        504,
        "watermark is not what its events give",
        "UPDATE events SET payload = '{}' WHERE chat_id = 504 AND type = 'run_undeliverable'",
    ),
    (
        501,
        "the last message is not where the conversation says",
        "UPDATE conversations SET received_version = received_version - 1 WHERE chat_id = 501",
    ),
]
ENDING: Plants = [
    (501, "events of no run", "DELETE FROM runs WHERE chat_id = 501 AND number = 1"),
    (
        501,
        "no event brought it there",
        "UPDATE events SET type = 'zebra' WHERE chat_id = 501 AND run = 1",
    ),
    (
        501,
        "state is not what its events give",
        "UPDATE events SET type = 'run_lost' WHERE chat_id = 501 AND type = 'run_superseded'",
    ),
    (
        501,
        "version is not that of its last event",
        "UPDATE runs SET version = version - 1 WHERE chat_id = 501 AND number = 1",
    ),
]
STEPPING: Plants = [
    (
        501,
        "a step that no run may take",
        """UPDATE events SET type = 'run_generating'
        WHERE chat_id = 501 AND run = 2 AND type = 'run_committed'""",
    ),
    (
        501,
        "a step that no run may take",
        """UPDATE events SET type = 'part_sent'
        WHERE chat_id = 501 AND run = 2 AND type = 'run_committed'""",
    ),
    (
        501,
        "begins in the middle",
        """UPDATE events SET type = 'part_sent'
        WHERE chat_id = 501 AND run = 2 AND type = 'run_generating'""",
    ),
    (
        501,
        "begins in the middle",
        """INSERT INTO floors VALUES (501, 0, 0, 0, 0, 0);
        UPDATE events SET type = 'part_sent'
        WHERE chat_id = 501 AND run = 2 AND type = 'run_generating'""",
    ),
]
