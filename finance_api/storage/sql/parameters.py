"""The parameters that many queries bind."""

import sqlalchemy as sa

from finance_api.storage.sql.tables import CodePointText


def number_parameter(name: str) -> sa.ColumnElement[int]:
    return sa.bindparam(name, type_=sa.BigInteger())


def text_parameter(name: str) -> sa.ColumnElement[str]:
    return sa.bindparam(name, type_=CodePointText)


USER = number_parameter("user")
LIMIT = number_parameter("limit")
OFFSET = number_parameter("offset")
#: A limit that is greater than the length of any list.
NO_LIMIT = 2**62
#: The parameter for ids, as a JSON list.
IDS = text_parameter("ids")
