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


def ask_about_unread(layout: Plan, survey: Survey, questions: Questions) -> Iterator[str]:
    """Asks about columns of money and of accounts, and about text that would be lost."""
    headings = layout.headings
    names = [headings.named(i) for i in sorted(layout.ignored)]
    open_ = [column for column in survey.unmapped if column.index not in questions.columns]
    names += [headings.named(column.index) for column in open_ if column.is_filled]
    if names:
        yield "not imported: " + ", ".join(names)
    if layout.profile is None:
        unexplained = [c for c in open_ if c.index not in layout.inferred.explained]
        _ask_about(unexplained, layout, questions)
    telling = [
        headings.named(column.index)
        for column in open_
        if column.is_text and not _is_vocabulary(column.values)
    ]
    if telling and not layout.options.no_text and not {"payee", "note"} & set(layout.columns):
        words = [word for name in telling for word in ("--map", f"note={name}")]
        questions.ask(
            f"no column is mapped to payee or note, and there is text in {listed(telling)}: map it "
            "with --map payee=… or --map note=…, or say --no-text",
            Answer(tuple(words)),
        )


def _ask_about(columns: list[Watched], layout: Plan, questions: Questions) -> None:
    """Asks what columns are that may change sums."""
    headings = layout.headings
    money = []
    for column in columns:
        reason, answers = _readings(column, layout)
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
            answers += _of_money(money[0], names[0], layout)
        questions.ask(
            f"there is money in {listed(names)}, beside the amounts: leave it out with --ignore, "
            "or say what it is with --fee or --map",
            *answers,
            line=headings.line,
        )


def _of_money(column: Watched, name: str, layout: Plan) -> list[Answer]:
    kind = "signed" if column.is_signed else "unsigned"
    fee = Answer(("--fee", f"{name}={kind}"), (), f"{quoted(name)} is paid beside the amount")
    original = Answer(
        ("--map", f"originalAmount={name}"), (), f"{quoted(name)} is the amount before conversion"
    )
    answers = [fee] if "originalAmount" in layout.columns else [fee, original]
    amount = layout.columns.get("amount", (layout.table.width,))[0]
    if amount < layout.table.width and layout.profile is None:
        words = ("--map", f"amount={name}", "--ignore", layout.headings.named(amount))
        answers.append(Answer(words, ("--map amount",), f"the amounts are those of {quoted(name)}"))
    return answers


def _readings(column: Watched, layout: Plan) -> tuple[str, list[Answer]]:
    """What a column looks like by its heading, and what it may be; "" for nothing."""
    headings = layout.headings
    name = headings.named(column.index)
    heading = "" if headings.texts is None else headings.texts[column.index]
    without = Answer(("--ignore", name), (), f"{quoted(name)} adds nothing")
    if column.has_money and role_fit("balance", heading) and "balance" not in layout.columns:
        balance = Answer(("--balance", name), (), f"{quoted(name)} is the balance")
        return "looks like a balance: name it with --balance", [balance, without]
    if column.has_money and role_fit("fee", heading):
        fee, *_ = _of_money(column, name, layout)
        return "looks like fees: name it with --fee", [fee, without]
    least = 1 if column.are_accounts and not role_fit("payee", heading) else 2
    options = layout.options
    is_given = options.account is not None and "account" not in map(field_of, options.columns)
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
