"""Finds rows by the names that users type, and parses ``field=value`` as users type it."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native import ValueRefused, reader_of
from finance_api.ledger.rows import batched
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, referred_by
from finance_api.resources.field import Field, Kind, Resource, Role, snake_case
from finance_api.resources.records import ENTERED
from finance_api.values import Row
from finance_api.values.ids import IdError, are_ids, parse_id
from finance_api.values.number import NumberError, parse_decimal
from finance_api.values.text import count_text, counted_text, day_text, did_you_mean, fold, shown
from finance_api.values.time import TimeError, date_text, parse_days


def counted_rows(count: int, resource: Resource) -> str:
    """Return ``1 standing order`` or ``2 standing orders``, for a `message`."""
    return counted_text(count, resource.word, many_of(resource))


def many_of(resource: Resource) -> str:
    """Return the word for several objects: ``standing orders``."""
    return snake_case(resource.name).replace("_", " ")


def rows_called(owned: UserRows, resource: Resource, text: str) -> list[Row]:
    """Return the rows with this id, else with this name, else with this name ignoring case."""
    row_set = owned.row_set(resource)
    if are_ids(text) and text.lower() in row_set.rows:
        return [row_set.rows[text.lower()]]
    found = row_set.named(text)
    if not found:
        folded = fold(text)
        rows = sorted(row_set.rows.values(), key=lambda row: str(row["id"]))
        found = [row for row in rows if row["name"] and fold(row["name"]) == folded]
    return found


def find_row(owned: UserRows, resource: Resource, text: str) -> Row:
    """Return the only row with this id or name. Raises ChangeRefused, with suggestions."""
    found = rows_called(owned, resource, text)
    if len(found) == 1:
        return found[0]
    word = resource.word
    if found:
        raise ChangeRefused(
            f"{len(found)} of the {resource.name} are called {text}: give one of the ids "
            + ", ".join(_candidate(owned, resource, row) for row in found)
        )
    names = [row["name"] for row in owned.row_set(resource).rows.values() if row["name"]]
    raise ChangeRefused(f"there is no {word} {text}{did_you_mean(text, names)}")


def _candidate(owned: UserRows, resource: Resource, row: Row) -> str:
    if resource is ACCOUNTS:
        about = str(row["currencyCode"])
    elif resource is CATEGORIES and row["parentId"] in owned.row_set(CATEGORIES).rows:
        about = f"in {owned.row_set(CATEGORIES).rows[row['parentId']]['name']}"
    else:
        about = f"of {day_text(row['createdAt'])}"
    return f"{row['id']} ({about})"


#: A refusal names up to this many unknown ids.
_NAMED = 10


def stored_records(owned: UserRows, ids: Iterable[str]) -> Iterator[Collection[Row]]:
    """Yield the records with these ids in batches, then raise ChangeRefused if any is unknown."""
    unknown: list[str] = []
    for batch in batched(dict.fromkeys(row_id.lower() for row_id in ids)):
        stored = rows_with_ids(owned, batch)
        unknown += (shown(row_id) for row_id in batch if row_id not in stored)
        yield stored.values()
    refuse_unknown(unknown)


def find_records(owned: UserRows, ids: Collection[str]) -> list[Row]:
    """Return the records with these ids, each once. Raises ChangeRefused if any is unknown."""
    pages = stored_records(owned, ids)
    found = {row["id"]: row for page in pages for row in page}
    return [found[row_id] for row_id in dict.fromkeys(each.lower() for each in ids)]


def refuse_unknown(unknown: list[str]) -> None:
    if unknown:
        more = f" and {count_text(len(unknown) - _NAMED)} more" if len(unknown) > _NAMED else ""
        raise ChangeRefused(f"no record has the id {', '.join(unknown[:_NAMED])}{more}")


def rows_with_ids(owned: UserRows, ids: Iterable[str]) -> dict[str, Row]:
    """Return the existing records by id."""
    wanted = []
    for row_id in ids:
        try:
            wanted.append(parse_id(row_id))
        except IdError:
            continue
    return owned.get_rows(RECORDS, wanted)


_NOT_EDITED = ("id", "createdAt", "updatedAt")
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
#: A message lists all choices of a field if there are at most this many.
_MANY_CHOICES = 20


def editable_fields(resource: Resource) -> dict[str, Field]:
    """Return the fields that users can set, by the names they type: references without ``Id``."""
    if resource is RECORDS:
        return {written_name(field): field for field in ENTERED}
    fields = resource.having_role(Role.STORED)
    return {written_name(f): f for f in fields if f.name not in _NOT_EDITED}


def written_name(field: Field) -> str:
    """Return the name that users type: ``account`` for accountId, ``labels`` for labelIds."""
    if not field.references:
        return field.name
    name = field.name.removesuffix("s").removesuffix("Id")
    if not field.kind.is_list:
        return name
    return f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s"


def parse_assignments(
    owned: UserRows, resource: Resource, given: Mapping[str, str]
) -> dict[str, Any]:
    """Return stored values by field name; a blank text means the field's default.

    given: texts by field name, for references with or without ``Id``. In a list, a name with a
    comma is in double quotes. Raises ChangeRefused.
    """
    fields = editable_fields(resource)
    known = fields | {field.name: field for field in fields.values()}
    values = {}
    for name, text in given.items():
        field = known.get(name)
        if field is None:
            raise ChangeRefused(
                f"{name} is not a field of {resource.name} that can be "
                f"set{did_you_mean(name, known)}"
                f" (fields: {', '.join(fields)})"
            )
        if field.name in values:
            raise ChangeRefused(f"{field.name} is given twice")
        try:
            values[field.name] = parse_value(owned, field, text)
        except ValueRefused as error:
            raise ChangeRefused(f"{name}: {text!r} {error}") from None
    return values


def parse_value(owned: UserRows, field: Field, text: str) -> Any:
    """Return the stored value for a user's text. Raises ChangeRefused, ValueRefused."""
    if not text.strip():
        return field.default
    value: Any = text.strip()
    if field.kind.is_list:
        value = _elements(value)
    if field.references:
        resource = referred_by(field)
        value = (
            [find_row(owned, resource, name)["id"] for name in value]
            if field.kind.is_list
            else find_row(owned, resource, value)["id"]
        )
    elif field.kind is Kind.NUMBER:
        try:
            value = parse_decimal(value)
        except NumberError as error:
            raise ValueRefused(str(error)) from None
    elif field.kind is Kind.LIMIT_LIST:
        value = [_period_limit(element) for element in value]
    elif field.kind is Kind.BOOLEAN:
        value = _TRUTH.get(value.lower())
        if value is None:
            raise ValueRefused("is neither true nor false")
    elif len(field.choices) > _MANY_CHOICES and value not in field.choices:
        raise ValueRefused(f"is not one of the possible values{did_you_mean(value, field.choices)}")
    return reader_of(field)(value)


def _period_limit(text: str) -> dict[str, Any]:
    """Parse ``2026-12=450``: a period, or its first day, and the limit."""
    period, _, limit = map(str.strip, text.partition("="))
    try:
        first, _ = parse_days(period)
        return {"periodStart": date_text(first), "limit": parse_decimal(limit)}
    except (TimeError, NumberError):
        raise ValueRefused("is not a list such as 2026-11=400,2026-12=450") from None


def _elements(text: str) -> list[str]:
    try:
        (elements,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        raise ValueRefused(
            "cannot be split into names: put a name with a comma in double quotes, and double "
            "each double quote in it"
        ) from None
    return [element.strip() for element in elements if element.strip()]


def joined(values: Iterable[str]) -> str:
    """Join the texts into one, which `parse_value` can split."""
    return ", ".join(map(_quoted, values))


def _quoted(text: str) -> str:
    if text.strip() == text and not set(text) & set(',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'
