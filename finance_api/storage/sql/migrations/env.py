"""Alembic imports this module; `finance_api.storage.sql.schema` passes the connection to it."""

from alembic import context

from finance_api.storage.sql.indexes import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
