"""Decides the currencies of the rows, and asks about rows and columns that are not read."""

from collections import abc
from collections.abc import Iterator, Sequence
from itertools import compress, product

from finance_api.importers.clauses import Clause, Fact, Says, Topic, clause
from finance_api.importers.csv.cells import BLANK
from finance_api.importers.csv.guess.evidence import Survey, Watched
from finance_api.importers.csv.guess.status import Selection
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.mapping import Mapping, field_of
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.reading import Currencies, in_column
from finance_api.importers.csv.sniff import currencies_beside, currency_above
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    DIRECTIONS,
    NOT_MONEY,
    YES_OR_NO,
    folded,
    kind_of,
    marks_in,
    role_fit,
)
from finance_api.importers.interface import MOST_COMMANDS, Choice, ImportRefused, Questions
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import codes_in

#: With up to this many unknown words, every combination of them is offered as an answer. For more
#: words, the answers are only: all, none, all but one, and each word alone.
_COMBINED = 3


def decide_currencies(plan: Plan, survey: Survey, questions: Questions) -> Currencies:
    """Return the currencies of the rows; ask if an unmapped column has several currencies."""
    mapping, columns, headings = plan.mapping, plan.columns, plan.headings
    option, remembered = mapping.currency, plan.remembered
    if "currency" in columns:
        several = _per_account(survey.currencies, mapping)
        column = headings.named(columns["currency"][0])
        return Currencies(option, remembered, several=several, column=column)
    above = None if plan.profile is not None else currency_above(plan.table.above)
    in_headings = {mark for index in plan.amounts for mark in marks_in(headings.text(index))}
    stated = {mark.currency for mark in in_headings} - {None}
    written = stated.pop() if len(stated) == 1 else above
    marks = survey.amounts.marks
    certain = {mark.currency: line for mark, line in marks.items() if mark.currency is not None}
    if option is None and written is None and len(certain) > 1 and not survey.amounts.has_bare:
        several = _per_account(survey.marked, mapping)
        return Currencies(None, remembered, several=several, by_mark=True)
    for mark, line in (dict.fromkeys(in_headings, headings.line) | marks).items():
        if option is not None and not mark.fits(option):
            topic = Topic.HEADING_AGAINST if mark in in_headings else Topic.AMOUNT_AGAINST
            raise ImportRefused(
                clause(topic, code=mark.currency or mark.text, said=option),
                line,
                choices=(Choice({"currency": None}),),
            )
    whole = written
    if "currency" not in map(field_of, mapping.columns):
        if option is not None and plan.profile is None and not in_headings:
            _ask_about_others_above(plan, option, above, questions)
        whole = whole or _in_columns(survey, option or whole, headings, questions)
    if whole is None and option is None and len(certain) == 1:
        whole = next(iter(certain))
    return Currencies(option, remembered, whole)


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
        questions.ask(
            clause(Topic.LINES_AGAINST, codes=tuple(codes), said=option),
            *(Choice({"currency": code}, clause(Says.ALL_IN, code=code)) for code in codes),
            Choice({"columns": {"currency": ("",)}}, clause(Says.ALL_IN, code=option)),
            line=plan.headings.line,
        )


def _per_account(
    found: abc.Mapping[str, abc.Mapping[str, int]], mapping: Mapping
) -> dict[str, tuple[str, ...]]:
    """Return account -> its currencies. "" is the account of --account, which has all rows."""
    if mapping.account is None:
        return {name: tuple(codes) for name, codes in found.items()}
    codes = tuple(code for codes in found.values() for code in codes)
    return {"": codes} if codes else {}


def _in_columns(
    survey: Survey, currency: str | None, headings: Headings, questions: Questions
) -> str | None:
    """Return the code that an unmapped column has in every row, or ask about its codes."""
    for column in survey.watched:
        codes = codes_in(column.values)
        if not codes:
            continue
        name = headings.named(column.index)
        if len(codes) == 1 and currency in (None, *codes):
            return next(iter(codes))
        facts: dict[str, Fact] = {"column": name, "codes": tuple(sorted(codes))}
        fact = Clause(Topic.CURRENCY_COLUMN, facts)
        if currency is not None:
            fact = Clause(Topic.CURRENCY_COLUMN_AGAINST, {**facts, "said": currency})
        needs = ("currency",) if currency is None else ()
        questions.ask(
            fact,
            in_column(name),
            Choice({"columns": {"currency": ("",)}}, clause(Says.ONE_CURRENCY), needs),
            line=min(line for kinds in column.values.values() for line in kinds.values()),
            column=column.index,
        )
        return None
    return None


