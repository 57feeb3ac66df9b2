"""What the cells of a file mean: decided step by step, or asked, all of it at once."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from finance_api.importers.csv.amounts import AmountReader, Reading
from finance_api.importers.csv.balances import BalanceRow, orders_of, ways_of
from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.currencies import Currencies, decide_currencies
from finance_api.importers.csv.date_form import DateForm
from finance_api.importers.csv.dates import DateReader
from finance_api.importers.csv.heading_words import in_minor_units
from finance_api.importers.csv.layout import Layout
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.preamble import balances_above, lines_above
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.selection import Selection
from finance_api.importers.csv.signs import BalanceWays, Signs, decide_signs
from finance_api.importers.csv.statements import RowReader, StatementBuilder, texts_digest
from finance_api.importers.csv.survey import SignWords, Survey, amount_cell, text_of
from finance_api.importers.csv.table import Row
from finance_api.importers.csv.unread import ask_about_unread
from finance_api.importers.csv.which_rows import ask_which_rows, names_balance
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.questions import NAME, Questions
from finance_api.importers.texts import quoted


def movements(
    layout: Plan, selection: Selection, skipped: Counter[str] | None = None
) -> Iterator[Row]:
    """The rows that are money, and under a profile what they become; what is not is counted."""
    rows = layout.table.rows(skipped)
    if selection.is_needed:
        rows = (row for row in rows if selection.keeps(*row, skipped))
    if layout.rows is None:
        return rows
    expand = layout.rows.begin()
    return ((line, found) for line, cells in rows for found in expand(line, cells, skipped))


class Deciding:
    """The steps from a layout to a reader of its rows.

    layout: without the rows at the end that are known to be no data, once it has run.
    remarks: what was decided, for the one who imports. above: the balances above the headings.
    """

    def __init__(self, layout: Plan, questions: Questions) -> None:
        options, headings = layout.options, layout.headings
        self.layout = layout
        self.remarks: list[str] = []
        self.above = balances_above(lines_above(layout.table))
        self._questions = questions
        self._headings = headings
        self._zone = _zone(options)
        self._fees_signed = _fees_are_signed(options, headings, questions)
        self.selection = Selection(
            options,
            headings,
            layout.inferred.statuses,
            layout.texts,
            layout.columns,
            is_saved="only" in layout.taken,
        )
        self._words = None
        if options.sign is not None:
            self._words = SignWords(*headings.position_and_rest("--sign", options.sign))
        self._survey = Survey(layout, self.selection, self._words)

    def run(self) -> StatementBuilder:
        """Asks for all that is open; the builder reads under the first answers."""
        layout, questions, survey = self.layout, self._questions, self._survey
        self._look_at_rows()
        _ask_for_account(layout, questions)
        self._leave_out_trailer()
        # What is in a column is asked about when it is known which one is meant.
        of_dates = Questions() if "recordDate" in questions.fields else questions
        of_amounts = Questions() if "amount" in questions.fields else questions
        reading = survey.amounts.decide(of_amounts)
        form = self._decide_days(of_dates, reading)
        value_form = survey.value_dates.decide(questions, form)
        ask_which_rows(survey, self.selection, self._headings, questions)
        self._ask_about_units()
        currencies = decide_currencies(
            survey, layout, self._headings, questions, needs_one=lambda: self._new_accounts != []
        )
        signs = self._decide_signs(of_amounts, form, value_form, reading, currencies)
        _ask_about_footer(survey, layout.options, questions)
        self.remarks += ask_about_unread(layout, survey, questions)
        is_open = currencies.option is None and "currency" not in layout.columns
        if questions.asked and is_open and not layout.remembered:
            marked = (mark.possible for mark in survey.amounts.marks if mark.possible)
            questions.ask_for_currency(self._new_accounts, next(marked, ()))
        return self._builder(signs, form, value_form, reading, currencies)

    def _look_at_rows(self) -> None:
        questions = self._questions
        try:
            self._survey.run()
        except ImportRefused as refused:
            if {"recordDate", "amount"} & questions.fields:
                # Another column may be meant.
                questions.put()
            if questions.asked:
                refused.reason += "; and " + "; and ".join(each.reason for each in questions.asked)
                refused.questions += tuple(questions.asked)
            raise

    def _leave_out_trailer(self) -> None:
        """Leaves out the rows at the end that are known to be no data."""
        layout, survey = self.layout, self._survey
        if survey.footer is None or not any(cell.strip() for cell in survey.footer_cells):
            return
        first = next(cell for cell in survey.footer_cells if cell.strip())
        is_known = layout.profile is not None and first in layout.profile.trailer
        if not is_known and not names_balance(survey.footer_cells):
            return
        if not is_known:
            self.remarks.append(
                f"{survey.footer[0]} rows at the end are no data, from {quoted(first.strip())} on"
            )
        last = layout.table.skip_last + survey.footer[0]
        survey.footer = None
        table = dataclasses.replace(layout.table, skip_last=last)
        self.layout = dataclasses.replace(layout, table=table)

    def _decide_days(self, questions: Questions, reading: Reading) -> DateForm:
        """The form of the dates; where several fit, the one under which the balances' order is
        that of the days.
        """
        dates = self._survey.dates
        forms = dates.readings()
        chosen = None
        if len(forms) > 1 and (orders := self._orders(reading)):
            (newest_first,) = orders
            columns = self.layout.columns["recordDate"]
            days: dict[str, list[int]] = {form.name: [] for form in forms}
            for _, cells in movements(self.layout, self.selection):
                for form in forms:
                    days[form.name].append(form.read(text_of(cells, columns)) or 0)
            sorted_ = [
                f for f in forms if days[f.name] == sorted(days[f.name], reverse=newest_first)
            ]
            chosen = sorted_[0] if len(sorted_) == 1 else None
        if chosen is None:
            chosen = dates.decide(questions)
        elif chosen is not None:
            self.remarks.append(
                f"dates are {chosen.name}: only so are the days in the order of the balances"
            )
        return chosen

    def _ask_about_units(self) -> None:
        """Asks whether amounts whose heading says so are in hundredths of the currency."""
        texts, columns = self._headings.texts, self.layout.columns
        names = ("amount", "debit", "credit")
        indexes = [index for name in names for index in columns.get(name, ())]
        if texts is None or self.layout.options.units is not None or self.layout.profile:
            return
        named = [texts[index] for index in indexes if in_minor_units(texts[index])]
        if named:
            self._questions.ask(
                f"the amounts of {quoted(named[0])} may be in hundredths of the currency: say it "
                "with --units",
                Answer(("--units", "minor"), (), "an amount of 1250 is 12.5"),
                Answer(("--units", "major"), (), "an amount of 1250 is 1250"),
                line=self._headings.line,
            )

    def _orders(self, reading: Reading) -> list[bool]:
        """The only order in which the balances run: False: oldest first. Empty if it is open."""
        rows = self._balance_rows(reading)
        orders = orders_of(rows) if len(rows) > 2 else []
        return orders if len(orders) == 1 else []

    def _balance_rows(self, reading: Reading) -> list[BalanceRow]:
        """The rows of a file of one account of which each has a balance; else none."""
        columns, survey = self.layout.columns, self._survey
        if "balance" not in columns or survey.footer is not None or len(survey.accounts) > 1:
            return []
        if len(survey.currencies) > 1 or any(len(c) > 1 for c in survey.currencies.values()):
            return []
        amounts = AmountReader(reading)
        (balance,) = columns["balance"]
        found = []
        for line, cells in movements(self.layout, self.selection):
            sizes = [
                abs(amounts.read(text, line).units)
                for _, text in amount_cell(columns, cells, None, line)
            ]
            text = cells[balance].strip()
            if not text:
                return []
            found.append((line, sum(sizes), amounts.read(text, line).units))
        for line, (_, cells) in self.selection.balances.items():
            if text := cells[balance].strip():
                found.append((line, 0, amounts.read(text, line).units))
        return sorted(found)

    def _balance_ways(self, reading: Reading) -> BalanceWays | None:
        if self._questions.asks_for("--decimal"):
            return None
        rows = self._balance_rows(reading)
        ways = ways_of(rows) if rows else None
        if not ways:
            return None
        states = self.selection.balances
        found = {line: way for line, way in ways.items() if line not in states}
        lines = (line for line, size, _ in rows if size and line not in found)
        return BalanceWays(found, tuple(lines))

    def _decide_signs(
        self,
        questions: Questions,
        form: DateForm,
        value_form: DateForm,
        reading: Reading,
        currencies: Currencies,
    ) -> Signs:
        def fits(signs: Signs) -> bool:
            """Whether the balances agree."""
            trial = self._builder(signs, form, value_form, reading, currencies)
            try:
                for line, cells in movements(self.layout, self.selection):
                    for _ in trial.add(line, cells):
                        pass
            except ImportRefused:
                return False
            return True

        layout, survey = self.layout, self._survey
        has_balance = "balance" in layout.columns
        may_try = has_balance and not self._questions.asked and survey.footer is None
        return decide_signs(
            survey,
            layout.options,
            self._headings,
            questions,
            fits if may_try else None,
            lambda: self._balance_ways(reading),
            self.remarks,
            None if layout.profile is None else shown(layout.profile),
        )

    def _builder(
        self,
        signs: Signs,
        form: DateForm,
        value_form: DateForm,
        reading: Reading,
        currencies: Currencies,
    ) -> StatementBuilder:
        layout = self.layout
        reader = RowReader(
            layout.columns,
            signs,
            self._words,
            DateReader(form, self._zone),
            DateReader(value_form),
            AmountReader(reading, minor=layout.options.units == "minor"),
            self._fees_signed,
        )
        return StatementBuilder(
            layout.options,
            reader,
            currencies,
            texts_digest(layout.columns, self._headings.texts, layout.profile),
            _to_remember(layout, self.selection.left_out),
            None if layout.profile is None else layout.profile.name,
            self._without_balance(),
            reconciles=bool(self.selection.balances or self.above),
        )

    def _without_balance(self) -> tuple[Answer, ...]:
        """How to read the file without a balance column that nobody named."""
        layout = self.layout
        told = None if layout.told is None else layout.told.balance
        (index,) = layout.columns.get("balance", (layout.table.width,))
        if told is not None or index >= layout.table.width:
            return ()
        name = self._headings.named(index)
        return (Answer(("--ignore", name), meaning=f"{quoted(name)} is no running balance"),)

    @cached_property
    def _new_accounts(self) -> list[str] | None:
        """The names of the file's accounts that would be new; None if it does not say any."""
        accounts, given = [*self._survey.accounts], self.layout.options.account
        if given is not None:
            # Several numbers are refused.
            accounts = [(given, accounts[0][1] if accounts else None)]
        return self.layout.new_accounts(accounts) if accounts else None


