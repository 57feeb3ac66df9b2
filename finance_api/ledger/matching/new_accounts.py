"""Asks about new accounts that the user seems to have already, under another number."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.interface import Choice, Questions
from finance_api.importers.native import NativeFile
from finance_api.ledger.matching.model import FileEntries
from finance_api.ledger.matching.stated import KnownAccount
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import dated
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: Ask only if at least half of the entries, and this many (or all, if fewer), are already stored.
_ROWS = 3
_WINDOW_DAYS = 31
_IS_ANOTHER = Choice({"new_account": True}, clause(Says.ANOTHER_ACCOUNT))
#: (day, amount) -> number of an account's entries.
_Entries = Counter[tuple[int, int]]


def ask_about_new_accounts(
    session: LedgerSession,
    file: FileEntries,
    accounts: Iterable[KnownAccount],
    questions: Questions,
) -> None:
    """Ask which account is meant if an existing account has the entries of a new one."""
    new_accounts = {account.id: account for account in accounts if account.is_new}
    new: dict[str, _Entries] = {account_id: Counter() for account_id in new_accounts}
    for entry in file.entries if new else ():
        if entry.account.id in new:
            new[entry.account.id][entry.day, entry.amount] += 1
    found = _same(session, new)
    is_one_of_several = len({s.account.key for s in file.statements}) > 1
    for new_id, account in new_accounts.items():
        count = new[new_id].total()
        is_named = any(s.options.get("account") for s in account.statements.values())
        # If there are fewer than _ROWS entries, ask only if all match and the user named no
        # account.
        least = _ROWS if is_named else min(count, _ROWS)
        for account_id, same in found[new_id].most_common(1):
            if same >= least and 2 * same >= count:
                name = session.accounts.rows[account_id]["name"]
                says = Says.SOME_ENTRIES if count > 1 else Says.ONE_ENTRY
                entries = clause(says, same=same, count=count, new=account.name)
                topic = Topic.ACCOUNT_IS_KNOWN
                if is_one_of_several:
                    topic = Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL
                choices = () if is_one_of_several else _choices(name)
                questions.ask(clause(topic, entries=entries, account=name), *choices)


def ask_about_accounts_of_book(
    session: LedgerSession, file: NativeFile, questions: Questions, *, follow: bool
) -> None:
    """Ask whether existing accounts are the same as new ones of a book that has their balances.

    follow: whether the book is followed; then its own accounts that it lacks now will be removed.
    """
    accounts = session.accounts
    new: dict[str, _Entries] = {
        account_id: Counter()
        for account_id in file.balances
        if account_id in accounts.rows and accounts.stored(account_id) is None
    }
    if not new or len(new) == len(accounts.rows):
        return
    for row in file.records():
        entries = new.get(row.values["accountId"])
        if entries is not None:
            entries[row.values["recordDate"] // DAY_SECONDS, row.values["amount"]] += 1
    for new_id, known in _same(session, new, file.source if follow else None).items():
        count = new[new_id].total()
        for account_id, same in known.most_common(1):
            if same >= _ROWS and 2 * same >= count:
                told, here = accounts.rows[new_id], accounts.rows[account_id]
                own = clause(Says.SOME_ENTRIES, same=same, count=count, new=told["name"])
                is_same = clause(Says.ACCOUNT_IS, account=here["name"])
                if here["source"] == file.source:
                    fact = clause(Topic.ACCOUNT_OF_BOOK_IS_OWN, entries=own, account=here["name"])
                    questions.ask(fact, Choice({"follow": True}, is_same), _IS_ANOTHER)
                    continue
                into = f"{_called(session, told)}={_called(session, here)}"
                topic = Topic.ACCOUNT_OF_BOOK_IS_KNOWN
                questions.ask(
                    clause(topic, entries=own, account=here["name"], into=into),
                    Choice({"into": (into,)}, is_same),
                    _IS_ANOTHER,
                )


def _called(session: LedgerSession, account: Row) -> str:
    """Return the account's name, or its id if the name could mean another account as well."""
    name, accounts = account["name"], session.accounts
    is_new = accounts.stored(account["id"]) is None
    alike = [r for r in accounts.named(name) if (accounts.stored(r["id"]) is None) == is_new]
    return str(account["id"] if len(alike) > 1 or "=" in name else name)


def _choices(name: str) -> tuple[Choice, ...]:
    is_account = clause(Says.ACCOUNT_IS, account=name)
    return (Choice({"account": name, "columns": {"account": None}}, is_account), _IS_ANOTHER)


def _same(
    session: LedgerSession, new: Mapping[str, _Entries], but_of: str | None = None
) -> dict[str, Counter[str]]:
    """For each new account, count its entries that are already in each existing account.

    new: the entries of each new account, by its id. but_of: a source whose accounts do not count.
    """
    rows = session.accounts.rows
    by_currency: defaultdict[str, set[str]] = defaultdict(set)
    for row_id, row in rows.items():
        is_left_out = but_of is not None and row["source"] == but_of
        if session.accounts.stored(row_id) is not None and not is_left_out:
            by_currency[row["currencyCode"]].add(row_id)
    windows: defaultdict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for new_id, entries in new.items():
        for day, amount in entries:
            windows[day // _WINDOW_DAYS].append((new_id, day, amount))
    found: dict[str, Counter[str]] = {new_id: Counter() for new_id in new}
    # Each window of days is read once.
    for window, of_window in windows.items():
        stored = _stored(session, window * _WINDOW_DAYS)
        for new_id, day, amount in of_window:
            candidates = by_currency[rows[new_id]["currencyCode"]]
            times: Counter[str] = Counter()
            for near in (day - 1, day, day + 1):
                times |= stored.get((near, amount), Counter())
            for account_id in candidates & times.keys():
                found[new_id][account_id] += min(times[account_id], new[new_id][day, amount])
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
