"""What tools did, and what they keep."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from storage.states import EFFECT_STATES
from storage.tables.base import CONVERSATION, INSTANT, key_columns, metadata, of_conversation

effects = Table(
    "effects",
    metadata,
    *key_columns(),
    Column("key", Text, nullable=False),
    Column("burst", BigInteger, nullable=False),
    Column("place", Integer, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("tool", Text, nullable=False),
    Column("arguments", JSONB, nullable=False),
    Column("state", Text, nullable=False, server_default="processing"),
    Column("can_be_undone", Boolean, nullable=False),
    Column("result", Text),
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False),
    Column("expires_at", INSTANT),
    Column("undo_due_at", INSTANT),
    Column("undo_attempts", Integer, nullable=False, server_default="0"),
    Column("undo_error", Text),
    Column("started_at", INSTANT, nullable=False),
    Column("ended_at", INSTANT),
    Column("closed_at", INSTANT),
    PrimaryKeyConstraint(*CONVERSATION, "key"),
    of_conversation(),
    CheckConstraint(f"state IN {EFFECT_STATES}", name="state_is_known"),
    CheckConstraint("(state = 'to_undo') = (undo_due_at IS NOT NULL)", name="undo_has_a_due_time"),
    Index("effects_to_undo", "undo_due_at", postgresql_where=text("undo_due_at IS NOT NULL")),
)

contact_facts = Table(
    "contact_facts",
    metadata,
    *key_columns(),
    Column("key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("saved_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "key", "kind"),
)

REMINDER_STATES = ("waiting", "posted", "cancelled")

reminders = Table(
    "reminders",
    metadata,
    *key_columns(),
    Column("number", BigInteger, nullable=False),
    Column("key", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("due_at", INSTANT, nullable=False),
    Column("state", Text, nullable=False, server_default="waiting"),
    Column("run", BigInteger),
    PrimaryKeyConstraint(*CONVERSATION, "number"),
    of_conversation(),
    CheckConstraint(f"state IN {REMINDER_STATES}", name="state_is_known"),
    Index("reminders_once", *CONVERSATION, "key", unique=True),
    Index("reminders_waiting", "due_at", postgresql_where=text("state = 'waiting'")),
)

cached_results = Table(
    "cached_results",
    metadata,
    *key_columns(),
    Column("key", Text, nullable=False),
    Column("recipe", Text, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("value", Text, nullable=False),
    Column("made_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "key"),
)
