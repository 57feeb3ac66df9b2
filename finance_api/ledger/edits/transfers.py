"""Links the two records of a transfer between own accounts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_records
from finance_api.ledger.edits.proposals import read_waiting, search_all
from finance_api.ledger.edits.record_changes import RecordChanges, set_by_hand
from finance_api.ledger.edits.report import MAX_LISTED, EditReport, title_of
from finance_api.ledger.edits.transfer_pairs import find_pairs
from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.query.model import any_of, condition_on, dated
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.currencies import money_text
from finance_api.resources.records import VOID
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Proposed, ProposedPair
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.number import decimal_text
from finance_api.values.text import count_text, message
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS, date_text

#: Candidates for the other half of a transfer are up to this far away.
_REACH_SECONDS = 10 * DAY_SECONDS


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two records that look like a transfer, as whole rows.

    by_number: whether one of them names the other's account.
    """

    out: Row
    into: Row
    by_number: bool

    def __str__(self) -> str:
        sides = (
            f"{row['accountName']} {date_text(row['recordDate'])} {row['id']}"
            for row in (self.out, self.into)
        )
        amount = money_text(self.into["amount"], self.into["currencyCode"])
        by_number = " (by number)" if self.by_number else ""
        return message(f"{amount}: {' -> '.join(sides)}{by_number}")

    def as_json(self) -> dict[str, Any]:
        return {
            "by": "number" if self.by_number else "amount",
            "amount": decimal_text(self.into["amount"]),
            "currencyCode": self.into["currencyCode"],
            "from": _side_json(self.out),
            "to": _side_json(self.into),
        }


def _side_json(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "account": row["accountName"],
        "recordDate": date_text(row["recordDate"]),
        "payee": row["payee"],
    }


@dataclass
class TransferReport(EditReport):
    """The report of a search for transfers. proposals: the pairs that were found."""

    proposals: list[Proposal] = field(default_factory=list)

    def lines(self) -> list[str]:
        listed = [str(proposal) for proposal in self.proposals[:MAX_LISTED]]
        if len(self.proposals) > MAX_LISTED:
            listed.append(message(f"… and {count_text(len(self.proposals) - MAX_LISTED)} more"))
        return listed

    def sentence(self) -> str:
        linked = ", all linked" if self.updated else ""
        return message(f"{count_text(len(self.proposals))} found{linked}")

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "transfers": [p.as_json() for p in self.proposals]}


def find_transfers(session: LedgerSession, *, link: bool = False) -> TransferReport:
    """List pairs of records that look like transfers, oldest first, and store them as proposals.

    link: whether to link all of them.
    """
    pairs = search_all(session, Proposed.TRANSFER)
    report = TransferReport(proposals=_with_rows(session, pairs))
    if link and pairs:
        changes = RecordChanges(session)
        for proposal in report.proposals:
            _link(changes, proposal.out, proposal.into)
        changes.flush()
        report.updated, report.summary = 2 * len(pairs), changes.report.summary
        session.close(new_revision=True, details=report.details)
    return report


def list_proposals(owned: UserRows, *, limit: int, offset: int = 0) -> list[Proposal]:
    """List the pairs that the user has not confirmed or dismissed yet, newest first."""
    pairs = owned.storage.ledger.list_proposals(
        owned.user.id, Proposed.TRANSFER, limit=limit, offset=offset
    )
    return _with_rows(owned, pairs)


def _with_rows(owned: UserRows, pairs: Sequence[ProposedPair]) -> list[Proposal]:
    found = []
    for batch in batched(pairs):
        rows = owned.get_rows(RECORDS, [row_id for pair in batch for row_id in pair.ids])
        found += [Proposal(rows[p.first_id], rows[p.second_id], p.by_number) for p in batch]
    return found


def confirm_transfers(session: LedgerSession, pairs: Iterable[tuple[str, str]]) -> EditReport:
    """Link proposed pairs. Raises ChangeRefused if a pair is no longer proposed."""
    changes = RecordChanges(session)
    for one, other in read_waiting(session, Proposed.TRANSFER, pairs):
        _link(changes, one, other)
    return changes.close()


def dismiss_transfers(session: LedgerSession, pairs: Iterable[tuple[str, str]]) -> EditReport:
    """Decline proposed pairs: neither record is proposed again.

    Raises ChangeRefused if a pair is no longer proposed.
    """
    changes = RecordChanges(session)
    for pair in read_waiting(session, Proposed.TRANSFER, pairs):
        for row in pair:
            changes.put(row, set_by_hand(row, {"transferId": None}))
    return changes.close()