def names_balance(cells: Sequence[str]) -> bool:
    """Return whether any of a row's cells names a balance or a total."""
    return any(kind_of(cell.strip()) for cell in cells)


def ask_which_rows(
    survey: Survey, selection: Selection, headings: Headings, questions: Questions
) -> None:
    """Ask about unknown words of a status, and about rows that may be totals."""
    for index, unknown in selection.unknown.items():
        kept = [text for text, keeps in selection.words.get(index, {}).items() if keeps]
        _ask_for_words(index, unknown, kept, headings, questions)
    for column in survey.watched:
        words = {text.strip(): min(lines.values()) for text, lines in column.values.items()}
        unknown = {text: line for text, line in words.items() if _is_not_money(text)}
        if unknown:
            others = [text for text in words if text not in unknown]
            booked = [text for text in others if folded(text) in BOOKED]
            unknown |= {text: words[text] for text in others if text not in booked}
            _ask_for_words(column.index, unknown, booked, headings, questions)
    doubts = {(d.column, d.text): line for line, d in selection.doubts.items() if d.asks}
    for (index, text), line in doubts.items():
        name = headings.named(index)
        questions.ask(
            clause(Topic.MAYBE_TOTAL, text=text),
            Choice({"leave_out": (f"{name}={text}",)}, clause(Says.NOT_TRANSACTION, text=text)),
            Choice({"leave_out": (f"{name}=",)}, clause(Says.TRANSACTION, text=text)),
            line=line,
        )


def ask_about_sums(name: str, line: int, texts: Sequence[str], questions: Questions) -> None:
    """Ask about rows that are sums of others. texts: their texts in the column ``name``."""
    left_out = tuple(f"{name}={text}" for text in texts if text)
    kept = Choice({"leave_out": (f"{name}=",)}, clause(Says.THESE_TRANSACTIONS))
    sums = Choice({"leave_out": left_out}, clause(Says.NOT_TRANSACTIONS, texts=tuple(texts)))
    questions.ask(
        clause(
            Topic.SUMS if left_out else Topic.SUMS_WITHOUT_TEXT,
            texts=tuple(text or BLANK for text in texts),
        ),
        *([sums, kept] if left_out else [kept]),
        line=line,
    )


def _is_not_money(text: str) -> bool:
    """Return whether a text is or contains a word for transactions that have not been booked."""
    words = folded(text)
    return words in NOT_MONEY or any(
        len(word) > 5 and word in NOT_MONEY for word in words.replace("-", " ").split()
    )


def _ask_for_words(
    index: int,
    unknown: abc.Mapping[str, int],
    kept: Sequence[str],
    headings: Headings,
    questions: Questions,
) -> None:
    """Ask which words of a column mark transactions.

    kept: words that do. unknown: words that may -> their lines.
    """
    name = headings.named(index)
    if len(unknown) <= _COMBINED:
        kept_or_not = product((True, False), repeat=len(unknown))
        possible = [list(compress(unknown, each)) for each in kept_or_not]
    else:
        all_but_one = [[text for text in unknown if text != left_out] for left_out in unknown]
        possible = [[*unknown], [], *all_but_one, *([text] for text in unknown)][:MOST_COMMANDS]
    choices = []
    for chosen in possible:
        if texts := [*kept, *chosen]:
            only = tuple(f"{name}={text}" for text in texts)
            choices.append(
                Choice({"only": only}, clause(Says.ROWS_TRANSACTIONS, words=tuple(texts)))
            )
    questions.ask(
        clause(Topic.STATUS, column=name, words=(*unknown, *kept)),
        *choices,
        line=min(unknown.values()),
        column=index,
    )


def ask_about_unread(plan: Plan, survey: Survey, questions: Questions) -> Iterator[str]:
    """Ask about columns of money and accounts that are not read, and about text that would be lost.

    Yields a remark that lists the columns that are not imported.
    """
    headings = plan.headings
    open_ = [column for column in survey.unmapped if column.index not in questions.columns]
    unread = [*sorted(plan.ignored), *(column.index for column in open_ if column.texts)]
    if unread:
        yield "not imported: " + ", ".join(map(headings.named, unread))
    if plan.profile is None:
        unexplained = [c for c in open_ if c.index not in plan.inferred.explained]
        _ask_about(unexplained, plan, questions)
    telling = [
        headings.named(column.index)
        for column in open_
        if column.is_text and not (column.is_few and _is_vocabulary(column.texts))
    ]
    if telling and not plan.mapping.no_text and not {"payee", "note"} & set(plan.columns):
        questions.ask(
            clause(Topic.TEXT_LOST, columns=tuple(telling)),
            Choice({"columns": {"note": tuple(telling)}}),
        )


