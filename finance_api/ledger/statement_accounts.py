"""Finds the accounts of statements, and notes the facts of statements for the history."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from finance_api.importers.clauses import Option, Says, Topic, clause
from finance_api.importers.formats import AccountKey, account_key_of
from finance_api.importers.interface import (
    BankBalance,
    Choice,
    ImportRefused,
    Statement,
    StatementAccount,
    wrong_option,
)
from finance_api.ledger.balances import is_of_several
from finance_api.ledger.brought import read_brought
from finance_api.ledger.differences import list_differences, undone_numbers
from finance_api.ledger.matching.model import FileEntries
from finance_api.ledger.matching.open_rows import OpenRows, day_digest
from finance_api.ledger.matching.stated import (
    STABLE,
    Cover,
    KnownAccount,
    Scope,
    collect_facts,
    facts_by_account,
)
from finance_api.ledger.orders import ImportReport, StatementOptions
from finance_api.ledger.rows import batched, blank_row, bounded_source_id, row_id
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import get_stated
from finance_api.query.model import any_of, dated
from finance_api.resources import ACCOUNTS
from finance_api.resources.currencies import decimals_of
from finance_api.values import Row
from finance_api.values.text import TextError, amount_text, clean_or_none, compact, is_iban, message
from finance_api.values.time import DAY_SECONDS

#: An account's id, and the first second of a day.
_AccountDay = tuple[str, int]


def find_accounts(
    session: LedgerSession, report: ImportReport, file: FileEntries, options: StatementOptions
) -> list[KnownAccount]:
    """Find or create the user's accounts that the statements belong to. Raises ImportRefused."""
    name = None if options.account_name is None else _clean_name(options.account_name)
    facts = facts_by_account(session.history)
    keys = {statement.account.key for statement in file.statements}
    if name is not None and len(keys) > 1:
        raise ImportRefused(
            clause(Topic.ACCOUNTS_BUT_ONE_NAMED, count=len(keys)),
            choices=(Choice({"account": None}),),
        )
    found: dict[str, KnownAccount] = {}
    of_statements: list[KnownAccount] = []
    for number, statement in enumerate(file.statements):
        account_id = _find_account(session, file.source, statement, name, options.currency)
        _check_mark(statement, session.accounts.rows[account_id])
        account = found.get(account_id)
        if account is None:
            known = collect_facts(facts[account_id], file.source)
            account = found[account_id] = KnownAccount(
                id=account_id,
                name=session.accounts.rows[account_id]["name"],
                is_new=session.accounts.stored(account_id) is None,
                is_repeat=report.details.get("file", {}).get("sha256") in known.files,
                earlier=known,
                ids=options.ids,
            )
        account.statements[number] = statement
        report.account_names[statement.account.key] = account.name
        of_statements.append(account)
        if statement.initial is not None and statement.initial_day is None:
            _begin_with(session, report, account_id, statement.initial)
    for entry in file.entries:
        entry.account = of_statements[entry.statement]
    for account in found.values():
        row = session.accounts.rows[account.id]
        account.is_of_several = is_of_several(row)
        for number, statement in account.statements.items():
            account.scopes[number] = Scope(file.source, statement.account, row)
    _find_covers(file, found.values())
    return list(found.values())


def _begin_with(
    session: LedgerSession, report: ImportReport, account_id: str, initial: int
) -> None:
    """Set an account's initial balance to the file's value, unless the user has set the balance."""
    accounts = session.accounts
    row = accounts.rows[account_id]
    if "initialBalance" not in row["setByHand"]:
        name = "initialBalance" if row["ownInitialBalance"] is None else "ownInitialBalance"
        accounts.put({**row, name: initial})
    elif row["initialBalance"] != initial:
        own, of_file = (
            amount_text(units, decimals_of(row["currencyCode"]))
            for units in (row["initialBalance"], initial)
        )
        remark = f"{row['name']}: its initial balance was set to {own}; the file says {of_file}"
        report.remarks.append(message(remark))


