"""Pages of changes: parsed with exact numbers, and checked before anything is stored.

A page that is not as the API describes it is refused whole, with a sentence that names the fault.
"""

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NoReturn

from finance_api.resources.field import Field, Kind
from finance_api.resources.tables import CHANGED, CHANGES
from finance_api.values.number import MAX_UNITS

#: Numbers with more characters are refused before they are parsed.
_LONGEST_NUMBER = 40
_ADDRESS = "is this the address of finance_api?"
_SURROGATE = re.compile("[\ud800-\udfff]")
#: How texts of some kinds are written.
_FORMS = {
    Kind.DATE: re.compile(r"\d{4}-\d\d-\d\d", re.ASCII),
    Kind.DATETIME: re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII),
}
_ANY = re.compile("(?s:.*)")
_TYPE, _ID, _OPERATION, _REVISION = CHANGES
_NEXT = Field("next", Kind.TEXT, "Cursor of the next page.", "17.x", nullable=False)
_PERIOD_START = Field("periodStart", Kind.DATE, "First day.", "2026-12-01", nullable=False)
_LIMIT = Field("limit", Kind.NUMBER, "Limit of the period.", 450, nullable=False)
_HAS_MORE = Field("hasMore", Kind.BOOLEAN, "Whether it has changes.", True, nullable=False)


class PageRefused(ValueError):
    """The response is not a page of changes; the message says why."""


def parse_page(body: bytes) -> dict[str, Any]:
    """Parse a page; its numbers are Decimals. Raises PageRefused."""
    try:
        page = json.loads(
            body, parse_float=_number, parse_int=_number, parse_constant=_not_a_number
        )
    except (ValueError, RecursionError) as error:
        reason = f" ({error})" if isinstance(error, PageRefused) else ""
        raise PageRefused(f"the response is not a page of changes{reason}: {_ADDRESS}") from None
    _check(page, (_NEXT, _HAS_MORE, _REVISION), "the page")
    if not isinstance(page.get("changes"), list):
        raise PageRefused(f"the page has no list of changes: {_ADDRESS}")
    for number, change in enumerate(page["changes"], 1):
        _check_change(change, f"change {number}")
    return dict(page)


def _number(text: str) -> Decimal:
    number = Decimal(text[:_LONGEST_NUMBER])
    if len(text) > _LONGEST_NUMBER or abs(number.adjusted()) > _LONGEST_NUMBER:
        raise PageRefused("it has a number with too many digits")
    return number


def _not_a_number(text: str) -> NoReturn:
    raise PageRefused(f"it has the number {text}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and _SURROGATE.search(value) is None


def _is_value(field: Field, value: Any) -> bool:
    """Whether the value is of the field's kind."""
    if value is None:
        return field.nullable
    if field.kind is Kind.NUMBER:
        units = value.scaleb(field.decimals) if isinstance(value, Decimal) else Decimal("NaN")
        return units.is_finite() and units == units.to_integral_value() and abs(units) <= MAX_UNITS
    if field.kind is Kind.BOOLEAN:
        return isinstance(value, bool)
    if field.kind.is_list:
        is_element = _is_limit if field.kind is Kind.LIMIT_LIST else _is_text
        return isinstance(value, list) and all(map(is_element, value))
    return _is_text(value) and _FORMS.get(field.kind, _ANY).fullmatch(value) is not None


def _is_limit(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_value(field, value.get(field.name)) for field in (_PERIOD_START, _LIMIT)
    )


def _check(members: Any, fields: Iterable[Field], what: str, advice: str = _ADDRESS) -> None:
    if not isinstance(members, dict):
        raise PageRefused(f"{what} is not an object: {advice}")
    for field in fields:
        if field.name not in members:
            raise PageRefused(f"{what} has no {field.name}: {advice}")
        if not _is_value(field, members[field.name]):
            raise PageRefused(f"{what}: {field.name} has a value that the API does not have")


def _check_change(change: Any, what: str) -> None:
    _check(change, (_TYPE, _ID, _OPERATION, _REVISION), what)
    resource, data = CHANGED.get(change["type"]), change.get("data")
    if change["op"] not in _OPERATION.choices:
        raise PageRefused(f"{what}: op has a value that the API does not have")
    if change["op"] == "delete" and data is not None:
        raise PageRefused(f"{what} deletes an object and has its data")
    if resource is None or change["op"] == "delete":
        return
    what = f"{what} ({resource.name} {change['id']})"
    _check(data, resource.fields, what, "is the service older than this program?")
    if data["id"] != change["id"]:
        raise PageRefused(f"{what} has two ids")
