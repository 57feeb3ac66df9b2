"""Files in the layouts of real exports, as another project's import describes these layouts.

The other project's files give the roles of columns, the delimiter and the date format. The tests
make rows and options from these, and nothing from a profile. The layouts have no headings, so
columns are named by number.
"""

import json
from collections import Counter
from datetime import datetime

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import instant_text
from support.corpora import STATEMENTS
from support.csv_files import read

LAYOUTS = STATEMENTS / "firefly-iii__import-configurations"
FILES = sorted(path.relative_to(LAYOUTS).as_posix() for path in LAYOUTS.rglob("*.json"))

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")

DAYS = (datetime(2026, 3, 24, 18, 20), datetime(2026, 3, 25, 9, 5))
AMOUNTS = ("-1234.50", "2500.00")
_DATES = ("date_transaction", "date", "date_book", "date_process", "date_payment", "date_invoice")
_SIGNS = ("ing-debit-credit", "rabo-debit-credit", "generic-debit-credit")
#: Role -> field. The first column of a role becomes the field, others are lost.
_FIELDS = {
    "opposing-name": "payee",
    "category-name": "category",
    "external-id": "id",
    "opposing-iban": "counterpartyAccount",
    "opposing-number": "counterpartyAccount",
    "account-iban": "accountNumber",
    "account-number": "accountNumber",
    "account-name": "account",
    "currency-code": "currency",
    "currency-name": "currency",
    "amount_foreign": "originalAmount",
    "foreign-currency-code": "originalCurrencyCode",
    "tags-comma": "labels",
    "tags-space": "labels",
    "sepa_ct_id": "reference",
    "sepa_ep": "reference",
    "internal_reference": "reference",
    "chq/ref_number": "reference",
}
#: All columns of these roles become one text.
_NOTES = ("description", "note", "narration")
_DEBIT, _CREDIT = ("amount_debit", "debit_amount"), ("amount_credit", "credit_amount")
_TEXTS = {
    "opposing-iban": "DE02120300000000202051",
    "opposing-number": "202051",
    "account-iban": "AT611904300234573201",
    "account-number": "573201",
    "currency-code": "EUR",
    "currency-name": "EUR",
    "foreign-currency-code": "USD",
    "amount_foreign": "99.00",
    "account-name": "Giro",
}
#: PHP's letters, and the directives of strftime and `--date-format` for them.
_LETTERS = dict(
    zip("djmnMYyHgisav", "%d %d %m %m %b %Y %y %H %I %M %S %p 000".split(), strict=True)
)
#: Roles for which records have no field.
NO_FIELD = {"opposing-bic", "account-bic", "sepa_db", "sepa_ci", "sepa_ct_op", "closing_balance"}


