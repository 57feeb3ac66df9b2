"""Taking entries of the history back: what was there before them is there again.

An entry goes back whole, or up to the rows that a hand changed since; nothing is merged. Taking
back is no entry itself: the entries that went keep standing in the history, with the time of it.
What they taught (covered days, balances, options) is read from entries that are not undone, and so
is gone by itself; balances, names and what follows from a bank's balances are worked out anew.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.balances import Balances
from finance_api.ledger.bank_balances import settle_bank_balances
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.session import LedgerSession, own_values
from finance_api.query.model import Operator, condition_on
from finance_api.resources import ACCOUNTS, BY_MODEL_TYPE, CATEGORIES, LABELS, RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

IMPORT = "import"

_PAGE = 1_000
#: Of records that go: they lie all over the table, and each part of it is written once a page.
_REMOVED_PAGE = 10_000
#: So many rows are named in a refusal.
_NAMED_ROWS = 10
_DOCUMENTS = [resource for resource in RESOURCES if resource is not RECORDS]
#: They stay while something refers to them.
_REFERRED = (LABELS, CATEGORIES, ACCOUNTS)
#: What later statements add to an account, whatever it is called.
_OF_STATEMENTS = ("statementKeys", "bankAccountNumber", "updatedAt")

#: A resource's name and a row's id.
_Key = tuple[str, str]


@dataclass
class UndoReport:
    """What became of the data.

    entries: the numbers of those that went back, newest first. removed, restored: counts of rows by
    resource. kept: rows that a hand changed and that stay as they are. used: the names of accounts,
    categories and labels that something refers to by now, and that stay for it.
    """

    entries: list[int] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    restored: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    used: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        counts = {"removed": dict(+self.removed), "restored": dict(+self.restored)}
        return {"entries": self.entries, **counts, "kept": self.kept, "stillUsed": self.used}


@dataclass
class _Blocker:
    """A later entry that stands in the way.

    reasons: what it has to do with the entry. rows: those that both touched.
    """

    entry: HistoryEntry
    reasons: list[str] = field(default_factory=list)
    rows: set[_Key] = field(default_factory=set)

    @property
    def is_by_hand(self) -> bool:
        """Whether its rows can be left as they are."""
        return self.entry.action != IMPORT and not self.reasons


def undo(
    session: LedgerSession, number: int, *, with_later: bool = False, keep_changed: bool = False
) -> UndoReport:
    """Takes an entry back, in a session without an action.

    with_later: and those after it that have to do with the same. keep_changed: but for the rows
    that a hand changed since. Raises ImportRefused.
    """
    return _Undo(session, with_later, keep_changed).run(number)


class _Undo:
    def __init__(self, session: LedgerSession, with_later: bool, keep_changed: bool) -> None:
        self._session = session
        self._history = session.storage.history
        self._with_later = with_later
        self._keep_changed = keep_changed
        self._balances = Balances()
        self._report = UndoReport()
        #: Those that are not undone, by number.
        self._live = {e.number: e for e in session.history if e.undone_at is None}
        #: Rows that stay, and the newest entry by hand that changed them.
        self._kept: dict[_Key, int] = {}
        #: Accounts whose bank's balances are looked at again.
        self._accounts: set[str] = set()

    def run(self, number: int) -> UndoReport:
        session = self._session
        for entry in self._plan(self._entry(number)):
            self._take_back(entry)
            del self._live[entry.number]
            self._history.set_undone(session.user.id, entry.number, session.now)
            self._report.entries.append(entry.number)
        session.history = self._history.list_entries(session.user.id)
        rederive_records(session)
        wanted = (*sorted(self._accounts), *self._balances.touched)
        self._report.remarks = settle_bank_balances(session, wanted)
        self._balances.settle(session)
        session.close(records_changed=True)
        return self._report

    def _entry(self, number: int) -> HistoryEntry:
        entry = next((e for e in self._session.history if e.number == number), None)
        if entry is None:
            raise ImportRefused(f"there is no entry {number} in the history")
        if entry.undone_at is not None:
            raise ImportRefused(f"entry {number} is taken back already")
        return entry

    # -- what stands in the way

    def _plan(self, entry: HistoryEntry) -> list[HistoryEntry]:
        """The entries that go back, newest first. Raises ImportRefused."""
        planned = {entry.number: entry}
        open_entries = [entry]
        while open_entries:
            each = open_entries.pop()
            self._check_images(each)
            for blocker in self._blockers(each, planned):
                if self._keep_changed and blocker.is_by_hand:
                    for key in blocker.rows:
                        self._kept[key] = max(self._kept.get(key, 0), blocker.entry.number)
                elif self._with_later:
                    planned[blocker.entry.number] = blocker.entry
                    open_entries.append(blocker.entry)
        return [planned[number] for number in sorted(planned, reverse=True)]

    def _check_images(self, entry: HistoryEntry) -> None:
        if entry.action == "upgrade":
            raise ImportRefused(f"entry {entry.number} was made by an upgrade, and stays")
        if entry.pruned:
            days = self._session.keep_days
            raise ImportRefused(
                f"what was there before entry {entry.number} is kept no more: "
                f"finance_api.imports.keep_days is {days}"
            )

    def _blockers(self, entry: HistoryEntry, planned: dict[int, HistoryEntry]) -> list[_Blocker]:
        """Raises ImportRefused, unless the options say what becomes of them."""
        later = {n: _Blocker(e) for n, e in self._live.items() if n > entry.number}
        if not later:
            return []
        for blocker in later.values():
            for account_id in _same_days(entry, blocker.entry):
                account = self._session.accounts.rows.get(account_id, {"name": account_id})
                blocker.reasons.append(f"covers the same days of {account['name']}")
            blocker.rows |= set(self._rows_of_both(entry, blocker.entry))
        self._look_at_images(entry, later)
        found = [b for n, b in later.items() if n not in planned and (b.reasons or b.rows)]
        if self._with_later:
            return found
        if [b for b in found if not (self._keep_changed and b.is_by_hand)]:
            raise ImportRefused(self._refusal(entry, found))
        return found

    def _rows_of_both(self, entry: HistoryEntry, later: HistoryEntry) -> Iterator[_Key]:
        """The rows that the entry made or changed, and a later one changed."""
        for resource in RESOURCES:
            for page in self._images(later.number, resource):
                known = self._history.get_before(
                    self._session.user.id, entry.number, resource, [i.row_id for i in page]
                )
                for image in page:
                    is_made = (
                        resource is RECORDS
                        and image.row is not None
                        and image.row["importId"] == entry.number
                    )
                    if not (is_made or image.row_id in known):
                        continue
                    if resource is not ACCOUNTS or self._is_changed(image, later):
                        yield resource.name, image.row_id

    def _is_changed(self, account: BeforeImage, later: HistoryEntry) -> bool:
        """Whether the entry changed more of it than every statement does."""
        after = self._row_after(later, ACCOUNTS, account.row_id)
        if account.row is None or after is None:
            return True
        before, after = own_values(ACCOUNTS, account.row), own_values(ACCOUNTS, after)
        return any(before[n] != after[n] for n in before if n not in _OF_STATEMENTS)

    def _row_after(self, entry: HistoryEntry, resource: Resource, row_id: str) -> Row | None:
        """A document as the entry left it."""
        for number in sorted(n for n in self._live if n > entry.number):
            images = self._history.get_before(self._session.user.id, number, resource, [row_id])
            if images:
                return images[row_id].row
        return self._session.row_set(resource).rows.get(row_id)

    def _look_at_images(self, entry: HistoryEntry, later: dict[int, _Blocker]) -> None:
        """Finds later entries that made a row anew, or took away what a row refers to."""
        for resource in RESOURCES:
            for page in self._images(entry.number, resource):
                rows = [image.row for image in page if image.row is not None]
                if resource is RECORDS:
                    stored = self._session.storage.data.get_rows(
                        self._session.user.id, RECORDS, [row["id"] for row in rows]
                    )
                    for row in rows:
                        maker = stored.get(row["id"], row)["importId"]
                        if maker != row["importId"] and maker in later:
                            later[maker].reasons.append(f"brought the record {row['id']} again")
                for missing, missing_id in {
                    key for row in rows for key in self._missing(resource, row)
                }:
                    for blocker in later.values():
                        images = self._history.get_before(
                            self._session.user.id, blocker.entry.number, missing, [missing_id]
                        )
                        if missing_id in images and images[missing_id].row is not None:
                            name = (images[missing_id].row or {}).get("name")
                            blocker.reasons.append(f"took away the {missing.model_type} {name}")

    def _missing(self, resource: Resource, row: Row) -> Iterator[tuple[Resource, str]]:
        """What it refers to and is no more."""
        for each in resource.references:
            assert each.references is not None
            referred = BY_MODEL_TYPE[each.references]
            known = self._session.row_set(referred).rows
            for row_id in _ids_in(row[each.name]):
                if row_id not in known:
                    yield referred, row_id

    def _refusal(self, entry: HistoryEntry, found: list[_Blocker]) -> str:
        parts = []
        for blocker in found:
            reasons = list(dict.fromkeys(blocker.reasons))[:_NAMED_ROWS]
            if blocker.rows:
                reasons.append(f"changed {self._named(sorted(blocker.rows))}")
            parts.append(
                f"entry {blocker.entry.number} ({blocker.entry.action}) {' and '.join(reasons)}"
            )
        keep = ""
        if all(blocker.is_by_hand for blocker in found):
            keep = ", or leave what was changed since as it is with --keep-changed"
        return (
            f"entry {entry.number} is not the last word on what it changed: {'; '.join(parts)}. "
            f"Take the later ones back as well with --with-later{keep}"
        )

    def _named(self, keys: list[_Key]) -> str:
        texts = []
        for name, row_id in keys[:_NAMED_ROWS]:
            resource = next(r for r in RESOURCES if r.name == name)
            rows = self._session.storage.data.get_rows(self._session.user.id, resource, [row_id])
            texts.append(_row_text(resource, row_id, rows.get(row_id)))
        more = len(keys) - len(texts)
        return ", ".join(texts) + (f" and {more} more" if more else "")

    # -- taking back

    def _take_back(self, entry: HistoryEntry) -> None:
        self._accounts |= {fact["accountId"] for fact in entry.details.get("accounts", ())}
        self._remove_records(entry)
        for resource in _DOCUMENTS:
            for page in self._images(entry.number, resource):
                self._restore_documents(entry, resource, page)
        self._restore_records(entry)
        self._remove_documents(entry)
        self._hand_over_accounts(entry)

    def _images(self, number: int, resource: Resource) -> Iterator[list[BeforeImage]]:
        after = (resource.name, "")
        while page := self._history.scan_before(
            self._session.user.id, number, after=after, limit=_PAGE
        ):
            after = (page[-1].resource.name, page[-1].row_id)
            own = [image for image in page if image.resource is resource]
            if own:
                yield own
            if len(own) < len(page):
                return

    def _is_kept(self, entry: HistoryEntry, resource: Resource, row_id: str) -> bool:
        return self._kept.get((resource.name, row_id), 0) > entry.number

    def _remove_records(self, entry: HistoryEntry) -> None:
        data, user_id = self._session.storage.data, self._session.user.id
        made = condition_on(RECORDS, "importId", Operator.ANY_OF, (entry.number,))
        after = ""
        while page := data.scan_rows(
            user_id, RECORDS, conditions=[made], after_id=after, limit=_REMOVED_PAGE
        ):
            after = page[-1]["id"]
            gone = []
            for row in page:
                if self._is_kept(entry, RECORDS, row["id"]):
                    self._report.kept += 1
                else:
                    self._balances.note(row, None)
                    gone.append(row["id"])
            data.delete_rows(user_id, RECORDS, gone)
            self._report.removed[RECORDS.name] += len(gone)

    def _restore_records(self, entry: HistoryEntry) -> None:
        renamed: list[str] = []
        for page in self._images(entry.number, RECORDS):
            renamed += self._put_records(entry, page, with_sources=False)
        # Rows may have changed their source ids among each other: only now is each of them free.
        for begin in range(0, len(renamed), _PAGE):
            ids = renamed[begin : begin + _PAGE]
            images = self._history.get_before(self._session.user.id, entry.number, RECORDS, ids)
            self._put_records(entry, list(images.values()), with_sources=True)

    def _put_records(
        self, entry: HistoryEntry, images: list[BeforeImage], *, with_sources: bool
    ) -> list[str]:
        """The ids of those that have yet to get their source back."""
        data, user_id = self._session.storage.data, self._session.user.id
        stored = data.get_rows(user_id, RECORDS, [image.row_id for image in images])
        new: list[Row] = []
        changed: list[Row] = []
        renamed: list[str] = []
        for _, row_id, image in images:
            if self._is_kept(entry, RECORDS, row_id):
                self._report.kept += 1
                continue
            assert image is not None
            current = stored.get(row_id)
            row = {**image, "currencyCode": None}
            derive(self._session, row)
            if current is not None and not with_sources and _source(current) != _source(row):
                renamed.append(row_id)
                row |= {"source": None, "sourceId": None}
            self._balances.note(current, row)
            (new if current is None else changed).append(row)
        if new or changed:
            data.put_rows(user_id, RECORDS, new=new, changed=changed)
        if not with_sources:
            self._report.restored[RECORDS.name] += len(new) + len(changed)
        return renamed

    def _restore_documents(
        self, entry: HistoryEntry, resource: Resource, images: list[BeforeImage]
    ) -> None:
        row_set = self._session.row_set(resource)
        restored = []
        for _, row_id, image in images:
            if image is None:
                continue
            if self._is_kept(entry, resource, row_id):
                self._report.kept += 1
                continue
            current = row_set.rows.get(row_id)
            restored.append(self._restored(entry, resource, image, current))
            if current is not None:
                row_set.put({**current, "source": None, "sourceId": None})
        for row in restored:
            row_set.put(row)
            if resource is ACCOUNTS:
                self._accounts.add(row["id"])
        self._report.restored[resource.name] += len(restored)

    def _restored(
        self, entry: HistoryEntry, resource: Resource, image: Row, current: Row | None
    ) -> Row:
        before = own_values(resource, image)
        if current is None or resource is not ACCOUNTS:
            return {**(current or image), **before}
        # What a later statement says of the account stays.
        after = own_values(ACCOUNTS, self._row_after(entry, ACCOUNTS, image["id"]) or current)
        now = own_values(ACCOUNTS, current)
        names = [n for n in before if now[n] == after[n] and n != "statementKeys"]
        self._carry_back(entry, before, after, names)
        return {**current, **now, **{name: before[name] for name in names}}

    def _carry_back(self, entry: HistoryEntry, before: Row, after: Row, names: list[str]) -> None:
        """Later images of an account have what is restored now, as if the entry had not been."""
        user_id, row_id = self._session.user.id, before["id"]
        for number in sorted(n for n in self._live if n > entry.number):
            image = self._history.get_before(user_id, number, ACCOUNTS, [row_id]).get(row_id)
            if image is None or image.row is None:
                continue
            own = own_values(ACCOUNTS, image.row)
            own |= {name: before[name] for name in names if own[name] == after[name]}
            self._replace_image(number, BeforeImage(ACCOUNTS, row_id, {**image.row, **own}))

    def _hand_over_accounts(self, entry: HistoryEntry) -> None:
        """What only this entry's statements called the accounts that stay is gone.

        The rest, and having made the account, is what the next entry with such a statement did.
        """
        session = self._session
        later = [number for number in sorted(self._live) if number > entry.number]
        heirs: dict[tuple[str, str], int] = {}
        for number in later:
            for fact in self._live[number].details.get("accounts", ()):
                heirs.setdefault(_statement_key(fact), number)
        for page in self._images(entry.number, ACCOUNTS):
            for image in page:
                account = session.accounts.rows.get(image.row_id)
                if account is None or self._is_kept(entry, ACCOUNTS, image.row_id):
                    continue
                before = () if image.row is None else image.row["statementKeys"]
                after = self._row_after(entry, ACCOUNTS, image.row_id) or account
                taught = set(after["statementKeys"]) - set(before)
                gone = {key for key in taught if (image.row_id, key) not in heirs}
                if image.row is None:
                    makers = [n for (row_id, _), n in heirs.items() if row_id == image.row_id]
                    if makers:
                        self._replace_image(min(makers), image)
                else:
                    for key in taught:
                        heir = heirs.get((image.row_id, key))
                        self._hand_over_key(entry, image.row_id, key, heir)
                keys = tuple(key for key in account["statementKeys"] if key not in gone)
                session.accounts.put({**account, "statementKeys": keys})

    def _hand_over_key(
        self, entry: HistoryEntry, account_id: str, key: str, heir: int | None
    ) -> None:
        """Images of later entries up to the heir's are without the key."""
        for number in [n for n in sorted(self._live) if entry.number < n <= (heir or n)]:
            row = self._row_before(number, account_id, is_needed=number == heir)
            if row is not None and key in row["statementKeys"]:
                keys = tuple(each for each in row["statementKeys"] if each != key)
                row = {**row, "statementKeys": keys}
                self._replace_image(number, BeforeImage(ACCOUNTS, account_id, row))

    def _row_before(self, number: int, account_id: str, *, is_needed: bool) -> Row | None:
        """An account as an entry found it; is_needed: also if the entry has no image of it."""
        user_id = self._session.user.id
        image = self._history.get_before(user_id, number, ACCOUNTS, [account_id]).get(account_id)
        if image is not None:
            return image.row
        return self._row_after(self._live[number], ACCOUNTS, account_id) if is_needed else None

    def _replace_image(self, number: int, image: BeforeImage) -> None:
        self._history.put_before(self._session.user.id, number, [image], replace=True)

    def _remove_documents(self, entry: HistoryEntry) -> None:
        made: dict[str, set[str]] = {}
        for resource in _DOCUMENTS:
            row_set = self._session.row_set(resource)
            for page in self._images(entry.number, resource):
                for image in page:
                    if image.row is not None or image.row_id not in row_set.rows:
                        continue
                    if self._is_kept(entry, resource, image.row_id):
                        self._report.kept += 1
                    elif resource in _REFERRED:
                        made.setdefault(resource.name, set()).add(image.row_id)
                    else:
                        self._remove(resource, image.row_id)
        for resource in _REFERRED:
            candidates = made.get(resource.name, set())
            used = self._used_by_images(entry, resource)
            if resource is ACCOUNTS:
                used |= self._used_by_statements(entry)
            self._remove_unused(resource, candidates, used)

    def _remove(self, resource: Resource, row_id: str) -> None:
        self._session.row_set(resource).remove(row_id)
        self._report.removed[resource.name] += 1

    def _remove_unused(self, resource: Resource, candidates: set[str], used: set[str]) -> None:
        made = frozenset(candidates)
        candidates -= used
        candidates -= self._used_by_records(resource, candidates)
        while unused := candidates - self._used_by_documents(resource):
            for row_id in unused:
                self._remove(resource, row_id)
            candidates -= unused
        rows = self._session.row_set(resource).rows
        self._report.used += sorted(rows[row_id]["name"] for row_id in made & rows.keys())

    def _used_by_images(self, entry: HistoryEntry, resource: Resource) -> set[str]:
        """What rows refer to that taking back a later entry brings again."""
        return {
            row_id
            for number in self._live
            if number > entry.number
            for other in RESOURCES
            for each in other.references
            if each.references == resource.model_type
            for page in self._images(number, other)
            for image in page
            if image.row is not None
            for row_id in _ids_in(image.row[each.name])
        }

    def _used_by_statements(self, entry: HistoryEntry) -> set[str]:
        """The accounts of which later entries have statements, with records or without."""
        return {
            fact["accountId"]
            for number, other in self._live.items()
            if number > entry.number
            for fact in other.details.get("accounts", ())
        }

    def _used_by_documents(self, resource: Resource) -> set[str]:
        return {
            row_id
            for other in _DOCUMENTS
            for each in other.references
            if each.references == resource.model_type
            for row in self._session.row_set(other).rows.values()
            for row_id in _ids_in(row[each.name])
        }

    def _used_by_records(self, resource: Resource, candidates: set[str]) -> set[str]:
        used: set[str] = set()
        for each in RECORDS.references:
            if each.references != resource.model_type:
                continue
            while unknown := candidates - used:
                condition = condition_on(
                    RECORDS, each.name, Operator.ANY_OF, tuple(sorted(unknown))
                )
                found = self._session.storage.data.scan_rows(
                    self._session.user.id, RECORDS, conditions=[condition], limit=1
                )
                if not found:
                    break
                used |= set(_ids_in(found[0][each.name]))
        return used & candidates


def _same_days(entry: HistoryEntry, later: HistoryEntry) -> list[str]:
    """The accounts of which both cover a day."""
    return list(
        dict.fromkeys(
            one["accountId"]
            for one in entry.details.get("accounts", ())
            for other in later.details.get("accounts", ())
            if one["accountId"] == other["accountId"]
            and None not in (one.get("first"), one.get("last"))
            and None not in (other.get("first"), other.get("last"))
            and one["first"] <= other["last"]
            and other["first"] <= one["last"]
        )
    )


def _statement_key(fact: dict[str, Any]) -> tuple[str, str]:
    return fact["accountId"], f"{fact.get('source')}:{fact.get('key')}"


def _ids_in(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _source(row: Row) -> tuple[str | None, str | None]:
    return row["source"], row["sourceId"]


def _row_text(resource: Resource, row_id: str, row: Row | None) -> str:
    if row is None:
        return f"the {resource.model_type} {row_id}, which is gone"
    if resource is RECORDS:
        texts = (
            date_text(row["recordDate"]),
            decimal_text(row["amount"]),
            row["payee"] or row["note"],
        )
        return f"the record {' '.join(text for text in texts if text)} ({row_id})"
    return f"the {resource.model_type} {row.get('name') or row_id}"
