"""Links of goals to accounts and labels: the columns `goals.account_id` and `goals.label_id`.

Revision: 0006_goal_links
Follows: 0005_splits
"""

import sqlalchemy as sa
from alembic import op

revision = "0006_goal_links"
down_revision = "0005_splits"


def upgrade():
    text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    for name in ("account_id", "label_id"):
        op.add_column("goals", sa.Column(name, text))
