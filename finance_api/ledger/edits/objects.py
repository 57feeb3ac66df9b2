"""Creates, changes and removes rows of every type except records."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.derivation import rederive_records
from finance_api.ledger.edits import questions
from finance_api.ledger.edits.naming import counted_rows, find_row, parse_assignments
from finance_api.ledger.edits.record_changes import RecordChanges, set_by_hand
from finance_api.ledger.edits.report import EditReport, title_of
from finance_api.ledger.references import (
    carry_currencies_over,
    check_document,
    check_recurrence,
    check_tree,
    complete_standing_order,
    fields_referring_to,
    ids_in,
    records_with,
)
from finance_api.ledger.rows import replaced, stamped
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import forget_deleted
from finance_api.planning.categories import CategoryTree, derived_kinds, set_kind
from finance_api.query.model import any_of
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORD_RULES,
    RECORDS,
    RESOURCES,
    SPLITS,
    STANDING_ORDERS,
)
from finance_api.resources.field import Resource
from finance_api.resources.plans import CUSTOM
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.ids import new_id

#: Amounts that are above 0, and what is said of others.
_POSITIVE = {
    BUDGETS: ("limitAmount", "must be above 0; leave it out for a budget without a limit"),
    GOALS: ("targetAmount", "must be above 0"),
}
#: The types whose rows can take the place of another one.
MERGED = (CATEGORIES, LABELS)
#: A message names up to this many of the rows that refer to another row.
_NAMED_USERS = 3


def add_object(
    session: LedgerSession,
    resource: Resource,
    given: Mapping[str, str],
    new_row_id: str | None = None,
) -> EditReport:
    """Add a row. given: see `parse_assignments`; new_row_id: see `add_row`."""
    return add_row(session, resource, parse_assignments(session, resource, given), new_row_id)


def add_row(
    session: LedgerSession,
    resource: Resource,
    values: dict[str, Any],
    new_row_id: str | None = None,
) -> EditReport:
    """Add a row. values: stored values by field name. Raises ChangeRefused.

    new_row_id: the id of the new row. If a row with this id exists, nothing is added.
    """
    if new_row_id in session.row_set(resource).rows:
        return EditReport()
    _check_positive(resource, values)
    row = _new_row(session, resource, values)
    if row.get("type") == CUSTOM and row["startDate"] is None and row["endDate"] is None:
        raise ChangeRefused("a budget of other days needs a startDate or an endDate")
    return _put(session, resource, {**row, "id": new_row_id or row["id"]}, None)


def add_category(session: LedgerSession, name: str) -> Row:
    """Add a category, which is stored with the change that uses it. Raises ChangeRefused."""
    return put_new(session, CATEGORIES, parse_assignments(session, CATEGORIES, {"name": name}))


def put_new(session: LedgerSession, resource: Resource, values: dict[str, Any]) -> Row:
    """Add a row, which is stored with the change that uses it. Raises ChangeRefused."""
    row = stamped(_new_row(session, resource, values), {}, None, session.now)
    assert row is not None
    _check_required(resource, row)
    session.row_set(resource).put(row)
    check_document(session, resource, row)
    return row


def _new_row(session: LedgerSession, resource: Resource, values: dict[str, Any]) -> Row:
    row = replaced(resource, values, None)
    row["id"] = new_id()
    if "currencyCode" not in values:
        _complete_currency(session, resource, row)
    if "setByHand" in row:
        row["setByHand"] = tuple(sorted(values))
    if resource is RECORD_RULES and not row["name"]:
        row["name"] = ", ".join(row["keywords"])
    if resource is CATEGORIES:
        row["customCategory"] = values.get("customCategory", True)
        set_kind(row, values, None)
    return row


def set_object(
    session: LedgerSession, resource: Resource, name: str, given: Mapping[str, str]
) -> EditReport:
    """Change a row by name or id. given: see `parse_assignments`. Raises ChangeRefused."""
    stored, values = find_row(session, resource, name), parse_assignments(session, resource, given)
    is_blank = not given.get("initialBalance", "given").strip()
    return set_row(session, resource, stored, values, is_derived=is_blank)


def set_row(
    session: LedgerSession,
    resource: Resource,
    stored: Row,
    values: Mapping[str, Any],
    *,
    is_derived: bool = False,
) -> EditReport:
    """Change a row. values: stored values by field name. Raises ChangeRefused.

    is_derived: whether the initial balance of an account is derived from the bank's balance again.
    """
    _check_positive(resource, values)
    by_hand = {*stored.get("setByHand", ()), *values}
    if resource is ACCOUNTS and is_derived:
        by_hand.discard("initialBalance")
        values = {name: value for name, value in values.items() if name != "initialBalance"}
    row = {**stored, **values}
    if "initialBalance" in values:
        row["ownInitialBalance"] = None
    if resource is CATEGORIES and "kind" in values:
        set_kind(row, values, stored)
    if resource is STANDING_ORDERS and "type" not in values:
        # A type that followed from the old amount now follows from the new one.
        implied = None if stored["amount"] is None else record_type(stored["amount"])
        row["type"] = None if stored["type"] == implied else row["type"]
    if "setByHand" in row:
        row["setByHand"] = tuple(sorted(by_hand))
    return _put(session, resource, row, stored)


def ignore_payment(
    session: LedgerSession, account_id: str, item: str, payee: str, *, is_ignored: bool
) -> None:
    """Leave a recurring payment out, or bring it back. Raises ChangeRefused.

    item: see `planning.recurring.reading.ignored_item`. payee: its name in the history.
    """
    stored = find_row(session, ACCOUNTS, account_id)
    items = [each for each in stored["ignoredPayments"] if each != item]
    row = {**stored, "ignoredPayments": (*items, *([item] if is_ignored else ()))}
    row["updatedAt"], report = session.now, EditReport()
    session.accounts.put(row)
    report.note(session, ACCOUNTS, stored, row)
    report.summary.name = report.summary.rows[0]["name"] = payee
    session.close(new_revision=True, details=report.details)


def remove_object(
    session: LedgerSession,
    resource: Resource,
    name: str,
    *,
    with_records: bool = False,
    into: str | None = None,
) -> EditReport:
    """Remove a row by name or id. Raises ChangeRefused if the row is used.

    with_records: also remove an account's records. into: name or id of a category or label that
    takes its place everywhere.
    """
    row = find_row(session, resource, name)
    if into is not None:
        return _merge(session, resource, row, find_row(session, resource, into))
    uses = uses_of(session, resource, row["id"])
    with_records = with_records and resource is ACCOUNTS
    used_by = [use for user, use in uses.items() if not (with_records and user is RECORDS)]
    if used_by:
        owns_records = resource is ACCOUNTS and not with_records and RECORDS in uses
        raise ChangeRefused(
            f"the {resource.word} {title_of(resource, row)} is used by "
            f"{', '.join(used_by)}: change or remove those first",
            ways=("with_records",) if owns_records else (),
        )
    changes = RecordChanges(session)
    changes.note(resource, row, None)
    if with_records:
        for page in session.pages(RECORDS, any_of("accountId", [row["id"]])):
            changes.remove(page)
    if resource is ACCOUNTS:
        forget_deleted(session, row["id"])
    session.row_set(resource).remove(row["id"])
    return changes.close()


def _merge(session: LedgerSession, resource: Resource, row: Row, other: Row) -> EditReport:
    """Replace a category or label by another one of the user, and remove it."""
    if resource not in MERGED:
        kinds = " and ".join(str(each.path) for each in MERGED)
        raise ChangeRefused(f"only {kinds} can be merged")
    gone, kept = row["id"], other["id"]
    if gone == kept:
        raise ChangeRefused(f"choose another {resource.word} to merge into")
    row_set = session.row_set(resource)
    if resource is CATEGORIES and row in CategoryTree(row_set.rows.values()).upwards(kept):
        # A category that is below the other one takes its place in the tree.
        row_set.put(_set_by_hand(session, other, {"parentId": row["parentId"]}))
    changes = RecordChanges(session)
    changes.report.summary.into = title_of(resource, other)
    changes.note(resource, row, None)
    for user in RESOURCES:
        for name in fields_referring_to(resource, user):
            if user is RECORDS:
                for record in chain.from_iterable(session.pages(RECORDS, any_of(name, [gone]))):
                    changes.put(record, _record_with(record, name, gone, kept))
            else:
                for each, after in _exchange(session, user, name, gone, kept):
                    changes.note(user, each, after)
    questions.follow(session, resource, row, other, changes.report)
    row_set.remove(gone)
    if resource is CATEGORIES:
        for row_id in row_set.changed_ids("parentId"):
            each = row_set.rows[row_id]
            _refuse_second(row_set.named(each["name"]), resource, each)
        check_tree(row_set, dict.fromkeys(row_set.rows))
        for changed in derived_kinds(row_set.rows.values()):
            row_set.put(changed)
    return changes.close()


def _exchange(
    session: LedgerSession, resource: Resource, name: str, gone: str, kept: str
) -> list[tuple[Row, Row]]:
    """Put ``kept`` in place of ``gone`` in a field of all rows; return them before and after."""
    row_set = session.row_set(resource)
    pairs = [
        (row, _set_by_hand(session, row, {name: _exchanged(row[name], gone, kept)}))
        for row in row_set.rows.values()
        if gone in ids_in(row[name])
    ]
    for _, after in pairs:
        row_set.put(after)
    return pairs


def _set_by_hand(session: LedgerSession, row: Row, values: dict[str, Any]) -> Row:
    after = {**row, **values, "updatedAt": session.now}
    if "setByHand" in row:
        after["setByHand"] = tuple(sorted({*row["setByHand"], *values}))
    return after


def _record_with(record: Row, name: str, gone: str, kept: str) -> Row:
    """Return the record with the other id; what a rule gave stays what a rule gave."""
    value = _exchanged(record[name], gone, kept)
    if name == "categoryId" and record["categoryByRule"]:
        return {**record, name: value}
    return set_by_hand(record, {name: value})


def _exchanged(value: Any, gone: str, kept: str) -> Any:
    """Return an id, or ids, with ``kept`` in place of ``gone``, each id once."""
    if isinstance(value, str):
        return kept
    return tuple(dict.fromkeys(kept if each == gone else each for each in value))


def _put(session: LedgerSession, resource: Resource, row: Row, stored: Row | None) -> EditReport:
    """Store the row and everything that is derived from it."""
    report = EditReport()
    row_set = session.row_set(resource)
    _check_required(resource, row)
    if stored is None or row.get("name") != stored.get("name"):
        _refuse_second(row_set.named(row["name"]) if row.get("name") else (), resource, row)
    if resource is STANDING_ORDERS:
        complete_standing_order(row)
    stamp = stamped(row, {}, stored, session.now)
    if stamp is None:
        return report
    row_set.put(stamp)
    check_document(session, resource, stamp)
    if resource is STANDING_ORDERS:
        check_recurrence(stamp)
    carry_currencies_over(session)
    if resource is CATEGORIES:
        check_tree(row_set, {stamp["id"]: None})
        for changed in derived_kinds(row_set.rows.values()):
            row_set.put(changed)
    records_changed = rederive_records(session)
    if resource is ACCOUNTS:
        report.remarks += settle_bank_balances(session, [row["id"]])
        settle_balances(session)
    report.note(session, resource, stored, row_set.rows[row["id"]])
    if stored is not None:
        questions.follow(session, resource, stored, stamp, report)
    if records_changed:
        report.remarks.append("its records get the new value as well")
    # A manual edit is stored even if it does not change the values.
    session.close(new_revision=True, details=report.details)
    return report


def _check_positive(resource: Resource, values: Mapping[str, Any]) -> None:
    """Raise ChangeRefused for a limit or target that is not above 0. values: the values to set."""
    name, sentence = _POSITIVE.get(resource, ("", ""))
    if values.get(name) is not None and values[name] <= 0:
        raise ChangeRefused(f"{name} {sentence}")


def _check_required(resource: Resource, row: Row) -> None:
    if resource is RECORD_RULES and not row["keywords"]:
        raise ChangeRefused("a rule needs at least one keyword")
    if resource is RECORD_RULES and not (row["categoryId"] or row["labelIds"] or row["payee"]):
        raise ChangeRefused("a rule needs a category, a label or a payee")
    for field in resource.native_fields:
        if field.required and row[field.name] is None:
            raise ChangeRefused(f"{resource.model_type} needs {field.name}")


def _refuse_second(named: Iterable[Row], resource: Resource, row: Row) -> None:
    """Refuse a name that another row has, unless both rows are categories of different parents."""
    for other in named:
        if other["id"] != row["id"] and other.get("parentId") == row.get("parentId"):
            raise ChangeRefused(f"there is already a {resource.word} named {row['name']}")


def _complete_currency(session: LedgerSession, resource: Resource, row: Row) -> None:
    """Set the row's currency to the common currency of its accounts. Raises ChangeRefused.

    If the row has no accounts, all accounts of the user count.
    """
    field = resource.get_field("currencyCode")
    if field is None or field.required:
        return
    accounts = session.accounts.rows
    own = [row["accountId"]] if row.get("accountId") else row.get("accountIds") or accounts
    currencies = sorted({accounts[account_id]["currencyCode"] for account_id in own})
    if len(currencies) != 1:
        which = f": the accounts are in {', '.join(currencies)}" if currencies else ", such as EUR"
        raise ChangeRefused(f"currencyCode is missing{which}")
    (row["currencyCode"],) = currencies


def uses_of(owned: UserRows, resource: Resource, row_id: str) -> dict[Resource, str]:
    """Return, by resource, how many rows refer to the row, and the names of some of them.

    The texts are for a `message`.
    """
    uses = {}
    for other in RESOURCES:
        names = fields_referring_to(resource, other)
        # The parts of a split refer to the account as well; deleted records go with it.
        if not names or other is SPLITS:
            continue
        if other is RECORDS:
            count, some = records_with(owned, resource, row_id), ""
        else:
            rows = owned.row_set(other).rows.values()
            users = [row for row in rows if any(row_id in ids_in(row[name]) for name in names)]
            count, some = len(users), _some(other, users)
        if count:
            uses[other] = counted_rows(count, other) + some
    return uses


def _some(resource: Resource, rows: list[Row]) -> str:
    titles = [title_of(resource, row) for row in rows[:_NAMED_USERS]]
    return f" ({', '.join(titles)}{' …' if len(rows) > _NAMED_USERS else ''})"