def _find_covers(file: FileEntries, accounts: Iterable[KnownAccount]) -> None:
    """Note the days that each statement covers: the stated days, or else its entries' days."""
    days: dict[int, tuple[int, int]] = {}
    for entry in file.entries:
        earliest, latest = days.get(entry.statement, (entry.day, entry.day))
        days[entry.statement] = min(earliest, entry.day), max(latest, entry.day)
    for account in accounts:
        for number, statement in account.statements.items():
            first, last = days.get(number, (None, None))
            if statement.first_day is not None:
                first = statement.first_day // DAY_SECONDS
            if statement.last_day is not None:
                last = statement.last_day // DAY_SECONDS
            if first is not None and last is not None and first <= last:
                account.covers[number] = Cover(first, last)


def _check_mark(statement: Statement, account: Row) -> None:
    """Raise ImportRefused if the statement's currency symbol cannot mean the account's currency."""
    possible, currency = statement.possible_currencies, account["currencyCode"]
    if possible and currency not in possible:
        raise ImportRefused(
            clause(
                Topic.CURRENCY_OF_ACCOUNT,
                mark=statement.currency_mark,
                account=account["name"],
                currency=currency,
            ),
            needs=("account", "currency"),
        )


def _clean_name(text: str) -> str:
    try:
        name = clean_or_none(text.strip())
    except TextError as error:
        raise wrong_option(Option("account"), str(error)) from None
    if name is None:
        raise wrong_option(Option("account"), "is empty")
    return name


def _find_account(
    session: LedgerSession,
    source: str,
    statement: Statement,
    name: str | None,
    currency: str | None,
) -> str:
    """Find or create the statement's account, note the statement's key there, and return its id.

    name: the name that the user chose, of an existing or a new account.
    currency: the currency of a new account, if the statement has none. Raises ImportRefused, also
    if earlier statements with this key belong to an account other than ``name``.
    """
    account = statement.account
    found = _chosen(session, source, account, name) if name else _known(session, source, account)
    if found is None:
        found = _new_account(session, source, statement, name, currency)
    elif account.currency not in (None, found["currencyCode"]):
        raise ImportRefused(
            f"the statement is in {account.currency}, but the account {found['name']} is in "
            f"{found['currencyCode']}"
        )
    if account.key is not None:
        keys = (*found["statementKeys"], f"{source}:{account.key}")
        found = {**found, "statementKeys": tuple(dict.fromkeys(keys))}
        session.account_ids[account.key].setdefault(source, found["id"])
    if found["bankAccountNumber"] is None:
        found = {**found, "bankAccountNumber": account.number}
    session.accounts.put(found)
    session.numbered_accounts[_number(found)].add(found["id"])
    return str(found["id"])


def is_new(owned: UserRows, source: str, name: str, number: str | None) -> bool:
    """Return whether a statement with this name and number would create an account."""
    try:
        return _known(owned, source, StatementAccount(key=name, name=name, number=number)) is None
    except ImportRefused:
        # Several accounts match.
        return False


def _chosen(owned: UserRows, source: str, account: StatementAccount, name: str) -> Row | None:
    named = _named(owned, name)
    known = _remembered(owned, source, account.key) if account.key is not None else None
    if known is not None and (named is None or named["id"] != known["id"]):
        raise ImportRefused(
            clause(Topic.ACCOUNT_IS_ANOTHER, account=known["name"]),
            choices=(Choice({"account": None}),),
        )
    return named


def _known(owned: UserRows, source: str, account: StatementAccount) -> Row | None:
    if account.key is None:
        raise ImportRefused(clause(Topic.ACCOUNT), choices=(Choice({}, needs=("account",)),))
    if account.name != account.key:
        known = _remembered(owned, source, account.key) or _called(owned, account.key)
        # An IBAN is unique across banks, so it identifies the account even if the key is new.
        by_iban = known is None and account.number is not None and is_iban(compact(account.number))
        return _numbered(owned, account) if by_iban else known
    # The file identifies its account by a name, so an account with that name comes first.
    return (
        _named(owned, account.key)
        or _remembered(owned, source, account.key)
        or _numbered(owned, account)
    )


def _remembered(owned: UserRows, source: str, key: str) -> Row | None:
    """Return the account of earlier statements of this source with this key."""
    account_id = owned.account_ids.get(key, {}).get(source)
    if account_id is not None:
        return owned.accounts.rows[account_id]
    source_id = bounded_source_id(key)
    return owned.accounts.find(None, source, source_id) or owned.accounts.rows.get(
        row_id(owned.user.uuid, source, source_id)
    )


