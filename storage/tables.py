"""The tables. Each key begins with the conversation, so the data can be spread by chat later."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "%(table_name)s_%(column_0_N_name)s",
        "ck": "%(table_name)s_%(constraint_name)s",
        "fk": "%(table_name)s_%(referred_table_name)s_fkey",
        "pk": "%(table_name)s_pkey",
    }
)
INSTANT = DateTime(timezone=True)
CONVERSATION = ["chat_id", "thread_id"]


def _key() -> tuple[Column[int], Column[int]]:
    return (
        Column("chat_id", BigInteger, nullable=False),
        Column("thread_id", BigInteger, nullable=False),
    )


def _of_conversation() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(CONVERSATION, ["conversations.chat_id", "conversations.thread_id"])


conversations = Table(
    "conversations",
    metadata,
    *_key(),
    Column("inbound_seq", BigInteger, nullable=False),
    Column("answered_seq", BigInteger, nullable=False, server_default="0"),
    Column("lease_holder", Text),
    Column("lease_fence", BigInteger, nullable=False, server_default="0"),
    Column("lease_expires_at", INSTANT),
    Column("superseded_count", Integer, nullable=False, server_default="0"),
    Column("model_attempts", Integer, nullable=False, server_default="0"),
    Column("committed_run", BigInteger),
    Column("deliver_after", INSTANT),
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
    *_key(),
    Column("seq", BigInteger, nullable=False),
    Column("message_id", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("received_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "seq"),
    _of_conversation(),
    Index("messages_once", *CONVERSATION, "message_id", unique=True),
)

windows = Table(
    "windows",
    metadata,
    *_key(),
    Column("opened_at", INSTANT, nullable=False),
    Column("closes_at", INSTANT, nullable=False),
    Column("cap_at", INSTANT, nullable=False),
    Column("retry_at", INSTANT),
    Column("due_at", INSTANT, Computed("GREATEST(closes_at, retry_at)", persisted=True)),
    Column("consumed_by", BigInteger),
    PrimaryKeyConstraint(*CONVERSATION),
    _of_conversation(),
    CheckConstraint("closes_at <= cap_at", name="closes_within_cap"),
    Index("windows_due", "due_at"),
)

RUN_STATES = (
    "generating",
    "committed",
    "sent",
    "undeliverable",
    "failed",
    "superseded",
    "postponed",
    "handed_over",
    "lost",
)

runs = Table(
    "runs",
    metadata,
    *_key(),
    Column("number", BigInteger, nullable=False),
    Column("holder", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("first_seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("reply", Text),
    Column("reason", Text),
    Column("started_at", INSTANT, nullable=False),
    Column("committed_at", INSTANT),
    Column("ended_at", INSTANT),
    PrimaryKeyConstraint(*CONVERSATION, "number"),
    _of_conversation(),
    CheckConstraint("first_seq <= last_seq", name="covers_something"),
    CheckConstraint(f"state IN {RUN_STATES}", name="state_is_known"),
)

PART_STATES = ("pending", "sending", "sent", "unconfirmed", "refused")

outbox = Table(
    "outbox",
    metadata,
    *_key(),
    Column("run", BigInteger, nullable=False),
    Column("part", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="pending"),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("message_id", BigInteger),
    Column("changed_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "run", "part"),
    ForeignKeyConstraint([*CONVERSATION, "run"], ["runs.chat_id", "runs.thread_id", "runs.number"]),
    CheckConstraint(f"state IN {PART_STATES}", name="state_is_known"),
)

pollers = Table(
    "pollers",
    metadata,
    Column("bot_id", BigInteger, nullable=False),
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False, server_default="0"),
    Column("expires_at", INSTANT),
    PrimaryKeyConstraint("bot_id"),
)

set_aside_updates = Table(
    "set_aside_updates",
    metadata,
    Column("id", BigInteger, Identity(always=True), nullable=False),
    Column("payload", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("set_aside_at", INSTANT, nullable=False),
    PrimaryKeyConstraint("id"),
)

told_chats = Table(
    "told_chats",
    metadata,
    Column("chat_id", BigInteger, nullable=False),
    Column("told_at", INSTANT, nullable=False),
    PrimaryKeyConstraint("chat_id"),
)
