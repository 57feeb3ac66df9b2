"""The currency of each row, and the names of accounts that have several currencies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from finance_api.importers.csv.layout import Headings, Layout, field_of
from finance_api.importers.csv.places import currencies_beside, currency_above, lines_above
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.survey import Survey
from finance_api.importers.csv.vocabulary import marks_in
from finance_api.importers.interface import CODE, Answer, ImportRefused, Questions, listed, quoted
from finance_api.importers.marks import Mark, codes_in, stated_code


class Currencies:
    """option: the value of --currency. whole: the only currency of a file, as stated once or beside
    the amounts. by_mark: whether each row's currency stands beside its amount.

    If a file has several currencies, it divides each account: "NAME EUR", "NAME USD".
    several: account -> its currencies, if the file has several. remembered: options saved from an
    earlier file. divided: the account that an earlier file divided; --account may name this account
    or one of its parts. column: the name of the column that has each row's currency.
    """

    def __init__(
        self,
        option: str | None,
        whole: str | None,
        several: Mapping[str, Sequence[str]],
        *,
        by_mark: bool,
        remembered: Mapping[str, Any],
        column: str = "",
    ) -> None:
        self.option = option or whole
        self._column = column
        self._is_option = option is not None
        self._by_mark = by_mark
        self._several = several
        self._split = bool(remembered.get("split"))
        self.divided: str | None = remembered.get("account") if self._split else None
        self._first = None if self._split else remembered.get("accountCurrency")

    def of_row(self, text: str | None, mark: Mark | None, line: int) -> str | None:
        """Return a row's currency. Raises ImportRefused if it is no code, or not --currency's."""
        if text is not None:
            code = stated_code(text, "the currency", line)
            if self._is_option and code != self.option:
                all_ = Answer(("--map", "currency="), (), f"all amounts are in {self.option}")
                raise ImportRefused(
                    f"the currency is {code}, but --currency says {self.option}",
                    line,
                    answers=(_in_column(self._column), all_),
                )
            return code
        if self._by_mark:
            if mark is None or mark.currency is None:
                raise ImportRefused(
                    "the amount has no currency, and the other amounts have several", line
                )
            return mark.currency
        if self._several and not self._is_option:
            raise ImportRefused("the currency is empty", line)
        return self.option

    def account_name(self, name: str, currency: str | None) -> tuple[str, bool]:
        """Return the name of the account for rows of one currency, and whether it is a part."""
        several = len(self._several.get(name, self._several.get("", ()))) > 1
        if currency is None or not (several or self._split) or currency == self._first:
            return name, False
        return f"{name} {currency}", True


def _in_column(name: str) -> Answer:
    meaning = f"{quoted(name)} has the currency of each amount"
    return Answer(("--map", f"currency={name}"), ("--currency",), meaning)


def decide_currencies(
    plan: Plan, survey: Survey, questions: Questions, *, needs_one: Callable[[], bool]
) -> Currencies:
    """Ask for --map currency= if an unmapped column has codes of several currencies.

    needs_one: whether an account may be new, and so needs a currency.
    """
    layout, columns, headings = plan.layout, plan.columns, plan.headings
    option, remembered = layout.currency, plan.remembered
    if "currency" in columns:
        several = _per_account(survey.currencies, layout)
        column = headings.named(columns["currency"][0])
        return Currencies(
            option, None, several, by_mark=False, remembered=remembered, column=column
        )
    above = None if plan.profile is not None else currency_above(lines_above(plan.table))
    in_headings = {mark for index in plan.amounts for mark in marks_in(headings.text(index))}
    stated = {mark.currency for mark in in_headings} - {None}
    written = stated.pop() if len(stated) == 1 else above
    marks = survey.amounts.marks
    certain = {mark.currency: line for mark, line in marks.items() if mark.currency is not None}
    if option is None and written is None and len(certain) > 1 and not survey.amounts.has_bare:
        several = _per_account(survey.marked, layout)
        return Currencies(None, None, several, by_mark=True, remembered=remembered)
    for mark, line in (dict.fromkeys(in_headings, headings.line) | marks).items():
        if option is not None and not mark.fits(option):
            where = "heading of the amount states" if mark in in_headings else "amount is in"
            raise ImportRefused(
                f"the {where} {mark.currency or mark.text}, but --currency says {option}",
                line,
                answers=(Answer(instead_of=("--currency",)),),
            )
    whole = written
    if "currency" not in map(field_of, layout.columns):
        if option is not None and plan.profile is None and not in_headings:
            _ask_about_others_above(plan, option, above, questions)
        whole = whole or _in_columns(survey, option or whole, headings, questions, needs_one)
    if whole is None and option is None and len(certain) == 1:
        whole = next(iter(certain))
    return Currencies(option, whole, {}, by_mark=False, remembered=remembered)


def _ask_about_others_above(
    plan: Plan, option: str, labelled: str | None, questions: Questions
) -> None:
    """Ask if the lines above the headings state another currency than --currency.

    labelled: the currency behind a label; without it, currencies that stand alone are compared.
    """
    others = {labelled} - {None, option}
    if labelled is None and option not in (beside := currencies_beside(lines_above(plan.table))):
        others |= beside
    codes = sorted(filter(None, others))
    if codes:
        questions.ask(
            f"the lines above the headings have {listed(codes)}, but --currency says {option}",
            *(
                Answer(("--currency", code), ("--currency",), f"all amounts are in {code}")
                for code in codes
            ),
            Answer(("--map", "currency="), (), f"all amounts are in {option}"),
            line=plan.headings.line,
            how=(
                ": say with --currency which one is right, or confirm the other with --map "
                "currency="
            ),
        )


def _per_account(
    found: Mapping[str, Mapping[str, int]], layout: Layout
) -> dict[str, tuple[str, ...]]:
    """Return account -> its currencies. "" is the account of --account, which has all rows."""
    if layout.account is None:
        return {name: tuple(codes) for name, codes in found.items()}
    codes = tuple(code for codes in found.values() for code in codes)
    return {"": codes} if codes else {}


def _in_columns(
    survey: Survey,
    currency: str | None,
    headings: Headings,
    questions: Questions,
    needs_one: Callable[[], bool],
) -> str | None:
    """Return the code that an unmapped column has in every row, or ask about its codes."""
    for column in survey.watched:
        codes = codes_in(column.values)
        if not codes:
            continue
        name = headings.named(column.index)
        if len(codes) == 1 and currency in (None, *codes):
            return next(iter(codes))
        says = f", but --currency says {currency}" if currency is not None else ""
        without = ("--currency", CODE) if currency is None and needs_one() else ()
        questions.ask(
            f"the column {quoted(name)} has {listed(sorted(codes))}{says}",
            _in_column(name),
            Answer(("--map", "currency=", *without), meaning="all amounts are in one currency"),
            line=min(line for kinds in column.values.values() for line in kinds.values()),
            column=column.index,
            how=(
                ": if these are the currencies of the amounts, say --map currency=…; if all "
                "amounts are in one currency, say --map currency="
            ),
        )
        return None
    return None
