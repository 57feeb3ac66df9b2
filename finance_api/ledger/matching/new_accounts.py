"""Statements of an account that the user seems to have already, under another number."""

from collections import Counter

from finance_api.importers.interface import Answer
from finance_api.importers.questions import Questions
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.workspace import Workspace
from finance_api.ledger.session import LedgerSession
from finance_api.query.records import dated
from finance_api.values.time import DAY_SECONDS

#: At least so many, and half of them.
_ROWS = 3
_WINDOW_DAYS = 31


def ask_about_new_account(
    session: LedgerSession, workspace: Workspace, account: KnownAccount, questions: Questions
) -> None:
    """Asks which account it is if the rows of a new one stand in one that was there before."""
    count = workspace.number("SELECT count(*) FROM entries WHERE account = ?", account.number)
    if count < _ROWS:
        return
    currency = session.accounts.rows[account.id]["currencyCode"]
    candidates = {
        row_id
        for row_id, row in session.accounts.rows.items()
        if row["currencyCode"] == currency and session.accounts.stored(row_id) is not None
    }
    found: Counter[str] = Counter()
    windows = workspace.database.execute(
        "SELECT DISTINCT day / ? FROM entries WHERE account = ?", (_WINDOW_DAYS, account.number)
    ).fetchall()
    for (window,) in windows:
        found.update(_same(session, workspace, account.number, window, candidates))
    for account_id, same in found.most_common(1):
        if same >= _ROWS and 2 * same >= count:
            name = session.accounts.rows[account_id]["name"]
            answers = [
                Answer(
                    ("--account", name), ("--account", "--map account"), f"the account is {name}"
                ),
                Answer(("--new-account",), meaning="the account is another one"),
            ]
            help_ = f"give --account {name!r} if it is that one"
            if len({statement.account.key for statement in workspace.statements}) > 1:
                help_ = f"import a file of it alone with --account {name!r} if it is that one"
                answers = []
            questions.ask(
                f"{same} of the {count} entries for the new account {account.name} stand in the "
                f"account {name} on the same days: {help_}, or give --new-account if it is another",
                *answers,
            )


def _same(
    session: LedgerSession, workspace: Workspace, number: int, window: int, candidates: set[str]
) -> dict[str, int]:
    """How many entries of some days stand in each of the accounts."""
    # Division rounds towards 1970: the window of 0 is of twice as many days.
    first = window * _WINDOW_DAYS - (_WINDOW_DAYS - 1 if window <= 0 else 0)
    last = window * _WINDOW_DAYS + (_WINDOW_DAYS - 1 if window >= 0 else 0)
    sums = session.storage.data.sum_by(
        session.user.id,
        ["accountId", "recordDate", "amount"],
        [dated(first * DAY_SECONDS, (last + 1) * DAY_SECONDS)],
    )
    stored: Counter[tuple[str, int, int]] = Counter()
    for (account_id, date, amount), each in sums.items():
        if account_id in candidates:
            stored[account_id, date // DAY_SECONDS, amount] += each.number
    in_file = {
        (row["day"], row["amount"]): row["found"]
        for row in workspace.rows(
            "SELECT day, amount, count(*) AS found FROM entries WHERE account = ? "
            "AND day BETWEEN ? AND ? GROUP BY day, amount",
            number,
            first,
            last,
        )
    }
    found: Counter[str] = Counter()
    for (account_id, day, amount), count in stored.items():
        found[account_id] += min(count, in_file.get((day, amount), 0))
    return found
