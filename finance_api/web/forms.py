"""Forms for the resources, made from their declarations: a new field gets a control by itself."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import Any

from webob.multidict import MultiDict

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native import ValueRefused
from finance_api.ledger.edits.naming import find_row, joined, parse_value, rows_called, written_name
from finance_api.ledger.edits.objects import add_category
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.resources import CATEGORIES, referred_by
from finance_api.resources.common import COLOR
from finance_api.resources.currencies import decimals_of
from finance_api.resources.field import Field, Kind, Resource, words_of
from finance_api.resources.typed import currency_in, day_text, plain_text, too_exact
from finance_api.serialization.values import text_writer
from finance_api.values import Row
from finance_api.values.colors import PALETTE, color_text, full_hex, parse_color
from finance_api.values.ids import new_id
from finance_api.values.regions import Region
from finance_api.values.text import did_you_mean, fold
from finance_api.values.time import to_date
from finance_api.values.written import WrittenRefused
from finance_api.web.choices import Options, currency_options, flat
from finance_api.web.page import CHANGED_MEANWHILE, sentence

LABELS = {
    "color": "Colour",
    "createdAt": "Created",
    "currencyCode": "Currency",
    "currentAmount": "Saved",
    "desiredDate": "Wanted by",
    "expectedDate": "Expected",
    "lastRecordDate": "Last record",
    "limitAmount": "Limit",
    "limitOverrides": "Limits of single periods",
    "nextDueDate": "Next",
    "originalCurrencyCode": "Original currency",
    "periodEnd": "Until",
    "periodLimit": "Limit",
    "recurrenceRule": "Repeats",
    "recordCount": "Records",
    "recordDate": "Date",
    "recordState": "State",
    "recordType": "Type",
    "remaining": "Left",
    "remainingPerDay": "Left for each day",
    "splitId": "Split",
    "targetAmount": "Target",
    "transferId": "Transfer",
    "unexplained": "Difference",
    "unexplainedSince": "Different since",
    "updatedAt": "Changed",
}
_CHOICES = {
    "BUDGET_INTERVAL_WEEK": "Week",
    "BUDGET_INTERVAL_MONTH": "Month",
    "BUDGET_INTERVAL_YEAR": "Year",
    "BUDGET_CUSTOM": "From start date to end date",
}
#: Hints of fields whose meaning is written for programmers.
_HINTS = {
    "accountType": "",
    "amount": "Without a sign, the type says whether it goes out.",
    "color": "",
    "customCategory": "You made it yourself.",
    "excludeFromStats": "Budgets and sums leave its records out.",
    "manualPayment": "You make each payment yourself.",
    "note": "",
    "parentId": "",
    "paymentType": "",
    "state": "",
}
_CURRENCY = 3
#: Dates outside these years are typing errors.
_FIRST_YEAR, _LAST_YEAR = 1900, 2199
#: Forms with a category also take the name of a new category.
NEW_CATEGORY = "new-category"
_CATEGORY = "categoryId"
#: Stands between the names in the path of a category.
STEP = " › "
#: A refusal names up to this many options.
_NAMED_OPTIONS = 3
#: What a colour picker shows if no colour is set, and the names of its fields.
_NO_COLOR = "#808080"
_PICKED, _BEFORE = "color-picked", "color-before"
_CAMEL_CASE = re.compile("(?<![a-z])[a-z]++(?:[A-Z][a-z]++)+")


class FormFaults(Exception):
    """The faults of a form. errors: sentences by field, or by ``form`` for the whole form."""

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

    kind: flag, one, many, date, number, color or text. options: see `web.choices`.
    chosen: the values of the chosen options. new_name: the name typed for a new category; None if
    the field is not a category. picked: the colour that a colour picker shows, even if no colour
    is set.
    """

    name: str
    label: str
    hint: str
    kind: str
    text: str
    optional: bool
    options: Options
    chosen: frozenset[str]
    _: KW_ONLY
    new_name: str | None = None
    picked: str = ""
    #: The name of the field for the new category.
    new_field: str = NEW_CATEGORY
    #: Texts to choose from, each with the category it brings.
    suggestions: Sequence[tuple[str, str]] = ()


