"""The first tables.

`schema.upgrade` creates a new database from the declared tables, and marks it with the newest
version. Migrations only alter databases of earlier versions, so the first one has nothing to do.

Revision: 0012_initial
"""

revision = "0012_initial"
down_revision = None


def upgrade():
    """Do nothing."""
