"""Events, run versions, tallies, effects of tools, reminders, resource leases."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

EVENT_ID = "md5(chat_id::text || '/' || thread_id::text || '/' || version::text)::uuid"
COVERS = (
    "CASE kind WHEN 'burst' THEN first_seq <= last_seq"
    " WHEN 'reminder' THEN first_seq = last_seq + 1 ELSE false END"
)


def upgrade() -> None:
    op.add_column("conversations", _counter("event_version"))
    op.add_column("conversations", _counter("received_version"))
    _let_runs_have_kinds_and_versions()
    _make_the_log()
    _make_the_tallies()
    _make_the_effects()
    # What happened before there was a log is where its replay begins.
    op.execute(
        "INSERT INTO floors (chat_id, thread_id, inbound_seq, answered_seq) "
        "SELECT chat_id, thread_id, inbound_seq, answered_seq FROM conversations"
    )


def downgrade() -> None:
    for table in (
        "resource_leases",
        "cached_results",
        "reminders",
        "contact_facts",
        "effects",
        "tallies",
        "projected",
        "floors",
        "events",
    ):
        op.drop_table(table)
    op.drop_constraint(op.f("runs_covers_what_its_kind_says"), "runs")
    op.execute(
        "DELETE FROM outbox USING runs WHERE outbox.chat_id = runs.chat_id "
        "AND outbox.thread_id = runs.thread_id AND outbox.run = runs.number "
        "AND runs.kind <> 'burst'"
    )
    op.execute(
        "UPDATE conversations c SET committed_run = NULL, deliver_after = NULL FROM runs r "
        "WHERE c.chat_id = r.chat_id AND c.thread_id = r.thread_id "
        "AND c.committed_run = r.number AND r.kind <> 'burst'"
    )
    op.execute("DELETE FROM runs WHERE kind <> 'burst'")
    op.create_check_constraint(op.f("runs_covers_something"), "runs", "first_seq <= last_seq")
    for column in ("model_calls", "tokens_out", "tokens_in", "version", "kind"):
        op.drop_column("runs", column)
    for column in ("received_version", "event_version"):
        op.drop_column("conversations", column)


def _let_runs_have_kinds_and_versions() -> None:
    op.add_column("runs", sa.Column("kind", sa.Text(), server_default="burst", nullable=False))
    for column in ("version", "tokens_in", "tokens_out", "model_calls"):
        op.add_column("runs", _counter(column))
    op.drop_constraint(op.f("runs_covers_something"), "runs")
    op.create_check_constraint(op.f("runs_covers_what_its_kind_says"), "runs", COVERS)


def _make_the_log() -> None:
    op.create_table(
        "events",
        *_key(),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.UUID(), sa.Computed(EVENT_ID, persisted=True), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(), nullable=False),
        sa.Column("causation_id", sa.UUID(), nullable=True),
        sa.Column("correlation_id", sa.BigInteger(), nullable=True),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        postgresql_partition_by="RANGE (recorded_at)",
    )
    op.execute("CREATE TABLE events_other PARTITION OF events DEFAULT")
    op.execute(
        "CREATE UNIQUE INDEX events_other_once ON events_other (chat_id, thread_id, version)"
    )
    op.create_table(
        "floors",
        *_key(),
        *(_counter(column) for column in ("version", "inbound_seq", "answered_seq", "content_seq")),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", name=op.f("floors_pkey")),
    )


def _make_the_tallies() -> None:
    op.create_table(
        "projected",
        *_key(),
        _counter("version"),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", name=op.f("projected_pkey")),
    )
    op.create_table(
        "tallies",
        *_key(),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("is_pruned", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('usage', 'reply_time', 'failure')", name=op.f("tallies_kind_is_known")
        ),
        sa.PrimaryKeyConstraint(
            "chat_id",
            "thread_id",
            "day",
            "kind",
            "label",
            "is_pruned",
            name=op.f("tallies_pkey"),
        ),
    )


def _make_the_effects() -> None:
    op.create_table(
        "effects",
        *_key(),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("burst", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("arguments", postgresql.JSONB(), nullable=False),
        sa.Column("state", sa.Text(), server_default="processing", nullable=False),
        sa.Column("can_be_undone", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undo_due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undo_attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("undo_error", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('processing', 'done', 'failed', 'to_undo', 'undone', 'not_undone')",
            name=op.f("effects_state_is_known"),
        ),
        sa.CheckConstraint(
            "(state = 'to_undo') = (undo_due_at IS NOT NULL)",
            name=op.f("effects_undo_has_a_due_time"),
        ),
        _of_conversation("effects"),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "key", name=op.f("effects_pkey")),
    )
    op.create_index(
        "effects_to_undo",
        "effects",
        ["undo_due_at"],
        unique=False,
        postgresql_where=sa.text("undo_due_at IS NOT NULL"),
    )
    op.create_table(
        "contact_facts",
        *_key(),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(
            "chat_id", "thread_id", "key", "kind", name=op.f("contact_facts_pkey")
        ),
    )
    _make_the_reminders()
    op.create_table(
        "cached_results",
        *_key(),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "key", name=op.f("cached_results_pkey")),
    )
    op.create_table(
        "resource_leases",
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        _counter("fence"),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("resource", name=op.f("resource_leases_pkey")),
    )


def _make_the_reminders() -> None:
    op.create_table(
        "reminders",
        *_key(),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), server_default="waiting", nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting', 'posted', 'cancelled')", name=op.f("reminders_state_is_known")
        ),
        _of_conversation("reminders"),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "number", name=op.f("reminders_pkey")),
    )
    op.create_index("reminders_once", "reminders", ["chat_id", "thread_id", "key"], unique=True)
    op.create_index(
        "reminders_waiting",
        "reminders",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("state = 'waiting'"),
    )


def _key() -> tuple[sa.Column[int], sa.Column[int]]:
    return (
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
    )


def _counter(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)


def _of_conversation(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["chat_id", "thread_id"],
        ["conversations.chat_id", "conversations.thread_id"],
        name=op.f(f"{table}_conversations_fkey"),
    )
