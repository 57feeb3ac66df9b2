"""Imports the native format: whole objects of every type."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from itertools import chain
from typing import Any

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.interface import (
    ChangeRefused,
    Choice,
    ImportRefused,
    Questions,
    listed,
    quoted,
)
from finance_api.importers.native import NativeFile, NativeRow, is_deleted
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.book_states import BookStates, deleted_of_books
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.differences import Facts, list_differences, undone_numbers
from finance_api.ledger.edits.transfers import other_halves
from finance_api.ledger.following import Following, last_entry
from finance_api.ledger.joined_accounts import JoinedAccounts
from finance_api.ledger.matching.new_accounts import ask_about_accounts_of_book
from finance_api.ledger.matching.stated import note_stated
from finance_api.ledger.orders import AccountTotal, ImportReport, StatementOptions
from finance_api.ledger.references import (
    carry_currencies_over,
    check_document,
    check_recurrence,
    check_references,
    check_tree,
    complete_standing_order,
)
from finance_api.ledger.rows import RowSet, check_still_its_own, id_in, replaced, stamped
from finance_api.ledger.session import LedgerSession, Pair
from finance_api.ledger.splits import (
    change_wholes,
    check_splits,
    deleted_among,
    is_whole,
    moved_from,
    parts_of,
    put_records,
)
from finance_api.planning.categories import set_kind
from finance_api.query.model import any_of
from finance_api.resources import (
    ACCOUNTS,
    CATEGORIES,
    RECORDS,
    REFERRED,
    RESOURCES,
    SPLITS,
    STANDING_ORDERS,
)
from finance_api.resources.currencies import money_text
from finance_api.resources.field import Resource
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.text import count_text, counted_text, day_text, message
from finance_api.values.time import DAY_SECONDS, from_date, to_date

BATCH = 1_000
#: A batch ends at about this many bytes, even if it has only a few objects with long texts.
BATCH_BYTES = 4 << 20
#: The import of a larger file takes the lock before it makes its rows: a rehearsal keeps all of
#: them in memory, with up to 20 times the size of the file.
MANY_BYTES = 4 * BATCH_BYTES
#: Records have dates from 1900 to 2199.
_FIRST, _END = from_date(date(1900, 1, 1)), from_date(date(2200, 1, 1))


class NativeImport:
    """Stores the documents of a file, then its records. A refusal names the line at fault."""

    def __init__(self, session: LedgerSession, report: ImportReport) -> None:
        self._session = session
        self._report = report
        #: The sums of the file's records, by account.
        self._totals: defaultdict[str, AccountTotal] = defaultdict(AccountTotal)
        #: The initial balances of the accounts in the file, by id.
        self._initial: dict[str, int] = {}
        self._facts: list[Facts] = []
        self._undone = undone_numbers(session)
        #: The ids of the splits whose wholes or parts are in the file.
        self._splits: set[str] = set()
        #: The ids of deleted records that the file has.
        self._deleted: set[str] = set()
        #: Dates of records that are unlikely: their number, and the first one with its line.
        self._unlikely, self._first_unlikely = 0, ""
        self._end = from_date(date(to_date(session.now).year + 2, 1, 1))
        #: What a book has of its objects; None if the file is no book and not followed.
        self._states: BookStates | None = None

    def run(self, file: NativeFile, options: StatementOptions) -> None:
        """Import all rows. Raises ImportRefused."""
        session, report, following = self._session, self._report, None
        if not options.follow and last_entry(session.history, file.source) is not None:
            raise ImportRefused(clause(Topic.FOLLOWED), choices=(Choice({"follow": True}),))
        deleted = [
            [document.values["source"], document.resource.name, document.values["sourceId"]]
            for document in file.documents()
            if is_deleted(document.resource, document.values)
        ]
        if deleted:
            file = file.mapped(lambda rows: (d for d in rows if not is_deleted(*d[1:3])))
        joined = JoinedAccounts(session, file, options)
        file = imported = joined.file
        if options.follow:
            following = Following(session, joined, report, options)
            self._states, imported = following.states, following.to_import
        elif file.is_book:
            self._states = BookStates(session.user.uuid, file, {})
        self._import_held(_held(imported.documents()))
        if not options.new_account:
            questions = Questions()
            ask_about_accounts_of_book(session, file, questions, follow=options.follow)
            questions.put()
        if file.size > MANY_BYTES:
            session.begin_storing()
        joined.note(report)
        self._store_all(imported, following)
        self._remark(file)
        check_splits(session, sorted(self._splits), can_end=False)
        self._settle_bank_balances(is_followed=following is not None)
        settle_balances(session)
        if following is None:
            self._compare_balances(file)
        joined.remark(report)
        for account_id, total in self._totals.items():
            total.end(session.accounts.rows[account_id])
            report.totals.append(total)
        details = report.details
        details |= {"counts": report.counts, "accounts": self._facts}
        if self._states is not None:
            details["book"] = file.source
        if joined.ids:
            details["into"] = joined.ids
        is_noted = following is not None and following.remember(details)
        known = deleted_of_books(session.history)
        if any((kind, source_id) not in known[of] for of, kind, source_id in deleted):
            details["deleted"], is_noted = deleted, True
        report.changed = session.close(details=details, is_noted=is_noted)

    def _store_all(self, file: NativeFile, following: Following | None) -> None:
        """Store all objects but the ones that others refer to; remove what a followed book has
        lost.
        """
        if following is not None:
            self._delete(following.joined())
        carry_currencies_over(self._session)
        for resource, rows in _batches(d for d in file.documents() if d.resource not in REFERRED):
            self._store(resource, rows)
        rederive_records(self._session)
        for resource, rows in _batches(file.records()):
            self._store(resource, rows)
        self._remove_moved(file)
        if self._states is not None:
            self._remove_old_parts(file)
        if following is not None:
            self._remove_vanished(following)

    def _remark(self, file: NativeFile) -> None:
        if self._unlikely:
            self._report.remarks.append(
                message(
                    f"{counted_text(self._unlikely, 'record')} before 1970 or after next year, "
                    f"such as {self._first_unlikely}"
                )
            )
        self._report.remarks += file.remarks
        if file.is_book:
            self._name_twins()

    def _name_twins(self) -> None:
        """Name new categories and labels of a book that stored ones share their names with."""
        for row_set in (self._session.categories, self._session.labels):
            new = (r for r in row_set.rows.values() if row_set.stored(r["id"]) is None)
            shared = {
                row["name"]
                for row in new
                if any(row_set.stored(twin["id"]) for twin in row_set.named(row["name"]))
            }
            if shared:
                what = f"{row_set.resource.name} that are here twice now, of the book and your own"
                count = count_text(len(shared))
                self._report.remarks.append(message(f"{what}: {count} ({listed(sorted(shared))})"))

    def _compare_balances(self, file: NativeFile) -> None:
        """Compare accounts with the balances that their program shows.

        Raises ImportRefused unless records of an account that was here before, which the file
        lacks, are the difference.
        """
        accounts, balances = self._session.accounts, file.balances
        others = [i for i, told in balances.items() if accounts.rows[i]["balance"] != told]
        given = _ids_in(file) if others else set()
        for account_id in others:
            row, balance = accounts.rows[account_id], balances[account_id]
            code, difference = row["currencyCode"], row["balance"] - balance
            differing = (
                f"the balance of {quoted(row['name'])} is {money_text(row['balance'], code)} here "
                f"and {money_text(balance, code)} in the file, a difference of "
                f"{money_text(difference, code)}"
            )
            if accounts.stored(account_id) is None:
                raise ImportRefused(differing)
            amounts = self._amounts_beside(given, account_id)
            if sum(amounts) != difference:
                raise ImportRefused(
                    f"{differing}, which no records explain: undo the earlier imports of the book, "
                    "and import it again"
                )
            count = counted_text(len(amounts), "record")
            self._report.remarks.append(
                message(f"{differing}, because of {count} added here or deleted there")
            )

    def _amounts_beside(self, given: set[str], account_id: str) -> list[int]:
        """Return the amounts of an account's records that count, and are not among the given."""
        pages = self._session.pages(RECORDS, any_of("accountId", [account_id]))
        return [
            row["amount"]
            for row in chain.from_iterable(pages)
            # The parts of a record that was split here are in the file as one record.
            if given.isdisjoint((row["id"], row["splitId"])) and row["recordState"] != VOID
        ]

    def _note_derived(self) -> None:
        """Note that a dumped balance was derived: older records do not change what comes after."""
        accounts, data = self._session.accounts, self._session.storage.data
        derived = [
            row_id
            for row_id in self._initial
            if accounts.stored(row_id) is None
            and accounts.rows[row_id]["ownInitialBalance"] is not None
        ]
        of_them = [any_of("accountId", derived)]
        sums = data.sum_by(self._session.user.id, ["accountId"], of_them) if derived else {}
        differences = list_differences(self._session, derived)
        for account_id in derived:
            days = [each.day for each in differences.get(account_id, ())]
            if (records := sums.get((account_id,))) is not None:
                days.append(records.first - records.first % DAY_SECONDS)
            day = min(days, default=_FIRST)
            balance = [day, self._initial[account_id]]
            self._facts.append({"accountId": account_id, "closing": balance, "closingBeside": None})

    def _settle_bank_balances(self, *, is_followed: bool) -> None:
        self._note_derived()
        settled = (*self._initial, *self._session.touched)
        remarks = settle_bank_balances(self._session, settled, self._facts)
        # For an account in the file, the file's initial balance counts; a followed one's, if new.
        rows = self._session.accounts.rows
        differing = [
            i
            for i, own in self._initial.items()
            if rows[i]["initialBalance"] != own
            if not is_followed or rows[i]["ownInitialBalance"] != own
        ]
        for account_id in differing:
            self._facts.append({"accountId": account_id, "forgets": True})
            initial = {"initialBalance": self._initial[account_id], "ownInitialBalance": None}
            self._session.accounts.put({**rows[account_id], **initial})
        if differing:
            remarks = settle_bank_balances(self._session, settled, self._facts)
        self._report.remarks += remarks

    def _import_held(self, documents: Iterable[NativeRow]) -> None:
        lines: dict[str, int] = {}
        for document in documents:
            row = self._put(self._session.row_set(document.resource), document)
            if document.resource is ACCOUNTS:
                self._initial[row["id"]] = row["initialBalance"]
            elif document.resource is CATEGORIES:
                lines[row["id"]] = document.line
        # Check references only now, when all rows that can be referred to are known.
        for category_id, line in lines.items():
            row = self._session.categories.rows[category_id]
            check_document(self._session, CATEGORIES, row, line)
        if lines:
            check_tree(self._session.categories, lines)

    def _store(self, resource: Resource, documents: list[NativeRow]) -> None:
        """Store a batch."""
        session = self._session
        row_set = RowSet(resource, self._stored_rows(resource, documents))
        if resource is RECORDS:
            documents = self._change_wholes(row_set, documents)
        for document in documents:
            row = self._put(row_set, document)
            if resource is not RECORDS:
                check_document(session, resource, row, document.line)
        if resource is RECORDS:
            new = [row for row_id, row in row_set.rows.items() if row_set.stored(row_id) is None]
            self._report.note_new(new)
        if resource is SPLITS:
            self._deleted |= deleted_among(session, row_set.rows)
            self._replace_records(row_set, documents)
        session.save(row_set)

    # -- splits

    def _replace_records(self, wholes: RowSet, documents: list[NativeRow]) -> None:
        """Delete records that are wholes of splits in this file.

        Raises ChangeRefused if another record has the source id of a whole.
        """
        records = {row["id"]: row for row in self._stored_rows(RECORDS, documents)}
        for row in records.values():
            if row["id"] not in wholes.rows:
                raise ChangeRefused(
                    f"sourceId {row['sourceId']!r} of source {row['source']!r} belongs to the "
                    f"record {row['id']}"
                )
        self._remove(records)

    def _remove(self, records: Mapping[str, Row]) -> None:
        """Delete records, and unlink what is left of their transfers."""
        pairs: list[Pair] = [(row, None) for row in records.values()]
        transfer_ids = {row["transferId"] for row in records.values()} - {None}
        for rows in other_halves(self._session, transfer_ids).values():
            free = {"transferId": None, "updatedAt": self._session.now}
            left = [row for row in rows if row["id"] not in records]
            pairs += [(row, {**row, **free}) for row in left if len(left) < 2]
        put_records(self._session, pairs)

    def _delete(self, rows: Collection[Row]) -> None:
        """Delete records, and wholes with their parts."""
        wholes = [row for row in rows if is_whole(row)]
        parts = chain.from_iterable(parts_of(self._session, [w["id"] for w in wholes]).values())
        self._session.write(SPLITS, [(whole, None) for whole in wholes])
        records = (row for row in rows if not is_whole(row))
        self._remove({row["id"]: row for row in chain(records, parts)})

    def _remove_vanished(self, following: Following) -> None:
        """Delete what a followed book has lost."""
        following.note_states()
        for rows in following.vanished_records():
            self._delete(rows)
        lone = list(following.lone_halves())
        put_records(self._session, [(row, {**row, "transferId": None}) for row in lone])
        following.remove_documents()

    def _remove_moved(self, file: NativeFile) -> None:
        """Delete records that were moved here, if the file has them at their old place.

        Those that a statement has at their new place stay.
        """
        found = moved_from(self._session, self._deleted)
        given = _ids_in(file) if found else set()
        gone = [row for row_id, row in found.items() if row_id not in given]
        if gone:
            title = "records that were moved here, and are where the file has them again"
            self._report.remarks.append(message(f"{title}: {count_text(len(gone))}"))
        self._delete(gone)

    def _remove_old_parts(self, file: NativeFile) -> None:
        """Delete parts that a book's splits no longer have."""
        wholes = [row.values["id"] for row in file.documents() if row.resource is SPLITS]
        given = _ids_in(file)
        parts = chain.from_iterable(parts_of(self._session, wholes).values())
        self._remove({part["id"]: part for part in parts if part["id"] not in given})

    def _change_wholes(self, records: RowSet, documents: list[NativeRow]) -> list[NativeRow]:
        """If the file has a stored split record as a single record, change its whole and parts.

        Returns the other documents.
        """
        wholes = RowSet(SPLITS, self._stored_rows(SPLITS, documents))
        if not wholes.rows:
            return documents
        deleted = deleted_among(self._session, wholes.rows)
        self._deleted |= deleted
        others, pairs, restored = [], [], []
        for document in documents:
            given = document.values
            stored = self._whole(records, wholes, document)
            if stored is None or stored["id"] in deleted:
                # The file brings a deleted record back.
                restored += [] if stored is None else [stored]
                others.append(document)
                continue
            row = replaced(SPLITS, {n: v for n, v in given.items() if n in stored}, stored)
            self._note_brought(row, given, stored)
            self._note_state(SPLITS, row)
            self._note_stated(stored, row, given)
            if (after := stamped(row, given, stored, self._session.now)) is None:
                self._report.unchanged += 1
            else:
                check_references(self._session, SPLITS, after, document.line)
                pairs.append((stored, after))
                self._report.updated += 1
        self._session.write(SPLITS, [(row, None) for row in restored])
        self._report.remarks += change_wholes(self._session, pairs)
        return others

    def _whole(self, records: RowSet, wholes: RowSet, document: NativeRow) -> Row | None:
        """Return the whole that the file has as a record, or None. Raises ChangeRefused."""
        own_id, source, source_id = map(document.values.get, ("id", "source", "sourceId"))
        if records.find(own_id, source, source_id) is not None:
            return None
        found = wholes.find(own_id, source, source_id)
        if found is None and own_id is None:
            found = wholes.rows.get(id_in(self._session.user.uuid, document.values))
        if found is None and (other := wholes.find(None, source, source_id)) is not None:
            raise ChangeRefused(
                f"sourceId {source_id!r} of source {source!r} belongs to the split record "
                f"{other['id']}",
                document.line,
            )
        return found

    def _put_split(self, row: Row, stored: Row | None, line: int) -> None:
        """Note which split a whole or a part in the file belongs to. Raises ChangeRefused."""
        if "splitId" not in row:
            self._splits.add(row["id"])
            return
        self._splits.update(each["splitId"] for each in (row, stored) if each and each["splitId"])
        for name in ("sourceId", "transferId"):
            if row["splitId"] is not None and row[name] is not None:
                raise ChangeRefused(f"a part of a split cannot have a {name}", line)

    def _stored_rows(self, resource: Resource, documents: list[NativeRow]) -> Iterable[Row]:
        """Return the stored rows that have the id or source id of one of the documents."""
        data, user = self._session.storage.data, self._session.user
        ids: list[str] = []
        sources: defaultdict[str, list[str]] = defaultdict(list)
        for document in documents:
            source_id = document.values.get("sourceId")
            if source_id is not None:
                sources[document.values["source"]].append(source_id)
            ids.append(id_in(user.uuid, document.values))
        stored = data.get_rows(user.id, resource, ids)
        for name, source_ids in sources.items():
            found = data.get_rows_by_source(user.id, resource, name, source_ids)
            stored |= {row["id"]: row for row in found.values()}
        return stored.values()

    def _check_date(self, day: int, line: int) -> None:
        if not _FIRST <= day < _END:
            raise ChangeRefused(
                f"recordDate {day_text(day)} cannot be right: give a date from 1900 to 2199", line
            )
        if not 0 <= day < self._end:
            self._unlikely += 1
            place = f" in line {line}" if line else ""
            self._first_unlikely = self._first_unlikely or f"{day_text(day)}{place}"

    def _note_brought(self, row: Row, given: dict[str, Any], stored: Row | None) -> None:
        """Note what files brought: the record's values, or what this file itself states."""
        row["brought"] = given.get("brought")
        if stored is not None and stored["importId"] in self._undone:
            self._facts.append({"accountId": row["accountId"], "restated": [row["id"]]})

    def _note_stated(self, stored: Row, row: Row, given: dict[str, Any]) -> None:
        """Keep what was stated. The objects of a book are recognised by their ids alone."""
        if "stated" not in given and self._states is None:
            note_stated(stored, row)

    def _note_state(self, resource: Resource, row: Row) -> None:
        if self._states is not None:
            row["bookState"] = self._states.get(resource, row["id"])

    def _put(self, row_set: RowSet, document: NativeRow) -> Row:
        given, resource, line = document.values, document.resource, document.line
        own_id, source, source_id = map(given.get, ("id", "source", "sourceId"))
        stored = row_set.find(own_id, source, source_id)
        if stored is None and own_id is None:
            own_id = id_in(self._session.user.uuid, given)
            stored = row_set.rows.get(own_id)
            check_still_its_own(stored, line)
        row = replaced(resource, given, stored)
        if stored is None:
            row["id"] = own_id
        if "recordDate" in given:
            self._check_date(given["recordDate"], line)
            self._note_brought(row, given, stored)
        if resource is STANDING_ORDERS:
            complete_standing_order(row)
        elif resource is CATEGORIES:
            set_kind(row, given, stored)
        elif resource is SPLITS:
            self._put_split(row, stored, line)
        elif resource is RECORDS:
            self._put_split(row, stored, line)
            if stored is not None:
                self._note_stated(stored, row, given)
            derive(self._session, row, line)
            self._totals[row["accountId"]].add(row["amount"])
        self._note_state(resource, row)
        stamp = stamped(row, given, stored, self._session.now)
        if stamp is None:
            self._report.unchanged += 1
            return row
        if stored is None and resource in (RECORDS, SPLITS):
            stamp["importId"] = self._session.number
        row_set.put(stamp, line)
        # `ImportReport.note_new` counts new records.
        self._report.created += stored is None and resource is not RECORDS
        self._report.updated += stored is not None
        return stamp


def _held(documents: Iterable[NativeRow]) -> Iterator[NativeRow]:
    """Yield the documents that others refer to. Check rules of standing orders: this takes time."""
    for document in documents:
        if document.resource in REFERRED:
            yield document
        elif document.resource is STANDING_ORDERS:
            check_recurrence(document.values, document.line)


def _ids_in(file: NativeFile) -> set[str]:
    """Return the ids that the file gives to its objects."""
    return {row.values["id"] for row in file.objects() if "id" in row.values}


def _batches(documents: Iterable[NativeRow]) -> Iterator[tuple[Resource, list[NativeRow]]]:
    """Yield batches of one type, of up to `BATCH` documents or about `BATCH_BYTES`."""
    batches: dict[str, list[NativeRow]] = {resource.name: [] for resource in RESOURCES}
    sizes = dict.fromkeys(batches, 0)
    for document in documents:
        resource, batch = document.resource, batches[document.resource.name]
        batch.append(document)
        sizes[resource.name] += document.size
        if len(batch) >= BATCH or sizes[resource.name] >= BATCH_BYTES:
            yield resource, batch
            batches[resource.name], sizes[resource.name] = [], 0
    for resource in RESOURCES:
        if batches[resource.name]:
            yield resource, batches[resource.name]