def _to_remember(layout: Plan, left_out: list[str]) -> dict[str, Any]:
    assert layout.told is not None
    kept = layout.told.stated() | {"heading": layout.digest}
    if left_out:
        kept["leave_out"] = list(dict.fromkeys((*kept.get("leave_out", ()), *left_out)))
    return kept if layout.profile is None else kept | {"profile": layout.profile.name}


def _ask_about_footer(survey: Survey, options: Layout, questions: Questions) -> None:
    if survey.footer is not None:
        count, first = survey.footer
        questions.ask(
            f"{first.reason}; if the rows from there on are no data, leave them out with "
            "--skip-last",
            Answer(("--skip-last", str(options.skip_last + count)), ("--skip-last",)),
            line=first.line,
        )


def _zone(options: Layout) -> ZoneInfo | None:
    if options.timezone is None:
        return None
    try:
        return ZoneInfo(options.timezone)
    except (OSError, ValueError, LookupError):
        raise ImportRefused(
            f"--timezone {quoted(options.timezone)} is not a zone such as Europe/Berlin"
        ) from None


def _fees_are_signed(options: Layout, headings: Headings, questions: Questions) -> list[bool]:
    if not options.fee and options.fee_category is not None:
        raise ImportRefused(
            "--fee-category is for --fee", answers=(Answer(instead_of=("--fee-category",)),)
        )
    return [_fee_is_signed(fee, headings, questions) for fee in options.fee]


def _fee_is_signed(fee: str, headings: Headings, questions: Questions) -> bool:
    column, kind = headings.position_and_rest("--fee", fee)
    if kind not in ("signed", "unsigned"):
        name = headings.named(column)
        questions.ask(
            f"--fee {quoted(fee)}: say whether its numbers have signs, --fee "
            f"{name}=signed (minus is money going out) or --fee {name}=unsigned",
            *(
                Answer(("--fee", f"{name}={each}"), (f"--fee {fee}",), f"a fee of 1 goes {way}")
                for each, way in (("unsigned", "out"), ("signed", "in"))
            ),
        )
    return kind == "signed"


def _ask_for_account(layout: Plan, questions: Questions) -> None:
    if layout.options.account is not None:
        return
    if "account" not in layout.columns and "accountNumber" not in layout.columns:
        # The columns are listed once.
        found = "" if questions.asked else f"; {layout.headings.found()}"
        questions.ask(
            "the file does not say which account it is about; name it with --account, or its "
            f"column with --map account=…{found}",
            Answer(("--account", NAME)),
        )
