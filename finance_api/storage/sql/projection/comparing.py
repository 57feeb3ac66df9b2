"""Whether what is derived is what it is derived from."""

from typing import Any

from sqlalchemy import Connection, Select, except_, literal_column, select


def is_other(connection: Connection, made: Select[Any], stored: Select[Any]) -> bool:
    """Whether the rows of one are not the rows of the other, in any order."""
    for one, other in ((made, stored), (stored, made)):
        different = except_(one, other).subquery()
        if connection.scalar(select(literal_column("1")).select_from(different).limit(1)):
            return True
    return False