def _called(owned: UserRows, key: str) -> Row | None:
    """Return the account whose statements in other formats have this key, if there is just one.

    Some formats, such as MT940 and MT942, share the bank's keys. Keys that are names do not count.
    """
    called = owned.account_ids.get(key, {})
    found = {
        account_id
        for source, account_id in called.items()
        if account_key_of(source) is AccountKey.BANK
    }
    return owned.accounts.rows[found.pop()] if len(found) == 1 else None


def _named(owned: UserRows, name: str) -> Row | None:
    found = owned.accounts.named(name)
    if len(found) > 1:
        raise ImportRefused(f"{len(found)} accounts are called {name}: rename all but one")
    return found[0] if found else None


def _numbered(owned: UserRows, account: StatementAccount) -> Row | None:
    """Return the account with the statement's number, in the statement's currency if it is known.

    If an account has no number, its name counts as its number.
    """
    if account.number is None:
        return None
    number = compact(account.number)
    possible = map(owned.accounts.rows.__getitem__, owned.numbered_accounts.get(number, ()))
    found = [
        row
        for row in possible
        if number == _number(row) and account.currency in (None, row["currencyCode"])
    ]
    if len(found) > 1:
        names = sorted(row["name"] for row in found)
        raise ImportRefused(
            clause(
                Topic.ACCOUNTS_OF_NUMBER,
                count=len(found),
                number=account.number,
                accounts=tuple(names),
            ),
            choices=tuple(
                Choice({"account": name}, clause(Says.ACCOUNT_IS, account=name)) for name in names
            ),
        )
    return found[0] if found else None


def _number(account: Row) -> str:
    return compact(account["bankAccountNumber"] or account["name"])


def _new_account(
    session: LedgerSession,
    source: str,
    statement: Statement,
    name: str | None,
    currency: str | None,
) -> Row:
    account = statement.account
    currency = account.currency or currency
    if currency is None:
        example = (*statement.possible_currencies, "EUR")[0]
        raise ImportRefused(
            clause(Topic.CURRENCY, example=example), choices=(Choice({}, needs=("currency",)),)
        )
    source_id = None if account.key is None else bounded_source_id(account.key)
    return {
        **blank_row(ACCOUNTS),
        "id": row_id(session.user.uuid, source, source_id),
        "name": name or account.name or account.key,
        "accountType": account.account_type,
        "currencyCode": currency,
        "bankAccountNumber": account.number,
        "createdAt": session.now,
        "updatedAt": session.now,
        "source": None if source_id is None else source,
        "sourceId": source_id,
    }


