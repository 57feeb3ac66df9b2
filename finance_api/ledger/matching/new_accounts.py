"""Statements of an account that the user seems to have already, under another number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby

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


def ask_about_new_accounts(
    session: LedgerSession,
    workspace: Workspace,
    accounts: Iterable[KnownAccount],
    questions: Questions,
) -> None:
    """Asks which account it is if the rows of a new one stand in one that was there before."""
    counts = dict(workspace.database.execute("SELECT account, count(*) FROM entries GROUP BY 1"))
    new = {a.number: a for a in accounts if a.is_new and counts.get(a.number, 0) >= _ROWS}
    if not new:
        return
    found = _same(session, workspace, {n: account.id for n, account in new.items()})
    is_one_of_several = len({s.account.key for s in workspace.statements}) > 1
    for number, account in new.items():
        for account_id, same in found[number].most_common(1):
            count = counts[number]
            if same >= _ROWS and 2 * same >= count:
                name = session.accounts.rows[account_id]["name"]
                help_, answers = _choices(name, is_one_of_several)
                questions.ask(
                    f"{same} of the {count} entries for the new account {account.name} stand in "
                    f"the account {name} on the same days: {help_}, or give --new-account if it is "
                    "another",
                    *answers,
                )


def _choices(name: str, is_one_of_several: bool) -> tuple[str, list[Answer]]:
    """is_one_of_several: whether the file has other accounts, too."""
    if is_one_of_several:
        return f"import a file of it alone with --account {name!r} if it is that one", []
    return f"give --account {name!r} if it is that one", [
        Answer(("--account", name), ("--account", "--map account"), f"the account is {name}"),
        Answer(("--new-account",), meaning="the account is another one"),
    ]


def _same(
    session: LedgerSession, workspace: Workspace, new: Mapping[int, str]
) -> dict[int, Counter[str]]:
    """How many entries of new accounts stand in each of those that were there before.

    new: their numbers and ids.
    """
    rows = session.accounts.rows
    by_currency: defaultdict[str, set[str]] = defaultdict(set)
    for row_id, row in rows.items():
        if session.accounts.stored(row_id) is not None:
            by_currency[row["currencyCode"]].add(row_id)
    candidates = {
        number: by_currency[rows[row_id]["currencyCode"]] for number, row_id in new.items()
    }
    found: dict[int, Counter[str]] = {number: Counter() for number in new}
    entries = workspace.rows(
        "SELECT account, day / ? AS window, day, amount, count(*) AS found FROM entries "
        "GROUP BY account, day, amount ORDER BY window",
        _WINDOW_DAYS,
    )
    of_new = (entry for entry in entries if entry["account"] in new)
    # Each window of days is read once.
    for window, of_window in groupby(of_new, lambda entry: entry["window"]):
        stored = _stored(session, window)
        for number, _, day, amount, count in of_window:
            for account_id, times in stored.get((day, amount), {}).items():
                if account_id in candidates[number]:
                    found[number][account_id] += min(times, count)
    return found


def _stored(session: LedgerSession, window: int) -> dict[tuple[int, int], Counter[str]]:
    """Of some days: day and amount -> how many records of each account have them."""
    # Division rounds towards 1970: the window of 0 is of twice as many days.
    first = window * _WINDOW_DAYS - (_WINDOW_DAYS - 1 if window <= 0 else 0)
    last = window * _WINDOW_DAYS + (_WINDOW_DAYS - 1 if window >= 0 else 0)
    sums = session.storage.data.sum_by(
        session.user.id,
        ["accountId", "recordDate", "amount"],
        [dated(first * DAY_SECONDS, (last + 1) * DAY_SECONDS)],
    )
    stored: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for (account_id, date, amount), each in sums.items():
        stored[date // DAY_SECONDS, amount][account_id] += each.number
    return stored
