"""Conversations, and what is said in them."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Computed,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from storage.states import FORMATS, PART_STATES, RUN_STATES
from storage.tables.base import CONVERSATION, INSTANT, key_columns, metadata, of_conversation

conversations = Table(
    "conversations",
    metadata,
    *key_columns(),
    Column("inbound_seq", BigInteger, nullable=False),
    Column("answered_seq", BigInteger, nullable=False, server_default="0"),
    Column("lease_holder", Text),
    Column("lease_fence", BigInteger, nullable=False, server_default="0"),
    Column("lease_expires_at", INSTANT),
    Column("superseded_count", Integer, nullable=False, server_default="0"),
    Column("model_attempts", Integer, nullable=False, server_default="0"),
    Column("committed_run", BigInteger),
    Column("deliver_after", INSTANT),
    Column("event_version", BigInteger, nullable=False, server_default="0"),
    Column("received_version", BigInteger, nullable=False, server_default="0"),
    Column("revision", BigInteger, nullable=False, server_default="0"),
    Column("stop_fence", BigInteger),
    Column("reset_seq", BigInteger, nullable=False, server_default="0"),
    PrimaryKeyConstraint(*CONVERSATION),
    CheckConstraint("answered_seq <= inbound_seq", name="watermark_below_counter"),
    CheckConstraint(
        "(lease_holder IS NULL) = (lease_expires_at IS NULL)", name="lease_is_held_or_free"
    ),
    CheckConstraint(
        "(committed_run IS NULL) = (deliver_after IS NULL)", name="committed_has_a_due_time"
    ),
    Index(
        "conversations_leased", "lease_holder", postgresql_where=text("lease_holder IS NOT NULL")
    ),
    Index(
        "conversations_to_deliver",
        "deliver_after",
        postgresql_where=text("deliver_after IS NOT NULL"),
    ),
)

messages = Table(
    "messages",
    metadata,
    *key_columns(),
    Column("seq", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("received_at", INSTANT, nullable=False),
    Column("sent_at", INSTANT),
    Column("edited_at", INSTANT),
    Column("attachments", JSONB),
    Column("heard", Text),
    PrimaryKeyConstraint(*CONVERSATION, "seq"),
    of_conversation(),
    Index("messages_once", *CONVERSATION, "message_id", unique=True),
)

# Edits of messages that have not come yet.
early_edits = Table(
    "early_edits",
    metadata,
    *key_columns(),
    Column("message_id", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("attachments", JSONB),
    Column("edited_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "message_id"),
)

windows = Table(
    "windows",
    metadata,
    *key_columns(),
    Column("opened_at", INSTANT, nullable=False),
    Column("closes_at", INSTANT, nullable=False),
    Column("cap_at", INSTANT, nullable=False),
    Column("retry_at", INSTANT),
    Column("due_at", INSTANT, Computed("GREATEST(closes_at, retry_at)", persisted=True)),
    Column("consumed_by", BigInteger),
    Column("told_burst", BigInteger),
    PrimaryKeyConstraint(*CONVERSATION),
    of_conversation(),
    CheckConstraint("closes_at <= cap_at", name="closes_within_cap"),
    Index("windows_due", "due_at"),
)


runs = Table(
    "runs",
    metadata,
    *key_columns(),
    Column("number", BigInteger, nullable=False),
    Column("holder", Text, nullable=False),
    Column("kind", Text, nullable=False, server_default="burst"),
    Column("state", Text, nullable=False),
    Column("version", BigInteger, nullable=False, server_default="0"),
    Column("first_seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("reply", Text),
    Column("reason", Text),
    Column("tokens_in", BigInteger, nullable=False, server_default="0"),
    Column("tokens_out", BigInteger, nullable=False, server_default="0"),
    Column("model_calls", BigInteger, nullable=False, server_default="0"),
    Column("started_at", INSTANT, nullable=False),
    Column("committed_at", INSTANT),
    Column("ended_at", INSTANT),
    PrimaryKeyConstraint(*CONVERSATION, "number"),
    of_conversation(),
    CheckConstraint(
        "CASE kind WHEN 'burst' THEN first_seq <= last_seq"
        " WHEN 'reminder' THEN first_seq = last_seq + 1 ELSE false END",
        name="covers_what_its_kind_says",
    ),
    CheckConstraint(f"state IN {RUN_STATES}", name="state_is_known"),
)


outbox = Table(
    "outbox",
    metadata,
    *key_columns(),
    Column("run", BigInteger, nullable=False),
    Column("part", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("message_id", BigInteger),
    Column("changed_at", INSTANT, nullable=False),
    Column("format", Text, nullable=False, server_default="plain"),
    PrimaryKeyConstraint(*CONVERSATION, "run", "part"),
    ForeignKeyConstraint([*CONVERSATION, "run"], ["runs.chat_id", "runs.thread_id", "runs.number"]),
    CheckConstraint(f"state IN {PART_STATES}", name="state_is_known"),
    CheckConstraint(f"format IN {FORMATS}", name="format_is_known"),
)
