"""Asks which rows are transactions: about unknown words of a status, and about totals."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import compress, permutations, product

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.cells import BLANK, money_text
from finance_api.importers.csv.guess.column import field_in, sides_in
from finance_api.importers.csv.guess.evidence import Survey
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.table import is_amount, is_date, is_text
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    YES,
    currency_in,
    folded,
    is_likely_not_money,
    is_not_money,
    kind_of,
    role_fit,
)
from finance_api.importers.interface import MOST_COMMANDS, Choice, Questions

#: With up to this many unknown words, every combination of them is offered as an answer. For more
#: words, the answers are only: all, none, all but one, and each word alone.
_COMBINED = 3
#: Rows without an amount are offered to be left out if they have at most this many words.
_MOST_KINDS = 5


def names_balance(cells: Sequence[str]) -> bool:
    """Return whether any of a row's cells names a balance or a total."""
    return any(kind_of(cell.strip()) for cell in cells)


def ask_which_rows(plan: Plan, survey: Survey, selection: Selection, questions: Questions) -> None:
    """Ask about unknown words of a status, and about rows that may be totals."""
    headings = plan.headings
    for index, unknown in selection.unknown.items():
        kept = [text for text, keeps in selection.words.get(index, {}).items() if keeps]
        _ask_for_words(index, headings.named(index), unknown, kept, questions)
    for column in survey.watched:
        words = {text.strip(): min(lines.values()) for text, lines in column.values.items()}
        denied = role_fit("denial", column.heading) > 0
        unknown = {
            text: line
            for text, line in words.items()
            if is_not_money(text) or (denied and folded(text) in YES)
        }
        if unknown and column.index not in plan.inferred.explained:
            others = [text for text in words if text not in unknown]
            booked = [text for text in others if denied or folded(text) in BOOKED]
            unknown |= {text: words[text] for text in others if text not in booked}
            name = headings.named(column.index)
            _ask_for_words(column.index, name, unknown, booked, questions)
    _ask_about_totals(plan, survey, selection, questions)


def _ask_about_totals(
    plan: Plan, survey: Survey, selection: Selection, questions: Questions
) -> None:
    """Ask which rows whose texts have words for totals are totals: once for each column, because
    the answer that some are transactions holds for the column's other texts as well.
    """
    asked: defaultdict[int, dict[str, int]] = defaultdict(dict)
    counts = Counter((doubt.column, doubt.text) for doubt in selection.doubts.values())
    for line, doubt in selection.doubts.items():
        are_all = counts[doubt.column, doubt.text] == survey.count
        if doubt.asks and doubt.column not in selection.undoubted and not are_all:
            asked[doubt.column].setdefault(doubt.text, line)
    for index, lines in asked.items():
        texts, name = tuple(lines), plan.headings.named(index)
        # What most rows say is no total, but how they were paid, for instance.
        likely = [text for text in texts if counts[index, text] * 2 <= survey.count]
        choices = []
        for chosen in _subsets(texts, likely):
            kept = len(chosen) < len(texts)
            values = (*(f"{name}={text}" for text in chosen), *([f"{name}="] if kept else []))
            parts = tuple(
                clause(Says.NOT_TRANSACTION if text in chosen else Says.TRANSACTION, text=text)
                for text in texts
            )
            meaning = parts[0] if len(parts) == 1 else clause(Says.BOTH, both=parts)
            choices.append(Choice({"leave_out": values}, meaning))
        fact = clause(Topic.MAYBE_TOTAL, text=texts[0] if len(texts) == 1 else texts)
        questions.ask(fact, *choices, line=min(lines.values()))


def other_dates(plan: Plan) -> list[Choice]:
    """Return choices that take the days from another column that has one in each row."""
    days = [i for i in range(plan.table.width) if i not in plan.indexes("recordDate")]
    for _, cells in plan.table.fitting_rows():
        days = [index for index in days if is_date(cells[index].strip())]
    return [field_in("recordDate", name) for name in map(plan.headings.named, days)]


def repeated_cells(plan: Plan, line: int, *fields: str) -> list[Choice]:
    """Return the choice that blank cells of these fields in the row repeat the row above."""
    seen: set[int] = set()
    for at, cells in plan.table.fitting_rows():
        filled = {index for index in plan.indexes(*fields) if cells[index].strip()}
        if at == line:
            names = tuple(map(plan.headings.named, sorted(seen - filled)))
            meaning = clause(Says.REPEATS_ABOVE, columns=names)
            return [Choice({"fill_down": names}, meaning)] if names else []
        seen |= filled
    return []


