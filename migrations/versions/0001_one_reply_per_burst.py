"""Conversations, windows, leases, runs, the outbox and polling."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("inbound_seq", sa.BigInteger(), nullable=False),
        sa.Column("answered_seq", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("lease_holder", sa.Text(), nullable=True),
        sa.Column("lease_fence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("superseded_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("model_attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("committed_run", sa.BigInteger(), nullable=True),
        sa.Column("deliver_after", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(committed_run IS NULL) = (deliver_after IS NULL)",
            name=op.f("conversations_committed_has_a_due_time"),
        ),
        sa.CheckConstraint(
            "(lease_holder IS NULL) = (lease_expires_at IS NULL)",
            name=op.f("conversations_lease_is_held_or_free"),
        ),
        sa.CheckConstraint(
            "answered_seq <= inbound_seq", name=op.f("conversations_watermark_below_counter")
        ),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", name=op.f("conversations_pkey")),
    )
    op.create_index(
        "conversations_leased",
        "conversations",
        ["lease_holder"],
        unique=False,
        postgresql_where=sa.text("lease_holder IS NOT NULL"),
    )
    op.create_index(
        "conversations_to_deliver",
        "conversations",
        ["deliver_after"],
        unique=False,
        postgresql_where=sa.text("deliver_after IS NOT NULL"),
    )
    op.create_table(
        "pollers",
        sa.Column("bot_id", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("bot_id", name=op.f("pollers_pkey")),
    )
    op.create_table(
        "set_aside_updates",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("set_aside_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("set_aside_updates_pkey")),
    )
    op.create_table(
        "told_chats",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", name=op.f("told_chats_pkey")),
    )
    op.create_table(
        "messages",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["chat_id", "thread_id"],
            ["conversations.chat_id", "conversations.thread_id"],
            name=op.f("messages_conversations_fkey"),
        ),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "seq", name=op.f("messages_pkey")),
    )
    op.create_index(
        "messages_once", "messages", ["chat_id", "thread_id", "message_id"], unique=True
    )
    op.create_table(
        "runs",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('generating', 'committed', 'sent', 'undeliverable', 'failed', "
            "'superseded', 'postponed', 'handed_over', 'lost')",
            name=op.f("runs_state_is_known"),
        ),
        sa.CheckConstraint("first_seq <= last_seq", name=op.f("runs_covers_something")),
        sa.ForeignKeyConstraint(
            ["chat_id", "thread_id"],
            ["conversations.chat_id", "conversations.thread_id"],
            name=op.f("runs_conversations_fkey"),
        ),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "number", name=op.f("runs_pkey")),
    )
    op.create_table(
        "windows",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cap_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "due_at",
            sa.DateTime(timezone=True),
            sa.Computed("GREATEST(closes_at, retry_at)", persisted=True),
            nullable=True,
        ),
        sa.Column("consumed_by", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("closes_at <= cap_at", name=op.f("windows_closes_within_cap")),
        sa.ForeignKeyConstraint(
            ["chat_id", "thread_id"],
            ["conversations.chat_id", "conversations.thread_id"],
            name=op.f("windows_conversations_fkey"),
        ),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", name=op.f("windows_pkey")),
    )
    op.create_index("windows_due", "windows", ["due_at"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('pending', 'sending', 'sent', 'unconfirmed', 'refused')",
            name=op.f("outbox_state_is_known"),
        ),
        sa.ForeignKeyConstraint(
            ["chat_id", "thread_id", "run"],
            ["runs.chat_id", "runs.thread_id", "runs.number"],
            name=op.f("outbox_runs_fkey"),
        ),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "run", "part", name=op.f("outbox_pkey")),
    )


def downgrade() -> None:
    op.drop_table("outbox")
    op.drop_index("windows_due", table_name="windows")
    op.drop_table("windows")
    op.drop_table("runs")
    op.drop_index("messages_once", table_name="messages")
    op.drop_table("messages")
    op.drop_table("told_chats")
    op.drop_table("set_aside_updates")
    op.drop_table("pollers")
    op.drop_index(
        "conversations_to_deliver",
        table_name="conversations",
        postgresql_where=sa.text("deliver_after IS NOT NULL"),
    )
    op.drop_index(
        "conversations_leased",
        table_name="conversations",
        postgresql_where=sa.text("lease_holder IS NOT NULL"),
    )
    op.drop_table("conversations")
