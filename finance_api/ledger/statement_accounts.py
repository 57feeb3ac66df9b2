"""Which account a statement is of: one of the user's, or a new one."""

from finance_api.importers.interface import ImportRefused, KnownAccount, StatementAccount
from finance_api.ledger.books import Books
from finance_api.ledger.rows import blank_row, bounded_source_id, row_id
from finance_api.resources import ACCOUNTS
from finance_api.values import Row


def find_account(
    books: Books,
    source: str,
    account: StatementAccount,
    *,
    name: str | None = None,
    currency: str | None = None,
) -> str:
    """The id of the statement's account, made if it is new.

    It is the one called ``name`` if that is given, else the one that an earlier statement of this
    source was of, else one with the statement's own name.
    currency: for a new account, where the statement does not say.
    Raises ImportRefused.
    """
    found = _named(books, name) if name else _known(books, source, account)
    if found is None:
        found = _new_account(books, source, account, name, currency)
    elif account.currency not in (None, found["currencyCode"]):
        raise ImportRefused(
            f"the statement is in {account.currency}, but the account {found['name']} is in "
            f"{found['currencyCode']}"
        )
    elif account.key is not None and found["sourceId"] is None:
        # From now on statements find it without being told.
        found = {**found, "source": source, "sourceId": bounded_source_id(account.key)}
    books.accounts.put(found)
    return str(found["id"])


def known_account(books: Books, source: str, key: str) -> KnownAccount | None:
    """The account that a statement of this key would go to; None for a new one."""
    found = _known(books, source, StatementAccount(key=key, name=key))
    if found is None:
        return None
    if found["source"] is None or found["sourceId"] == bounded_source_id(key):
        own = key
    elif found["source"] == source:
        # It has been renamed since.
        own = found["sourceId"]
    else:
        own = found["id"]
    return KnownAccount(own, found["currencyCode"])


def _named(books: Books, name: str) -> Row | None:
    found = books.accounts.named(name)
    if len(found) > 1:
        raise ImportRefused(f"{len(found)} accounts are called {name}: rename all but one")
    return found[0] if found else None


def _known(books: Books, source: str, account: StatementAccount) -> Row | None:
    if account.key is None:
        raise ImportRefused("the file does not say which account it is of: give --account NAME")
    source_id = bounded_source_id(account.key)
    known = books.accounts.find(None, source, source_id)
    if known is None:
        known = books.accounts.rows.get(row_id(books.user.uuid, source, source_id))
    if known is None and account.name == account.key:
        # The file calls its account by a name, as the user does.
        known = _named(books, account.key)
    return known


def _new_account(
    books: Books,
    source: str,
    account: StatementAccount,
    name: str | None,
    currency: str | None,
) -> Row:
    currency = account.currency or currency
    if currency is None:
        raise ImportRefused(
            "the file does not say in which currency it is: give --currency, such as EUR"
        )
    source_id = None if account.key is None else bounded_source_id(account.key)
    return {
        **blank_row(ACCOUNTS),
        "id": row_id(books.user.uuid, source, source_id),
        "name": name or account.name or account.key,
        "accountType": account.account_type,
        "currencyCode": currency,
        "bankAccountNumber": account.number,
        "createdAt": books.now,
        "updatedAt": books.now,
        "source": None if source_id is None else source,
        "sourceId": source_id,
    }
