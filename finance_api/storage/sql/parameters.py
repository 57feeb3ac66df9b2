"""The parameters that many queries bind."""

from sqlalchemy import BigInteger, ColumnElement, bindparam

from finance_api.storage.sql.tables import CodePointText


def number_parameter(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger())


def text_parameter(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=CodePointText)


USER = number_parameter("user")
LIMIT = number_parameter("limit")
OFFSET = number_parameter("offset")
#: A limit that is greater than the length of any list.
NO_LIMIT = 2**62
#: The parameter for ids, as a JSON list.
IDS = text_parameter("ids")
