"""Goes through the rows that are transactions once, and collects everything that has to be decided
from whole columns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.amounts import AmountColumns
from finance_api.importers.csv.cells import (
    Kind,
    SignWords,
    account_of,
    amount_cell,
    money_text,
    text_of,
)
from finance_api.importers.csv.dates import DateColumn
from finance_api.importers.csv.guess.column import Column
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.sniff import (
    hides_row,
    is_row,
    names_account,
    of_other_account,
    starts_table,
)
from finance_api.importers.csv.table import NextTable, is_amount, is_date
from finance_api.importers.csv.vocabulary import kind_of
from finance_api.importers.interface import ImportRefused
from finance_api.resources.currencies import mark_of

#: A column with more different cells than this is free text: it is no longer watched.
_WATCHED_VALUES = 50
_WATCHED_COLUMNS = 200
#: Up to this many rows at the end may be a footer instead of data, such as a bank's legend.
_FOOTER_ROWS = 60

_MONEY_BESIDE = ("balance", "fee", "originalAmount")


class Watched:
    """An unmapped column.

    values: its first different cells -> kind of the amount in the same row -> the first such line.
    """

    def __init__(self, index: int, heading: str) -> None:
        self.index, self.heading = index, heading
        self.values: dict[str, dict[Kind, int]] = {}

    @cached_property
    def column(self) -> Column:
        """The different cells, as a column of them."""
        return Column(self.index, self.heading, [cell.strip() for cell in self.values])

    @cached_property
    def money(self) -> list[str]:
        """The amounts other than zero."""
        return [t for t in self.column.filled if t.strip("-0.,") and is_amount(t)]


def _separators(plan: Plan) -> tuple[str | None, str | None]:
    """Return the decimal and thousands marks: as given, or "." if amounts are a sheet's numbers.

    Raises ImportRefused if other amounts are texts such as 1.234, which can be read in two ways.
    """
    mapping, text = plan.mapping, plan.table.text
    indexes = plan.indexes("amount", "debit", "credit", *_MONEY_BESIDE)
    if any(text.fractions.get(index, 0) > plan.table.first_line for index in indexes):
        line = max(text.thousands.get(index, 0) for index in indexes)
        if line > plan.table.first_line:
            fault = "the amount is text that can be read in two ways, such as 1.234, while other "
            fault += "amounts are numbers: a program may have changed some of them; use the file "
            raise ImportRefused(f"{fault}as the bank made it", line)
        return ".", None if mapping.thousands == "." else mapping.thousands
    return mapping.decimal, mapping.thousands


#: What follows a comma in an amount: cents, or the last of its thousands with cents.
_AFTER_COMMA = re.compile("[0-9]{1,2}|[0-9]{3}[.][0-9]{1,2}")
_TEXT, _NUMBER = "text", "number"


class _DividedAmounts:
    """Finds amounts that a decimal comma without quotes has divided into two cells.

    What the user says about the columns of the amounts is not doubted.
    """

    def __init__(self, plan: Plan) -> None:
        width, named = plan.table.width, plan.user_mapping.named
        is_possible = plan.table.delimiter == "," and not plan.table.text.is_sheet
        money = plan.indexes("amount", "debit", "credit", *_MONEY_BESIDE)
        beside = [i + 1 for i in plan.amounts if i + 1 < width and i + 1 not in money]
        self._plan = plan
        self._amounts = [index for index in plan.amounts if index < width]
        self._beside = beside if is_possible and not {"amount", "debit"} & named.keys() else []
        self._count = 0
        self._has_decimals = False
        # For each column beside amounts: cents after whole numbers, and what its other cells are.
        self._cents = [dict[str, int]() for _ in self._beside]
        self._others = [set[str]() for _ in self._beside]

    def add(self, cells: Sequence[str], line: int) -> None:
        if not self._beside:
            return
        if not self._has_decimals:
            self._has_decimals = any({".", ","} & {*cells[index]} for index in self._amounts)
        for index, cents, others in zip(self._beside, self._cents, self._others, strict=True):
            amount, text = cells[index - 1].strip(), cells[index].strip(" )")
            if amount.lstrip("+-($€£ ").isdigit() and _AFTER_COMMA.fullmatch(text):
                cents.setdefault(text, line)
                self._count += 1
            else:
                is_number = text.replace(".", "", 1).isdigit()
                others.add(_NUMBER if is_number else _TEXT if text else "")

    def refuse(self) -> None:
        """Raise ImportRefused for the first amount that seems to be divided."""
        for index, cents, others in zip(self._beside, self._cents, self._others, strict=True):
            are_cents = self._count > 1 and all(len(text) == 2 for text in cents)
            is_likely = are_cents or self._has_decimals or _TEXT in others
            if cents and _NUMBER not in others and is_likely:
                fact = clause(Topic.SPLIT_AMOUNT, column=self._plan.headings.named(index))
                raise ImportRefused(fact, min(cents.values()), needs=("columns",))


class Survey:
    """Goes through the rows once.

    kinds: each kind of amount -> the first line that has it.
    currencies: account (its name, else its number) -> currency -> first line.
    marked: the same for currencies that stand beside amounts.
    accounts: name and number of the file's first accounts, if it has no column of currencies.
    footer: how many rows at the end are not data, and why the first of these is refused.
    footer_rows: line and cells of these rows.
    columns: the plan's columns. words: the words of --sign.
    repeated: line -> id of each row that repeats an earlier row with its id.
    without_text: the first three lines of rows without payee and note.
    last_line: of the last row; count: the number of rows.
    lacks_balance: whether any row has no balance, though there is a column of balances.
    unmapped: columns that are not read. watched: unmapped columns that are not free text.
    """

    def __init__(self, plan: Plan, selection: Selection, words: SignWords | None) -> None:
        self._plan = plan
        self._selection = selection
        self.columns = columns = plan.columns
        self.words = words
        form, order = plan.mapping.date_format, plan.profile.date_order if plan.profile else ""
        column = partial(
            DateColumn,
            order=order,
            is_sheet=plan.table.text.is_sheet,
            last_year=plan.last_year,
            is_known=plan.profile is not None,
        )
        self.dates = column(form)
        self.value_dates = column(None, likely=form)
        self.amounts = AmountColumns(*_separators(plan))
        self._divided = _DividedAmounts(plan)
        self.kinds: dict[Kind, int] = {}
        self.currencies: dict[str, dict[str, int]] = {}
        self.marked: dict[str, dict[str, int]] = {}
        self.accounts: dict[tuple[str, str | None], None] = {}
        has_accounts = not {"account", "accountNumber"}.isdisjoint(columns)
        self._names_accounts = has_accounts and "currency" not in columns
        others = (*_MONEY_BESIDE, "valueDate", "currency")
        self._has_others = self._names_accounts or any(name in columns for name in others)
        self.lacks_balance = False
        self._money_beside = plan.indexes(*_MONEY_BESIDE)
        self._of_account = plan.indexes("account", "accountNumber", "currency")
        # The first different cells of these columns.
        self._noted: set[tuple[str, ...]] = set()
        self._has_rows = False
        self._texts = [] if plan.rows else plan.indexes("payee", "note")
        # The first lines of rows with a blank cell.
        self.without_text: list[int] = []
        texts = {*range(plan.table.width)} - {*plan.amounts, *columns["recordDate"]}
        texts = texts if plan.table.headings is None else {*self._texts}
        self._blank = {index: list[int]() for index in texts}
        self.count = self.last_line = 0
        self.footer: tuple[int, ImportRefused] | None = None
        self.footer_rows: list[tuple[int, Sequence[str]]] = []
        used = {index for indexes in columns.values() for index in indexes}
        used |= (
            selection.columns | plan.bound.ignored | (plan.rows.used if plan.rows else frozenset())
        )
        unmapped = [i for i in range(plan.table.width) if i not in used]
        self.unmapped = [Watched(i, plan.headings.text(i)) for i in unmapped[:_WATCHED_COLUMNS]]
        self.watched = list(self.unmapped)
        ids = [i for i in unmapped[:_WATCHED_COLUMNS] if plan.headings.fit("ids", i) == 2]
        self._id_column = ids[0] if len(ids) == 1 else None
        # Hash of an id -> hash of its row. Line of a row that repeats another one -> its id.
        self._rows_of: dict[int, int] = {}
        self.repeated: dict[int, str] = {}

    def run(self) -> None:
        """Read all rows. Raises ImportRefused for an unreadable row, unless it may be a footer."""
        columns = self.columns["recordDate"]
        selection, plan = self._selection, self._plan
        selects = selection.is_needed
        expand = None if plan.rows is None else plan.rows.begin()
        for line, cells in plan.table.rows(misfit=self._misfit):
            if self.footer is not None:
                self._misfit(ImportRefused("", line), cells)
                continue
            if selects and not selection.keeps(line, cells):
                if starts_table(cells):
                    raise NextTable(line)
                continue
            try:
                movements = [cells] if expand is None else expand(line, cells)
                if movements:
                    self._note_id(cells, line)
                    self._divided.add(cells, line)
                    self.dates.add(text_of(cells, columns), line)
            except ImportRefused as refused:
                self._misfit(refused, cells)
                continue
            for movement in movements:
                self._add(movement, line)
        if self.footer is not None and sum(is_row(row) for _, row in self.footer_rows) > self.count:
            # These are the data, and what was read is not.
            raise self.footer[1]
        self._divided.refuse()
        selection.no_money |= dict.fromkeys(self.repeated, "repeated row")
        selection.is_complete = True

    @property
    def bare(self) -> tuple[int, int] | None:
        """The line of the only row without payee and note, and a column that it lacks; or, without
        headings, of the only row that lacks two texts.
        """
        if len(self.without_text) == 1:
            return self.without_text[0], self._texts[0]
        if self._plan.table.headings is not None:
            return None
        blank = {index: lines[0] for index, lines in self._blank.items() if len(lines) == 1}
        counts = Counter(blank.values()).items()
        line, count = max(counts, key=lambda each: each[1], default=(0, 0))
        return (line, next(i for i in blank if blank[i] == line)) if count > 1 else None

    def lacked(self, line: int) -> int | None:
        """Return a column of texts that is blank in this row alone."""
        return next((index for index, lines in self._blank.items() if lines == [line]), None)

    def _note_id(self, cells: Sequence[str], line: int) -> None:
        if self._id_column is None:
            return
        text = cells[self._id_column].strip()
        key, row = hash(text), hash(tuple(cells))
        if key not in self._rows_of and text:
            self._rows_of[key] = row
        elif self._rows_of.get(key) == row:
            self.repeated[line] = text
        else:
            # Several transactions share an id, or have none.
            self._id_column = None
            self.repeated.clear()

    def _add(self, cells: Sequence[str], line: int) -> None:
        kind = self._kind(cells, line)
        self._has_rows = True
        self.count, self.last_line = self.count + 1, line
        if len(self.without_text) < 3 and self._texts and not text_of(cells, self._texts):
            self.without_text.append(line)
        for index, blank in self._blank.items():
            if len(blank) < 2 and not cells[index].strip():
                blank.append(line)
        if kind not in self.kinds:
            self.kinds[kind] = line
        if self._has_others:
            self._other_columns(cells, line)
        for column in self.watched:
            lines = column.values.get(cells[column.index])
            if lines is None:
                if len(column.values) >= _WATCHED_VALUES:
                    self.watched = [other for other in self.watched if other is not column]
                    continue
                lines = column.values[cells[column.index]] = {}
            if kind not in lines:
                lines[kind] = line

    def _kind(self, cells: Sequence[str], line: int) -> Kind:
        kinds = []
        for place, text in amount_cell(self.columns, cells, self.words, line):
            kinds.append((place, self.amounts.add(text, line)))
            code = self.amounts.currency_of(text)
            if code is not None:
                self._note(self.marked, code, cells, line)
        if not kinds and "amount" in self.columns:
            raise ImportRefused(clause(Topic.AMOUNT_EMPTY), line)
        if not kinds:
            raise ImportRefused(clause(Topic.SIDES_EMPTY), line)
        if len(kinds) == 2 and all(sign for _, sign in kinds):
            self._selection.doubt_both_sides(line, cells)
        return kinds[0] if kinds[0][1] else kinds[-1]

    def _other_columns(self, cells: Sequence[str], line: int) -> None:
        columns = self.columns
        for index in self._money_beside:
            if text := money_text(cells[index]):
                self.amounts.add(text, line, own=False)
            elif (index,) == columns.get("balance"):
                self.lacks_balance = True
        if "valueDate" in columns and (text := text_of(cells, columns["valueDate"])):
            self.value_dates.add(text, line)
        texts = tuple([cells[index] for index in self._of_account])
        if texts in self._noted:
            return
        if len(self._noted) < _WATCHED_VALUES:
            self._noted.add(texts)
        if text := text_of(cells, columns.get("currency", ())):
            mark = mark_of(text)
            code = mark.currency if mark is not None and mark.currency else text.upper()
            self._note(self.currencies, code, cells, line)
        elif self._names_accounts and len(self.accounts) < _WATCHED_VALUES:
            account, number = account_of(columns, cells)
            if account or number:
                self.accounts[account or number or "", number] = None

    def _note(
        self, found: dict[str, dict[str, int]], code: str, cells: Sequence[str], line: int
    ) -> None:
        name, number = account_of(self.columns, cells)
        found.setdefault(name or number or "", {}).setdefault(code, line)

    def _misfit(self, refused: ImportRefused, cells: Sequence[str]) -> None:
        """Note that a row is in the footer. Raises ImportRefused if it cannot be in one."""
        count, first = self.footer or (0, refused)
        if self._has_rows and self._plan.table.headings and starts_table(cells):
            # Balances directly below the rows belong to these rows.
            rows = [*self.footer_rows, (refused.line or 0, [""])]
            raise NextTable(next(at for at, row in rows if not any(map(kind_of, row))))
        columns = self.columns["recordDate"]
        text = text_of(cells, columns) if max(columns) < len(cells) else ""
        is_dated = (self.dates.fits(text) or is_date(text)) and not self._is_unlike_rows(cells)
        is_dated = is_dated or (not text and is_row(cells))
        if not self._has_rows or count >= _FOOTER_ROWS or is_dated or hides_row(cells):
            named = [each for each in self.footer_rows if names_account(each[1])]
            raise of_other_account(" ".join(named[0][1]).strip(), named[0][0]) if named else first
        self.footer_rows.append((refused.line or 0, cells))
        self.footer = (count + 1, first)

    def _is_unlike_rows(self, cells: Sequence[str]) -> bool:
        """Return whether a short row fills other columns than all rows do: it is not one of them
        that was cut off, but states a balance, for instance.
        """
        rows = self._plan.table.sample
        return len(cells) < self._plan.table.width and any(
            all(bool(row[index].strip()) != bool(cell.strip()) for row in rows)
            for index, cell in enumerate(cells[:-1])
        )
