"""The columns that are not read: each is named, and asked about if it looks like money."""

from collections.abc import Iterator, Mapping

from finance_api.importers.csv.columns import field_of
from finance_api.importers.csv.heading_words import role_fit
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.survey import Survey, Watched
from finance_api.importers.csv.vocabulary import DIRECTIONS, YES_OR_NO, folded
from finance_api.importers.interface import Answer
from finance_api.importers.marks import codes_in
from finance_api.importers.questions import Questions
from finance_api.importers.texts import listed, quoted


def ask_about_unread(plan: Plan, survey: Survey, questions: Questions) -> Iterator[str]:
    """Ask about columns of money and of accounts, and about text that would be lost."""
    headings = plan.headings
    names = [headings.named(i) for i in sorted(plan.ignored)]
    open_ = [column for column in survey.unmapped if column.index not in questions.columns]
    names += [headings.named(column.index) for column in open_ if column.is_filled]
    if names:
        yield "not imported: " + ", ".join(names)
    if plan.profile is None:
        unexplained = [c for c in open_ if c.index not in plan.inferred.explained]
        _ask_about(unexplained, plan, questions)
    telling = [
        headings.named(column.index)
        for column in open_
        if column.is_text and not _is_vocabulary(column.values)
    ]
    if telling and not plan.layout.no_text and not {"payee", "note"} & set(plan.columns):
        words = [word for name in telling for word in ("--map", f"note={name}")]
        questions.ask(
            f"no column is mapped to payee or note, and there is text in {listed(telling)}: map it "
            "with --map payee=… or --map note=…, or say --no-text",
            Answer(tuple(words)),
        )


def _ask_about(columns: list[Watched], plan: Plan, questions: Questions) -> None:
    """Ask what columns are that may change sums."""
    headings = plan.headings
    money = []
    for column in columns:
        reason, answers = _readings(column, plan)
        if reason:
            name = headings.named(column.index)
            questions.ask(
                f"the column {quoted(name)} {reason}, or leave it out with --ignore",
                *answers,
                line=headings.line,
                column=column.index,
            )
        elif column.has_decimals:
            money.append(column)
    names = [headings.named(column.index) for column in money]
    # One of them may be the amount.
    if names and "amount" not in questions.fields:
        words = tuple(word for name in names for word in ("--ignore", name))
        answers = [Answer(words, (), f"{listed(names)} adds nothing")]
        if len(names) == 1:
            answers += _of_money(money[0], names[0], plan)
        questions.ask(
            f"there is money in {listed(names)}, beside the amounts: leave it out with --ignore, "
            "or say what it is with --fee or --map",
            *answers,
            line=headings.line,
        )


def _of_money(column: Watched, name: str, plan: Plan) -> list[Answer]:
    kind = "signed" if column.is_signed else "unsigned"
    fee = Answer(("--fee", f"{name}={kind}"), (), f"{quoted(name)} is paid beside the amount")
    original = Answer(
        ("--map", f"originalAmount={name}"), (), f"{quoted(name)} is the amount before conversion"
    )
    answers = [fee] if "originalAmount" in plan.columns else [fee, original]
    amount = plan.columns.get("amount", (plan.table.width,))[0]
    if amount < plan.table.width and plan.profile is None:
        words = ("--map", f"amount={name}", "--ignore", plan.headings.named(amount))
        answers.append(Answer(words, ("--map amount",), f"the amounts are those of {quoted(name)}"))
    return answers


def _readings(column: Watched, plan: Plan) -> tuple[str, list[Answer]]:
    """Say what a column looks like by its heading, "" for nothing, and what it may be."""
    headings = plan.headings
    name = headings.named(column.index)
    heading = "" if headings.texts is None else headings.texts[column.index]
    without = Answer(("--ignore", name), (), f"{quoted(name)} adds nothing")
    if column.has_money and role_fit("balance", heading) and "balance" not in plan.columns:
        balance = Answer(("--balance", name), (), f"{quoted(name)} is the balance")
        return "looks like a balance: name it with --balance", [balance, without]
    if column.has_money and role_fit("fee", heading):
        fee, *_ = _of_money(column, name, plan)
        return "looks like fees: name it with --fee", [fee, without]
    least = 1 if column.are_accounts and not role_fit("payee", heading) else 2
    layout = plan.layout
    is_given = layout.account is not None and "account" not in map(field_of, layout.columns)
    if is_given and column.are_several and role_fit("account", heading) >= least:
        own = f"accountNumber={name}"
        other = f"counterpartyAccount={name}"
        return "has several accounts: say whose they are", [
            Answer(("--map", own), ("--account",), f"{quoted(name)} has your accounts"),
            Answer(("--map", other), (), f"{quoted(name)} has those of others"),
        ]
    return "", []


def _is_vocabulary(values: Mapping[str, object]) -> bool:
    """Nothing but currency codes, directions, or yes and no."""
    texts = [text.strip() for text in values if text.strip()]
    return bool(texts) and bool(
        codes_in(texts)
        or all(folded(text) in DIRECTIONS for text in texts)
        or all(folded(text) in YES_OR_NO for text in texts)
    )
