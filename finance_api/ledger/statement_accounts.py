"""Finds the account of a statement: one of the user's accounts, or a new one."""

from collections import Counter

from finance_api.importers.formats import AccountKey, account_key_of
from finance_api.importers.interface import CODE, NAME, Answer, ImportRefused, StatementAccount
from finance_api.ledger.rows import blank_row, bounded_source_id, row_id
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.resources import ACCOUNTS
from finance_api.values import Row
from finance_api.values.text import compact, is_iban


def find_account(
    session: LedgerSession,
    source: str,
    account: StatementAccount,
    *,
    name: str | None,
    currency: str | None,
    example: str,
) -> str:
    """Return the id of the statement's account; create it if it is new. Notes the statement's key.

    name: the account that the user chose, or the name of a new one.
    currency: for a new account, if the statement has none; example: one to suggest.
    Raises ImportRefused, also if earlier statements of this key belong to an account not ``name``.
    """
    found = _chosen(session, source, account, name) if name else _known(session, source, account)
    if found is None:
        found = _new_account(session, source, account, name, currency, example)
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


def is_of_several(account: Row) -> bool:
    """Return whether it has statements of several bank accounts, so none states its balance."""
    keys: tuple[str, ...] = account["statementKeys"]
    sources = Counter(key.partition(":")[0] for key in keys)
    # Keys that the user chose do not count: they are names that the account once had.
    return any(
        count > 1
        for source, count in sources.items()
        if account_key_of(source) is not AccountKey.USER
    )


def _chosen(owned: UserRows, source: str, account: StatementAccount, name: str) -> Row | None:
    named = _named(owned, name)
    known = _remembered(owned, source, account.key) if account.key is not None else None
    if known is not None and (named is None or named["id"] != known["id"]):
        raise ImportRefused(
            f"earlier statements of this account are in {known['name']}",
            answers=(Answer(instead_of=("--account",)),),
            how=": leave out --account, or rename the account",
        )
    return named


def _known(owned: UserRows, source: str, account: StatementAccount) -> Row | None:
    if account.key is None:
        raise ImportRefused(
            "the file does not say which account it belongs to",
            answers=(Answer(("--account", NAME)),),
            how=f": give --account {NAME}",
        )
    if account.name != account.key:
        known = _remembered(owned, source, account.key) or _called(owned, account.key)
        # An IBAN is unique across banks, so it identifies an account without a known key.
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
    """Return the account with this number or name, and with the file's currency if it has one."""
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
            f"{len(found)} accounts have the number {account.number} ({', '.join(names)})",
            answers=tuple(
                Answer(("--account", name), meaning=f"the account is {name}") for name in names
            ),
            how=f": give --account {NAME}",
        )
    return found[0] if found else None


def _number(account: Row) -> str:
    return compact(account["bankAccountNumber"] or account["name"])


def _new_account(
    session: LedgerSession,
    source: str,
    account: StatementAccount,
    name: str | None,
    currency: str | None,
    example: str,
) -> Row:
    currency = account.currency or currency
    if currency is None:
        raise ImportRefused(
            "the file does not state its currency",
            answers=(Answer(("--currency", CODE)),),
            how=f": give --currency, such as {example}",
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
