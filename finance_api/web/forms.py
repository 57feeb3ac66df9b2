"""Forms of the resources, made from their declarations: a new field has a control at once."""

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from webob.multidict import MultiDict

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native.values import ValueRefused
from finance_api.ledger.edits.naming import (
    did_you_mean,
    editable_fields,
    find_row,
    parse_value,
    rows_called,
    written_name,
)
from finance_api.ledger.edits.objects import add_category
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.resources import CATEGORIES, referred_by
from finance_api.resources.currencies import decimals_of, smallest_units
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.naming import snake_case
from finance_api.resources.wire import text_writer
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.number import DECIMALS
from finance_api.values.text import fold
from finance_api.values.time import date_text
from finance_api.values.written import WrittenRefused, parse_amount, parse_day
from finance_api.web.page import CHANGED_MEANWHILE, sentence
from finance_api.web.regions import current_region

_LABELS = {
    "currencyCode": "Currency",
    "originalCurrencyCode": "Original currency",
    "recurrenceRule": "Repeats",
    "recordDate": "Date",
    "recordState": "State",
}
_CHOICES = {
    "BUDGET_INTERVAL_WEEK": "Week",
    "BUDGET_INTERVAL_MONTH": "Month",
    "BUDGET_INTERVAL_YEAR": "Year",
    "BUDGET_CUSTOM": "From start date to end date",
}
_CURRENCY = 3
_NUMBERS_IN_WORDS = ("no", "one", "two", "three")
#: Forms with a category also take the name of a new one.
NEW_CATEGORY = "new-category"
_CATEGORY = "categoryId"
#: Stands between the names of a path.
_STEP = " › "
#: A refusal names up to this many options.
_NAMED_OPTIONS = 3
_CAMEL_CASE = re.compile("(?<![a-z])[a-z]++(?:[A-Z][a-z]++)+")


class FormFaults(Exception):
    """errors: sentences by field; a sentence about the whole form has the key ``form``."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(errors)
        self.errors = dict(errors)


@contextmanager
def form_errors() -> Iterator[dict[str, str]]:
    """Collect the reasons to refuse a form, with the keys of `FormFaults.errors`."""
    errors: dict[str, str] = {}
    try:
        yield errors
    except FormFaults as refused:
        errors |= refused.errors
    except ChangeRefused as refused:
        errors["form"] = sentence(refused)


@dataclass(frozen=True)
class Control:
    """A field of a form.

    kind: flag, one, many, date, number or text. options: pairs of a value and its label.
    chosen: values of chosen options. new_name: a new category's; None if not a category field.
    """

    name: str
    label: str
    hint: str
    kind: str
    text: str
    optional: bool
    options: Sequence[tuple[str, str]]
    chosen: frozenset[str]
    new_name: str | None


def label_of(field: Field) -> str:
    """``limitAmount`` -> ``Limit amount``, ``categoryIds`` -> ``Categories``."""
    return _LABELS.get(field.name) or _words(written_name(field))


def choice_label(value: str) -> str:
    if len(value) == _CURRENCY and value.isupper():
        return value
    return _CHOICES.get(value) or _words(value)


def _words(name: str) -> str:
    return snake_case(name).replace("_", " ").capitalize()


def controls_of(
    owned: UserRows, fields: Mapping[str, Field], texts: Mapping[str, str]
) -> list[Control]:
    """A control for each field. texts: from `texts_of`, or from a form that was sent."""
    return [_control(owned, field, texts) for field in fields.values()]


def _control(owned: UserRows, field: Field, texts: Mapping[str, str]) -> Control:
    label, text = label_of(field), texts.get(field.name, "")
    many = field.kind is Kind.ID_LIST
    return Control(
        name=field.name,
        label=label,
        hint=_hint(field, label),
        kind=_kind(field),
        text=_day_text(text) if field.kind is Kind.DATE else text,
        optional=field.nullable and not field.required,
        options=_options(owned, field),
        chosen=frozenset(_split(text) if many else [text]),
        new_name=texts.get(NEW_CATEGORY, "") if field.name == _CATEGORY else None,
    )


def _day_text(text: str) -> str:
    """Return a day in the form that browsers fill a date field with; other texts as they are."""
    try:
        return date_text(parse_day(text, current_region()))
    except WrittenRefused:
        return text


def _hint(field: Field, label: str) -> str:
    """Return the field's meaning, with labels in place of names; "" if the label says it all."""
    meaning = field.meaning.rstrip(".").lower().removeprefix("whether it is ").removeprefix("the ")
    if meaning == label.lower() or field.meaning.startswith("Ids of"):
        return ""
    return _CAMEL_CASE.sub(lambda found: snake_case(found[0]).replace("_", " "), field.meaning)