def _ask_about(columns: Sequence[Watched], plan: Plan, questions: Questions) -> None:
    """Ask about the columns that could change sums."""
    headings = plan.headings
    money = []
    for column in columns:
        topic, choices = _readings(column, plan)
        if topic is not None:
            name = headings.named(column.index)
            questions.ask(
                clause(topic, column=name), *choices, line=headings.line, column=column.index
            )
        elif column.has_decimals:
            money.append(column)
    names = [headings.named(column.index) for column in money]
    # If another question is about the amount, one of these columns may be the amount.
    if names and "amount" not in questions.fields:
        choices = [Choice({"ignore": tuple(names)}, clause(Says.IGNORED, columns=tuple(names)))]
        if len(names) == 1:
            choices += _of_money(money[0], names[0], plan)
        questions.ask(clause(Topic.OTHER_MONEY, columns=tuple(names)), *choices, line=headings.line)


def _of_money(column: Watched, name: str, plan: Plan) -> list[Choice]:
    kind = "signed" if column.is_signed else "unsigned"
    fee = clause(Says.IS_FEE, column=name)
    choices = [Choice({"fee": (f"{name}={kind}",)}, fee)]
    if "originalAmount" not in plan.columns:
        original = clause(Says.IS_ORIGINAL, column=name)
        choices.append(Choice({"columns": {"originalAmount": (name,)}}, original))
    amount = plan.columns.get("amount", (plan.table.width,))[0]
    # A row without an amount would be refused.
    is_full = all(map(str.strip, column.values))
    if amount < plan.table.width and plan.profile is None and is_full:
        ignored = (plan.headings.named(amount),)
        changes: ImportOptions = {"columns": {"amount": (name,)}, "ignore": ignored}
        choices.append(Choice(changes, clause(Says.IS_AMOUNT, column=name)))
    return choices


def _readings(column: Watched, plan: Plan) -> tuple[Topic | None, list[Choice]]:
    """Return what to ask about a column, judging by its heading, and the choices."""
    name, heading = plan.headings.named(column.index), plan.headings.text(column.index)
    without = Choice({"ignore": (name,)}, clause(Says.IGNORED, columns=name))
    if column.money and role_fit("balance", heading) and "balance" not in plan.columns:
        balance = Choice({"balance": name}, clause(Says.IS_BALANCE, column=name))
        return Topic.MAYBE_BALANCE, [balance, without]
    if column.money and role_fit("fee", heading):
        fee, *_ = _of_money(column, name, plan)
        return Topic.MAYBE_FEES, [fee, without]
    if role_fit("parent", heading) == 2 and len(column.texts) and "" in column.values:
        parts = Choice({"only": (f"{name}=",)}, clause(Says.ONLY_PARTS, column=name))
        whole = Choice({"ignore": (name,)}, clause(Says.ALL_TRANSACTIONS))
        return Topic.MAYBE_PARTS, [parts, whole]
    least = 1 if column.are_accounts and not role_fit("payee", heading) else 2
    mapping = plan.mapping
    is_given = mapping.account is not None and "account" not in map(field_of, mapping.columns)
    if is_given and len(column.texts) > 1 and role_fit("account", heading) >= least:
        own: ImportOptions = {"columns": {"accountNumber": (name,)}, "account": None}
        other: ImportOptions = {"columns": {"counterpartyAccount": (name,)}}
        return (
            Topic.SEVERAL_ACCOUNTS,
            [
                Choice(own, clause(Says.OWN_ACCOUNTS, column=name)),
                Choice(other, clause(Says.OTHER_ACCOUNTS, column=name)),
            ],
        )
    return None, []


def _is_vocabulary(texts: Sequence[str]) -> bool:
    """Return whether all texts are currency codes, all are directions, or all are yes or no."""
    words = set(map(folded, texts))
    return bool(codes_in(texts)) or words <= DIRECTIONS.keys() or words <= YES_OR_NO