def link_by_number(session: LedgerSession) -> int:
    """Link pairs in which one record names the other's account; return the number of pairs.

    This is for an import, which has stored its records and closes the session itself. The links do
    not count as manual edits, and the user can unlink the pairs.
    """
    pairs = find_pairs(session, by_number_only=True)
    changes = RecordChanges(session)
    for proposal in _with_rows(session, pairs):
        transfer_id = new_id()
        for row in (proposal.out, proposal.into):
            changes.put(row, {**row, "transferId": transfer_id})
    changes.flush()
    return len(pairs)


def link_records(session: LedgerSession, one: str, other: str) -> EditReport:
    """Link any two records of different accounts as a transfer. Raises ChangeRefused."""
    rows = find_records(session, [one, other])
    if len(rows) < 2:
        raise ChangeRefused("both ids are the same: a transfer has two records")
    for row in rows:
        if row["recordState"] == VOID:
            raise ChangeRefused(f"the record {title_of(RECORDS, row)} is void")
        if row["transferId"] is not None:
            raise ChangeRefused(
                f"the record {title_of(RECORDS, row)} already belongs to a transfer: unlink it "
                f"first"
            )
    first, second = rows
    if reason := _misfit(first, second):
        raise ChangeRefused(reason)
    changes = RecordChanges(session)
    _link(changes, first, second)
    return changes.close()


def _misfit(first: Row, second: Row) -> str | None:
    """Return why the records cannot be a transfer; None if they can."""
    if first["accountId"] == second["accountId"]:
        return (
            f"both records belong to the account {first['accountName']}: a transfer is between "
            f"two accounts"
        )
    if first["amount"] * second["amount"] > 0:
        way = "out" if first["amount"] < 0 else "in"
        return f"money goes {way} in both records, so they are not a transfer"
    return None


def other_halves(owned: UserRows, transfer_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return the records of each transfer, by its id."""
    found: dict[str, list[Row]] = {transfer_id: [] for transfer_id in transfer_ids}
    wanted = [any_of("transferId", found)] if found else []
    for page in owned.pages(RECORDS, *wanted) if found else ():
        for row in page:
            found[row["transferId"]].append(row)
    return found


def check_halves(session: LedgerSession, changed: Sequence[Row]) -> None:
    """Check that changed records still fit the other halves of their transfers.

    Raises ChangeRefused.
    """
    transfers = other_halves(session, {row["transferId"] for row in changed})
    for first, second in (rows for rows in transfers.values() if len(rows) == 2):
        if reason := _misfit(first, second):
            raise ChangeRefused(
                f"{title_of(RECORDS, first)} is half of a transfer, and {reason}: unlink the "
                f"transfer first"
            )


def list_candidates(owned: UserRows, row: Row, *, limit: int) -> list[Row]:
    """List records that may be the other half of a transfer, the likeliest first.

    Opposite amounts come first, then amounts in other currencies; within each, the nearest day.
    """
    first = max(MIN_SECONDS, row["recordDate"] - _REACH_SECONDS)
    end = min(MAX_SECONDS, row["recordDate"] + _REACH_SECONDS) + 1
    free = [condition_on(RECORDS, n, Operator.IS_NULL) for n in ("transferId", "splitId")]
    names = ("id", "accountId", "currencyCode", "recordDate")
    read = owned.storage.data.list_amounts(owned.user.id, names, [dated(first, end), *free])
    others = (dict(zip((*names, "amount"), values, strict=True)) for values in in_time(read))

    def distance(other: Row) -> tuple[bool, bool, int, str]:
        is_same_currency = other["currencyCode"] == row["currencyCode"]
        is_equal = is_same_currency and other["amount"] == -row["amount"]
        return (
            not is_equal,
            is_same_currency,
            abs(other["recordDate"] - row["recordDate"]),
            other["id"],
        )

    nearest = nsmallest(limit, (each for each in others if not _misfit(row, each)), key=distance)
    rows = owned.get_rows(RECORDS, [other["id"] for other in nearest])
    return [rows[other["id"]] for other in nearest]


def unlink_records(session: LedgerSession, ids: Sequence[str]) -> EditReport:
    """Unlink transfers. ids: one or both records of each. Raises ChangeRefused."""
    rows = find_records(session, ids)
    for row in rows:
        if row["transferId"] is None:
            raise ChangeRefused(
                f"the record {title_of(RECORDS, row)} does not belong to a transfer"
            )
    changes = RecordChanges(session)
    for linked in other_halves(session, dict.fromkeys(row["transferId"] for row in rows)).values():
        for row in linked:
            changes.put(row, set_by_hand(row, {"transferId": None}))
    return changes.close()


def _link(changes: RecordChanges, one: Row, other: Row) -> None:
    for row in (one, other):
        if row["splitId"] is not None:
            raise ChangeRefused(
                f"the record {title_of(RECORDS, row)} is a part of a split, and only a whole "
                f"record can belong to a transfer: join its parts first"
            )
    transfer_id = new_id()
    for row in (one, other):
        changes.put(row, set_by_hand(row, {"transferId": transfer_id}))