class StatementFacts:
    """The facts of a file whose entries are all decided, but not stored yet.

    facts: complete after `note_beside`.
    """

    def __init__(self, session: LedgerSession, rows: OpenRows) -> None:
        self._session = session
        self._source = rows.file.source
        self._ends: list[tuple[dict[str, Any], str, int]] = []
        self.facts = [fact for account in rows.accounts for fact in self._facts(account, rows)]
        self._held = self._held_records(rows)
        self._note_restated(rows)

    def _facts(self, account: KnownAccount, rows: OpenRows) -> list[dict[str, Any]]:
        facts = []
        for number, statement in account.statements.items():
            fact: dict[str, Any] = {
                "accountId": account.id,
                "source": self._source,
                "key": statement.account.key,
                "number": statement.account.number,
                "asOf": statement.as_of,
                "opening": _day_and_units(statement.opening),
                "closing": _day_and_units(statement.closing),
                "cardBalance": statement.card_balance,
                "texts": statement.texts,
                "options": statement.options,
            }
            self._ends += [(fact, name, day) for name, day in _end_days(statement)]
            day, units = statement.initial_day, statement.initial
            if day is not None:
                own = [e for e in rows.file.entries if (e.account, e.amount) == (account, units)]
                near = [e for e in own if abs(e.day * DAY_SECONDS - day) <= DAY_SECONDS]
                fact["initial"] = [day, units, len(near)]
            cover = account.covers.get(number)
            if cover is not None:
                fact["first"], fact["last"] = cover.first * DAY_SECONDS, cover.last * DAY_SECONDS
                fact["firstRows"] = day_digest(rows, account, cover.first)
                fact["lastRows"] = day_digest(rows, account, cover.last)
            facts.append(fact)
        if account.again:
            facts[0]["again"] = account.again
        if account.ids is not None or account.shows_reuse:
            facts[0]["ids"] = account.ids or "reused"
        elif account.stable and account.earlier.ids is None:
            facts[0]["ids"] = STABLE
        return facts

    def _note_restated(self, rows: OpenRows) -> None:
        """Note the file's records that an undone import had created and that were kept."""
        undone = undone_numbers(self._session)
        found = [e.candidate for e in rows.entries if e.candidate is not None] if undone else []
        found += [c for c in rows.candidates if c.is_taken] if undone else []
        ids: defaultdict[str, set[str]] = defaultdict(set)
        for candidate in found:
            if candidate.import_id in undone:
                ids[candidate.account.id].add(candidate.record)
        for fact in self.facts:
            if restated := ids.pop(fact["accountId"], None):
                fact["restated"] = sorted(restated)

    def _held_records(self, rows: OpenRows) -> dict[_AccountDay, set[str]]:
        """Return the ids of stored records that the file has too, by account and day in `_ends`."""
        held: dict[_AccountDay, set[str]] = {
            (fact["accountId"], day): set() for fact, _, day in self._ends
        }
        taken = ((c.account.id, c.day, c) for c in rows.candidates if c.is_taken)
        paired = ((e.account.id, e.day, e.candidate) for e in rows.entries if e.candidate)
        for account_id, day, candidate in chain(taken, paired) if held else ():
            if (account_id, day * DAY_SECONDS) in held:
                held[account_id, day * DAY_SECONDS] |= {candidate.record, *candidate.further.others}
        return held

    def note_beside(self) -> None:
        """Note the sums of records that the file lacks on its first and last days, by import.

        As files brought them. Call this when the records of this import are stored.
        """
        sums = self._sums()
        for fact, name, day in self._ends:
            key = fact["accountId"], day
            of_day = dict(sums.get(key, {}))
            if of_day.pop(self._session.number, 0):
                fact["adds"] = True
            fact[name] = self._beside(day, of_day, self._held[key])

    def _sums(self) -> dict[_AccountDay, dict[int, int]]:
        """Sum the records on each account's days in ``_ends``, by the import that created them."""
        ids: defaultdict[int, set[str]] = defaultdict(set)
        for account_id, day in self._held:
            ids[day].add(account_id)
        sums: defaultdict[_AccountDay, dict[int, int]] = defaultdict(dict)
        data, user_id = self._session.storage.data, self._session.user.id
        for day, account_ids in ids.items():
            of_day = [any_of("accountId", account_ids), dated(day, day + DAY_SECONDS)]
            found = data.sum_by(user_id, ["accountId", "importId"], of_day)
            for (account_id, number), each in found.items():
                sums[account_id, day][number or 0] = each.amount
        by_hand = list_differences(self._session, {i for i, _ in self._held}, self.facts)
        for account_id, differences in by_hand.items():
            for difference in differences:
                key = account_id, difference.day
                for number, units in difference.corrections if key in self._held else ():
                    sums[key][number] = sums[key].get(number, 0) + units
        return sums

    def _beside(self, day: int, found: dict[int, int], held: set[str]) -> dict[str, int]:
        for batch in batched(held if found else ()):
            for row in get_stated(self._session, batch).values():
                brought = read_brought(row)
                number = (brought and brought.number) or row["importId"] or 0
                if brought is not None and brought.day == day and number in found:
                    found[number] -= brought.counted
        return {str(number): units for number, units in found.items() if units}


def _end_days(statement: Statement) -> Iterator[tuple[str, int]]:
    """Yield the days that the statement may cover only partly, each with the name of its fact."""
    if statement.closing is not None:
        yield "closingBeside", statement.closing.date
    if statement.opening is not None and statement.first_day is None:
        yield "openingBeside", statement.opening.date + DAY_SECONDS


def _day_and_units(balance: BankBalance | None) -> list[int] | None:
    return None if balance is None else [balance.date, balance.amount]
