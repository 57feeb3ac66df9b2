"""Checks that a user's data is consistent: values, references, derived fields, balances.

`StorageBackend.find_faults` checks how the data is stored.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.balances import settled_account
from finance_api.ledger.derivation import derive
from finance_api.ledger.references import ids_in
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES, SPLITS, referred_by
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.records import VOID
from finance_api.storage.interface import (
    REPAIR,
    RESTORE,
    DataState,
    Fault,
    Found,
    Storage,
    StorageBackend,
    User,
    WritableStorage,
    after_repair,
    reading,
    unit_of_work,
)
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

_TYPES: dict[Kind, type | tuple[type, ...]] = {
    Kind.NUMBER: int,
    Kind.DATE: int,
    Kind.DATETIME: int,
    Kind.SERIAL: int,
    Kind.BOOLEAN: bool,
    Kind.TEXT_LIST: tuple,
    Kind.ID_LIST: tuple,
    Kind.LIMIT_LIST: tuple,
}
#: Fields of accounts that are derived from statements.
_SETTLED = (
    *("initialBalance", "ownInitialBalance", "bankBalance", "bankBalanceDate"),
    *("unexplained", "unexplainedSince"),
)
#: Derived fields of each resource, which a repair computes again.
_DERIVED = {
    ACCOUNTS.name: ("balance", "recordCount", "lastRecordDate"),
    RECORDS.name: ("recordType", "accountName", "category", "labels"),
}


def find_faults(backend: StorageBackend, user: User, *, now: int, repair: bool) -> Iterator[Fault]:
    """Yield a user's faults. Raises StorageError.

    repair: correct derived data, in a new revision.
    """
    with reading(backend) as storage:
        found = _UserData(storage, user).faults()
    # Do not repair if rows cannot be read: sums without them would be wrong.
    unreadable = any(fault.kind == "values" for fault in found)
    if not repair or unreadable or not any(fault.command == REPAIR for fault in found):
        yield from found
        return
    with unit_of_work(backend) as storage:
        state = storage.data.lock(user.id)
        data = _UserData(storage, user)
        found = data.faults()
        data.correct(storage)
        storage.data.set_state(user.id, DataState(state.revision + 1, now))
    with reading(backend) as storage:
        left = _UserData(storage, user).faults()
    yield from after_repair(found, left)


class _UserData:
    """A user's data, read in one unit of work. Rows that other rows refer to stay in memory."""

    def __init__(self, storage: Storage, user: User) -> None:
        self._user = user
        self._owned = UserRows(storage, user)
        self._accounts = self._owned.accounts.rows
        self._imports = {entry.number for entry in self._owned.history}
        self._counted: dict[str, dict[str, Any]] = {}
        #: Split -> the amount of the whole minus the parts read so far.
        self._rests: dict[str, int] = {}
        #: The splits with parts; other splits are deleted records.
        self._with_parts: set[str] = set()

    def faults(self) -> list[Fault]:
        found = Found(self._user.email)
        self._counted = {i: self._uncounted(row) for i, row in self._accounts.items()}
        self._rests, self._with_parts = {}, set()
        for resource in RESOURCES:
            for page in self._owned.pages(resource):
                for row in page:
                    self._check(found, resource, row)
        for split_id, rest in self._rests.items():
            if rest and split_id in self._with_parts:
                message = "the parts do not add up to the whole, for splits: {}"
                found.add("splits", message, split_id, RESTORE)
        for account_id, counted in self._counted.items():
            for name in counted:
                if self._accounts[account_id][name] != counted[name]:
                    what = "statements say" if name in _SETTLED else "the records add up to"
                    message = f"{name} differs from what {what}, for accounts: {{}}"
                    found.add("balances", message, account_id)
        return found.faults()

    def _uncounted(self, account: Row) -> dict[str, Any]:
        """Return the derived fields of an account without records."""
        settled: Row = {"initialBalance": account["initialBalance"]}
        if not _unsound(ACCOUNTS, account):
            # A balance out of range cannot be right: its records have a fault.
            with suppress(ChangeRefused):
                row = settled_account(self._owned, account["id"])
                settled = {name: row[name] for name in _SETTLED}
        initial = settled["initialBalance"]
        return {**settled, "balance": initial, "recordCount": 0, "lastRecordDate": None}

    def _check(self, found: Found, resource: Resource, row: Row) -> None:
        unsound = _unsound(resource, row)
        for name in unsound:
            message = f"{name} has a value of the wrong type, for {resource.name}: {{}}"
            found.add("values", message, row["id"], RESTORE)
        if unsound:
            return
        for field in resource.references:
            known = self._owned.row_set(referred_by(field)).rows
            if any(row_id not in known for row_id in ids_in(row[field.name])):
                message = f"{field.name} refers to a missing object, for {resource.name}: {{}}"
                found.add("references", message, row["id"], RESTORE)
        if resource is SPLITS:
            self._rests[row["id"]] = row["amount"]
        if resource is RECORDS:
            self._check_record(found, row)
            self._check_part(found, row)

    def _check_part(self, found: Found, row: Row) -> None:
        if row["id"] in self._rests:
            found.add("splits", "records are also stored as split records: {}", row["id"], RESTORE)
        if row["splitId"] in self._rests:
            self._rests[row["splitId"]] -= row["amount"]
            self._with_parts.add(row["splitId"])
        elif row["splitId"] is not None:
            message = "splitId refers to a missing object, for records: {}"
            found.add("references", message, row["id"], RESTORE)

    def _check_record(self, found: Found, row: Row) -> None:
        if row["importId"] is not None and row["importId"] not in self._imports:
            message = "no entry of the history has the importId of records: {}"
            found.add("imports", message, row["id"], RESTORE)
        for name, value in self._derived(row).items():
            if row[name] != value:
                message = f"{name} differs from the data that it is derived from, for records: {{}}"
                found.add("derived", message, row["id"])
        account = self._accounts.get(row["accountId"])
        if account is not None:
            if row["currencyCode"] != account["currencyCode"]:
                # Nothing shows which of the two is right, so a repair cannot help.
                message = "currencyCode differs from the account's, for records: {}"
                found.add("currencies", message, row["id"], RESTORE)
            _count(self._counted[row["accountId"]], row)

    def _derived(self, row: Row) -> dict[str, Any]:
        """Return the record's derived fields; {} if the record has a broken reference."""
        derived = {**row, "currencyCode": None}
        try:
            derive(self._owned, derived)
        except ChangeRefused:
            return {}
        return {name: derived[name] for name in _DERIVED[RECORDS.name]}

    def correct(self, storage: WritableStorage) -> None:
        """Store the corrected derived fields. Call it after `faults`."""
        for page in self._owned.pages(RECORDS):
            corrected = [{**r, **self._derived(r)} for r in page if not _unsound(RECORDS, r)]
            before = {row["id"]: row for row in page}
            changed = [row for row in corrected if row != before[row["id"]]]
            if changed:
                storage.data.put_rows(self._user.id, RECORDS, new=(), changed=changed)
        changed = [
            {**self._accounts[i], **counted}
            for i, counted in self._counted.items()
            if any(self._accounts[i][name] != value for name, value in counted.items())
        ]
        storage.data.put_rows(self._user.id, ACCOUNTS, new=(), changed=changed)


def _count(counted: dict[str, Any], record: Row) -> None:
    day = record["recordDate"] - record["recordDate"] % DAY_SECONDS
    last = counted["lastRecordDate"]
    counted["lastRecordDate"] = day if last is None else max(day, last)
    counted["recordCount"] += 1
    if record["recordState"] != VOID:
        counted["balance"] += record["amount"]


def _unsound(resource: Resource, row: Row) -> list[str]:
    """Return the names of the fields with invalid values, except derived fields."""
    given = (f for f in resource.persisted_fields if f.name not in _DERIVED.get(resource.name, ()))
    return [f.name for f in given if not _is_value(f, row[f.name])]


def _is_value(field: Field, value: Any) -> bool:
    """Return whether a value is valid for the field. SQLite accepts any type in any column."""
    if value is None:
        return field.nullable
    wanted = _TYPES.get(field.kind, str)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return False
    return field.kind is not Kind.CHOICE or not field.choices or value in field.choices
