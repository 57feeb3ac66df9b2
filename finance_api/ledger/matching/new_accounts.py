"""Asks about new accounts that the user seems to have already, under another number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.interface import Choice, Questions
from finance_api.ledger.matching.model import FileEntries
from finance_api.ledger.matching.stated import KnownAccount
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import dated
from finance_api.values.time import DAY_SECONDS

#: Ask only if at least half of the entries, and this many (or all, if fewer), are already stored.
_ROWS = 3
_WINDOW_DAYS = 31
#: (day, amount) -> number of an account's entries.
_Entries = Counter[tuple[int, int]]


def ask_about_new_accounts(
    session: LedgerSession,
    file: FileEntries,
    accounts: Iterable[KnownAccount],
    questions: Questions,
) -> None:
    """Ask which account is meant if an existing account has the entries of a new one."""
    new: dict[KnownAccount, _Entries] = {a: Counter() for a in accounts if a.is_new}
    for entry in file.open if new else ():
        if entry.account in new:
            new[entry.account][entry.day, entry.amount] += 1
    found = _same(session, new)
    is_one_of_several = len({s.account.key for s in file.statements}) > 1
    for account, entries in new.items():
        count = entries.total()
        is_named = any(s.options.get("account") for s in account.statements.values())
        # If there are fewer than _ROWS entries, ask only if all match and the user named no
        # account.
        least = _ROWS if is_named else min(count, _ROWS)
        for account_id, same in found[account].most_common(1):
            if same >= least and 2 * same >= count:
                name = session.accounts.rows[account_id]["name"]
                says = Says.SOME_ENTRIES if count > 1 else Says.ONE_ENTRY
                entries_ = clause(says, same=same, count=count, new=account.name)
                topic = Topic.ACCOUNT_IS_KNOWN
                if is_one_of_several:
                    topic = Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL
                choices = () if is_one_of_several else _choices(name)
                questions.ask(clause(topic, entries=entries_, account=name), *choices)


def _choices(name: str) -> tuple[Choice, ...]:
    is_account = clause(Says.ACCOUNT_IS, account=name)
    return (
        Choice({"account": name, "columns": {"account": None}}, is_account),
        Choice({"new_account": True}, clause(Says.ANOTHER_ACCOUNT)),
    )


def _same(
    session: LedgerSession, new: Mapping[KnownAccount, _Entries]
) -> dict[KnownAccount, Counter[str]]:
    """For each new account, count its entries that are already in each existing account."""
    rows = session.accounts.rows
    by_currency: defaultdict[str, set[str]] = defaultdict(set)
    for row_id, row in rows.items():
        if session.accounts.stored(row_id) is not None:
            by_currency[row["currencyCode"]].add(row_id)
    windows: defaultdict[int, list[tuple[KnownAccount, int, int]]] = defaultdict(list)
    for account, entries in new.items():
        for day, amount in entries:
            windows[day // _WINDOW_DAYS].append((account, day, amount))
    found: dict[KnownAccount, Counter[str]] = {account: Counter() for account in new}
    # Each window of days is read once.
    for window, of_window in windows.items():
        stored = _stored(session, window * _WINDOW_DAYS)
        for account, day, amount in of_window:
            candidates = by_currency[rows[account.id]["currencyCode"]]
            times: Counter[str] = Counter()
            for near in (day - 1, day, day + 1):
                times |= stored.get((near, amount), Counter())
            for account_id in candidates & times.keys():
                found[account][account_id] += min(times[account_id], new[account][day, amount])
    return found


def _stored(session: LedgerSession, first: int) -> dict[tuple[int, int], Counter[str]]:
    """Count each account's records by day and amount, in a window and on the days next to it."""
    end = first + _WINDOW_DAYS + 1
    sums = session.storage.data.sum_by(
        session.user.id,
        ["accountId", "recordDate", "amount"],
        [dated((first - 1) * DAY_SECONDS, end * DAY_SECONDS)],
    )
    stored: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for (account_id, date, amount), each in sums.items():
        stored[date // DAY_SECONDS, amount][account_id] += each.number
    return stored
