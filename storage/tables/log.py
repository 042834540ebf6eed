"""The event log, and what is made of it."""

from sqlalchemy import (
    DDL,
    UUID,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    PrimaryKeyConstraint,
    Table,
    Text,
    event,
)
from sqlalchemy.dialects.postgresql import JSONB

from storage.tables.base import CONVERSATION, INSTANT, key_columns, metadata

# An event's id follows from its place, so that a cause can be named without being looked up.
EVENT_ID = "md5(chat_id::text || '/' || thread_id::text || '/' || version::text)::uuid"

# Partitioned by time, so the versions of a conversation are unique in each partition, and across
# them because they are drawn from the locked row of the conversation.
events = Table(
    "events",
    metadata,
    *key_columns(),
    Column("version", BigInteger, nullable=False),
    Column("id", UUID, Computed(EVENT_ID, persisted=True), nullable=False),
    Column("type", Text, nullable=False),
    Column("payload", JSONB, nullable=False),
    Column("causation_id", UUID),
    Column("correlation_id", BigInteger),
    Column("run", BigInteger),
    Column("holder", Text),
    Column("recorded_at", INSTANT, nullable=False),
    postgresql_partition_by="RANGE (recorded_at)",
)
for statement in (
    "CREATE TABLE events_other PARTITION OF events DEFAULT",
    "CREATE UNIQUE INDEX events_other_once ON events_other (chat_id, thread_id, version)",
):
    event.listen(events, "after_create", DDL(statement))  # type: ignore[no-untyped-call]

# Below these, events (`version`) and messages and runs (`content_seq`) were pruned; counter and
# watermark are as they were at `version`.
floors = Table(
    "floors",
    metadata,
    *key_columns(),
    Column("version", BigInteger, nullable=False, server_default="0"),
    Column("inbound_seq", BigInteger, nullable=False, server_default="0"),
    Column("answered_seq", BigInteger, nullable=False, server_default="0"),
    Column("content_seq", BigInteger, nullable=False, server_default="0"),
    PrimaryKeyConstraint(*CONVERSATION),
)

projected = Table(
    "projected",
    metadata,
    *key_columns(),
    Column("version", BigInteger, nullable=False, server_default="0"),
    PrimaryKeyConstraint(*CONVERSATION),
)

TALLY_KINDS = ("usage", "reply_time", "failure")

tallies = Table(
    "tallies",
    metadata,
    *key_columns(),
    Column("day", Date, nullable=False),
    Column("kind", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("is_pruned", Boolean, nullable=False, server_default="false"),
    Column("amount", BigInteger, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "day", "kind", "label", "is_pruned"),
    CheckConstraint(f"kind IN {TALLY_KINDS}", name="kind_is_known"),
)
