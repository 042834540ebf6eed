"""Who writes, and which of their commands were done."""

from sqlalchemy import BigInteger, Boolean, Column, PrimaryKeyConstraint, Table, Text

from storage.tables.base import CONVERSATION, INSTANT, key_columns, metadata

people = Table(
    "people",
    metadata,
    Column("chat_id", BigInteger, nullable=False),
    Column("name", Text),
    Column("language", Text),
    Column("chosen_language", Text),
    Column("wants_streaming", Boolean),
    Column("start_payload", Text),
    Column("updated_at", INSTANT, nullable=False),
    PrimaryKeyConstraint("chat_id"),
)

# Telegram may deliver a command again, which must not do again what it did.
commands_done = Table(
    "commands_done",
    metadata,
    *key_columns(),
    Column("message_id", BigInteger, nullable=False),
    Column("done_at", INSTANT, nullable=False),
    PrimaryKeyConstraint(*CONVERSATION, "message_id"),
)