class Made:
    """A file of the layout, its options, and the roles that are lost."""

    def __init__(self, layout):
        self.roles = layout["roles"]
        self.delimiter = {"comma": ",", "semicolon": ";"}[layout["delimiter"]]
        php = layout["date"].replace("d/n/Y", "d/m/Y").replace("n/j/Y", "m/d/Y")
        self.date_form = "".join(_LETTERS.get(letter, letter) for letter in php)
        self.columns, self.options, self.lost = {}, {}, Counter()
        self._choose()

    def _choose(self):
        numbers = {role: str(n + 1) for n, role in reversed(list(enumerate(self.roles)))}
        day = next(role for role in _DATES if role in numbers)
        self.columns["recordDate"] = numbers[day]
        debit = next((numbers[role] for role in _DEBIT if role in numbers), None)
        credit = next((numbers[role] for role in _CREDIT if role in numbers), None)
        if debit and credit:
            self.options |= {"debit": debit, "credit": credit}
        elif debit or "amount_negated" in numbers:
            self.columns["amount"] = debit or numbers["amount_negated"]
            self.options["positive"] = "out"
        else:
            self.columns["amount"] = numbers["amount"]
        sign = next((role for role in _SIGNS if role in numbers), None)
        if sign:
            self.options["sign"] = f"{numbers[sign]}=D"
        used = {day, sign, *_DEBIT, *_CREDIT, "amount", "amount_negated", "_ignore"}
        notes = [str(n + 1) for n, role in enumerate(self.roles) if role in _NOTES]
        if notes:
            self.columns["note"] = notes
        for number, role in enumerate(self.roles, 1):
            field = _FIELDS.get(role)
            if role in used or role in _NOTES:
                continue
            if role.startswith(("date_", "value_dat")):
                field = "valueDate"
            if field is None or field in self.columns:
                self.lost[role] += 1
            else:
                self.columns[field] = str(number)
        if "labels" in self.columns:
            self.options["label_separator"] = ", "
        if "account" not in self.columns:
            self.options["account"] = "A"
        if "currency" not in self.columns:
            self.options["currency"] = "EUR"

    def text(self):
        return "".join(self._row(*each) for each in zip(DAYS, AMOUNTS, strict=True))

    def _row(self, day, amount):
        return self.delimiter.join(self._cell(role, day, amount) for role in self.roles) + "\n"

    def _cell(self, role, day, amount):
        size, is_out = amount.lstrip("-"), amount.startswith("-")
        if role.startswith("date") or role == "value_dat":
            return f'"{day.strftime(self.date_form)}"'
        if role == "amount":
            return size if "sign" in self.options else amount
        if role in ("amount_negated", *_DEBIT) and "positive" in self.options:
            return size if is_out else f"-{size}"
        if role in (*_DEBIT, *_CREDIT):
            return size if is_out == (role in _DEBIT) else ""
        if role in _SIGNS:
            return "D" if is_out else "C"
        return "" if role == "_ignore" else _TEXTS.get(role, f"{role} of {amount[:2]}")


@pytest.mark.parametrize("name", FILES)
def test_file_of_a_layout_is_read_right_and_what_is_lost_has_no_field(name):
    made = Made(json.loads((LAYOUTS / name).read_text("utf-8")))
    forms = {"columns": made.columns, "date_format": made.date_form, "header": False}
    (found,) = read(made.text(), no_text="note" not in made.columns, **forms, **made.options)
    has_time = "%M" in made.date_form
    moments = [day if has_time else day.replace(hour=0, minute=0) for day in DAYS]
    assert [instant_text(e.date)[:16] for e in found.entries] == [
        f"{moment:%Y-%m-%dT%H:%M}" for moment in moments
    ]
    assert [decimal_text(e.amount) for e in found.entries] == ["-1234.5", "2500"]
    # Only roles without a field, or further columns for one, are lost.
    assert all(role in NO_FIELD or role.startswith("date") or _FIELDS[role] for role in made.lost)
    out = found.entries[0]
    told = {"payee": out.payee, "category": out.category, "reference": out.reference}
    told |= {"id": out.bank_id, "counterpartyAccount": out.counterparty_account}
    for field, value in told.items():
        role = made.roles[int(made.columns[field]) - 1] if field in made.columns else None
        assert value == (role and _TEXTS.get(role, f"{role} of -1")), field
    for number in made.columns.get("note", ()):
        assert f"{made.roles[int(number) - 1]} of -1" in out.note


@pytest.mark.parametrize("name", FILES)
def test_file_of_a_layout_without_options_is_refused(name):
    made = Made(json.loads((LAYOUTS / name).read_text("utf-8")))
    headings = made.delimiter.join(f"column {n}" for n in range(len(made.roles)))
    for text in (made.text(), f"{headings}\n{made.text()}"):
        with pytest.raises(ImportRefused) as refused:
            read(text)
        assert "--map" in refused.value.reason or "--delimiter" in refused.value.reason


def test_how_many_layouts_lose_nothing():
    lost = [Made(json.loads((LAYOUTS / name).read_text("utf-8"))).lost for name in FILES]
    assert sum(not each for each in lost) * 2 > len(lost)
