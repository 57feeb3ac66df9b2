"""Takes entries back, the newest first: rows go, or get their old values."""

from finance_api.ledger.balances import Balances
from finance_api.ledger.bank_balances import settle_bank_balances
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.references import check_tree
from finance_api.ledger.session import LedgerSession, own_values
from finance_api.ledger.undo.leftovers import DOCUMENTS, Leftovers
from finance_api.ledger.undo.past import Past
from finance_api.ledger.undo.plan import Plan
from finance_api.ledger.undo.report import UndoReport
from finance_api.ledger.undo.statement_marks import hand_over_marks, marks_of
from finance_api.query.model import Operator, condition_on
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from finance_api.resources.field import Resource
from finance_api.storage.interface import AuditAction, BeforeImage, HistoryEntry
from finance_api.values import Row

_PAGE = 1_000
#: Of records that go: they lie all over the table, and each part of it is written once a page.
_REMOVED_PAGE = 10_000


def undo(
    session: LedgerSession, number: int, *, with_later: bool = False, keep_changed: bool = False
) -> UndoReport:
    """Takes an entry back, in a session without an action.

    with_later: and those after it that have to do with the same. keep_changed: but for the rows
    that a hand changed since. Raises ImportRefused.
    """
    past = Past(session)
    plan = Plan(session, past, number, with_later=with_later, keep_changed=keep_changed)
    return _Undo(session, past, plan).run()


class _Undo:
    def __init__(self, session: LedgerSession, past: Past, plan: Plan) -> None:
        self._session = session
        self._past = past
        self._plan = plan
        self._balances = Balances()
        self._report = UndoReport()
        #: Accounts whose bank's balances are looked at again.
        self._accounts: set[str] = set()
        self._categories: set[str] = set()

    def run(self) -> UndoReport:
        session = self._session
        for entry in self._plan.entries:
            self._take_back(entry)
            self._past.end(entry)
            self._report.entries.append(entry.number)
        session.history = session.storage.history.list_entries(session.user.id)
        if self._categories:
            rows = session.categories.rows
            check_tree(session.categories, {i: None for i in self._categories if i in rows})
        rederive_records(session)
        wanted = (*sorted(self._accounts), *self._balances.touched)
        self._report.remarks = settle_bank_balances(session, wanted)
        self._balances.settle(session)
        session.close(records_changed=True)
        numbers = ", ".join(map(str, self._report.entries))
        session.storage.note(session.user.id, AuditAction.UNDO, session.now, numbers)
        return self._report

    def _take_back(self, entry: HistoryEntry) -> None:
        self._accounts |= {fact["accountId"] for fact in entry.facts}
        self._remove_records(entry)
        for resource in DOCUMENTS:
            for page in self._past.images(entry.number, resource):
                self._restore_documents(entry, resource, page)
        self._restore_records(entry)
        hand_over_marks(self._session, self._past, self._plan, entry)
        Leftovers(self._session, self._past, self._plan, self._report, entry).remove()

    # -- records

    def _remove_records(self, entry: HistoryEntry) -> None:
        data, user_id = self._session.storage.data, self._session.user.id
        made = condition_on(RECORDS, "importId", Operator.ANY_OF, (entry.number,))
        for page in data.scan_pages(user_id, RECORDS, _REMOVED_PAGE, conditions=[made]):
            gone = []
            for row in page:
                if self._plan.keeps(entry, RECORDS, row["id"]):
                    self._report.kept += 1
                else:
                    self._balances.note(row, None)
                    gone.append(row)
            data.delete_rows(user_id, RECORDS, [row["id"] for row in gone])
            self._session.note_records(gone=gone)
            self._report.removed[RECORDS.name] += len(gone)

    def _restore_records(self, entry: HistoryEntry) -> None:
        renamed: list[str] = []
        for page in self._past.images(entry.number, RECORDS):
            renamed += self._put_records(entry, page, with_sources=False)
        # Rows may have changed their source ids among each other: only now is each of them free.
        for begin in range(0, len(renamed), _PAGE):
            images = self._past.images_of(entry.number, RECORDS, renamed[begin : begin + _PAGE])
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
            if self._plan.keeps(entry, RECORDS, row_id):
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
            self._session.note_records(new=new, changed=changed)
        if not with_sources:
            self._report.restored[RECORDS.name] += len(new) + len(changed)
        return renamed

    # -- documents

    def _restore_documents(
        self, entry: HistoryEntry, resource: Resource, images: list[BeforeImage]
    ) -> None:
        row_set = self._session.row_set(resource)
        restored = []
        for _, row_id, image in images:
            if image is None:
                continue
            if self._plan.keeps(entry, resource, row_id):
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
            elif resource is CATEGORIES:
                self._categories.add(row["id"])
        self._report.restored[resource.name] += len(restored)

    def _restored(
        self, entry: HistoryEntry, resource: Resource, image: Row, current: Row | None
    ) -> Row:
        before = own_values(resource, image)
        if current is None or resource is not ACCOUNTS:
            return {**(current or image), **before}
        # What a later statement says of the account stays.
        after = own_values(
            ACCOUNTS, self._past.after(entry.number, ACCOUNTS, image["id"]) or current
        )
        now = own_values(ACCOUNTS, current)
        marks = marks_of(entry, image["id"])
        names = [n for n in before if now[n] == after[n] and n not in marks]
        self._carry_back(entry, before, after, names)
        return {**current, **now, **{name: before[name] for name in names}}

    def _carry_back(self, entry: HistoryEntry, before: Row, after: Row, names: list[str]) -> None:
        """Later images of an account have what is restored now, as if the entry had not been."""
        for number in self._past.later(entry.number):
            image = self._past.image_of(number, ACCOUNTS, before["id"])
            if image is None or image.row is None:
                continue
            own = own_values(ACCOUNTS, image.row)
            own |= {name: before[name] for name in names if own[name] == after[name]}
            self._past.replace(number, image._replace(row={**image.row, **own}))


def _source(row: Row) -> tuple[str | None, str | None]:
    return row["source"], row["sourceId"]
