"""Finds the rows that are no transactions: balances, totals, and the parts of other rows."""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, pairwise, product

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.balances import orders_of
from finance_api.importers.csv.cells import BLANK, money_text, text_of
from finance_api.importers.csv.guess import totals
from finance_api.importers.csv.guess.money_rows import MoneyRows
from finance_api.importers.csv.guess.which_rows import ask_about_sums
from finance_api.importers.csv.reading import movements
from finance_api.importers.csv.sniff import without_first
from finance_api.importers.csv.table import is_text
from finance_api.importers.csv.vocabulary import (
    CARRIED,
    CLOSING,
    OPENING,
    TOTAL,
    kind_of,
    without_numbers,
)
from finance_api.importers.interface import ANOTHER_FILE, Choice, ImportRefused, Questions, quoted
from finance_api.importers.options import ImportOptions

#: A file with fewer rows shows little.
_FEW = 4
#: A column that says what kind of row each is has at most this many words.
_MOST_KINDS = 8
#: Parts without a mark are looked for among this many rows.
_FIRST_ROWS = 2_000
_OF_ACCOUNT = ("account", "accountNumber", "currency")


class NoMoney:
    """Leaves out rows that surely are no transactions, and asks about those that may be none."""

    def __init__(self, rows: MoneyRows, questions: Questions) -> None:
        self._plan, self._survey, self._selection = rows.plan, rows.survey, rows.selection
        self._rows, self._questions = rows, questions

    def leave_out_kinds(self) -> None:
        """Leave out balances and sums that only a word of a column such as "Row type" marks, if
        they fit the transactions; ask if they may have come about by chance.
        """
        plan, selection = self._plan, self._selection
        texts, keys = plan.indexes("payee", "note"), plan.indexes(*_OF_ACCOUNT)
        columns = {column.index for column in self._survey.watched} | plan.bound.ignored
        columns -= selection.undoubted | selection.columns
        for column in sorted(columns if plan.rows is None else ()):
            words = [cells[column].strip() for cells in plan.table.sample]
            if not 1 < len(set(words)) <= _MOST_KINDS or words.count(words[0]) > _MOST_KINDS:
                continue
            accounts: defaultdict[str, dict[str, totals.Kind]] = defaultdict(dict)
            for place, row in enumerate(self._rows.with_balances()):
                kinds = accounts[text_of(row.cells, keys) if keys else ""]
                kind = kinds.setdefault(row.cells[column].strip(), totals.Kind(place))
                if len(kinds) > _MOST_KINDS:
                    break
                kind.add(place, row, has_text=bool(texts) and bool(text_of(row.cells, texts)))
            else:
                if accounts and self._decide_kinds(
                    column, [*map(totals.moving, accounts.values())]
                ):
                    return

    def _decide_kinds(self, column: int, accounts: Sequence[Mapping[str, totals.Kind]]) -> bool:
        """Return whether it is known which kinds are no transactions.

        accounts: the kinds of rows of each account, by their words in the column.
        """
        name, balances = self._plan.headings.named(column), self._selection.balances
        kinds = [pair for each in accounts for pair in each.items()]
        doubts = self._selection.doubts
        named = {*balances, *(line for line, doubt in doubts.items() if doubt.is_named)}
        words = {word for word, kind in kinds if kind.is_of(named)}
        few = [(word, row) for word, kind in kinds for row in kind.few]
        known = [(word, balances[row.line][0]) for word, row in few if row.line in balances]
        bare = {word for word, kind in kinds if not kind.has_text}
        bare -= {word for word, kind in kinds if kind.has_text}
        first, *others = map(totals.roles_in, accounts)
        found = [roles for roles in first if all(roles in other for other in others)]
        found = [roles for roles in found if roles.keys() <= bare] or found
        found = [
            roles
            for roles in found
            if words <= roles.keys()
            and all(kind in (TOTAL, roles.get(word, kind)) for word, kind in known)
        ]
        if len(found) == 1 and found[0].keys() == words:
            return True
        left_out = [kind for word, kind in kinds if word in bare]
        kept = [kind for word, kind in kinds if word not in bare]
        if len(found) == 1 and (TOTAL in found[0].values() or found[0].keys() == bare):
            (roles,) = found
            rows = {row.line: (word, row.cells) for word, row in few if word in roles}
            for line, (word, cells) in rows.items():
                doubts.pop(line, None)
                if roles[word] != TOTAL:
                    balances[line] = roles[word], cells
            which = f"{len(rows)} rows by their {quoted(name)}"
            why = "they are balances and sums of the other rows"
            self._leave_out({line: word for line, (word, _) in rows.items()}, which, why)
            self._plan.inferred.explained.add(column)
            # Its words may be words for directions, too.
            self._survey.watched = [each for each in self._survey.watched if each.index != column]
            return True
        if found:
            readings = [*map(list, {frozenset(roles): roles for roles in found}.values())]
            line = min(accounts[0][word].few[0].line for word in readings[0])
            ask_about_sums(name, line, *readings, questions=self._questions)
        elif (
            len(left_out) > 1
            and any(kind.count > 1 for kind in kept)
            and all(one.is_beside(other) for one in left_out for other in kept)
        ):
            line = min(kind.few[0].line for kind in left_out)
            ask_about_sums(name, line, sorted(bare), questions=self._questions)
        return False

    def _leave_out(self, rows: Mapping[int, str], which: str, why: str) -> None:
        """Leave out these rows. rows: line -> the text by which it is counted."""
        self._selection.no_money |= rows
        self._questions.remarks.append(f"left out {which}: {why}")

    def leave_out_totals(self) -> None:
        doubts = self._selection.doubts
        balances, _ = self._rows.balance_rows() if doubts else ([], {})
        # A row whose amount changes the balance before it is no total.
        orders = [set(steps) for steps in orders_of(balances).values()]
        for line in set.intersection(*orders) if orders and len(balances) > 2 else ():
            doubts.pop(line, None)
        if any(doubt.is_named for doubt in doubts.values()):
            self._take_stating_rows()
        self._doubt_neighbours()
        self._leave_out_by_ends()
        try:
            sums = list(totals.sums_in(self._rows.read(), doubts)) if doubts else []
        except ImportRefused as refused:
            (question,) = refused.questions
            if question.line == self._survey.last_line:
                refused.questions = (question._replace(choices=(self._without_last(),)),)
            raise
        for line in sums:
            text = doubts[line].text
            which = f"line {line}, {quoted(text)}"
            self._leave_out({line: text}, which, "it is the sum of the rows above it")
        if self._plan.rows is not None:
            return
        if self._survey.lacks_balance:
            self._leave_out_unbalanced_parts()
        elif "balance" not in self._plan.columns:
            self._leave_out_parts()
            self._ask_about_repeated_sums()

    def _doubt_neighbours(self) -> None:
        """Doubt a row beside a balance that is carried to another page if it has the same money: it
        is most likely where that page takes it up.
        """
        doubts, texts = self._selection.doubts, self._plan.texts
        carried = {line for line, doubt in doubts.items() if kind_of(doubt.text) == CARRIED}
        for pair in pairwise(self._rows.read()) if carried else ():
            if pair[0].money != pair[1].money:
                continue
            for (line, cells, _), (beside, *_) in (pair, pair[::-1]):
                named = [index for index in texts if is_text(cells[index])]
                if beside in carried and line not in doubts and named:
                    doubts[line] = totals.Doubt(named[0], cells[named[0]].strip(), False, True)

    def _leave_out_by_ends(self) -> None:
        """Leave out a row such as "Total new charges", or all of them, if only without it the rows
        lead from the opening to the closing balance.
        """
        doubts, balances = self._selection.doubts, self._selection.balances
        kinds = sorted(kind for kind, _ in balances.values())
        if not doubts or kinds != [CLOSING, OPENING]:
            return
        money = {row.line: row.net for row in self._rows.with_balances()}
        ends = {kind: money.pop(line) for line, (kind, _) in balances.items()}
        gap = ends[OPENING] + sum(money.values()) - ends[CLOSING]
        for lines in ([*doubts], *([line] for line in doubts)):
            if gap and sum(money.get(line, 0) for line in lines) == gap:
                texts = {line: doubts.pop(line).text for line in lines}
                which = f"line {lines[0]}, {quoted(texts[lines[0]])}"
                self._leave_out(texts, which, "without it the rows lead from balance to balance")
                return

    def _take_stating_rows(self) -> None:
        """Take rows such as "Saldo do dia" that are the sum of the balance and the rows before."""
        selection = self._selection
        named = {line: doubt.text for line, doubt in selection.doubts.items() if doubt.is_named}
        stating = {*selection.balances, *named}
        for line, (kind, cells) in totals.chained(self._rows.with_balances(), stating).items():
            if line in named:
                del selection.doubts[line]
                selection.no_money[line] = named[line]
            if kind != TOTAL:
                selection.balances[line] = kind, cells

    def _leave_out_parts(self) -> None:
        """Leave out rows that are marked as parts: other rows have the whole amounts."""
        unmapped = self._survey.unmapped
        others = {c.index for c in unmapped if any(map(totals.marks_parts, c.values))}
        columns = sorted(self._selection.marked | others)
        for column in columns:
            self._leave_out_parts_of_splits(column)
        # In a column of categories, a hyphen means that the row has no category.
        texts = [column for column in columns if column not in self._plan.indexes("category")]
        for column, mark in product(texts, totals.MARKS):
            parts, place = totals.parts_in(self._rows.read(), column, mark)
            if parts:
                which = f"{len(parts)} rows marked {quoted(mark)}, such as line {parts[0]}"
                why = f"they are the parts of the rows {place} them"
                self._leave_out(dict.fromkeys(parts, mark), which, why)

    def _leave_out_unbalanced_parts(self) -> None:
        """Leave out rows without a balance that add up to the row beside them, if the balances lead
        past them.
        """
        (balance,) = self._plan.columns["balance"]
        rows = [(line, cells[balance], day, units) for line, cells, day, units in self._dated()]
        rows = [(line, money_text(cell), day, units) for line, cell, day, units in rows]
        parts = totals.unmarked_parts(
            (line, day, "" if text else "part", u) for line, text, day, u in rows
        )
        read = self._rows.amounts.read
        steps = [(n, u, read(text, n).units) for n, text, _, u in rows if text]
        if parts and len(steps) > 2 and orders_of(steps, int):
            which = f"{len(parts)} rows without a balance, such as line {parts[0]}"
            left_out = dict.fromkeys(parts, "part of another row")
            self._leave_out(left_out, which, "they are the parts of another row")

    def _ask_about_unmarked_parts(self) -> None:
        """Ask about rows of a kind, such as "Item 1" and "Item 2", that add up to the row beside
        them, if there are any among the first rows.
        """
        first = [*islice(self._rows.read(), _FIRST_ROWS)]
        found = self._unmarked_parts(first)
        if found and len(first) == _FIRST_ROWS:
            found = self._unmarked_parts([*self._rows.read()])
        if found and not any(column in self._selection.undoubted for _, _, column, *_ in found):
            _, _, column, line, named = min(found)
            name = self._plan.headings.named(column)
            ask_about_sums(name, line, named, questions=self._questions, topic=Topic.ADD_UP)

    def _unmarked_parts(
        self, rows: Sequence[totals.MoneyRow]
    ) -> list[tuple[bool, int, int, int, list[str]]]:
        """Return for each column that tells parts: whether a text is blank, how many texts there
        are, the column, the first line, and the texts.
        """
        plan = self._plan
        days = [text_of(row.cells, plan.columns["recordDate"]) for row in rows]
        money = [row.net for row in rows]
        if not totals.may_have_parts(zip(days, money, strict=True)):
            return []
        found = []
        for column in sorted(
            {*range(plan.table.width)} - {*plan.amounts, *plan.indexes("recordDate", "category")}
        ):
            texts = [row.cells[column].strip() for row in rows]
            lines = (row.line for row in rows)
            kinds = map(without_numbers, texts)
            parts = {*totals.unmarked_parts(zip(lines, days, kinds, money, strict=True))}
            named = {text: None for row, text in zip(rows, texts, strict=True) if row.line in parts}
            found += [("" in named, len(named), column, min(parts), [*named])] if parts else []
        return found

    def _dated(self) -> Iterator[tuple[int, list[str], str, int]]:
        """Yield line, cells, day and money of each row."""
        days = self._plan.columns["recordDate"]
        for row in self._rows.read():
            yield row.line, row.cells, text_of(row.cells, days), row.net

    def _leave_out_parts_of_splits(self, column: int) -> None:
        """Leave out the parts of rows such as "--Split--", which have the whole amounts."""
        plan = self._plan
        days, payees = plan.columns["recordDate"], plan.indexes("payee")
        found = totals.splits_in(self._rows.read(), column, days, payees)
        if found.parts and found.without_parts:
            fault = "the row is split, but the rows beside it that have its day do not add up to "
            fault += f"it, as others do: correct the file, or {ANOTHER_FILE}"
            raise ImportRefused(fault, found.without_parts[0])
        if found.doubtful:
            name, marks = plan.headings.named(column), [*dict.fromkeys(found.marks)]
            ask_about_sums(name, found.doubtful[0], marks, questions=self._questions)
        elif found.parts:
            which = f"{len(found.parts)} rows, such as line {found.parts[0]}"
            why = "they are the parts of the split rows beside them"
            self._leave_out(dict.fromkeys(found.parts, "part of a split"), which, why)

    def _ask_about_repeated_sums(self) -> None:
        """Ask about rows such as "October 2026" that are the sums of the rows before or after."""
        plan, selection = self._plan, self._selection
        asked = {each.reason for each in self._questions.asked}
        known = {line for line, doubt in selection.doubts.items() if doubt.asks}
        known |= selection.no_money.keys() | selection.balances.keys()
        if asked & {Topic.SUMS, Topic.SUMS_WITHOUT_TEXT}:
            return
        self._ask_about_unmarked_parts()
        money = {row.line: row.net for row in self._rows.read() if row.line not in known}
        if totals.ends_in_both_sums([*money.values()]):
            self._doubt_last_rows([*money][-2:])
        if not totals.may_have_sums([*money.values()]):
            return
        first, *between, last = money
        has_ends = between and self._survey.without_text == [first, last]
        if has_ends and sum(money.values()) == 2 * money[last]:
            name = plan.headings.named(plan.indexes("payee", "note")[0])
            ask_about_sums(name, last, [""], questions=self._questions)
            return
        all_ = movements(plan, selection)
        rows = [(line, cells, money[line]) for line, cells in all_ if line in money]
        taken = {*plan.amounts, *plan.columns["recordDate"]}
        found: list[tuple[bool, int, int, list[list[str]]]] = []
        bare = [self._survey.bare[0]] if self._survey.bare else []
        for column in sorted({*range(plan.table.width)} - taken):
            kinds = [
                (line, without_numbers(cells[column].strip()), units) for line, cells, units in rows
            ]
            sums = totals.repeated_sums(kinds) or totals.repeated_sums(kinds[::-1])
            # `ask_about_end` asks about a bare row.
            if sums and sums != bare:
                texts = {line: cells[column].strip() for line, cells, _ in rows}
                named = [*dict.fromkeys(texts[line] for line in sums)]
                # The closing balance is the sum of the opening balance and all rows.
                end = rows[-1 if sums[0] == rows[0][0] else 0][0]
                readings = [[texts[end], *named], named] if len(sums) == 1 else [named]
                found.append(("" in named, column, min(sums), readings))
        if found and not any(column in selection.undoubted for _, column, *_ in found):
            _, column, line, readings = min(found)
            name = plan.headings.named(column)
            ask_about_sums(name, line, *readings, questions=self._questions)

    def _doubt_last_rows(self, lines: Container[int]) -> None:
        for line, cells in movements(self._plan, self._selection):
            named = [index for index in self._plan.texts if is_text(cells[index])]
            if line in lines and named:
                doubt = totals.Doubt(named[0], cells[named[0]].strip(), False, True)
                self._selection.doubts[line] = doubt

    def ask_about_end(self) -> None:
        """Ask about a last row without texts that all others have: it may be a balance. So may the
        first row of a file without headings, and a row of which the balance is all its money.
        """
        plan, survey = self._plan, self._survey
        bare = None if "balance" in plan.columns else survey.bare
        rows, cells_of = self._rows.balance_rows()
        for line, size, balance in (*rows[:1], *rows[-1:]):
            lacked = survey.lacked(line)
            bare = (line, lacked) if size == abs(balance) and lacked is not None else bare
        if bare is None or survey.count < _FEW or bare[1] in self._selection.undoubted:
            return
        line, column = bare
        name = plan.headings.named(column)
        cells = cells_of.get(line, [])
        if line == plan.table.first_line:
            without = without_first(plan.table)
        elif line == survey.last_line:
            without = self._without_last()
        elif texts := [i for i in plan.indexes("payee", "note") if cells and cells[i].strip()]:
            text = cells[texts[0]].strip()
            condition = f"{plan.headings.named(texts[0])}={text}"
            without = Choice({"leave_out": (condition,)}, clause(Says.NOT_TRANSACTION, text=text))
        else:
            return
        kept = Choice({"leave_out": (f"{name}=",)}, clause(Says.TRANSACTION, text=BLANK))
        fact = clause(Topic.END_WITHOUT_TEXT, column=name)
        self._questions.ask(fact, without, kept, line=line)

    def _without_last(self) -> Choice:
        last: ImportOptions = {"skip_last": self._plan.mapping.skip_last + 1}
        return Choice(last, clause(Says.NOT_TRANSACTION, text=BLANK))
