"""Decides the currencies of the rows."""

from collections import abc
from itertools import chain

from finance_api.importers.clauses import Clause, Fact, Says, Topic, clause
from finance_api.importers.csv.guess.evidence import Survey, Watched
from finance_api.importers.csv.mapping import Mapping, field_of
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.reading import Currencies, in_column
from finance_api.importers.csv.sniff import currencies_beside, currency_above
from finance_api.importers.csv.table import is_account, is_amount
from finance_api.importers.csv.vocabulary import marks_in, role_fit
from finance_api.importers.interface import Choice, ImportRefused, Questions
from finance_api.resources.currencies import CODES, codes_in


def decide_currencies(plan: Plan, survey: Survey, questions: Questions) -> Currencies:
    """Return the currencies of the rows; ask if an unmapped column has several currencies."""
    mapping, columns, headings = plan.mapping, plan.columns, plan.headings
    option, remembered = mapping.currency, plan.remembered
    if "currency" in columns:
        several = _per_account(survey.currencies, mapping)
        column = headings.named(columns["currency"][0])
        return Currencies(option, remembered, several=several, column=column)
    above = None if plan.rows is not None else currency_above(plan.table.above)
    money = plan.indexes("amount", "debit", "credit", "balance")
    in_headings = dict.fromkeys(m for i in money for m in marks_in(headings.text(i)))
    stated = {mark.currency for mark in in_headings} - {None}
    written = stated.pop() if len(stated) == 1 else above or plan.inferred.currency
    marks = survey.amounts.marks
    certain = {mark.currency: line for mark, line in marks.items() if mark.currency is not None}
    if option is None and written is None and len(certain) > 1 and not survey.amounts.has_bare:
        several = _per_account(survey.marked, mapping)
        return Currencies(None, remembered, several=several, by_mark=True)
    for mark, line in (dict.fromkeys(in_headings, headings.line) | marks).items():
        if option is not None and not mark.fits(option):
            topic = Topic.HEADING_AGAINST if mark in in_headings else Topic.AMOUNT_AGAINST
            fact = clause(topic, code=mark.currency or mark.text, said=option)
            is_only = mark in in_headings or not survey.amounts.has_bare
            raise ImportRefused(fact, line, (Choice({"currency": None}),) if is_only else ())
    whole = written
    if "currency" not in map(field_of, mapping.columns):
        if option is not None and plan.rows is None and not in_headings:
            _ask_about_others_above(plan, option, above, questions)
        whole = whole or _in_columns(plan, survey, option or whole, questions)
    if whole is None and option is None and len(certain) == 1 and not survey.amounts.has_bare:
        whole = next(iter(certain))
    possible = [{*mark.possible} for mark in (*in_headings, *marks) if mark.possible]
    common = set.intersection(*possible) if len(possible) > 1 else set()
    if whole is None and len(common) == 1:
        # Of the currencies of ¥ and of 元, only one is the same.
        (whole,) = common
    open_ = next(iter(in_headings), None) if whole is None and option is None else None
    return Currencies(option, remembered, whole, mark=open_)


def _ask_about_others_above(
    plan: Plan, option: str, labelled: str | None, questions: Questions
) -> None:
    """Ask if the lines above the headings state a currency that is not --currency.

    labelled: the currency after a label in these lines. If it is None, currencies that stand alone
    or beside an amount are compared.
    """
    others = {labelled} - {None, option}
    if labelled is None and option not in (beside := currencies_beside(plan.table.above)):
        others |= beside
    codes = sorted(filter(None, others))
    if codes:
        choices = [Choice({"currency": code}, clause(Says.ALL_IN, code=code)) for code in codes]
        own = Choice({"columns": {"currency": ("",)}}, clause(Says.ALL_IN, code=option))
        fact = clause(Topic.LINES_AGAINST, codes=tuple(codes), said=option)
        questions.ask(fact, *choices, own, line=plan.headings.line)


def _per_account(
    found: abc.Mapping[str, abc.Mapping[str, int]], mapping: Mapping
) -> dict[str, tuple[str, ...]]:
    """Return account -> its currencies. "" is the account of --account, which has all rows."""
    if mapping.account is None:
        return {name: tuple(codes) for name, codes in found.items()}
    codes = tuple(code for codes in found.values() for code in codes)
    return {"": codes} if codes else {}


def _in_columns(
    plan: Plan, survey: Survey, currency: str | None, questions: Questions
) -> str | None:
    """Return the code that an unmapped column has in every row, or ask about its codes; or the only
    code of several columns, of which one has it in each row.
    """
    headings = plan.headings
    named = [each for each in survey.watched if role_fit("currency", each.heading)]
    blank = [{*each.values.get("", ())} for each in named]
    stated = codes_in(text for each in named for text in each.values if text)
    if len(named) > 1 and not set.intersection(*blank) and len(stated) == 1:
        return next(iter(stated)) if currency in (None, *stated) else None
    for column in survey.watched:
        codes = codes_in(column.values)
        is_named = role_fit("currency", column.heading) > 0
        if not codes or not (is_named or all(map(_is_code, column.values))):
            continue
        name = headings.named(column.index)
        is_one = len(codes) == 1 and currency in (None, *codes)
        if is_one and (is_named or currency or _is_supported(column, codes, plan, survey)):
            return next(iter(codes))
        facts: dict[str, Fact] = {"column": name, "codes": tuple(sorted(codes))}
        fact = Clause(Topic.CURRENCY_COLUMN, facts)
        if currency is not None:
            fact = Clause(Topic.CURRENCY_COLUMN_AGAINST, {**facts, "said": currency})
        needs = ("currency",) if currency is None else ()
        one = Choice({"columns": {"currency": ("",)}}, clause(Says.ONE_CURRENCY), needs)
        choices = (one, in_column(name)) if is_one else (in_column(name), one)
        line = min(line for kinds in column.values.values() for line in kinds.values())
        questions.ask(fact, *choices, line=line, column=column.index)
        return None
    return None


def _is_code(text: str) -> bool:
    """Return whether a cell is a code or has a symbol: other words may mean another thing, such as
    the R of a reconciled row.
    """
    return text.strip() in CODES or not text.strip().isalpha()


def _is_supported(column: Watched, codes: abc.Set[str], plan: Plan, survey: Survey) -> bool:
    """Return whether a column whose heading does not name a currency has one, and not a word such
    as ALL: it is a symbol, it has no heading and stands beside money or an account, or the file has
    the code in another place, too.
    """
    beside = {column.index - 1, column.index + 1} if not column.heading else ()
    cells = (text.strip() for row in plan.table.sample for i, text in enumerate(row) if i in beside)
    if codes.isdisjoint(map(str.strip, column.values)) or any(
        is_amount(text) or is_account(text) for text in cells
    ):
        return True
    headings = map(plan.headings.text, range(plan.table.width))
    marks = {*survey.amounts.marks, *chain.from_iterable(map(marks_in, headings))}
    watched = (other for other in survey.watched if other is not column)
    others = (codes_in(filter(str.strip, other.values)) for other in watched)
    stated = currencies_beside(plan.table.above).union(*others)
    return codes <= stated | {mark.currency for mark in marks}
