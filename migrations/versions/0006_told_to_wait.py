"""Who was told that the answer waits for the model."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("windows", sa.Column("told_burst", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("windows", "told_burst")
