"""Who the person in a chat is."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language_code", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("chat_id", name=op.f("people_pkey")),
    )


def downgrade() -> None:
    op.drop_table("people")
