"""Parameters that many queries bind, by the names of their values."""

from typing import Any

from sqlalchemy import JSON, BigInteger, ColumnElement, TableValuedAlias, bindparam, cast, func

from finance_api.storage.sql.columns import CodePointText


def number_parameter(name: str) -> ColumnElement[int]:
    return bindparam(name, type_=BigInteger())


def text_parameter(name: str) -> ColumnElement[str]:
    return bindparam(name, type_=CodePointText)


USER = number_parameter("user")
LIMIT = number_parameter("limit")
OFFSET = number_parameter("offset")
#: A limit that no list reaches.
NO_LIMIT = 2**62
#: A JSON list of ids.
IDS = text_parameter("ids")


def json_elements(database: str, json_list: ColumnElement[Any]) -> TableValuedAlias:
    """Return the texts of a JSON list as a table with the column ``value``, in their order.

    PostgreSQL has that order in the column ``ordinality``; SQLite keeps it by itself.
    """
    if database == "sqlite":
        return func.json_each(json_list).table_valued("value")
    function = func.json_array_elements_text(cast(json_list, JSON))
    return function.table_valued("value", with_ordinality="ordinality")