def _kind(field: Field) -> str:
    if field.kind is Kind.ID_LIST:
        return "many"
    if field.choices or field.references:
        return "one"
    return {Kind.BOOLEAN: "flag", Kind.DATE: "date", Kind.NUMBER: "number"}.get(field.kind, "text")


def _options(owned: UserRows, field: Field) -> list[tuple[str, str]]:
    if field.references:
        found = named_options(owned, referred_by(field))
    else:
        found = [(value, choice_label(value)) for value in _choices(owned, field)]
    needs_none = field.kind is not Kind.ID_LIST and (field.nullable or field.required)
    return [("", "None" if field.nullable else "Choose")] * needs_none + found


def _choices(owned: UserRows, field: Field) -> list[str]:
    """The choices; the currencies of the accounts come first."""
    if not field.name.endswith("urrencyCode"):
        return list(field.choices)
    own = sorted({row["currencyCode"] for row in owned.accounts.rows.values()})
    return list(dict.fromkeys([*own, *field.choices]))


def named_options(owned: UserRows, resource: Resource) -> list[tuple[str, str]]:
    """Ids and names of the user's rows, by name; the name of a category is its path."""
    rows = owned.row_set(resource).rows
    if resource is CATEGORIES:
        tree = CategoryTree(rows.values())
        named = [(row_id, path_of(tree, row_id)) for row_id in rows]
    else:
        named = [(row_id, str(row["name"] or "—")) for row_id, row in rows.items()]
    return sorted(named, key=lambda option: (option[1].casefold(), option[0]))


def path_of(categories: CategoryTree, row_id: str) -> str:
    """``Food › Groceries``"""
    names = [str(row["name"]) for row in categories.upwards(row_id)]
    return _STEP.join(reversed(names))


def texts_of(resource: Resource, row: Row) -> dict[str, str]:
    """`field_texts` of all editable fields."""
    return field_texts(editable_fields(resource), row)


def field_texts(fields: Mapping[str, Field], row: Row) -> dict[str, str]:
    """The texts of a row in a form, by field; `read_texts` parses them."""
    found = {}
    for field in fields.values():
        value = row[field.name]
        if is_money(field) and value is not None:
            decimals = decimals_of(row.get("currencyCode"))
            found[field.name] = current_region().written(value, decimals)
        elif field.kind.is_list:
            found[field.name] = joined(value)
        else:
            found[field.name] = "" if value is None else str(text_writer(field)(value))
    return found


def is_money(field: Field) -> bool:
    return field.kind is Kind.NUMBER and field.decimals == DECIMALS


def plain_texts(
    fields: Mapping[str, Field], texts: Mapping[str, str], values: Row
) -> dict[str, str]:
    """Return the texts with numbers and days as commands take them. values: from `read_texts`."""
    found = dict(texts)
    for field in fields.values():
        if field.kind in (Kind.NUMBER, Kind.DATE) and texts.get(field.name, "").strip():
            found[field.name] = str(text_writer(field)(values[field.name]))
    return found


def digest_of(texts: Mapping[str, str]) -> str:
    """A digest of the values that a form showed, for a hidden field."""
    return hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()[:16]


def conflict(
    owned: UserRows,
    fields: Mapping[str, Field],
    texts: Mapping[str, str],
    stored: Mapping[str, str],
) -> FormFaults:
    """Return the fault of a form whose row was changed meanwhile: both values of each field.

    texts: of the form, which shows them again. stored: of the row now; see `field_texts`.
    """
    errors = {"form": CHANGED_MEANWHILE}
    for control in controls_of(owned, fields, stored):
        if texts.get(control.name, "") != stored.get(control.name, ""):
            errors[control.name] = f"The stored value is now: {_words_of(control)}."
    return FormFaults(errors)


def _words_of(control: Control) -> str:
    if control.kind in ("one", "many"):
        chosen = [label for value, label in control.options if value in control.chosen and value]
        return ", ".join(chosen) or "none"
    if control.kind == "flag":
        return "yes" if control.text == "true" else "no"
    return control.text or "empty"


def sent_texts(fields: Mapping[str, Field], sent: MultiDict) -> dict[str, str]:
    """Return the texts of a form that was sent. Browsers leave out boxes that are not ticked."""
    found = {}
    for field in fields.values():
        values = [str(value) for value in sent.getall(field.name)]
        if field.kind is Kind.BOOLEAN:
            found[field.name] = "true" if values else "false"
        elif field.kind is Kind.ID_LIST:
            found[field.name] = joined(values)
        else:
            found[field.name] = (values or [""])[0]
    if _CATEGORY in found:
        found[NEW_CATEGORY] = str(sent.get(NEW_CATEGORY, ""))
    return found


