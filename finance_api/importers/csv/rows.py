"""Makes the entries of a table, each with the statement of its account; no other module does."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from finance_api.importers.clauses import Clause, Given, Says, Topic, Units, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS
from finance_api.importers.csv.balances import BalanceCheck
from finance_api.importers.csv.cells import AMOUNT
from finance_api.importers.csv.guess.which_rows import repeated_cells
from finance_api.importers.csv.mapping import FEE_CATEGORY
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.reading import TableReading, movements
from finance_api.importers.csv.stated import Stated, owed, reconcile
from finance_api.importers.csv.table import HEADING
from finance_api.importers.interface import (
    BankBalance,
    Choice,
    Entries,
    Entry,
    ImportRefused,
    Question,
    Statement,
    StatementAccount,
)
from finance_api.resources.currencies import Mark, decimals_of, smallest_units

_ACCOUNTS = frozenset(("account", "accountNumber"))


@dataclass
class _AccountRows:
    """One account's statement, and what its rows have in common.

    least: what each amount is a multiple of, if the currency has no decimals; else 1.
    """

    statement: Statement
    first_line: int
    balances: BalanceCheck
    least: int
    mark: Mark | None = None


class _StatementBuilder:
    """Takes rows in the file's order, and makes an entry for each row, and another for its fee.

    section: as in `Entry`, for the next rows: equal rows below different headings may be one
    transaction, downloaded twice.
    """

    def __init__(self, reading: TableReading) -> None:
        plan, currencies, columns = reading.plan, reading.currencies, reading.reader.columns
        self.section = 1
        self._plan = plan
        self._reading = reading
        self._reader = reading.reader
        self._currencies = currencies
        self._texts = _texts_digest(plan)
        self._remembered = plan.to_remember()
        if left_out := reading.selection.left_out:
            before = self._remembered.get("leave_out", ())
            self._remembered["leave_out"] = list(dict.fromkeys((*before, *left_out)))
        self._account = plan.mapping.account
        if self._account is not None and currencies.divided is not None:
            self._account = currencies.divided
        # The account column's name for the account of --account, and the first line with that name.
        self._other_name: tuple[str | None, int] | None = None
        self._rows: dict[tuple[str, str | None], _AccountRows] = {}
        self._of_account = plan.indexes(*_ACCOUNTS, "currency")
        # The cells of these columns, and what stands beside the amount -> the account's rows.
        self._known: dict[tuple[Any, ...], _AccountRows] = {}
        self._last_line = 0
        stated = reading.selection.balances or reading.stated
        self._has_balances = bool(stated) or "balance" in columns
        self._has_accounts = self._account is None or not _ACCOUNTS.isdisjoint(columns)

    def without_rows(self) -> Iterator[tuple[Statement, None]]:
        """Yield a statement for --account if the file has no rows."""
        if not self._rows and self._account is not None:
            yield self._new(self._account, self._currencies.option, None, 0).statement, None

    def add(self, line: int, cells: Sequence[str]) -> Entries:
        """Yield a row's entries, and each new statement. Raises ImportRefused with a line."""
        reader = self._reader
        units, amount = reader.money(line, cells)
        date, offset = reader.date(line, cells)
        account = (*[cells[index] for index in self._of_account], amount.mark)
        rows = self._known.get(account)
        if rows is None:
            count = len(self._rows)
            rows = self._known[account] = self._rows_of(line, cells, amount.mark)
            if len(self._rows) > count:
                yield rows.statement, None
        if units % rows.least:
            currency = rows.statement.account.currency or ""
            fact = clause(Topic.NO_DECIMALS, amount=Units(units), currency=currency)
            decimal = self._plan.mapping.decimal
            marks = [mark for mark in DECIMAL_MARKS if decimal not in (None, mark)]
            raise ImportRefused(fact, line, tuple(Choice({"decimal": mark}) for mark in marks))
        if reader.is_opening(cells):
            rows.statement.initial = (rows.statement.initial or 0) + units
        else:
            values = reader.values(line, cells)
            if values.get("bank_id") is None:
                values["section"] = self.section
            else:
                values["fingerprint"] = sha256("\x1f".join(cells).encode()).hexdigest()[:32]
            entry = Entry(line, date, units, offset=offset, **values)
            yield rows.statement, entry
            if fee := reader.fee(line, cells):
                yield rows.statement, self._fee(entry, fee)
                units += fee
        if self._has_balances:
            self._last_line = line
            rows.balances.add(line, date, units, reader.balance(line, cells))

    def _fee(self, entry: Entry, fee: int) -> Entry:
        return Entry(
            entry.line,
            entry.date,
            fee,
            None if entry.bank_id is None else f"{entry.bank_id}/fee",
            entry.payee,
            entry.note,
            self._plan.mapping.fee_category or FEE_CATEGORY,
            value_date=entry.value_date,
            fingerprint=entry.fingerprint,
        )

    def finish(self) -> list[Statement]:
        """Return the complete statements, in the order in which the accounts appear."""
        beside = self._reading.stated
        unused = list(beside)
        for rows in self._rows.values():
            statement = rows.statement
            if not self._has_balances:
                continue
            try:
                opening, closing = rows.balances.ends()
            except ImportRefused as refused:
                refused.questions = (*map(self._with_exchanged, refused.questions),)
                raise
            if opening is not None and statement.initial:
                # Rows that make up `initial` are not entries: the opening balance is after them.
                opening = BankBalance(opening.amount + statement.initial, opening.date)
            if len(self._rows) == 1 and rows.balances.rows:
                own = self._beside(rows, beside)
                unused = [each for each in beside if each.text not in {other.text for other in own}]
                stated = [*self._in_rows(rows), *own]
                (opening, closing), others = reconcile(rows.balances, (opening, closing), stated)
                unused += others
            statement.opening, statement.closing = opening, closing
        statements = [rows.statement for rows in self._rows.values()]
        if unused and statements:
            balances = tuple(dict.fromkeys(each.text or Units(each.units) for each in unused))
            remark = clause(Says.BALANCES_WITHOUT_DAY, balances=balances)
            statements[0].remarks.append(remark)
        return statements

    def _with_exchanged(self, question: Question) -> Question:
        """Add the choice that the sides are those of the books of an account's owner."""
        sides = [self._plan.headings.named(i) for i in self._plan.indexes("credit", "debit")]
        if question.reason != Topic.MAYBE_DEBT or not sides:
            return question
        debit, credit = sides
        meaning = clause(Says.OUT_IN, column=debit)
        exchanged = Choice({"debit": debit, "credit": credit}, meaning)
        return question._replace(choices=(*question.choices, exchanged))

    def _in_rows(self, rows: _AccountRows) -> Iterator[Stated]:
        """Yield the balances above the account's first row, or below all other rows: others, such
        as those carried to the next page, are not the file's first or last.
        """
        for line, (kind, cells) in self._reading.selection.balances.items():
            # The file's cells are not followed by cells that a profile derives.
            row = [*cells, *("" for _ in self._reader.columns)]
            units = self._reader.any_balance(line, row, is_debt=rows.balances.is_debt)
            if units is not None and not rows.first_line < line < self._last_line:
                day = self._reader.day(row)
                yield Stated(kind, day, "", units, line)

    def _beside(self, rows: _AccountRows, stated: Sequence[Stated]) -> list[Stated]:
        reader, currency = self._reader, rows.statement.account.currency
        found = []
        for each in stated:
            with suppress(ImportRefused):
                amount = reader.amounts.read(each.text, 1)
                if amount.mark is None or currency is None or amount.mark.fits(currency):
                    found.append(replace(each, units=amount.units))
        is_debt = reader.signs.rules.get(AMOUNT, {}).get(1, 1) < 0
        # If balances show the directions, the rules are for a single row.
        is_debt = rows.balances.is_debt if reader.signs.by_line else is_debt
        return owed(found, rows.balances.total) if is_debt else found

    def _rows_of(self, line: int, cells: Sequence[str], mark: Mark | None) -> _AccountRows:
        """Return the rows of the row's account. mark: the currency beside its amount, if any."""
        name, number = self._account or "", None
        if self._has_accounts:
            name, number = self._account_of_row(line, cells)
        currency = self._currencies.of_row(self._reader.text("currency", cells), mark, line)
        rows = self._rows.get((name, currency)) or self._new(name, currency, number, line)
        if number != (earlier := rows.statement.account.number):
            numbers = {"number": number or "", "earlier": earlier or ""}
            fact = clause(Topic.ACCOUNT_NUMBERS, line=rows.first_line, **numbers)
            raise ImportRefused(fact, line, (Choice({"account": None}),))
        if mark is not None:
            _check_mark(rows, mark, line)
        return rows

    def _new(self, name: str, currency: str | None, number: str | None, line: int) -> _AccountRows:
        stored_name, is_part = self._currencies.account_name(name, currency)
        own = {"account": self._account, "split": is_part or None, "accountCurrency": currency}
        options = self._remembered | {n: value for n, value in own.items() if value is not None}
        account = StatementAccount(
            key=stored_name, name=stored_name, currency=currency, number=number
        )
        profile = None if self._plan.profile is None else self._plan.profile.name
        statement = Statement(account, texts=self._texts, options=options, profile=profile)
        least = 1 if decimals_of(currency) else smallest_units(currency)
        rows = _AccountRows(statement, line, BalanceCheck(self._plan.balance), least)
        self._rows[name, currency] = rows
        if currency is None and self._currencies.mark is not None:
            _check_mark(rows, self._currencies.mark, line)
        return rows

    def _account_of_row(self, line: int, cells: Sequence[str]) -> tuple[str, str | None]:
        """Return the name of the row's account, and the bank's number for it."""
        name, number = self._reader.account(cells)
        is_empty = name is None and number is None
        if self._account is None:
            if is_empty:
                above = repeated_cells(self._plan, line, *_ACCOUNTS)
                raise ImportRefused("the account is empty", line, tuple(above))
            return name or number or "", number
        self._other_name = earlier, earlier_line = self._other_name or (name, line)
        if name != earlier:
            names = {"account": name or "", "earlier": earlier or ""}
            fact = clause(Topic.ACCOUNT_NAMES, line=earlier_line, **names)
            every_row = clause(Says.EVERY_ROW, account=self._account)
            several = Choice({"account": None}, clause(Says.ACCOUNTS_OF_FILE))
            one = Choice({"columns": {"account": ("",)}}, every_row)
            above = repeated_cells(self._plan, line, *_ACCOUNTS) if is_empty else []
            raise ImportRefused(fact, line, (*above, several, one))
        return self._account, number


