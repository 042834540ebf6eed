"""What belongs to a process or to the edge, not to one conversation."""

from sqlalchemy import BigInteger, Column, Identity, PrimaryKeyConstraint, Table, Text

from storage.tables.base import INSTANT, metadata

pollers = Table(
    "pollers",
    metadata,
    Column("bot_id", BigInteger, nullable=False),
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False, server_default="0"),
    Column("expires_at", INSTANT),
    PrimaryKeyConstraint("bot_id"),
)

resource_leases = Table(
    "resource_leases",
    metadata,
    Column("resource", Text, nullable=False),
    Column("holder", Text),
    Column("fence", BigInteger, nullable=False, server_default="0"),
    Column("expires_at", INSTANT),
    PrimaryKeyConstraint("resource"),
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