#: The hidden field of a form that adds something: the id of the new row. So a form that is sent
#: twice adds one row, and two forms with equal values add two.
FORM_ID = "form-id"
_RANDOM_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def form_id(sent: MultiDict) -> str:
    """Return the id in a form that adds something; a new id if it has none of ours.

    Only random ids are accepted: others could be those that a later import derives.
    """
    text = str(sent.get(FORM_ID, ""))
    return text if _RANDOM_ID.fullmatch(text) else new_id()


def with_new_category(session: LedgerSession, texts: Mapping[str, str]) -> dict[str, str]:
    """Add the new category that the texts name, if any, and put its id in. Raises ChangeRefused."""
    name = texts.get(NEW_CATEGORY, "").strip()
    return {**texts, _CATEGORY: category_called(session, name)} if name else dict(texts)


def category_called(session: LedgerSession, name: str) -> str:
    """The id of the category with this name, added if it is new. Raises ChangeRefused."""
    there = rows_called(session, CATEGORIES, name)
    row = find_row(session, CATEGORIES, name) if there else add_category(session, name)
    return str(row["id"])


def find_option(options: Sequence[tuple[str, str]], text: str, word: str) -> str:
    """Return the value of the only option that people can mean by a text.

    The option with this label, else with this last part of its path, else the only one that
    contains the text. word: for one of the options. Raises ChangeRefused.
    """
    wanted = fold(text)
    labels = [(value, fold(label)) for value, label in options]
    for found in (
        [value for value, label in labels if label == wanted],
        [value for value, label in labels if label.rpartition(_STEP)[2] == wanted],
        [value for value, label in labels if wanted in label],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            named = dict(options)
            some = ", ".join(named[value] for value in found[:_NAMED_OPTIONS])
            more = f" and {len(found) - _NAMED_OPTIONS} more" if found[_NAMED_OPTIONS:] else ""
            raise ChangeRefused(f"{text} can be {some}{more}: write more of it")
    near = did_you_mean(text, [label for _, label in options])
    raise ChangeRefused(f"there is no {word} {text}{near}")


def read_texts(
    owned: UserRows,
    fields: Mapping[str, Field],
    texts: Mapping[str, str],
    stored: Row | None = None,
) -> dict[str, Any]:
    """Return stored values by field. Raises FormFaults with a sentence for each invalid text.

    stored: the row before; what it has already may have more decimals than the currency.
    """
    values: dict[str, Any] = {}
    errors = {}
    for field in fields.values():
        text, label = texts.get(field.name, ""), label_of(field)
        if field.required and not text.strip():
            errors[field.name] = f"{label} is missing."
            continue
        try:
            values[field.name] = parse_value(owned, field, _plain(field, text))
        except (ValueRefused, WrittenRefused) as error:
            errors[field.name] = f"{label} {error}."
        except ChangeRefused as error:
            errors[field.name] = sentence(error)
    currency = _currency(owned, values)
    for field in fields.values():
        units = values.get(field.name)
        is_new = is_money(field) and units != (stored or {}).get(field.name)
        fault = too_exact(units, currency) if currency and units and is_new else None
        if fault:
            errors[field.name] = f"{label_of(field)} {fault}."
    if errors:
        raise FormFaults(errors)
    return values


def _plain(field: Field, text: str) -> str:
    """Return the text of a number or day as commands take it. Raises WrittenRefused."""
    if field.kind is Kind.NUMBER and text.strip():
        return f"{parse_amount(text, current_region()):f}"
    if field.kind is Kind.DATE and text.strip():
        return date_text(parse_day(text, current_region()))
    return text


def _currency(owned: UserRows, values: Row) -> str | None:
    """The currency that a form gives, or the account in it has."""
    account = owned.accounts.rows.get(values.get("accountId") or "")
    code = values.get("currencyCode") or (account["currencyCode"] if account else None)
    return None if code is None else str(code)


def too_exact(units: int, currency: str) -> str | None:
    """Return why an amount has too many decimals for its currency, and its neighbours, or None."""
    decimals, region = decimals_of(currency), current_region()
    smallest = smallest_units(currency)
    below = units // smallest * smallest
    if below == units:
        return None
    near = " or ".join(region.written(each, decimals) for each in (below, below + smallest))
    has = f"{currency} has {_NUMBERS_IN_WORDS[decimals]} decimals"
    return f"{region.written(units)} is too exact, as {has}: write {near}"


def joined(values: Iterable[str]) -> str:
    """Join the texts into one, which `parse_value` can split."""
    return ", ".join(map(_quoted, values))


def _quoted(text: str) -> str:
    if text.strip() == text and not set(text) & set(',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _split(text: str) -> list[str]:
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
