"""What readers of books in plain text share: accounts are paths, and transactions have no ids."""

import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.double_entry.model import Account, Kind, Leg, Transaction
from finance_api.importers.books.reading import BookIds, BookReader
from finance_api.resources.currencies import decimals_of
from finance_api.resources.field import MAX_SOURCE_CHARACTERS
from finance_api.values.number import DECIMALS


def _meanings(table: str) -> dict[str, str]:
    """Return word -> what it means, from the file beside this one."""
    words = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))[table]
    return {
        word.strip(): meaning
        for meaning, text in words.items()
        for word in text.strip().replace("\n", ",").split(",")
    }


_TYPES, _ROOTS = _meanings("types"), _meanings("roots")


def account_type(path: str) -> str:
    """Return the type of account that its path tells, from its last name on."""
    for name in reversed(path.casefold().split(":")):
        for word, kind in _TYPES.items():
            if name == word or name == f"{word}s" or f" {word}" in f" {name}":
                return kind
    return "General"


def with_groups(accounts: Iterable[Account]) -> dict[str, Account]:
    """Return accounts by path, with those that hold others together, in the order of paths."""
    found: dict[str, Account] = {each.id: each for each in accounts}
    for account in list(found.values()):
        parent = account.parent
        while parent is not None and parent not in found:
            found[parent] = group = path_account(parent, account.kind)
            parent = group.parent
    return dict(sorted(found.items()))


def path_account(path: str, kind: Kind, *, archived: bool = False) -> Account:
    above, _, name = path.rpartition(":")
    type_name = account_type(path) if kind is Kind.MONEY else "General"
    return Account(path, name, above or None, kind, account_type=type_name, archived=archived)


def text_ledger(
    reader: BookReader,
    name: str,
    accounts: Mapping[str, Account],
    transactions: Sequence[Transaction],
    decimals: Mapping[str, int],
    told: Mapping[tuple[str, str], Fraction] | None,
) -> DoubleEntry:
    """Return a book in plain text, which has a name only.

    decimals: those that the program shows of most amounts. told: balances, if they were printed.
    """
    if told is None:
        reader.remarks.sentences.append(
            "balances are not compared with the program's, which are not in the file"
        )
    source = f"{reader.program}:{reader.given.get('book') or name}"
    return DoubleEntry(
        BookIds(source[:MAX_SOURCE_CHARACTERS]),
        accounts,
        lambda: transactions,
        reader.remarks,
        lambda code: max(decimals.get(code, DECIMALS), decimals_of(code)),
        told,
    )


class ContentIds:
    """Ids of transactions: a hash of what is in them, with a number if several are equal."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def with_ids(self, transaction: Transaction) -> Transaction:
        """Return the transaction with ids of its legs."""
        content = hashlib.sha256(repr(_content(transaction)).encode()).hexdigest()[:32]
        self._seen[content] += 1
        number = self._seen[content]
        prefix = content if number == 1 else f"{content}.{number}"
        legs = [leg._replace(id=f"{prefix}/{n}") for n, leg in enumerate(transaction.legs, 1)]
        return transaction._replace(legs=legs)


def _content(transaction: Transaction) -> tuple[object, ...]:
    head = transaction._replace(legs=(), labels=tuple(sorted(transaction.labels)))
    return (str(head.day), *head[2:], *(_leg_content(leg) for leg in transaction.legs))


def _leg_content(leg: Leg) -> tuple[object, ...]:
    day = None if leg.day is None else str(leg.day)
    money = (str(leg.quantity), leg.commodity, str(leg.value), leg.currency)
    return (leg.account, *money, leg.note, tuple(sorted(leg.labels)), day, leg.state)


def most_common(numbers: Mapping[int, int]) -> int:
    """Return the number that is most common; of equally common ones, the greatest."""
    return max(numbers, key=lambda number: (numbers[number], number))


def kind_of_root(path: str) -> Kind | None:
    """Return the kind of an account that the name of its root tells; None if none."""
    name = _ROOTS.get(path.partition(":")[0].casefold())
    return None if name is None else Kind[name]
