"""Alembic's entry: the connection comes from `storage.schema`, inside its guarded transaction."""

from alembic import context

from storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
)
with context.begin_transaction():
    context.run_migrations()