def kinds_without(columns: Sequence[int], plan: Plan, selection: Selection) -> list[Choice]:
    """Return choices that leave out the rows without an amount, or without a date: by the words
    that they have in a column, if no row with one has these words there. A payee or a note is no
    kind: the next file may have rows with an amount for it.

    columns: those of the amounts, or of the dates.
    """
    named = plan.indexes("recordDate", "valueDate", "balance", "payee", "note")
    taken = {*plan.amounts, *named}
    words = {i: dict[str, str]() for i in range(plan.table.width) if i not in taken}
    for has_amount in (False, True):
        for line, cells in plan.table.fitting_rows():
            found = any(money_text(cells[index]) for index in columns)
            if found != has_amount or not selection.keeps(line, cells):
                continue
            for index, kinds in [*words.items()]:
                text = cells[index].strip()
                is_kind = folded(text) not in kinds
                if not has_amount:
                    kinds[folded(text)] = text
                    is_kind = is_text(text) and len(kinds) <= _MOST_KINDS
                if not is_kind:
                    del words[index]
    return [_left_out(plan.headings.named(i), *kinds.values()) for i, kinds in words.items()]


def without_amount(plan: Plan, selection: Selection) -> list[Choice]:
    """Return choices for rows without an amount: to leave them out, unless they have money in
    another column; if that is only one, of the same currency, it may have the other side.
    """
    read = {*plan.amounts, *plan.indexes("recordDate", "valueDate", "balance")}
    money: set[int] = set()
    for line, cells in plan.table.fitting_rows():
        is_bare = not any(money_text(cells[index]) for index in plan.amounts)
        if is_bare and selection.keeps(line, cells):
            texts = ((i, cell.strip()) for i, cell in enumerate(cells) if i not in read)
            money |= {i for i, text in texts if is_amount(text) and not text.isdigit()}
    name = plan.headings.named
    codes = [currency_in(plan.headings.text(index)) for index in (*plan.amounts, *money)]
    if not money or (None not in codes and len({*codes}) == len(codes)):
        # Money in another currency is another account's.
        blank = tuple(f"{name(index)}=" for index in plan.amounts)
        bare = Choice({"leave_out": blank}, clause(Says.WITHOUT_AMOUNT))
        return kinds_without(plan.amounts, plan, selection) or [bare]
    pair = sorted({*plan.amounts, *money})
    return [sides_in(name(a), name(b)) for a, b in permutations(pair)] if len(pair) == 2 else []


def _left_out(name: str, *texts: str) -> Choice:
    conditions = tuple(f"{name}={text}" for text in texts if text)
    return Choice({"leave_out": conditions}, clause(Says.NOT_TRANSACTIONS, texts=texts))


def ask_about_sums(
    name: str, line: int, *readings: Sequence[str], questions: Questions, topic: Topic = Topic.SUMS
) -> None:
    """Ask about rows that are sums of others, or their parts. readings: their texts in the column
    ``name``.
    """
    choices = [_left_out(name, *texts) for texts in readings if any(texts)]
    kept = Choice({"leave_out": (f"{name}=",)}, clause(Says.THESE_TRANSACTIONS))
    named = tuple(dict.fromkeys(text or BLANK for texts in readings for text in texts))
    fact = clause(topic if choices else Topic.SUMS_WITHOUT_TEXT, texts=named)
    questions.ask(fact, *choices, kept, line=line)


def _subsets(words: Sequence[str], likely: Sequence[str]) -> list[list[str]]:
    """Return the sets of words to offer, those that differ least from the likely one first."""
    if len(words) <= _COMBINED:
        chosen_or_not = product((True, False), repeat=len(words))
        found = [list(compress(words, each)) for each in chosen_or_not]
    else:
        all_but_one = [[text for text in words if text != left_out] for left_out in words]
        found = [[*words], [], *all_but_one, *([text] for text in words)][:MOST_COMMANDS]
    return sorted(found, key=lambda chosen: sum((t in chosen) != (t in likely) for t in words))


def _ask_for_words(
    index: int, name: str, unknown: Mapping[str, int], kept: Sequence[str], questions: Questions
) -> None:
    """Ask which words of a column mark transactions.

    kept: words that do. unknown: words that may -> their lines.
    """
    # Most likely, the words that are known for transactions are all that mark one.
    likely = [] if kept else [text for text in unknown if not is_likely_not_money(text)]
    choices = []
    for chosen in _subsets([*unknown], likely):
        if texts := [*kept, *chosen]:
            only = tuple(f"{name}={text}" for text in texts)
            meaning = clause(Says.ROWS_TRANSACTIONS, words=tuple(texts))
            choices.append(Choice({"only": only}, meaning))
    fact = clause(Topic.STATUS, column=name, words=(*unknown, *kept))
    questions.ask(fact, *choices, line=min(unknown.values()), column=index)