def label_of(field: Field) -> str:
    """Return a label: ``limitAmount`` -> ``Limit amount``, ``categoryIds`` -> ``Categories``."""
    return LABELS.get(field.name) or words_of(written_name(field))


def choice_label(value: str) -> str:
    if len(value) == _CURRENCY and value.isupper():
        return value
    return _CHOICES.get(value) or words_of(value)


def controls_of(
    owned: UserRows, fields: Mapping[str, Field], texts: Mapping[str, str], region: Region
) -> list[Control]:
    """Return a control per field. texts: from `field_texts`, or from a form that was sent."""
    return [_control(owned, field, texts, region) for field in fields.values()]


def _control(owned: UserRows, field: Field, texts: Mapping[str, str], region: Region) -> Control:
    label, text = label_of(field), texts.get(field.name, "")
    many = field.kind is Kind.ID_LIST
    return Control(
        name=field.name,
        label=label,
        hint=_hint(field, label),
        kind=_kind(field),
        text=day_text(text, region) if field.kind is Kind.DATE else text,
        picked=full_hex(parse_color(text)) or _NO_COLOR,
        optional=not field.required and (field.nullable or field.default != ()),
        options=_options(owned, field, text),
        chosen=frozenset(_split(text) if many else [text]),
        new_name=texts.get(NEW_CATEGORY, "") if field.name == _CATEGORY else None,
    )


def _hint(field: Field, label: str) -> str:
    """Return the field's meaning, with labels in place of names; "" if the label says it all."""
    if field.name in _HINTS:
        return _HINTS[field.name]
    meaning = field.meaning.rstrip(".").lower().removeprefix("whether it is ").removeprefix("the ")
    if meaning == label.lower() or field.meaning.startswith("Ids of"):
        return ""
    return _CAMEL_CASE.sub(lambda found: words_of(found[0]).replace("_", " "), field.meaning)


def _kind(field: Field) -> str:
    if field.kind is Kind.ID_LIST:
        return "many"
    if field.choices or field.references:
        return "one"
    if field.name == COLOR.name:
        return "color"
    return {Kind.BOOLEAN: "flag", Kind.DATE: "date", Kind.NUMBER: "number"}.get(field.kind, "text")


def _options(owned: UserRows, field: Field, text: str) -> Options:
    """Return the options of a field.

    text: the chosen value. If it is a currency, it is an option even if it is no longer in use.
    """
    found: Options
    if field.references:
        found = named_options(owned, referred_by(field))
    elif field.name.endswith("urrencyCode"):
        own = {row["currencyCode"] for row in owned.accounts.rows.values()}
        found = currency_options(own | ({text} & {*field.choices}))
    elif field.name == COLOR.name:
        return [(name, name) for name in PALETTE]
    else:
        found = [(value, choice_label(value)) for value in field.choices]
    needs_none = field.kind is not Kind.ID_LIST and (field.nullable or field.required)
    return [("", "Choose" if field.required else "None")] * needs_none + [*found]


def named_options(owned: UserRows, resource: Resource) -> list[tuple[str, str]]:
    """Return ids and names of the user's rows, sorted by name. A category is named by its path."""
    rows = owned.row_set(resource).rows
    if resource is CATEGORIES:
        tree = CategoryTree(rows.values())
        named = [(row_id, path_of(tree, row_id)) for row_id in rows]
    else:
        named = [(row_id, str(row["name"] or "—")) for row_id, row in rows.items()]
    return sorted(named, key=lambda option: (option[1].casefold(), option[0]))


