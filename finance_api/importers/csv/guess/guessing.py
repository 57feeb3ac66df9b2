"""Goes through what a table leaves open, one matter after the other, and asks what stays open."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from finance_api.importers.clauses import Clause, Option, Says, Topic, clause
from finance_api.importers.csv.balances import BalanceCheck, orders_of, ways_of
from finance_api.importers.csv.cells import AMOUNT, BLANK, RowReader, Signs, SignWords, text_of
from finance_api.importers.csv.dates import DateForm, DateReader
from finance_api.importers.csv.guess import journals, which_rows
from finance_api.importers.csv.guess.currency import decide_currencies
from finance_api.importers.csv.guess.direction import Directions, SignedRow, Trial
from finance_api.importers.csv.guess.evidence import Survey
from finance_api.importers.csv.guess.money_rows import CellsOf, MoneyRows
from finance_api.importers.csv.guess.no_money import NoMoney
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.guess.unread import ask_about_unread
from finance_api.importers.csv.mapping import LABEL_SEPARATOR
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.reading import Currencies, TableReading, movements
from finance_api.importers.csv.sniff import is_row, without_first
from finance_api.importers.csv.stated import Stated, stated_in
from finance_api.importers.csv.table import is_amount, is_date, line_of
from finance_api.importers.csv.vocabulary import kind_in, looks_like_card, marks_in, named_balance
from finance_api.importers.interface import OWED, Choice, ImportRefused, Questions, listed, quoted
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import decimals_of
from finance_api.values.text import counted
from finance_api.values.time import DAY_SECONDS

#: Currencies of whose hundredths there are no coins: 1.250 is a thousand, as without decimals.
_WITHOUT_COINS = frozenset("HUF IDR TWD COP".split())
_OF_ACCOUNT = ("account", "accountNumber", "currency")
_MONEY = ("amount", "debit", "credit", "balance")


class _Guessing:
    """The steps from a plan to the reading of its rows.

    plan: after `run`, without the rows at the end that turned out not to be data.
    remarks: decisions to report to the user. stated: the balances stated outside of the rows.
    """

    def __init__(self, plan: Plan, questions: Questions) -> None:
        mapping = plan.mapping
        self.plan = plan
        self.remarks = questions.remarks
        self._questions = questions
        if "fee" not in plan.columns and mapping.fee_category is not None:
            needs = clause(Topic.NEEDS, first=Option("fee_category"), second=Option("fee"))
            raise ImportRefused(needs, choices=(Choice({"fee_category": None}),))
        self._fees_signed = _fees_signed(plan, questions)
        self.stated = [*stated_in(plan.table.above)]
        self.selection = Selection(plan)
        self._words = None
        if "sign" in plan.columns:
            self._words = SignWords(plan.columns["sign"][0], plan.bound.sign_words)
        self._survey = Survey(plan, self.selection, self._words)

    def run(self) -> TableReading:
        """Ask about everything open. Return a reading that uses each question's first answer."""
        plan, questions, survey = self.plan, self._questions, self._survey
        plan.mapping.zone()
        self._look_at_rows()
        self.stated += self.selection.stated
        _ask_for_account(plan, questions)
        self._leave_out_trailer()
        self._rows = rows = MoneyRows(self.plan, survey, self.selection, self._words)
        # Do not ask about the cells of a column before it is known which column is meant.
        of_dates = Questions() if "recordDate" in questions.fields else questions
        of_amounts = Questions() if "amount" in questions.fields else questions
        is_minor = plan.mapping.units == "minor"
        are_whole = self._are_whole()
        decide = survey.amounts.decide
        fits = rows.fits_totals
        rows.amounts = decide(of_amounts, fits, are_whole=are_whole, minor=is_minor)
        self._decide_doubled_signs()
        form = self._decide_days(of_dates)
        value_form = survey.value_dates.decide(questions, form)
        self._check_unbooked(form)
        self._take_stating_columns()
        if survey.footer is None:
            no_money = NoMoney(rows, questions)
            no_money.leave_out_kinds()
            no_money.leave_out_totals()
            self._ask_about_journal()
            no_money.ask_about_end()
        if survey.repeated:
            ids = listed(dict.fromkeys(survey.repeated.values()))
            self.remarks.append(f"left out rows that repeat another row and its id: {ids}")
        which_rows.ask_which_rows(plan, survey, self.selection, questions)
        self._ask_about_units()
        currencies = decide_currencies(plan, survey, questions)

        dates, value_dates = DateReader(form, plan.mapping.zone()), DateReader(value_form)
        amounts, fees = self._rows.amounts, self._fees_signed
        signs = Signs({})
        labels = plan.mapping.label_separator or LABEL_SEPARATOR
        reader = RowReader(
            plan.columns, signs, self._words, dates, value_dates, amounts, fees, labels
        )
        trial, balances = self._trial(reader, currencies), partial(self._balance_ways, form)
        signs = Directions(plan, survey, of_amounts, trial, balances).decide()
        if survey.footer is not None:
            count, first = survey.footer
            text = next(filter(None, map(str.strip, survey.footer_rows[0][1])), BLANK)
            meaning = clause(Says.NOT_TRANSACTION, text=text)
            without = Choice({"skip_last": plan.mapping.skip_last + count}, meaning)
            fact = first.questions[0].fact
            is_undated = isinstance(fact, Clause) and fact.topic is Topic.DATE_EMPTY
            cells = (cell for _, row in survey.footer_rows for cell in row)
            is_undated = is_undated and not any(map(kind_in, cells))
            others = self._other_days(first.line or 0) if is_undated else []
            questions.ask(clause(Topic.FOOTER, first=fact), without, *others, line=first.line)
        else:
            plan.inferred.compare(cells for _, cells in movements(self.plan, self.selection))
        self.remarks += ask_about_unread(plan, survey, questions)
        is_open = currencies.option is None and "currency" not in plan.columns
        questions.accounts = self._accounts()
        if is_open and not plan.remembered:
            marks = filter(None, (currencies.mark, *survey.amounts.marks))
            marked = (mark.possible for mark in marks if mark.possible)
            questions.codes = next(marked, plan.profile.currencies if plan.profile else ())
        reader, kept = replace(reader, signs=signs), self.selection
        return TableReading(self.plan, reader, currencies, kept, self.stated, self.remarks)

    def _look_at_rows(self) -> None:
        questions = self._questions
        try:
            self._survey.run()
        except ImportRefused as refused:
            if {"recordDate", "amount"} & questions.fields:
                # Perhaps the rows are refused only because another column is meant.
                questions.put()
            first, *others = refused.questions
            plan = self.plan
            fact = None if plan.rows else first.fact
            topic = fact.topic if isinstance(fact, Clause) else None
            if topic is Topic.DATE_EMPTY:
                first = first._replace(choices=tuple(self._other_days(first.line or 0)))
            elif topic in (Topic.AMOUNT_EMPTY, Topic.SIDES_EMPTY):
                first = first._replace(
                    choices=tuple(which_rows.without_amount(plan, self.selection))
                )
            elif plan.table.headings is None and (
                topic in (Topic.NOT_A_DATE, Topic.OTHER_FORM)
                or self._survey.count == 1 < len(self._survey.footer_rows)
            ):
                first = first._replace(choices=(*first.choices, without_first(plan.table)))
            refused.questions = (first, *others, *questions.asked)
            raise

    def _decide_doubled_signs(self) -> None:
        """Decide the sign of amounts such as "--7.50" if a total or the balances fit only one.
        Raises ImportRefused if they do not.
        """
        doubled = self._survey.amounts.doubled
        if not doubled:
            return
        readers = [(sign, self._rows.amounts.with_doubled(sign)) for sign in (-1, 1)]
        fitting = [(sign, reader) for sign, reader in readers if self._rows.fits_totals(reader)]
        text, line = next(iter(doubled.items()))
        if len(fitting) != 1:
            fault = "may be negative or positive, and no total and no balance shows which"
            raise ImportRefused(f"the amount {quoted(text)} {fault}: correct the file", line)
        ((sign, self._rows.amounts),) = fitting
        which = "negative" if sign < 0 else "positive"
        self.remarks.append(f"{quoted(text)} is {which}: only so do totals or balances fit")

    def _leave_out_trailer(self) -> None:
        plan, survey = self.plan, self._survey
        if survey.footer is None:
            return
        rows = [cells for _, cells in survey.footer_rows]
        first = next((cell for cell in rows[0] if cell.strip()), "")
        if plan.profile is None or first not in plan.profile.trailer:
            named = _are_notes(rows, plan.indexes(*_MONEY)) or which_rows.names_balance(rows[0])
            if any(map(is_row, rows)) or not named:
                return
            where = f"the last {survey.footer[0]} rows, from {quoted(first.strip())} on"
            self.remarks.append(f"left out {where}, which are not transactions")
        self.stated += stated_in(map(line_of, rows))
        last = plan.table.skip_last + survey.footer[0]
        survey.footer = None
        self.plan = replace(plan, table=replace(plan.table, skip_last=last))

    def _ask_about_journal(self) -> None:
        """Ask which rows of double entry are the bank's, unless --only or a profile says so."""
        plan = self.plan
        if plan.rows is not None:
            return
        first = plan.table.sample
        books = sorted({*journals.books_in(first, plan.headings)} - self.selection.columns)
        if not books or self._questions.asks_for("decimal"):
            return
        is_open = plan.mapping.positive is None and self._survey.kinds.keys() == {(AMOUNT, 1)}
        if is_open and journals.are_paired(first, books):
            fault = "each row names two accounts, and no sign says which way its money goes: "
            fault += "export the account alone, with amounts that have a sign"
            raise ImportRefused(fault, plan.headings.line)
        found = journals.accounts_in(self._rows.read(), books, plan)
        if found is not None:
            journals.ask_whose_rows(*found, plan, self._turned(), self._questions)

    def _turned(self) -> ImportOptions:
        """Return options by which a debit comes in, and a positive amount does."""
        headings, words = self.plan.headings, self._words
        if words is None:
            sides = [headings.named(index) for index in self.plan.indexes("credit", "debit")]
            return {"debit": sides[0], "credit": sides[1]} if sides else {"positive": "in"}
        return {"sign": words.turned(headings.named(words.column))}

    def _take_stating_columns(self) -> None:
        """Take the balances of columns such as "Beginsaldo" that have one amount in all rows."""
        for column in self._survey.unmapped:
            kind = named_balance(column.heading)
            if kind is not None and len(column.values) == 1 and column.money:
                self.stated.append(Stated(kind, None, column.money[0]))
                self.plan.inferred.explained.add(column.index)

    def _decide_days(self, questions: Questions) -> DateForm:
        """Return the form of the dates. If several forms fit, prefer the form that puts the days in
        the same order as the balances.
        """
        dates = self._survey.dates
        forms = dates.readings()
        rows, cells_of = self._rows.balance_rows() if len(forms) > 1 else ([], {})
        orders = [*orders_of(rows)] if len(rows) > 2 else []
        if len(orders) == 1:
            days = {form: self._days(form, cells_of) for form in forms}
            in_order = [f for f in forms if days[f] == sorted(days[f], reverse=orders[0])]
            if len(in_order) == 1:
                form = in_order[0]
                why = "only this order of day and month fits the balances"
                self.remarks.append(f"dates are {form.name}: {why}")
                return form
        return dates.decide(questions)

    def _check_unbooked(self, form: DateForm) -> None:
        """Refuse rows without a booking day, unless they are the newest: those are pending."""
        unbooked, columns = self.selection.unbooked, self.plan.columns["recordDate"]
        rows = movements(self.plan, self.selection) if unbooked else ()
        days = [(line, form.read(text_of(cells, columns)) or 0) for line, cells in rows]
        if not days:
            return
        lines = [*unbooked]
        (first, first_day), (last, last_day) = days[0], days[-1]
        are_above = lines[-1] < first and first_day >= last_day
        are_at_end = are_above or (lines[0] > last and last_day >= first_day)
        newest = max(day for _, day in days)
        are_newest = all((form.read(text) or 0) >= newest for text in chain(*unbooked.values()))
        if not (are_at_end and are_newest) or len(lines) > len(days):
            raise ImportRefused(
                clause(Topic.DATE_EMPTY), lines[0], tuple(self._other_days(lines[0]))
            )
        which = f"{counted(len(lines), 'row')} without a booking day, from line {lines[0]} on"
        self.remarks.append(f"left out as pending: {which}")

    def _other_days(self, line: int) -> list[Choice]:
        """Return choices for a row without a date."""
        plan = self.plan
        above = which_rows.repeated_cells(plan, line, "recordDate", *_OF_ACCOUNT, "sign")
        kinds = which_rows.kinds_without(plan.indexes("recordDate"), plan, self.selection)
        return which_rows.other_dates(plan) or [*above, *kinds]

    def _days(self, form: DateForm, cells_of: CellsOf) -> list[int]:
        columns = self.plan.columns["recordDate"]
        return [form.read(text_of(cells, columns)) or 0 for cells in cells_of.values()]

    def _are_whole(self) -> bool:
        """Return whether the file's currencies have no decimals."""
        found, option = self._survey.currencies.values(), self.plan.mapping.currency
        stated = {code for codes in found for code in codes}
        headings = map(self.plan.headings.text, self.plan.amounts)
        marks = [*self._survey.amounts.marks, *(m for text in headings for m in marks_in(text))]
        marked = {mark.currency for mark in marks}
        codes = stated or marked or {option or self.plan.remembered.get("accountCurrency")}
        return all(code in _WITHOUT_COINS or decimals_of(code) == 0 for code in codes)

    def _ask_about_units(self) -> None:
        """Ask whether amounts are in hundredths of the currency, if their heading suggests it."""
        plan, headings = self.plan, self.plan.headings
        named = [headings.text(i) for i in plan.amounts if headings.fit("minor_units", i)]
        thousands = [headings.text(i) for i in plan.amounts if headings.fit("thousands", i)]
        if thousands and plan.rows is None:
            fault = (
                f"the heading {quoted(thousands[0])} says that amounts are in thousands or more, "
            )
            raise ImportRefused(f"{fault}which are not read: export whole units", headings.line)
        if named and plan.mapping.units is None and plan.rows is None:
            minor = Choice({"units": "minor"}, clause(Says.MINOR))
            major = Choice({"units": "major"}, clause(Says.MAJOR))
            fact = clause(Topic.UNITS, heading=named[0])
            self._questions.ask(fact, minor, major, line=headings.line)

    def _balance_ways(self, form: DateForm) -> tuple[Mapping[int, int], int | None, bool] | None:
        """Return the directions that the balances show, in the form that `Directions` needs."""
        if self._questions.asks_for("decimal"):
            return None
        mapping, (rows, cells_of) = self.plan.mapping, self._rows.balance_rows()
        days = [day // DAY_SECONDS for day in self._days(form, cells_of)]
        ordered = [days == sorted(days, reverse=reverse) for reverse in (False, True)]
        ways = ways_of(rows, ordered[1] if ordered[0] != ordered[1] else None) if rows else None
        if not ways:
            return None
        lines = [line for line, size, _ in rows if size]
        ways = {line: ways[line] for line in lines if line in ways}
        sides = [[cells_of[line] for line, way in ways.items() if way == each] for each in (1, -1)]
        line = next((line for line in lines if line not in ways), None)
        is_open = mapping.card_balance is None and bool(ways)
        is_open = is_open and looks_like_card(mapping.account or "", *sides)
        rising = -1 if mapping.card_balance == OWED else 1
        return {line: way * rising for line, way in ways.items()}, line, is_open

    def _trial(self, reader: RowReader, currencies: Currencies) -> Trial | None:
        """Return a trial of signs on amounts and balances; None if it is impossible."""
        plan = self.plan
        # These questions do not change amounts. Without balances, the days do not matter either.
        apart = {Topic.ACCOUNT_OR_COLUMN, Topic.NOT_DECODED}
        apart |= set() if "balance" in plan.columns else {Topic.DATE_FORM}
        if self._survey.footer or not {each.reason for each in self._questions.asked} <= apart:
            return None

        def try_(signs: Signs, most: int | None) -> tuple[bool | None, list[SignedRow]]:
            own = replace(reader, signs=signs)
            checks: defaultdict[Any, BalanceCheck] = defaultdict(lambda: BalanceCheck(plan.balance))
            seen: list[SignedRow] = []
            try:
                for line, cells in islice(movements(plan, self.selection), most):
                    units, amount = own.money(line, cells)
                    is_opening = own.is_opening(cells)
                    if "balance" in plan.columns:
                        account = None if plan.mapping.account else own.account(cells)
                        code = currencies.of_row(own.text("currency", cells), amount.mark, line)
                        day, _ = own.date(line, cells)
                        fee = 0 if is_opening else own.fee(line, cells)
                        balance = own.balance(line, cells)
                        checks[account, code].add(line, day, units + fee, balance)
                    if (
                        most is not None
                        and units
                        and not is_opening
                        and not which_rows.names_balance(cells)
                    ):
                        seen.append((units, cells))
                closings = [check for check in checks.values() if check.closing()]
                return any(check.is_debt for check in closings) if closings else None, seen
            except ImportRefused:
                return None, seen

        return try_

    def _accounts(self) -> list[tuple[str, str | None]]:
        accounts, given = [*self._survey.accounts], self.plan.mapping.account
        if given is not None:
            # The first number is enough: a file with several account numbers is refused.
            accounts = [(given, accounts[0][1] if accounts else None)]
        return accounts


def _are_notes(rows: Sequence[Sequence[str]], money: Sequence[int]) -> bool:
    """Return whether rows have no date and no amount, and none is a row cut short: there are
    several, or there is no digit, as in "***END OF FILE***". A whole number that is not in a column
    of money counts something.
    """
    cells = [(i, text) for cells in rows for i, cell in enumerate(cells) if (text := cell.strip())]
    has_digits = any(map(str.isdigit, "".join(text for _, text in cells)))
    told = [text for index, text in cells if index in money or not text.isdigit()]
    return not has_digits or (len(rows) > 1 and not any(is_date(c) or is_amount(c) for c in told))


def _fees_signed(plan: Plan, questions: Questions) -> list[bool]:
    """Return whether each fee has a sign; ask if that is open."""
    for fee, (column, is_signed) in plan.bound.fees.items():
        if is_signed is None:
            fact = clause(Topic.FEE_SIGNS, fee=fee, column=plan.headings.named(column))
            unsigned = Choice({"fee": (f"{fee}=unsigned",)}, clause(Says.FEE_OUT))
            signed = Choice({"fee": (f"{fee}=signed",)}, clause(Says.FEE_IN))
            questions.ask(fact, unsigned, signed)
    return [bool(is_signed) for _, is_signed in plan.bound.fees.values()]


def _ask_for_account(plan: Plan, questions: Questions) -> None:
    if plan.mapping.account is None and not {"account", "accountNumber"} & plan.columns.keys():
        # List the columns only if no other question was asked.
        found = "" if questions.asked else clause(Says.AFTER, text=plan.headings.found())
        fact = clause(Topic.ACCOUNT_OR_COLUMN, headings=found)
        questions.ask(fact, Choice({}, needs=("account",)))


def guess(plan: Plan, questions: Questions) -> TableReading:
    """Decide how the table is read; ask about everything open. Raises ImportRefused."""
    _refuse_data_as_headings(plan)
    return _Guessing(plan, questions).run()


def _refuse_data_as_headings(plan: Plan) -> None:
    """Refuse a first row of data that would be taken for headings, and lost."""
    if plan.table.headings is None or plan.rows is not None:
        return
    dates = map(plan.headings.text, plan.columns["recordDate"])
    if is_date(" ".join(dates)) or any(map(is_amount, map(plan.headings.text, plan.amounts))):
        choices = (Choice({"no_header": True}),)
        raise ImportRefused(clause(Topic.DATA_IN_HEADINGS), plan.table.first_line, choices)
