"""Finds double entry, where each payment has a row for each of its accounts."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.cells import text_of
from finance_api.importers.csv.guess.totals import MoneyRow
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.vocabulary import JOURNAL, OWN_BOOKS, folded
from finance_api.importers.interface import MOST_COMMANDS, Choice, Questions
from finance_api.importers.options import ImportOptions

#: The name of an account in double entry, such as Assets:Bank.
_PATH = re.compile(r"[^\W\d_][^:]*:[^\W\d_]")
#: At most this many accounts are kept.
_MOST_ACCOUNTS = 1_000


def books_in(rows: Iterable[Sequence[str]], headings: Headings) -> list[int]:
    """Return the columns that may name the accounts of double entry. rows: the file's first."""
    first = list(rows)
    paths = [i for i in range(headings.width) if all(_PATH.match(cells[i]) for cells in first)]
    named = [i for i in range(headings.width) if headings.fit("account", i)]
    return sorted({*named, *(paths if first else ())})


def accounts_in(
    rows: Iterable[MoneyRow], columns: Sequence[int], plan: Plan
) -> tuple[int, list[str]] | None:
    """Return the column that names the accounts of double entry, and its accounts, the most common
    first; None if the rows are no double entry.

    Rows are double entry if the money of each day adds up to zero, in three accounts or more, or if
    a column of accounts has names such as "Expenses:Food".
    """
    names: dict[int, Counter[str]] = {index: Counter() for index in columns}
    days = Counter[str]()
    for row in rows:
        days[text_of(row.cells, plan.columns["recordDate"])] += row.net
        for index, found in names.items():
            text = row.cells[index].strip()
            if text in found or len(found) < _MOST_ACCOUNTS:
                found[text] += 1
    are_zero = len(days) > 1 and not any(days.values())
    for index, found in names.items():
        texts = [text for text, _ in found.most_common() if text]
        is_named = plan.headings.fit("account", index) and any(
            _PATH.match(text) and _first_word(text) in JOURNAL for text in texts
        )
        if len(texts) > 1 and (is_named or (are_zero and len(texts) > 2)):
            return index, texts
    return None


def are_paired(rows: Iterable[Sequence[str]], columns: Sequence[int]) -> bool:
    """Return whether each row has the names of two accounts, such as Assets:Bank and Income:Job."""
    counts = [sum(bool(_PATH.match(cells[index])) for index in columns) for cells in rows]
    return min(counts, default=0) > 1


def ask_whose_rows(
    column: int, accounts: Sequence[str], plan: Plan, turned: ImportOptions, questions: Questions
) -> None:
    """Ask which of the accounts are the bank's.

    turned: options with which a debit comes in, as in the books of an account's owner.
    """
    name = plan.headings.named(column)
    own = [text for text in accounts if _first_word(text) in OWN_BOOKS]
    likely = own or [text for text in accounts if _first_word(text) not in JOURNAL]
    chosen = [[text] for text in likely]
    if plan.mapping.account is None:
        chosen = [own] if own else chosen[: MOST_COMMANDS // 2 - 1]
        chosen += [likely] if len(chosen) > 1 else []
    choices = []
    for texts in chosen:
        only: ImportOptions = {"only": tuple(f"{name}={text}" for text in texts)}
        if len(texts) > 1:
            only["columns"] = {"account": (name,)}
        rows = tuple(texts)
        if "positive" in turned:
            choices.append(Choice({**only, **turned}, clause(Says.ONLY_ROWS, accounts=rows)))
        else:
            way = cast("ImportOptions", {**only, **dict.fromkeys(turned)})
            choices.append(
                Choice({**only, **turned}, clause(Says.ONLY_ROWS_DEBIT_IN, accounts=rows))
            )
            choices.append(Choice(way, clause(Says.ONLY_ROWS_DEBIT_OUT, accounts=rows)))
    fact, line = clause(Topic.DOUBLE_ENTRY, column=name), plan.headings.line
    questions.ask(fact, *choices[:MOST_COMMANDS], line=line, column=column)


def _first_word(account: str) -> str:
    return folded(re.split(r"[\W\d_]", account.strip(), maxsplit=1)[0])
