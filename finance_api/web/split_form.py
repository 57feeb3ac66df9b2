"""The form of a split: its rows, one for each part, and reading them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webob.multidict import MultiDict

from finance_api.ledger.edits.splits import OF_A_PART, Part, Split, find_split
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.web.forms import (
    NEW_CATEGORY,
    Control,
    FormFaults,
    controls_of,
    digest_of,
    field_texts,
    joined,
    read_texts,
    with_new_category,
)

AMOUNT = "amount"
_FIELDS = {name: RECORDS[name] for name in (AMOUNT, *OF_A_PART)}


@dataclass(frozen=True)
class PartRow:
    """A row of the form. id: of the part, "" for a new one. texts: by field."""

    id: str
    texts: dict[str, str]

    @property
    def is_blank(self) -> bool:
        """Whether the row has no amount: then it stands for no part."""
        return not self.texts[AMOUNT].strip()


@dataclass(frozen=True)
class Splittable:
    """A record to split, or a split to change. record: the record or the whole."""

    record: Row
    parts: list[Row]
    currency: str

    @classmethod
    def find(cls, owned: UserRows, row_id: str) -> "Splittable | None":
        """row_id: of a record, of a split, or of one of its parts."""
        split = find_split(owned, row_id)
        record = _record(owned, row_id) if split is None else split.whole
        if record is None:
            return None
        currency = owned.accounts.rows[record["accountId"]]["currencyCode"]
        return cls(record, [] if split is None else split.parts, currency)

    @property
    def sign(self) -> int:
        return -1 if self.record[AMOUNT] < 0 else 1

    @property
    def seen(self) -> str:
        """A digest of what the form shows of stored rows."""
        rows = {row["id"]: str(sorted(row.items())) for row in (self.record, *self.parts)}
        return digest_of(rows)

    @property
    def rows(self) -> list[PartRow]:
        """The rows of the form: the parts, or two blank ones like the record."""
        if self.parts:
            return [PartRow(part["id"], self._texts(part)) for part in self.parts]
        first = PartRow("", {**field_texts(_FIELDS, self.record), AMOUNT: ""})
        return [first, self.blank_row]

    @property
    def blank_row(self) -> PartRow:
        empty = {**self.record, AMOUNT: None, "categoryId": None, "labelIds": ()}
        return PartRow("", field_texts(_FIELDS, empty))

    def _texts(self, part: Row) -> dict[str, str]:
        return field_texts(_FIELDS, {**part, AMOUNT: self.sign * part[AMOUNT]})


def _record(owned: UserRows, row_id: str) -> Row | None:
    return owned.storage.data.get_rows(owned.user.id, RECORDS, [row_id]).get(row_id)


def sent_rows(sent: MultiDict) -> list[PartRow]:
    """Return the rows of a form that was sent."""
    return [
        PartRow(str(part_id), _texts_of_row(sent, number))
        for number, part_id in enumerate(sent.getall("part"), 1)
    ]


def _texts_of_row(sent: MultiDict, number: int) -> dict[str, str]:
    texts = {NEW_CATEGORY: str(sent.get(_name(NEW_CATEGORY, number), ""))}
    for field in _FIELDS.values():
        values = [str(value) for value in sent.getall(_name(field.name, number))]
        texts[field.name] = joined(values) if field.kind.is_list else (values or [""])[0]
    return texts


def with_rest(owned: UserRows, split: Splittable, rows: Sequence[PartRow]) -> list[PartRow]:
    """Return the rows, with the remaining amount in the first row without one."""
    rest = field_texts({AMOUNT: _FIELDS[AMOUNT]}, {AMOUNT: rest_of(owned, split, rows)})
    row = next((row for row in rows if row.is_blank), split.blank_row)
    filled = PartRow(row.id, {**row.texts, **rest})
    return [filled if each is row else each for each in rows] + [filled] * (row not in rows)


def controls_of_row(owned: UserRows, number: int, row: PartRow) -> list[Control]:
    """Return the controls of a row. number: of the row, from 1."""
    return [
        replace(
            control,
            name=_name(control.name, number),
            hint="",
            new_field=_name(NEW_CATEGORY, number),
            optional=control.name != AMOUNT,
        )
        for control in controls_of(owned, _FIELDS, row.texts)
    ]


def _name(field: str, number: int) -> str:
    return f"{field}-{number}"


def read_parts(session: LedgerSession, split: Splittable, rows: Sequence[PartRow]) -> list[Part]:
    """Return the parts; rows without an amount stand for none. Raises FormFaults."""
    parts: list[Part] = []
    errors: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        if row.is_blank:
            continue
        try:
            values = _read(session, with_new_category(session, row.texts))
        except FormFaults as faults:
            errors |= {_name(name, number): text for name, text in faults.errors.items()}
            continue
        amount = split.sign * values.pop(AMOUNT)
        parts.append(Part(amount, row.id or None, values))
    if errors:
        raise FormFaults(errors)
    return parts


def _read(owned: UserRows, texts: Mapping[str, str]) -> dict[str, Any]:
    return read_texts(owned, _FIELDS, texts)


def rest_of(owned: UserRows, split: Splittable, rows: Iterable[PartRow]) -> int:
    """Return what the rows leave of the record, in its direction; unreadable amounts are zero."""
    rest = split.sign * split.record[AMOUNT]
    for row in rows:
        try:
            rest -= 0 if row.is_blank else _read(owned, row.texts)[AMOUNT]
        except FormFaults:
            continue
    return int(rest)


def split_variables(owned: UserRows, record: Row) -> dict[str, Any]:
    """Return what the page of a record shows about splitting it."""
    split: Split | None = find_split(owned, record["id"]) if record["splitId"] else None
    siblings = [] if split is None else [p for p in split.parts if p["id"] != record["id"]]
    can_split = record["transferId"] is None and record["recordState"] != VOID
    return {"split": split, "siblings": siblings, "can_split": split is None and can_split}
