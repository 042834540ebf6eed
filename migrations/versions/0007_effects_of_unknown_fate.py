"""Effects of which nobody knows whether they happened, and when an operator was done with one."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATES = ("processing", "done", "failed", "to_undo", "undone", "not_undone")


def upgrade() -> None:
    op.add_column("effects", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    _states_are((*STATES, "unknown"))


def downgrade() -> None:
    op.execute("UPDATE effects SET state = 'failed' WHERE state = 'unknown'")
    _states_are(STATES)
    op.drop_column("effects", "closed_at")


def _states_are(states: tuple[str, ...]) -> None:
    op.drop_constraint(op.f("effects_state_is_known"), "effects", type_="check")
    op.create_check_constraint(op.f("effects_state_is_known"), "effects", f"state IN {states}")
