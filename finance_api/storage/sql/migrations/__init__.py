"""The migrations of the tables, which Alembic runs."""
