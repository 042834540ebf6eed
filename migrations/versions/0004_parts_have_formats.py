"""Each part of a reply says in which format it goes out."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("format", sa.Text(), server_default="plain", nullable=False))
    op.create_check_constraint(
        op.f("outbox_format_is_known"), "outbox", "format IN ('rich', 'entities', 'plain')"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("outbox_format_is_known"), "outbox", type_="check")
    op.drop_column("outbox", "format")