def _texts_digest(plan: Plan) -> str:
    """Return a digest of the columns of payee and note, and of the profile's name and version."""
    profile, headings = plan.profile, dict(enumerate(plan.headings.folded))
    is_named = plan.table.has_header
    names: list[Any] = [
        [headings.get(index, "") if is_named else index for index in indexes]
        for indexes in (plan.columns.get(field, ()) for field in ("payee", "note"))
    ]
    if plan.rows is not None and profile is not None:
        names.append([profile.name, profile.version])
    return sha256(json.dumps(names).encode()).hexdigest()[:16]


def _check_mark(rows: _AccountRows, mark: Mark, line: int) -> None:
    """Refuse an amount that is not in the currency of the account or of its earlier amounts."""
    statement = rows.statement
    currency = statement.account.currency
    if currency is not None:
        if not mark.fits(currency):
            fault = f"the amount is in {mark.text}, but its account is in {currency}"
            raise ImportRefused(fault, line)
        return
    if rows.mark is not None and mark != rows.mark:
        fact = clause(Topic.CURRENCIES_OF_ACCOUNT, mark=mark.text, earlier=rows.mark.text)
        raise ImportRefused(fact, line, needs=("columns",))
    rows.mark = mark
    statement.currency_mark, statement.possible_currencies = mark.text, mark.possible


