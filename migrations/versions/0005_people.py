"""What is known of a person, commands that were done, and where a conversation was reset."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

STATES = (
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
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("chosen_language", sa.Text(), nullable=True),
        sa.Column("wants_streaming", sa.Boolean(), nullable=True),
        sa.Column("start_payload", sa.Text(), nullable=True),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", name=op.f("people_pkey")),
    )
    op.create_table(
        "commands_done",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.Column("done_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint(
            "chat_id", "thread_id", "message_id", name=op.f("commands_done_pkey")
        ),
    )
    op.add_column(
        "conversations",
        sa.Column("reset_seq", sa.BigInteger(), server_default="0", nullable=False),
    )
    _states_are((*STATES, "cancelled"))


def downgrade() -> None:
    _states_are(STATES)
    op.drop_column("conversations", "reset_seq")
    op.drop_table("commands_done")
    op.drop_table("people")


def _states_are(states: tuple[str, ...]) -> None:
    op.drop_constraint(op.f("runs_state_is_known"), "runs", type_="check")
    op.create_check_constraint(op.f("runs_state_is_known"), "runs", f"state IN {states}")
