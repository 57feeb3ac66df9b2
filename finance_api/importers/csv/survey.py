"""Pass over all rows once, and note what has to be decided from whole columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from finance_api.importers.csv.amounts import AmountColumns
from finance_api.importers.csv.columns import Columns
from finance_api.importers.csv.dates import DateColumn
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.selection import Selection
from finance_api.importers.csv.table import is_account, is_amount, is_date, is_text
from finance_api.importers.csv.vocabulary import DIRECTIONS, folded
from finance_api.importers.interface import ImportRefused
from finance_api.importers.marks import mark_of

#: A column with more different cells than this is free text, and is not watched any longer.
_WATCHED_VALUES = 50
_WATCHED_COLUMNS = 200
#: Up to this many rows at the end that are no data may be a footer.
_FOOTER_ROWS = 20

_LEFT_OUT = "rows that are no data are left out with --only or --skip-last"

_MONEY_BESIDE = ("balance", "fee", "originalAmount")
_MONEY = ("amount", "debit", "credit", *_MONEY_BESIDE)

#: Where an amount stands: in the amount column, or on the side of money going out or coming in.
AMOUNT, OUT, IN = 0, -1, 1
#: (place, sign): sign as `AmountColumns.add` has it.
Kind = tuple[int, int]


@dataclass
class Watched:
    """An unmapped column.

    values: each of its cells -> the first line with each kind of amount; none in free text.
    is_filled, is_text, has_money, has_decimals, is_signed, are_accounts, are_several: what its
    first cells are.
    """

    index: int
    values: dict[str, dict[Kind, int]] = field(default_factory=dict)
    is_filled: bool = False
    is_text: bool = False
    has_money: bool = False
    has_decimals: bool = False
    is_signed: bool = False
    are_accounts: bool = False
    are_several: bool = False

    def judge(self) -> None:
        """Say what the cells so far are."""
        texts = [text for cell in self.values if (text := cell.strip())]
        money = [text for text in texts if text.strip("-0.,") and is_amount(text)]
        self.is_filled = bool(texts)
        self.is_text = any(map(is_text, texts))
        self.has_money = bool(money)
        self.has_decimals = len(money) * 2 > len(texts) and any(
            "." in text or "," in text for text in money if not is_date(text)
        )
        self.is_signed = any("-" in text for text in money)
        self.are_several = len(texts) > 1
        self.are_accounts = self.are_several and all(map(is_account, texts))


class SignWords:
    """The words of a column that says which way the money goes.

    named: the words that are named, and OUT or IN, where ``\\,`` and ``\\|`` are no separators;
    ways: the same, folded. Of others the usual
    meaning counts.
    seen: the words so far, as far as they are few, with their first lines. unknown: those that say
    nothing.
    """

    def __init__(self, column: int, named: str | None) -> None:
        self.column = column
        sides = re.split(r"(?<!\\)\|", named or "", maxsplit=1)
        self.named = {
            re.sub(r"\\([,|])", r"\1", word.strip()): way
            for way, words in zip((OUT, IN), sides, strict=False)
            for word in re.split(r"(?<!\\),", words)
            if word.strip()
        }
        self.ways = {folded(word): way for word, way in self.named.items()}
        self.seen: dict[str, int] = {}
        self.unknown: dict[str, int] = {}
        self._known: dict[str, int] = {}

    def direction(self, cells: Sequence[str], line: int) -> int:
        """OUT or IN."""
        cell = cells[self.column]
        direction = self._known.get(cell)
        if direction is None:
            direction = self._read(cell, line)
            if len(self._known) < _WATCHED_VALUES:
                self._known[cell] = direction
        return direction

    def _read(self, cell: str, line: int) -> int:
        word = folded(cell)
        way = self.ways.get(word) or DIRECTIONS.get(word)
        if len(self.seen) < _WATCHED_VALUES:
            self.seen.setdefault(cell.strip(), line)
        if way is None:
            self.unknown.setdefault(cell.strip(), line)
        return way or IN


def text_of(cells: Sequence[str], indexes: tuple[int, ...]) -> str:
    """The trimmed cell, or those of several columns that are not blank, with a space between."""
    if len(indexes) == 1:
        return cells[indexes[0]].strip()
    return " ".join(text for index in indexes if (text := cells[index].strip()))


def amount_cell(
    columns: Columns, cells: Sequence[str], words: SignWords | None, line: int
) -> Iterator[tuple[int, str]]:
    """The amounts of a row that are not blank, each with its place."""
    if "amount" in columns:
        text = cells[columns["amount"][0]].strip()
        if text:
            yield (AMOUNT if words is None else words.direction(cells, line)), text
        return
    for place, side in ((OUT, "debit"), (IN, "credit")):
        text = cells[columns[side][0]].strip()
        if text:
            yield place, text


def _separators(plan: Plan) -> tuple[str | None, str | None]:
    """The marks of decimals and thousands that are given, unless cells of amounts are numbers.

    Raises ImportRefused if others are texts of which the numbers do not say what they mean.
    """
    layout, text = plan.layout, plan.table.text
    indexes = [i for name in _MONEY for i in plan.columns.get(name, ())]
    if any(text.fractions.get(index, 0) > plan.table.first_line for index in indexes):
        line = max(text.thousands.get(index, 0) for index in indexes)
        if line > plan.table.first_line:
            raise ImportRefused(
                "the amount is text that can be read in two ways, such as 1.234, and others are "
                "numbers: a program may have taken some for others; use the file as the bank made "
                "it",
                line,
            )
        return ".", None if layout.thousands == "." else layout.thousands
    return layout.decimal, layout.thousands


class Survey:
    """Passes over the rows once.

    kinds: each kind of amount -> the first line that has it.
    currencies: of each account (by its name, else its number), in the order of their first rows;
    marked: the same of currencies that stand beside amounts.
    accounts: name and number of the first ones that the file has, where it has no column of
    currencies.
    footer: how many rows at the end are no data, and why the first is none; footer_cells: of that.
    columns: of the plan. words: those of --sign.
    """

    def __init__(self, plan: Plan, selection: Selection, words: SignWords | None) -> None:
        layout = plan.layout
        self._layout = plan
        self._selection = selection
        self.columns = plan.columns
        self.words = words
        order = "" if plan.profile is None else plan.profile.date_order
        is_sheet = plan.table.text.is_sheet
        last = plan.last_year
        self.dates = DateColumn(layout.date_format, order, is_sheet=is_sheet, last_year=last)
        self.value_dates = DateColumn(
            None, order, likely=layout.date_format, is_sheet=is_sheet, last_year=last
        )
        self.amounts = AmountColumns(*_separators(plan))
        self.kinds: dict[Kind, int] = {}
        self.currencies: dict[str, dict[str, int]] = {}
        self.marked: dict[str, dict[str, int]] = {}
        self.accounts: dict[tuple[str, str | None], None] = {}
        columns = plan.columns
        has_accounts = "account" in columns or "accountNumber" in columns
        self._names_accounts = has_accounts and "currency" not in columns
        others = (*_MONEY_BESIDE, "valueDate", "currency")
        self._has_others = self._names_accounts or any(name in columns for name in others)
        self.rows = 0
        self.footer: tuple[int, ImportRefused] | None = None
        self.footer_cells: Sequence[str] = ()
        used = {index for indexes in plan.columns.values() for index in indexes}
        used |= selection.columns | plan.ignored
        if plan.rows is not None:
            used |= plan.rows.used
        unmapped = [i for i in range(plan.table.width) if i not in used]
        self.unmapped = [Watched(index) for index in unmapped[:_WATCHED_COLUMNS]]
        # The columns that may not be free text.
        self.watched = list(self.unmapped)

    def run(self) -> None:
        """Raise ImportRefused for rows that cannot be read, unless they may be a footer."""
        columns = self.columns
        selection = self._selection
        select = selection.is_needed
        dates = self.dates
        date_columns = columns["recordDate"]
        expand = None if self._layout.rows is None else self._layout.rows.begin()
        for line, cells in self._layout.table.rows(misfit=self._misfit):
            if self.footer is not None:
                self._in_footer(cells)
                continue
            if select and not selection.keeps(line, cells):
                continue
            try:
                movements = [cells] if expand is None else expand(line, cells)
                if movements:
                    dates.add(text_of(cells, date_columns), line)
            except ImportRefused as refused:
                self._misfit(refused, cells)
                continue
            for movement in movements:
                self._add(movement, line)
        selection.end()
        for column in self.watched:
            column.judge()

    def _add(self, cells: Sequence[str], line: int) -> None:
        kind = self._kind(cells, line)
        self.rows += 1
        if kind not in self.kinds:
            self.kinds[kind] = line
        if self._has_others:
            self._other_columns(cells, line)
        for column in self.watched:
            lines = column.values.get(cells[column.index])
            if lines is None:
                if len(column.values) >= _WATCHED_VALUES:
                    self.watched = [other for other in self.watched if other is not column]
                    column.judge()
                    column.values.clear()
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
        if not kinds:
            if "amount" in self.columns:
                raise ImportRefused(f"the amount is empty; {_LEFT_OUT}", line)
            raise ImportRefused("neither the debit nor the credit column has an amount", line)
        if len(kinds) == 2:
            if kinds[0][1] and kinds[1][1]:
                raise ImportRefused("both the debit and the credit column have an amount", line)
            return kinds[0] if kinds[0][1] else kinds[1]
        return kinds[0]

    def _other_columns(self, cells: Sequence[str], line: int) -> None:
        columns = self.columns
        for name in _MONEY_BESIDE:
            for index in columns.get(name, ()):
                if text := cells[index].strip():
                    self.amounts.add(text, line, own=False)
        if "valueDate" in columns and (text := text_of(cells, columns["valueDate"])):
            self.value_dates.add(text, line)
        if "currency" in columns and (text := text_of(cells, columns["currency"])):
            mark = mark_of(text)
            code = mark.currency if mark is not None and mark.currency else text.upper()
            self._note(self.currencies, code, cells, line)
        elif self._names_accounts and len(self.accounts) < _WATCHED_VALUES:
            name, number = self._account(cells)
            if name:
                self.accounts[name, number] = None

    def _note(
        self, found: dict[str, dict[str, int]], code: str, cells: Sequence[str], line: int
    ) -> None:
        name, _ = self._account(cells)
        found.setdefault(name, {}).setdefault(code, line)

    def _account(self, cells: Sequence[str]) -> tuple[str, str | None]:
        """Its name, else its number; and its number."""
        columns = self.columns
        name = text_of(cells, columns["account"]) if "account" in columns else ""
        number = None
        if "accountNumber" in columns:
            number = "".join(text_of(cells, columns["accountNumber"]).split()) or None
        return name or number or "", number

    def _misfit(self, refused: ImportRefused, cells: Sequence[str]) -> None:
        """A row without a date or of another length: a footer, if nothing but such follows."""
        if self.footer is not None:
            self._in_footer(cells)
        elif not self.rows or self._has_date(cells):
            raise refused
        else:
            self.footer = (1, refused)
            self.footer_cells = cells

    def _in_footer(self, cells: Sequence[str]) -> None:
        assert self.footer is not None
        count, first = self.footer
        if count >= _FOOTER_ROWS or self._has_date(cells):
            raise first
        self.footer = (count + 1, first)

    def _has_date(self, cells: Sequence[str]) -> bool:
        columns = self.columns["recordDate"]
        if max(columns) >= len(cells):
            return False
        text = text_of(cells, columns)
        return self.dates.fits(text) or is_date(text)
