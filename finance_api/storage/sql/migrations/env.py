"""Alembic's entry: `finance_api.storage.sql.schema` hands it the connection."""

from alembic import context

from finance_api.storage.sql.indexes import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
