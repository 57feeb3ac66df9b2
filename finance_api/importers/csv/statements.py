"""From rows of cells to statements, one per account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from finance_api.importers.csv.amounts import Amount
from finance_api.importers.csv.options import CsvOptions, account_of, currency_of
from finance_api.importers.csv.source_ids import SourceIds
from finance_api.importers.csv.wording import quoted
from finance_api.importers.interface import (
    Entry,
    ImportRefused,
    KnownAccounts,
    Statement,
    StatementAccount,
)
from finance_api.resources.common import PAYMENT_TYPES
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.text import clean_or_none

_CURRENCIES = frozenset(CURRENCIES)
_LABEL_SEPARATOR = ";"


@dataclass
class _AccountRows:
    """One account's rows.

    currency: what option or column say. identity, hashed_currency: what source ids are made from:
    those of the user's account, if there is one, so that an id depends neither on the account's
    present name nor on whether the currency was said again.
    mark: the first currency written beside an amount.
    """

    currency: str | None
    identity: str = ""
    hashed_currency: str | None = None
    first_line: int = 0
    mark: str = ""
    entries: list[Entry] = field(default_factory=list)
    duplicates: int = 0


class StatementBuilder:
    """Takes the rows in their order; `statements` has what came of them.

    columns: field -> index of its cell. dates, amounts: what the texts of those columns mean.
    known_accounts: see `finance_api.importers.interface`.
    """

    def __init__(
        self,
        options: CsvOptions,
        columns: Mapping[str, int],
        dates: Mapping[str, int],
        amounts: Mapping[str, Amount],
        known_accounts: KnownAccounts,
    ) -> None:
        self._columns = columns
        self._dates = dates
        self._amounts = amounts
        self._known_accounts = known_accounts
        self._sign = -1 if options.invert else 1
        self._account = account_of(options)
        self._currency = currency_of(options)
        # What the account's column calls the account of --account.
        self._other_name: str | None = None
        self._ids = SourceIds()
        self._rows: dict[str, _AccountRows] = {}
        if self._account is not None:
            self._rows[self._account] = _AccountRows(self._currency)

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Raises ImportRefused with the row's line."""
        amount = self._amount(line, cells)
        account = self._account_of_row(line, cells)
        rows = self._account_rows(account, self._currency_of_row(line, cells), line)
        _check_mark(rows, amount.mark, line)
        date = self._dates[cells[self._columns["recordDate"]].strip()]
        payee, note = self._text("payee", cells), self._text("note", cells)
        identifier = self._text("id", cells)
        source_id = (
            self._ids.hashed(rows.identity, date, amount.units, rows.hashed_currency, payee, note)
            if identifier is None
            else self._ids.mapped(rows.identity, identifier, cells)
        )
        if source_id is None:
            rows.duplicates += 1
            return
        rows.entries.append(
            Entry(
                line=line,
                date=date,
                amount=amount.units,
                source_id=source_id,
                payee=payee,
                note=note,
                category=self._text("category", cells),
                labels=self._labels(cells),
                payment_type=self._payment_type(line, cells),
            )
        )

    def statements(self) -> list[Statement]:
        """In the order in which the accounts appear."""
        return [
            Statement(
                account=StatementAccount(key=name, name=name, currency=rows.currency),
                entries=tuple(rows.entries),
                skipped={"duplicate": rows.duplicates} if rows.duplicates else {},
            )
            for name, rows in self._rows.items()
        ]

    def _text(self, name: str, cells: Sequence[str]) -> str | None:
        column = self._columns.get(name)
        if column is None:
            return None
        text = cells[column].strip()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        # A control character that is dropped may have stood before more white space.
        return clean_or_none((clean_or_none(text) or "").strip())

    def _amount(self, line: int, cells: Sequence[str]) -> Amount:
        if "amount" in self._columns:
            amount = self._amounts[cells[self._columns["amount"]].strip()]
            return Amount(self._sign * amount.units, amount.mark)
        debit, credit = (
            self._amounts.get(cells[self._columns[side]].strip()) for side in ("debit", "credit")
        )
        if debit is not None and credit is not None and debit.units and credit.units:
            raise ImportRefused("both the debit and the credit column have an amount", line)
        if debit is not None and (debit.units or credit is None):
            # Banks write debits with a minus and without; money goes out either way.
            return Amount(-abs(debit.units), debit.mark)
        if credit is None:
            raise ImportRefused("neither the debit nor the credit column has an amount", line)
        return credit

    def _account_of_row(self, line: int, cells: Sequence[str]) -> str:
        name = self._text("account", cells)
        if self._account is None:
            if name is None:
                raise ImportRefused("the account is empty", line)
            return name
        rows = self._rows[self._account]
        if not rows.first_line:
            self._other_name = name
        elif name != self._other_name:
            raise ImportRefused(
                f"the account is {quoted(name or '')}, but {quoted(self._other_name or '')} in "
                f"line {rows.first_line}: leave out --account to have both, or the column with "
                "--map account=",
                line,
            )
        return self._account

    def _currency_of_row(self, line: int, cells: Sequence[str]) -> str | None:
        text = self._text("currency", cells)
        if text is None:
            return self._currency
        code = text.upper()
        if code not in _CURRENCIES:
            raise ImportRefused(
                f"the currency {quoted(text)} is not an ISO 4217 code such as EUR", line
            )
        if self._currency is not None and code != self._currency:
            raise ImportRefused(
                f"the currency is {code}, but --currency says {self._currency}", line
            )
        return code

    def _account_rows(self, account: str, currency: str | None, line: int) -> _AccountRows:
        rows = self._rows.setdefault(account, _AccountRows(currency))
        if not rows.first_line:
            rows.first_line, rows.currency = line, currency
            known = self._known_accounts(account)
            rows.identity = account if known is None else known.key
            rows.hashed_currency = currency or (None if known is None else known.currency)
        elif currency != rows.currency:
            raise ImportRefused(
                f"the currency is {currency or 'empty'}, but {rows.currency or 'empty'} in line "
                f"{rows.first_line}, and an account has one; name a column that tells the "
                "accounts apart with --map account=…",
                line,
            )
        return rows

    def _labels(self, cells: Sequence[str]) -> tuple[str, ...]:
        text = self._text("labels", cells)
        if text is None:
            return ()
        names = (name.strip() for name in text.split(_LABEL_SEPARATOR))
        return tuple(dict.fromkeys(name for name in names if name))

    def _payment_type(self, line: int, cells: Sequence[str]) -> str | None:
        text = self._text("paymentType", cells)
        if text is None:
            return None
        if text.lower() not in PAYMENT_TYPES:
            raise ImportRefused(
                f"the payment type {quoted(text)} is none of {', '.join(PAYMENT_TYPES)}", line
            )
        return text.lower()


def _check_mark(rows: _AccountRows, mark: str, line: int) -> None:
    """An amount's own currency must be the account's and that of its other amounts."""
    if not mark:
        return
    if rows.currency is not None and mark in _CURRENCIES and mark != rows.currency:
        raise ImportRefused(f"the amount is in {mark}, but its account in {rows.currency}", line)
    if rows.mark and mark != rows.mark:
        raise ImportRefused(
            f"the amount is in {mark}, but others of its account in {rows.mark}; an account has "
            "one currency: name a column that tells the accounts apart with --map account=…",
            line,
        )
    rows.mark = mark