def entries(reading: TableReading) -> Entries:
    """Yield the entries of a table, each with its statement. Raises ImportRefused."""
    builder, table = _StatementBuilder(reading), reading.plan.table
    skipped: Counter[str] = Counter()
    for line, cells in movements(reading.plan, reading.selection, skipped):
        builder.section = table.text.start + 1 + skipped[HEADING]
        yield from builder.add(line, cells)
    yield from builder.without_rows()
    statements = builder.finish()
    if statements:
        statements[0].skipped += skipped
        statements[0].remarks += [*_remarks(reading.plan), *reading.remarks]
        if not table.text.is_sheet:
            statements[0].encoding = table.text.codec


def _remarks(plan: Plan) -> Iterator[Clause | str]:
    if plan.profile is not None:
        lost = f": {plan.profile.lost}" if plan.profile.lost else ""
        yield f"read with the profile {shown(plan.profile)}{lost}"
    elif plan.table.text.skip_rows > max(plan.mapping.skip_rows, plan.table.text.start):
        yield clause(Says.SKIPPED_LINES, count=plan.table.text.skip_rows)
    if plan.table.text.start:
        yield f"read another table, by its own headings in line {plan.table.first_line}"
    yield from plan.inferred.questions.remarks
    if plan.taken:
        yield clause(Says.USED_OPTIONS, options=Given(plan.taken))