def path_of(categories: CategoryTree, row_id: str) -> str:
    """Return the path of a category: ``Food › Groceries``."""
    names = [str(row["name"]) for row in categories.upwards(row_id)]
    return STEP.join(reversed(names))


def field_texts(fields: Mapping[str, Field], row: Row, region: Region) -> dict[str, str]:
    """Return the texts that a form shows for a row, by field; `read_texts` parses them."""
    found = {}
    for field in fields.values():
        value = row[field.name]
        if field.is_money and value is not None:
            found[field.name] = region.written(value, decimals_of(row.get("currencyCode")))
        elif field.name == COLOR.name:
            found[field.name] = color_text(value or "")
        elif field.kind.is_list:
            found[field.name] = joined(value)
        else:
            found[field.name] = "" if value is None else str(text_writer(field)(value))
    return found


def digest_of(texts: Mapping[str, str]) -> str:
    """Return a digest of each value that a form shows, by name, for a hidden field."""
    return "-".join(
        hashlib.sha256(repr(each).encode()).hexdigest()[:12] for each in sorted(texts.items())
    )


def conflict(
    owned: UserRows,
    fields: Mapping[str, Field],
    texts: Mapping[str, str],
    stored: Mapping[str, str],
    region: Region,
    seen: str,
) -> FormFaults:
    """Return the fault of a form whose row was changed meanwhile.

    It names the stored value of each field that was changed to another one than was sent. texts:
    the texts that were sent. stored: the current texts of the row, from `field_texts`. seen: the
    digest of those that the form showed.
    """
    errors = {"form": CHANGED_MEANWHILE}
    now = zip(sorted(stored), digest_of(stored).split("-"), strict=True)
    changed = [name for name, digest in now if digest not in seen.split("-")]
    for control in controls_of(owned, fields, stored, region):
        if control.name in changed and texts.get(control.name, "") != stored[control.name]:
            errors[control.name] = f"{control.label} is now: {_words_of(control)}."
    return FormFaults(errors)


def _words_of(control: Control) -> str:
    if control.kind in ("one", "many"):
        options = flat(control.options)
        chosen = [label for value, label in options if value in control.chosen and value]
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
    if COLOR.name in found:
        found[COLOR.name] = _sent_color(found[COLOR.name], sent)
    if _CATEGORY in found:
        found[NEW_CATEGORY] = str(sent.get(NEW_CATEGORY, ""))
    return found


def _sent_color(text: str, sent: MultiDict) -> str:
    """Return the picked colour if only the picker was changed; else the text."""
    before, picked = str(sent.get(_BEFORE, text)), str(sent.get(_PICKED, ""))
    shown = full_hex(parse_color(before)) or _NO_COLOR
    return picked if text == before and picked not in ("", shown) else text


#: The hidden field of a form that adds something: the id of the new row. So a form that is sent
#: twice adds one row, and two forms with equal values add two rows.
FORM_ID = "form-id"
_RANDOM_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def form_id(sent: MultiDict) -> str:
    """Return the id in a form that adds something; a new id if the form has no valid one.

    Only random ids are valid: a later import could derive any other id.
    """
    text = str(sent.get(FORM_ID, ""))
    return text if _RANDOM_ID.fullmatch(text) else new_id()


def with_new_category(session: LedgerSession, texts: Mapping[str, str]) -> dict[str, str]:
    """Add the new category that the texts name, if any, and return the texts with its id.

    Raises ChangeRefused.
    """
    name = texts.get(NEW_CATEGORY, "").strip()
    return {**texts, _CATEGORY: category_called(session, name)} if name else dict(texts)


