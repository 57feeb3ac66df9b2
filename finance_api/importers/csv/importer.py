"""Reads CSV statements, all or nothing: decides what the cells mean, and then makes the entries."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import islice, product
from typing import Any, BinaryIO

from finance_api.importers.csv.amounts import AmountReader, Reading
from finance_api.importers.csv.asking import (
    ask_about_unread,
    ask_which_rows,
    decide_currencies,
    names_balance,
)
from finance_api.importers.csv.balances import BalanceRow, orders_of, ways_of
from finance_api.importers.csv.dates import DateForm, DateReader
from finance_api.importers.csv.finding import find_plan, refuse_data_as_headings
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.layout import Columns, Headings, Layout, words
from finance_api.importers.csv.places import (
    OTHER_ROLE,
    TableSample,
    is_row,
    line_of,
    lines_above,
    sample_of,
    widest_table,
)
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.signs import SignedRow, Signs, Trial, decide_signs
from finance_api.importers.csv.stated import Stated, stated_in
from finance_api.importers.csv.statements import RowReader, StatementBuilder
from finance_api.importers.csv.survey import Selection, SignWords, Survey, amount_cell, text_of
from finance_api.importers.csv.table import HEADING, NextTable, Row, Table, is_text
from finance_api.importers.csv.totals import MARKED, MARKS, Money, parts_in, sums_in
from finance_api.importers.csv.vocabulary import (
    CLOSING,
    OPENING,
    are_counts,
    in_minor_units,
    is_repaid,
    kind_of,
    looks_like_card,
    named_balance,
    role_fit,
)
from finance_api.importers.decoding import TextFile, open_text
from finance_api.importers.interface import (
    NAME,
    Answer,
    Entry,
    ImportRefused,
    Questions,
    Remembered,
    Statement,
    listed,
    nothing_remembered,
    quoted,
)
from finance_api.resources.currencies import decimals_of
from finance_api.values.time import DAY_SECONDS


class CsvImporter:
    """Reads one file with the options that were given for it.

    profiles: the profiles that the file's headings may select; by default, this package's.
    """

    source = "csv"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "CsvImporter":
        """Return an importer. profiles: a directory with the operator's own profiles."""
        known = {each.name for each in fields(Layout)} & given.keys()
        parts = {name: given[name] for name in known}
        layout = Layout(**parts, header=not given.get("no_header"))
        return cls(layout, load_profiles(profiles))

    def __init__(self, given: Layout, profiles: Profiles | None = None) -> None:
        self._given = given
        self._profiles = profiles or load_profiles()
        self._table: Table | None = None
        self._roles: Columns = {}
        self._sample = TableSample()

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Yield the file's entries in order, each with its statement. Raises ImportRefused.

        It reads the rows twice: before it makes any entry, it decides from whole columns what dates
        and amounts mean. One refusal asks about everything that is open.
        """
        given = self._given
        plan, questions = self._open(stream, remembered, given.encoding, given.force_encoding)
        if questions.asks_for("--encoding"):
            # The file is not UTF-8: the saved layout, or a profile, may state its encoding.
            saved = plan.layout.encoding
            for encoding in self._profiles.encodings if saved is None else [saved]:
                try:
                    found = self._open(stream, remembered, encoding, True)
                except ImportRefused:
                    if saved is not None:
                        raise
                    continue
                if saved is not None or found[0].layout.encoding == encoding:
                    plan, questions = found
                    break
        yield from self._read_tables(plan, questions, remembered)

    def read_table(
        self, text: TextFile, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Read a decoded text in the way that `read` reads a file."""
        yield from self._read_tables(*self._find(text, remembered, Questions()), remembered)

    def _read_tables(
        self, plan: Plan, questions: Questions, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Read each of the file's tables by its own headings. Raises ImportRefused."""
        try:
            yield from self._read(plan, questions)
            return
        except NextTable as following:
            # The rows of the whole text were only looked at. Read the first table alone.
            line = following.line
        if questions.asks_for("--encoding"):
            questions.put()
        try:
            yield from self._read_several(plan.table.text, line, remembered)
        except ImportRefused as refused:
            _offer_only_names(refused)
            raise

    def _read_several(
        self, text: TextFile, line: int, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Read a table, and the tables from ``line`` on."""
        for _ in range(_MOST_TABLES):
            first, questions = self._find(replace(text, end=line - 1), remembered, Questions(), 0)
            if not _counts_others(first.table):
                yield from self._read(first, questions)
            text = replace(text, start=line - 1)
            plan, questions = self._find(text, remembered, Questions())
            _refuse_other_account(first.table, plan.table)
            try:
                yield from self._read(plan, questions)
                return
            except NextTable as following:
                line = following.line
        raise ImportRefused(f"the file has more than {_MOST_TABLES} tables", line)

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        """Return the start of the table and the rows at these lines; call it after reading.

        The rows of a spreadsheet are available only while it is being read.
        """
        if self._table is None or self._table.text.stream.closed:
            return self._sample
        return sample_of(self._table, self._roles, lines)

    def fits(self, text: TextFile, remembered: Remembered) -> bool | None:
        """Return whether the columns are found without a question; None if the text is refused."""
        try:
            _, questions = self._find(text, remembered, Questions())
        except ImportRefused:
            return None
        return not questions.asked

    def _open(
        self, stream: BinaryIO, remembered: Remembered, encoding: str | None, force: bool
    ) -> tuple[Plan, Questions]:
        questions = Questions()
        text = open_text(stream, encoding, force=force, questions=questions)
        return self._find(text, remembered, questions)

    def _find(
        self,
        text: TextFile,
        remembered: Remembered,
        questions: Questions,
        skip_last: int | None = None,
    ) -> tuple[Plan, Questions]:
        self._table = None
        given = self._given if skip_last is None else replace(self._given, skip_last=skip_last)
        try:
            plan = find_plan(text, given, remembered, self._profiles, questions)
            if not given.columns and not plan.taken:
                _refuse_own_export(plan.table)
        except ImportRefused as refused:
            self._table, self._roles = widest_table(text, self._given), {}
            self._note(refused)
            raise
        self._table, self._roles = plan.table, _roles(plan)
        return plan, questions

    def _note(self, refused: ImportRefused) -> None:
        """Keep a sample with the rows that a refusal names, because the caller closes the sheet."""
        if self._table is not None and self._table.text.is_sheet:
            lines = {question.line for question in refused.questions if question.line}
            self._sample = sample_of(self._table, self._roles, lines)

    def _read(self, plan: Plan, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
        try:
            if plan.table.text.is_sheet:
                self._sample = sample_of(plan.table, self._roles)
            yield from _entries(plan, questions)
        except ImportRefused as refused:
            self._note(refused)
            if plan.profile is not None:
                refused.reason += (
                    f" (read with the profile {shown(plan.profile)}; --no-profile reads the file "
                    "without it)"
                )
            if plan.taken:
                refused.reason += f" (with the options given before: {_options_text(plan)})"
            raise


#: At most this many tables in one file are read.
_MOST_TABLES = 50


def _offer_only_names(refused: ImportRefused) -> None:
    """Offer no options that one of several tables needs and that may be wrong for another."""
    words = {a.words[:1] for question in refused.questions for a in question.answers}
    if words - {("--account",), ("--currency",)}:
        refused.questions = tuple(each._replace(answers=()) for each in refused.questions)
        refused.reason += "; make a file of each of the file's tables"


def _counts_others(table: Table) -> bool:
    """Return whether the table's only row counts and sums up the rows of the next table."""
    return are_counts(table.headings or ()) and len(list(islice(table.rows(), 2))) == 1


#: Headings that together only an export of this service's records has.
_OWN_HEADINGS = {"accountId", "recordDate", "recordState", "importId"}


def _refuse_own_export(table: Table) -> None:
    if set(table.headings or ()) >= _OWN_HEADINGS:
        raise ImportRefused(
            "these are records exported by finance-api, and a table does not have all that belongs "
            "to them: import /v1/api/export/all.ndjson instead, or what 'finance-api dump' writes"
        )


def _refuse_other_account(first: Table, second: Table) -> None:
    """Refuse a second table below lines, other than balances, that the first does not have."""
    known, new = (
        {text for label, texts in lines_above(table) for text in (label, *texts) if is_text(text)}
        for table in (first, second)
    )
    other = sorted(text for text in new - known if not (kind_of(text) or role_fit("balance", text)))
    if other:
        raise ImportRefused(
            f"another table begins here, below {quoted(other[0])}: it may belong to another "
            "account; make a file of each table",
            second.first_line,
        )


def _entries(plan: Plan, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    refuse_data_as_headings(plan)
    deciding = Deciding(plan, questions)
    builder = deciding.run()
    questions.put()
    plan, selection = deciding.plan, deciding.selection
    skipped: Counter[str] = Counter()
    for line, cells in movements(plan, selection, skipped):
        builder.section = plan.table.text.start + 1 + skipped[HEADING]
        yield from builder.add(line, cells)
    yield from builder.without_rows()
    statements = builder.finish(selection.balances, deciding.stated)
    if statements:
        statements[0].skipped += skipped
        statements[0].remarks += [*_remarks(plan), *deciding.remarks]
        if not plan.table.text.is_sheet:
            statements[0].encoding = plan.table.text.codec


def _roles(plan: Plan) -> Columns:
    """Return the columns of the fields, and the other columns that are read."""
    used = plan.rows.used if plan.rows else frozenset(plan.inferred.statuses)
    others = used - {index for indexes in plan.columns.values() for index in indexes}
    return {**plan.columns, OTHER_ROLE: tuple(others)}


def _remarks(plan: Plan) -> Iterator[str]:
    if plan.profile is not None:
        lost = f": {plan.profile.lost}" if plan.profile.lost else ""
        yield f"read with the profile {shown(plan.profile)}{lost}"
    elif plan.table.text.skip_rows > max(plan.layout.skip_rows, plan.table.text.start):
        yield f"skipped the lines before the headings: --skip-rows {plan.table.text.skip_rows}"
    if plan.table.text.start:
        yield f"read another table, by its own headings in line {plan.table.first_line}"
    yield from plan.inferred.reasons
    if plan.taken:
        yield f"used the options given before for this account: {_options_text(plan)}"


def _options_text(plan: Plan) -> str:
    return " ".join(quoted(w) if " " in w or not w else w for w in words(plan.taken))


def movements(
    plan: Plan, selection: Selection, skipped: Counter[str] | None = None
) -> Iterator[Row]:
    """Yield the rows that are transactions, expanded by the profile if any. Count other rows."""
    rows = plan.table.rows(skipped)
    if selection.is_needed:
        rows = (row for row in rows if selection.keeps(*row, skipped))
    if plan.rows is None:
        return rows
    expand = plan.rows.begin(skipped)
    return ((line, found) for line, cells in rows for found in expand(line, cells))


class Deciding:
    """The steps from a plan to a reader of its rows.

    plan: after `run`, without the rows at the end that turned out not to be data.
    remarks: decisions to report to the user. stated: the balances stated outside of the rows.
    """

    def __init__(self, plan: Plan, questions: Questions) -> None:
        layout = plan.layout
        self.plan = plan
        self.remarks: list[str] = []
        self.stated = [*stated_in(lines_above(plan.table))]
        self._questions = questions
        if not layout.fee and layout.fee_category is not None:
            raise ImportRefused(
                "--fee-category needs --fee", answers=(Answer(instead_of=("--fee-category",)),)
            )
        self._fees_signed = [_fee_is_signed(fee, plan.headings, questions) for fee in layout.fee]
        self.selection = Selection(plan)
        self._words = None
        if layout.sign is not None:
            self._words = SignWords(*plan.headings.position_and_rest("--sign", layout.sign))
        self._survey = Survey(plan, self.selection, self._words)

    def run(self) -> StatementBuilder:
        """Ask about everything open. Return a builder that uses each question's first answer."""
        plan, questions, survey = self.plan, self._questions, self._survey
        zone = plan.layout.zone()
        self._look_at_rows()
        _ask_for_account(plan, questions)
        self._leave_out_trailer()
        # Do not ask about the cells of a column before it is known which column is meant.
        of_dates = Questions() if "recordDate" in questions.fields else questions
        of_amounts = Questions() if "amount" in questions.fields else questions
        reading = survey.amounts.decide(of_amounts, are_whole=self._are_whole())
        form = self._decide_days(of_dates, reading)
        value_form = survey.value_dates.decide(questions, form)
        self._take_stating_columns()
        self._leave_out_totals(reading)
        if survey.repeated:
            ids = listed(dict.fromkeys(survey.repeated.values()))
            self.remarks.append(f"left out rows that repeat another row and its id: {ids}")
        ask_which_rows(survey, self.selection, plan.headings, questions)
        self._ask_about_units()
        currencies = decide_currencies(
            plan, survey, questions, needs_one=lambda: self._new_accounts != []
        )

        def builder(signs: Signs) -> StatementBuilder:
            reader = RowReader(
                plan.columns,
                signs,
                self._words,
                DateReader(form, zone),
                DateReader(value_form),
                AmountReader(reading, minor=plan.layout.units == "minor"),
                self._fees_signed,
            )
            reconciles = bool(self.selection.balances or self.stated)
            left_out = self.selection.left_out
            return StatementBuilder(plan, reader, currencies, left_out, reconciles=reconciles)

        signs = decide_signs(
            plan,
            survey,
            of_amounts,
            self.remarks,
            self._trial(builder),
            lambda: self._balance_ways(reading, form),
        )
        if survey.footer is not None:
            count, first = survey.footer
            questions.ask(
                first.questions[0].fact,
                Answer(("--skip-last", str(plan.layout.skip_last + count)), ("--skip-last",)),
                line=first.line,
                how=(
                    f"{first.questions[0].how}; if the rows from there on are not transactions, "
                    f"leave them out with --skip-last"
                ),
            )
        self.remarks += ask_about_unread(plan, survey, questions)
        is_open = currencies.option is None and "currency" not in plan.columns
        if questions.asked and is_open and not plan.remembered:
            marked = (mark.possible for mark in survey.amounts.marks if mark.possible)
            questions.ask_for_currency(self._new_accounts, next(marked, ()))
        return builder(signs)

    def _look_at_rows(self) -> None:
        questions = self._questions
        try:
            self._survey.run()
        except ImportRefused as refused:
            if {"recordDate", "amount"} & questions.fields:
                # Perhaps the rows are refused only because another column is meant.
                questions.put()
            if questions.asked:
                refused.reason += "; and " + "; and ".join(each.reason for each in questions.asked)
                refused.questions += tuple(questions.asked)
            raise

    def _leave_out_trailer(self) -> None:
        plan, survey = self.plan, self._survey
        if survey.footer is None:
            return
        rows = [cells for _, cells in survey.footer_rows]
        first = next((cell for cell in rows[0] if cell.strip()), "")
        if plan.profile is None or first not in plan.profile.trailer:
            if any(map(is_row, rows)) or not (_is_end_mark(rows) or names_balance(rows[0])):
                return
            self.remarks.append(
                f"left out the last {survey.footer[0]} rows, from {quoted(first.strip())} on, "
                f"which are not transactions"
            )
        self.stated += stated_in(map(line_of, rows))
        last = plan.table.skip_last + survey.footer[0]
        survey.footer = None
        self.plan = replace(plan, table=replace(plan.table, skip_last=last))

    def _leave_out_totals(self, reading: Reading) -> None:
        amounts, doubts = AmountReader(reading), self.selection.doubts
        columns, words = self.plan.columns, self._words

        def read(line: int, cells: list[str]) -> dict[int, int]:
            cents = amount_cell(columns, cells, words, line)
            return {place: amounts.read(text, line).units for place, text in cents}

        rows = movements(self.plan, self.selection) if doubts else iter(())
        for line in list(sums_in(rows, doubts, read)):
            text = doubts[line].text
            self.selection.leave_out(line, text)
            self.remarks.append(
                f"left out line {line}, {quoted(text)}: it is the sum of the rows above it"
            )
        if self.plan.rows is None and "balance" not in columns:
            self._leave_out_parts(read)

    def _leave_out_parts(self, read: Callable[[int, list[str]], Money]) -> None:
        """Leave out rows that are marked as parts: other rows have the whole amounts."""
        unmapped = self._survey.unmapped
        others = {c.index for c in unmapped if any(text[:2] in MARKED for text in c.texts)}
        for column, mark in product(sorted(self.selection.marked | others), MARKS):
            parts, place = parts_in(movements(self.plan, self.selection), column, mark, read)
            for line in parts:
                self.selection.leave_out(line, mark)
            if parts:
                self.remarks.append(
                    f"left out {len(parts)} rows marked {quoted(mark)}, such as line {parts[0]}: "
                    f"they are the parts of the rows {place} them"
                )

    def _take_stating_columns(self) -> None:
        """Take the balances of columns such as "Beginsaldo" that have one amount in all rows."""
        for column in self._survey.unmapped:
            kind = named_balance(self.plan.headings.text(column.index))
            if kind in (OPENING, CLOSING) and len(column.values) == 1 and column.money:
                self.stated.append(Stated(kind, None, column.money[0]))
                self.plan.inferred.explained.add(column.index)

    def _decide_days(self, questions: Questions, reading: Reading) -> DateForm:
        """Return the form of the dates. If several forms fit, prefer the form that puts the days in
        the same order as the balances.
        """
        dates = self._survey.dates
        forms = dates.readings()
        rows = self._balance_rows(reading) if len(forms) > 1 else []
        orders = orders_of(rows) if len(rows) > 2 else []
        if len(orders) == 1:
            columns = self.plan.columns["recordDate"]
            texts = [text_of(cells, columns) for _, cells in movements(self.plan, self.selection)]
            days = {form: [form.read(text) or 0 for text in texts] for form in forms}
            in_order = [f for f in forms if days[f] == sorted(days[f], reverse=orders[0])]
            if len(in_order) == 1:
                self.remarks.append(
                    f"dates are {in_order[0].name}: only this order of day and month fits the "
                    f"balances"
                )
                return in_order[0]
        return dates.decide(questions)

    def _are_whole(self) -> bool:
        """Return whether the file's currencies have no decimals."""
        found, option = self._survey.currencies.values(), self.plan.layout.currency
        stated = {code for codes in found for code in codes}
        marked = {mark.currency for mark in self._survey.amounts.marks}
        codes = stated or marked or {option or self.plan.remembered.get("accountCurrency")}
        return all(code is not None and not decimals_of(code) for code in codes)

    def _ask_about_units(self) -> None:
        """Ask whether amounts are in hundredths of the currency, if their heading suggests it."""
        plan, headings = self.plan, self.plan.headings
        named = [text for text in map(headings.text, plan.amounts) if in_minor_units(text)]
        if named and plan.layout.units is None and plan.profile is None:
            self._questions.ask(
                f"the amounts of {quoted(named[0])} may be in hundredths of the currency",
                Answer(("--units", "minor"), (), "an amount of 1250 is 12.5"),
                Answer(("--units", "major"), (), "an amount of 1250 is 1250"),
                line=headings.line,
                how=": say with --units minor or --units major",
            )

    def _balance_rows(self, reading: Reading) -> list[BalanceRow]:
        """Return all rows if each has a balance and there is one account; else no rows."""
        columns, survey = self.plan.columns, self._survey
        if "balance" not in columns or survey.footer is not None or len(survey.accounts) > 1:
            return []
        if len(survey.currencies) > 1 or any(len(c) > 1 for c in survey.currencies.values()):
            return []
        amounts = AmountReader(reading)
        (balance,) = columns["balance"]
        found = []
        for line, cells in movements(self.plan, self.selection):
            text = cells[balance].strip()
            if not text:
                return []
            cents = amount_cell(columns, cells, None, line)
            size = sum(abs(amounts.read(amount, line).units) for _, amount in cents)
            found.append((line, size, amounts.read(text, line).units))
        for line, (_, cells) in self.selection.balances.items():
            if text := cells[balance].strip():
                found.append((line, 0, amounts.read(text, line).units))
        return sorted(found)

    def _balance_ways(
        self, reading: Reading, form: DateForm
    ) -> tuple[Mapping[int, int], int | None, bool] | None:
        """Return the directions that the balances show, in the form that `decide_signs` needs."""
        if self._questions.asks_for("--decimal"):
            return None
        rows, columns, layout = self._balance_rows(reading), self.plan.columns, self.plan.layout
        cells_of = dict(movements(self.plan, self.selection)) if rows else {}
        texts = [text_of(cells, columns["recordDate"]) for cells in cells_of.values()]
        days = [(form.read(text) or 0) // DAY_SECONDS for text in texts]
        ordered = [days == sorted(days, reverse=reverse) for reverse in (False, True)]
        ways = ways_of(rows, ordered[1] if ordered[0] != ordered[1] else None) if rows else None
        if not ways:
            return None
        states = self.selection.balances
        ways = {line: way for line, way in ways.items() if line not in states}
        sides = [[cells_of[line] for line, way in ways.items() if way == each] for each in (1, -1)]
        line = next((line for line, size, _ in rows if size and line not in ways), None)
        if not looks_like_card(layout.account or "", *sides):
            return ways, line, False
        if line is not None:
            ways[line] = -1 if is_repaid(cells_of[line]) else 1
        rising = -1 if layout.positive == "out" else 1
        is_open = layout.balance is None or layout.positive is None
        return {line: way * rising for line, way in ways.items()}, None, is_open

    def _trial(self, builder: Callable[[Signs], StatementBuilder]) -> Trial | None:
        """Return a trial of signs; None if it is impossible."""
        if self._questions.asked or self._survey.footer:
            return None

        def try_(signs: Signs, most: int | None) -> tuple[bool | None, list[SignedRow]]:
            trial = builder(signs)
            seen: list[SignedRow] = []
            try:
                for line, cells in islice(movements(self.plan, self.selection), most):
                    units = [entry.amount for _, entry in trial.add(line, cells) if entry]
                    if most is not None and any(units[:1]) and not names_balance(cells):
                        seen.append((units[0], cells))
                return trial.has_debts(), seen
            except ImportRefused:
                return None, seen

        return try_

    @cached_property
    def _new_accounts(self) -> list[str] | None:
        """The names of the file's accounts that would be new; None if the file names no account."""
        accounts, given = [*self._survey.accounts], self.plan.layout.account
        if given is not None:
            # The first number is enough: a file with several account numbers is refused.
            accounts = [(given, accounts[0][1] if accounts else None)]
        return self.plan.new_accounts(accounts) if accounts else None


def _is_end_mark(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the rows are one cell without digits, such as "***END OF FILE***"."""
    cells = [cell for cells in rows for cell in cells if cell.strip()]
    return len(cells) == 1 and not any(map(str.isdigit, cells[0]))


def _fee_is_signed(fee: str, headings: Headings, questions: Questions) -> bool:
    column, kind = headings.position_and_rest("--fee", fee)
    if kind not in ("signed", "unsigned"):
        name = headings.named(column)
        questions.ask(
            f"--fee {quoted(fee)}: if a minus in it means money going out, say --fee "
            f"{name}=signed; if its numbers have no signs, say --fee {name}=unsigned",
            *(
                Answer(("--fee", f"{name}={each}"), (f"--fee {fee}",), f"a fee of 1 goes {way}")
                for each, way in (("unsigned", "out"), ("signed", "in"))
            ),
        )
    return kind == "signed"


def _ask_for_account(plan: Plan, questions: Questions) -> None:
    if plan.layout.account is None and not {"account", "accountNumber"} & plan.columns.keys():
        # List the columns only if no other question was asked.
        found = "" if questions.asked else f"; {plan.headings.found()}"
        questions.ask(
            "the file does not say which account it belongs to",
            Answer(("--account", NAME)),
            how=f"; give the account with --account, or its column with --map account=…{found}",
        )
