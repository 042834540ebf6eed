"""What every table is made with."""

from sqlalchemy import BigInteger, Column, DateTime, ForeignKeyConstraint, MetaData

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


def key_columns() -> tuple[Column[int], Column[int]]:
    """The conversation, first in each key, so that the data can be spread by chat later."""
    return (
        Column("chat_id", BigInteger, nullable=False),
        Column("thread_id", BigInteger, nullable=False),
    )


def of_conversation() -> ForeignKeyConstraint:
    """Rows of this table belong to a conversation."""
    return ForeignKeyConstraint(CONVERSATION, ["conversations.chat_id", "conversations.thread_id"])
