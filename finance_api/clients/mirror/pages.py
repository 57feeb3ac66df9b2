"""Pages of changes: parsed with exact numbers, and checked before anything is stored.

A page that is not as the API describes it is refused whole, with a sentence that names the fault.
"""

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NoReturn

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.values.number import DECIMALS, MAX_UNITS

#: Numbers with more characters are refused before they are parsed.
_LONGEST_NUMBER = 40
_LONGEST_CURSOR = 200
_ADDRESS = "is this the address of finance_api?"
_SURROGATE = re.compile("[\ud800-\udfff]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)

_RESOURCES: Mapping[str, Resource] = {str(each.path): each for each in PUBLIC_RESOURCES}


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
    _check(page, _PAGE, "the page")
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


def _is_short_text(value: Any) -> bool:
    return _is_text(value) and 0 < len(value) <= _LONGEST_CURSOR


def _is_amount(value: Any) -> bool:
    if not isinstance(value, Decimal):
        return False
    units = value.scaleb(DECIMALS)
    return units == units.to_integral_value() and abs(units) <= MAX_UNITS


def _is_whole(value: Any) -> bool:
    return _is_amount(value) and value >= 0 and value == value.to_integral_value()


def _is_any(value: Any) -> bool:
    return _is_text(json.dumps(value, ensure_ascii=False, default=str))


_PAGE: Mapping[str, Callable[[Any], bool]] = {
    "changes": lambda value: isinstance(value, list),
    "next": _is_short_text,
    "hasMore": lambda value: isinstance(value, bool),
    "revision": _is_whole,
}
_CHANGE: Mapping[str, Callable[[Any], bool]] = {
    "type": _is_short_text,
    "id": _is_short_text,
    "op": lambda value: value in ("put", "delete"),
    "revision": _is_whole,
}
_KINDS: Mapping[Kind, Callable[[Any], bool]] = {
    Kind.NUMBER: _is_amount,
    Kind.DATE: lambda value: isinstance(value, str) and _DAY.fullmatch(value) is not None,
    Kind.DATETIME: lambda value: isinstance(value, str) and _TIME.fullmatch(value) is not None,
    Kind.BOOLEAN: lambda value: isinstance(value, bool),
}


def _is_value(field: Field, value: Any) -> bool:
    if value is None:
        return field.nullable
    if field.kind.is_list:
        return isinstance(value, list) and all(map(_is_text, value))
    return _KINDS.get(field.kind, _is_text)(value)


def _check(
    members: Any, rules: Mapping[str, Callable[[Any], bool]], what: str, advice: str = _ADDRESS
) -> None:
    if not isinstance(members, dict):
        raise PageRefused(f"{what} is not an object: {advice}")
    for name, is_right in rules.items():
        if name not in members:
            raise PageRefused(f"{what} has no {name}: {advice}")
        if not is_right(members[name]):
            raise PageRefused(f"{what}: {name} has a value that the API does not have")


def _check_change(change: Any, what: str) -> None:
    _check(change, _CHANGE, what)
    resource, data = _RESOURCES.get(change["type"]), change.get("data")
    if change["op"] == "delete" and data is not None:
        raise PageRefused(f"{what} deletes an object and has its data")
    if resource is None or change["op"] == "delete":
        return
    rules = {
        field.name: lambda value, field=field: _is_value(field, value) for field in resource.fields
    }
    unknown = data.keys() - rules.keys() if isinstance(data, dict) else ()
    what = f"{what} ({resource.name} {change['id']})"
    advice = "is the service older than this program?"
    _check(data, rules | dict.fromkeys(unknown, _is_any), what, advice)
    if data["id"] != change["id"]:
        raise PageRefused(f"{what} has two ids")
