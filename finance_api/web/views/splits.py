"""Splitting a record into parts, changing them together, and joining them again."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits import splits
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import RECORDS
from finance_api.resources.currencies import decimals_of, smallest_units
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.regions import Region
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.kept_forms import kept_form
from finance_api.web.rendering import amount as amount_text
from finance_api.web.routes import get, post

AMOUNT = "amount"
_ONLY_AMOUNT = {AMOUNT: RECORDS[AMOUNT]}
_FIELDS = {**_ONLY_AMOUNT, **{name: RECORDS[name] for name in splits.OF_A_PART}}


@dataclass(frozen=True)
class PartRow:
    """A row of the form. id: the id of the part, "" for a new part. texts: the texts by field."""

    id: str
    texts: dict[str, str]

    @property
    def is_blank(self) -> bool:
        """Whether the row has no amount. Such a row does not become a part."""
        return not self.texts[AMOUNT].strip()


@dataclass(frozen=True)
class Splittable:
    """A record to split, or a split to change. record: the record, or the whole of the split.

    region: the region of the page.
    """

    record: Row
    parts: list[Row]
    currency: str
    region: Region

    @classmethod
    def find(cls, owned: UserRows, row_id: str, region: Region) -> "Splittable":
        """Find a record or a split. row_id: the id of the record, of the whole, or of a part.

        Raises HTTPNotFound.
        """
        split = splits.find_split(owned, row_id)
        rows = owned.storage.data.get_rows(owned.user.id, RECORDS, [row_id])
        record = split.whole if split else rows.get(row_id)
        if record is None:
            raise HTTPNotFound()
        parts = split.parts if split else []
        currency = owned.accounts.rows[record["accountId"]]["currencyCode"]
        return cls(record, parts, currency, region)

    @property
    def known(self) -> Row:
        """The currency, which limits the decimals of new amounts.

        Empty if a stored amount already has more decimals than the currency.
        """
        rows = (self.record, *self.parts)
        is_exact = not any(row[AMOUNT] % smallest_units(self.currency) for row in rows)
        return {"currencyCode": self.currency} if is_exact else {}

    @property
    def sign(self) -> int:
        return -1 if self.record[AMOUNT] < 0 else 1

    @property
    def seen(self) -> str:
        """A digest of the stored values that the form shows."""
        rows = {row["id"]: str(sorted(row.items())) for row in (self.record, *self.parts)}
        return forms.digest_of(rows)

    @property
    def rows(self) -> list[PartRow]:
        """The rows of the form: the parts, or two rows without an amount if there are no parts."""
        if self.parts:
            amounts = ({**part, AMOUNT: self.sign * part[AMOUNT]} for part in self.parts)
            return [PartRow(row["id"], self._texts(row)) for row in amounts]
        first = PartRow("", {**self._texts(self.record), AMOUNT: ""})
        return [first, self.blank_row]

    @property
    def blank_row(self) -> PartRow:
        empty = {**self.record, AMOUNT: None, "categoryId": None, "labelIds": ()}
        return PartRow("", self._texts(empty))

    def _texts(self, row: Row) -> dict[str, str]:
        return forms.field_texts(_FIELDS, row, self.region)


def sent_rows(sent: MultiDict) -> list[PartRow]:
    """Return the rows of a form that was sent."""
    return [
        PartRow(str(part_id), forms.sent_texts(_FIELDS, _fields_of_row(sent, _name("", number))))
        for number, part_id in enumerate(sent.getall("part"), 1)
    ]


def _fields_of_row(sent: MultiDict, ending: str) -> MultiDict:
    own = [(name, text) for name, text in sent.items() if name.endswith(ending)]
    return MultiDict((name.removesuffix(ending), text) for name, text in own)


def with_rest(owned: UserRows, split: Splittable, rows: Sequence[PartRow]) -> list[PartRow]:
    """Return the rows with the remaining amount in the first blank row, or in a new last row."""
    rest = forms.field_texts(_ONLY_AMOUNT, {AMOUNT: rest_of(owned, split, rows)}, split.region)
    row = next((row for row in rows if row.is_blank), split.blank_row)
    filled = PartRow(row.id, {**row.texts, **rest})
    return [filled if each is row else each for each in rows] + [filled] * (row not in rows)


def controls_of_row(
    owned: UserRows, number: int, row: PartRow, region: Region
) -> list[forms.Control]:
    """Return the controls of a row. number: the number of the row, counted from 1."""
    return [
        replace(
            control,
            name=_name(control.name, number),
            hint="",
            new_field=_name(forms.NEW_CATEGORY, number),
            optional=control.name != AMOUNT,
        )
        for control in forms.controls_of(owned, _FIELDS, row.texts, region)
    ]


def _name(field: str, number: int) -> str:
    return f"{field}-{number}"


def read_parts(
    session: LedgerSession, split: Splittable, rows: Sequence[PartRow]
) -> list[splits.Part]:
    """Return the parts that the rows describe; skip rows without an amount. Raises FormFaults."""
    parts: list[splits.Part] = []
    errors: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        if row.is_blank:
            continue
        try:
            texts = forms.with_new_category(session, row.texts)
            values = forms.read_texts(session, _FIELDS, texts, split.region, split.known)
        except forms.FormFaults as faults:
            errors |= {_name(name, number): text for name, text in faults.errors.items()}
            continue
        amount = split.sign * values.pop(AMOUNT)
        parts.append(splits.Part(amount, row.id or None, values))
    if parts and not errors and (rest := rest_of(session, split, rows)):
        last = max(number for number, row in enumerate(rows, 1) if not row.is_blank)
        words = f"{amount_text(abs(rest), split.region, split.currency)} {split.currency}"
        errors[_name(AMOUNT, last)] = f"{words} {'left' if rest > 0 else 'too much'}."
    if errors:
        raise forms.FormFaults(errors)
    return parts


def rest_of(owned: UserRows, split: Splittable, rows: Iterable[PartRow]) -> int:
    """Return the amount that the rows leave over, positive if it has the record's direction.

    Amounts that are refused count as zero.
    """
    rest = int(split.sign * split.record[AMOUNT])
    for row in rows:
        with suppress(forms.FormFaults):
            if not row.is_blank:
                found = forms.read_texts(owned, _ONLY_AMOUNT, row.texts, split.region, split.known)
                rest -= found[AMOUNT]
    return rest


def split_variables(owned: UserRows, record: Row) -> dict[str, Any]:
    """Return what the page of a record shows about splitting it."""
    split: splits.Split | None = (
        splits.find_split(owned, record["id"]) if record["splitId"] else None
    )
    siblings = [] if split is None else [p for p in split.parts if p["id"] != record["id"]]
    can_split = record["transferId"] is None and record["recordState"] != VOID
    return {"split": split, "siblings": siblings, "can_split": split is None and can_split}


@get("record.split", Permission.DATA_READ, "record_split")
def show_split(request: Request) -> dict[str, Any]:
    if (kept := kept_form(request)) is not None:
        return _form(request, sent_rows(kept), {}, seen=kept.get("seen", ""))
    return _form(request, None, {})


@post("record.split", Permission.DATA_WRITE, "record_split")
def split(request: Request) -> Response | dict[str, Any]:
    """Split the record, or show the form with one more row or with the rest filled in."""
    rows, row_id = sent_rows(request.POST), request.path_id
    seen, action = request.sent_text("seen"), request.sent_text("do")
    if action in ("add", "rest"):
        return _form(request, rows, {}, seen=seen, action=action)
    with forms.form_errors() as errors, pages.editing(request, "records split") as session:
        stored = Splittable.find(session, row_id, request.region)
        if seen != stored.seen:
            raise forms.FormFaults({"form": pages.CHANGED_MEANWHILE})
        splits.split_record(session, row_id, read_parts(session, stored, rows))
    if errors:
        return pages.refused(request, _form(request, rows, errors))
    # This page still exists after an undo, unlike the pages of the parts.
    path = f"/records/{stored.record['id']}/split"
    return pages.changed(session, pages.returning(request, path))


@post("record.join", Permission.DATA_WRITE)
def join(request: Request) -> Response:
    """Join the parts of a split; does nothing if they are joined already."""
    found = splits.find_split(pages.own_rows(request), request.path_id)
    if found is None:
        return pages.done(pages.returning(request, "/records"), "same")
    with pages.editing(request, "records join") as session:
        splits.join_parts(session, found.whole["id"])
    return pages.changed(session, pages.onward(request, f"/records/{found.whole['id']}"))


def _form(
    request: Request,
    sent: list[PartRow] | None,
    errors: dict[str, str],
    *,
    seen: str | None = None,
    action: str = "",
) -> dict[str, Any]:
    """Return the variables of the form. sent: the rows of a form that was sent.

    seen: the digest of the values that the form showed; by default, of the stored values.
    action: "add" for one more row, "rest" to fill in the rest.
    """
    owned = pages.own_rows(request)
    split = Splittable.find(owned, request.path_id, request.region)
    rows = split.rows if sent is None else sent
    if action == "add":
        rows = [*rows, split.blank_row][: splits.MAX_PARTS]
    elif action == "rest":
        rows = with_rest(owned, split, rows)[: splits.MAX_PARTS]
    parts = [
        (row.id, controls_of_row(owned, n, row, split.region)) for n, row in enumerate(rows, 1)
    ]
    return pages.page(
        "records",
        "Split a record" if not split.parts else "Change a split",
        record=split.record,
        account=owned.accounts.rows[split.record["accountId"]],
        total=split.sign * split.record["amount"],
        decimals=decimals_of(split.currency),
        rest=rest_of(owned, split, rows),
        currency=split.currency,
        parts=parts,
        controls=[control for _, controls in parts for control in controls],
        errors=errors,
        seen=split.seen if seen is None else seen,
        action=f"/records/{request.path_id}/split",
        back=f"/records/{split.parts[0]['id'] if split.parts else split.record['id']}",
        can_add=len(rows) < splits.MAX_PARTS,
    )
