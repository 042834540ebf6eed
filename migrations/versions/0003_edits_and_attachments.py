"""What a message holds beside its words, and its edits."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "conversations",
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
    )
    op.add_column("conversations", sa.Column("stop_fence", sa.BigInteger(), nullable=True))
    op.add_column("messages", sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("messages", sa.Column("edited_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("messages", sa.Column("attachments", postgresql.JSONB(), nullable=True))
    op.add_column("messages", sa.Column("heard", sa.Text(), nullable=True))
    op.create_table(
        "early_edits",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("attachments", postgresql.JSONB(), nullable=True),
        sa.Column("edited_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(
            "chat_id", "thread_id", "message_id", name=op.f("early_edits_pkey")
        ),
    )


def downgrade() -> None:
    op.drop_table("early_edits")
    for column in ("heard", "attachments", "edited_at", "sent_at"):
        op.drop_column("messages", column)
    op.drop_column("conversations", "stop_fence")
    op.drop_column("conversations", "revision")
