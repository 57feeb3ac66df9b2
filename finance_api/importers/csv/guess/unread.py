"""Asks about columns that are not read, if they could change sums."""

from collections.abc import Iterator, Sequence

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.cells import money_text
from finance_api.importers.csv.guess.evidence import Survey, Watched
from finance_api.importers.csv.mapping import field_of
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.vocabulary import role_fit
from finance_api.importers.interface import Choice, Questions
from finance_api.importers.options import ImportOptions


def ask_about_unread(plan: Plan, survey: Survey, questions: Questions) -> Iterator[str]:
    """Ask about columns of money and accounts that are not read.

    Yields a remark that lists the columns that are not imported.
    """
    headings = plan.headings
    open_ = [column for column in survey.unmapped if column.index not in questions.columns]
    unread = [*sorted(plan.bound.ignored), *(each.index for each in open_ if each.column.filled)]
    if unread:
        yield "not imported: " + ", ".join(map(headings.named, unread))
    if plan.rows is None:
        unexplained = [c for c in open_ if c.index not in plan.inferred.explained]
        _ask_about(unexplained, plan, questions)


def _ask_about(columns: Sequence[Watched], plan: Plan, questions: Questions) -> None:
    """Ask about the columns that could change sums."""
    headings = plan.headings
    money = []
    for column in columns:
        topic, choices = _readings(column, plan)
        if topic is not None:
            name = headings.named(column.index)
            fact = clause(topic, column=name)
            questions.ask(fact, *choices, line=headings.line, column=column.index)
        elif column.money and column.column.is_number and column.column.has_decimals:
            money.append(column)
    names = [headings.named(column.index) for column in money]
    # If another question is about the amount, one of these columns may be the amount.
    if names and "amount" not in questions.fields:
        choices = [Choice({"ignore": tuple(names)}, clause(Says.IGNORED, columns=tuple(names)))]
        if len(names) == 1:
            choices += _of_money(money[0], names[0], plan)
        questions.ask(clause(Topic.OTHER_MONEY, columns=tuple(names)), *choices, line=headings.line)


def _of_money(column: Watched, name: str, plan: Plan) -> list[Choice]:
    kind = "signed" if column.column.is_signed else "unsigned"
    fee = clause(Says.IS_FEE, column=name)
    choices = [Choice({"fee": (f"{name}={kind}",)}, fee)]
    if "originalAmount" not in plan.columns:
        original = clause(Says.IS_ORIGINAL, column=name)
        choices.append(Choice({"columns": {"originalAmount": (name,)}}, original))
    amount = plan.columns.get("amount", (plan.table.width,))[0]
    # A row without an amount would be refused; what has zeros beside amounts is no amount.
    is_full = len(column.money) == len(column.values)
    if amount < plan.table.width and plan.rows is None and is_full:
        ignored = (plan.headings.named(amount),)
        changes: ImportOptions = {"columns": {"amount": (name,)}, "ignore": ignored}
        choices.append(Choice(changes, clause(Says.IS_AMOUNT, column=name)))
    return choices


def _may_be_money(column: Watched, plan: Plan) -> bool:
    """Return whether a column has decimals, or some amount has none: what a bank writes without
    them beside amounts with decimals are numbers of a kind.
    """
    amounts = (money_text(cells[index]) for cells in plan.table.sample for index in plan.amounts)
    return column.column.has_decimals or not all({*text} & {*".,"} for text in amounts if text)


def _readings(column: Watched, plan: Plan) -> tuple[Topic | None, list[Choice]]:
    """Return what to ask about a column, judging by its heading, and the choices."""
    name, heading, texts = plan.headings.named(column.index), column.heading, column.column.filled
    without = Choice({"ignore": (name,)}, clause(Says.IGNORED, columns=name))
    if column.money and role_fit("balance", heading) and "balance" not in plan.columns:
        balance = Choice({"balance": name}, clause(Says.IS_BALANCE, column=name))
        return Topic.MAYBE_BALANCE, [balance, without]
    if column.money and role_fit("fee", heading) and _may_be_money(column, plan):
        fee, *_ = _of_money(column, name, plan)
        return Topic.MAYBE_FEES, [fee, without]
    if role_fit("parent", heading) == 2 and texts and "" in column.values:
        parts = Choice({"only": (f"{name}=",)}, clause(Says.ONLY_PARTS, column=name))
        whole = Choice({"ignore": (name,)}, clause(Says.ALL_TRANSACTIONS))
        return Topic.MAYBE_PARTS, [parts, whole]
    if role_fit("account", heading) == 1 and column.column.is_text and "" in column.values:
        # Most rows have no second account: transfers have.
        other: ImportOptions = {"columns": {"counterpartyAccount": (name,)}}
        others = Choice(other, clause(Says.OTHER_ACCOUNTS, column=name))
        return Topic.SECOND_ACCOUNT, [others, without]
    are_accounts = len(texts) > 1 and column.column.are_accounts
    least = 1 if are_accounts and not role_fit("payee", heading) else 2
    mapping = plan.mapping
    is_given = mapping.account is not None and "account" not in map(field_of, mapping.columns)
    if is_given and len(texts) > 1 and role_fit("account", heading) >= least:
        own: ImportOptions = {"columns": {"accountNumber": (name,)}, "account": None}
        other = {"columns": {"counterpartyAccount": (name,)}}
        whose = Choice(own, clause(Says.OWN_ACCOUNTS, column=name))
        others = Choice(other, clause(Says.OTHER_ACCOUNTS, column=name))
        return Topic.SEVERAL_ACCOUNTS, [whose, others]
    return None, []
