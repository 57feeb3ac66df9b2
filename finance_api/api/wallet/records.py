"""What records show beside their own fields, and which of them are left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.api.wallet.context import Context, conversion_of, mirrors_of
from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.storage.interface import Storage
from finance_api.values import Row

_IMPORT = RECORDS["importId"]


def enrich(
    storage: Storage,
    user_id: int,
    rows: Sequence[Row],
    given: Mapping[str, Any],
    context: Context,
) -> None:
    context.mirrors = mirrors_of(storage, user_id, rows)
    target = given.get("convertTo")
    context.converts = target is not None
    if target == "base":
        target = context.names.base
    if target is not None and target != "account":
        context.conversion = conversion_of(storage, target, rows)


def of_source(sources: Sequence[str], context: Context) -> list[Condition]:
    """Statement files are the back end's; nothing here is of the others."""
    statements = tuple(sorted(context.names.statements))
    wants_statements, wants_rest = "backend" in sources, "missing" in sources
    if wants_statements and wants_rest:
        return []
    if wants_rest:
        return [Condition(_IMPORT, Operator.NE, statements, or_missing=True)] if statements else []
    return [Condition(_IMPORT, Operator.ANY_OF, statements if wants_statements else ())]