def with_currency(fields: Mapping[str, Field], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts with the currency that an amount names, if the form leaves it open."""
    amounts = [texts.get(field.name, "") for field in fields.values() if field.is_money]
    named = {currency_in(text) for text in amounts} - {None}
    is_open = texts.get("currencyCode") == "" and len(named) == 1
    return {**texts, "currencyCode": str(named.pop())} if is_open else dict(texts)


def category_called(session: LedgerSession, name: str) -> str:
    """Return the id of the category with this name, and add it if needed. Raises ChangeRefused."""
    there = rows_called(session, CATEGORIES, name)
    row = find_row(session, CATEGORIES, name) if there else add_category(session, name)
    return str(row["id"])


def find_option(options: Sequence[tuple[str, str]], text: str, word: str) -> str:
    """Return the value of the option that people mean by a text.

    This is the option with the text as its label, else as the last part of its path, else anywhere
    in its label. word: what an option is called in messages. Raises ChangeRefused, also if the text
    fits several options equally well.
    """
    wanted = fold(text)
    labels = [(value, fold(label)) for value, label in options]
    for found in (
        [value for value, label in labels if label == wanted],
        [value for value, label in labels if label.rpartition(STEP)[2] == wanted],
        [value for value, label in labels if wanted in label],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            named = dict(options)
            some = ", ".join(named[value] for value in found[:_NAMED_OPTIONS])
            more = f" and {len(found) - _NAMED_OPTIONS} more" if found[_NAMED_OPTIONS:] else ""
            raise ChangeRefused(f"{text} can be {some}{more}: type more of the name")
    near = did_you_mean(text, [label for _, label in options])
    raise ChangeRefused(f"there is no {word} {text}{near}")


def last_parts(options: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the last part of each path, or the whole path if two paths have the same last part."""
    parts = {value: label.rpartition(STEP)[2] for value, label in options}
    number = Counter(map(fold, parts.values()))
    return {
        value: label if number[fold(parts[value])] > 1 else parts[value] for value, label in options
    }


def read_texts(
    owned: UserRows,
    fields: Mapping[str, Field],
    texts: Mapping[str, str],
    region: Region,
    stored: Row | None = None,
) -> dict[str, Any]:
    """Return values to store, by field. Raises FormFaults with a sentence for each invalid text.

    stored: the row before. Values that it already has may be of any year, and may have more
    decimals than the currency allows.
    """
    values: dict[str, Any] = {}
    errors = {}
    # A currency that the form empties is no longer that of its amounts.
    has_currency = "currencyCode" in fields
    named_currency = _currency(owned, texts, {} if has_currency else stored or {})
    for field in fields.values():
        text, label = texts.get(field.name, ""), label_of(field)
        if field.required and not text.strip():
            errors[field.name] = f"{label} {'are' if field.default == () else 'is'} missing."
            continue
        try:
            before = (stored or {}).get(field.name)
            plain = plain_text(field, text, before, region, named_currency)
            values[field.name] = parse_value(owned, field, plain)
        except (ValueRefused, WrittenRefused) as error:
            errors[field.name] = f"{label} {error}."
        except ChangeRefused as error:
            errors[field.name] = sentence(error)
    currency = _currency(owned, values, stored or {})
    for field in fields.values():
        value, before = values.get(field.name), (stored or {}).get(field.name)
        if value is None:
            continue
        is_new = field.is_money and value != before
        fault = too_exact(value, currency, region) if currency and is_new else None
        if fault:
            errors[field.name] = f"{label_of(field)} {fault}."
        if field.kind is Kind.DATE and to_date(value) != to_date(before or 0):
            year = to_date(value).year
            if not _FIRST_YEAR <= year <= _LAST_YEAR:
                errors[field.name] = (
                    f"The year {year} cannot be right: give a date from {_FIRST_YEAR} to "
                    f"{_LAST_YEAR}."
                )
    if errors:
        raise FormFaults(errors)
    return values


def _currency(owned: UserRows, values: Mapping[str, Any], stored: Row) -> str | None:
    """Return the currency of the form, of the account it names, or of the stored row."""
    account = owned.accounts.rows.get(values.get("accountId") or "", stored)
    return values.get("currencyCode") or account.get("currencyCode")


def _split(text: str) -> list[str]:
    return [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
