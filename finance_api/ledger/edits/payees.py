"""Gives the records of several payees one payee, and makes the rule that does so for new ones."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native import ValueRefused, reader_of
from finance_api.ledger.derivation import list_rules
from finance_api.ledger.edits.objects import put_new
from finance_api.ledger.edits.questions import follow_payees
from finance_api.ledger.edits.record_changes import RecordChanges
from finance_api.ledger.edits.report import EditReport, title_of
from finance_api.ledger.matching.stated import note_stated, original_payee
from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession
from finance_api.planning.recurring.reading import renamed_items
from finance_api.query.model import any_of
from finance_api.resources import RECORD_RULES, RECORDS, SPLITS, STANDING_ORDERS
from finance_api.values import Row
from finance_api.values.text import fold, message, shown

#: The action of `merge_payees` in the history.
MERGE = "payees merge"


def merge_payees(session: LedgerSession, names: Sequence[str], into: str) -> EditReport:
    """Rename payees in all records and standing orders, and in what rules give.

    A rule gives the new payee to later records whose payee in the file is one of the names. names:
    exactly as the records have them. Raises ChangeRefused.
    """
    payee = read_of_rule("payee", into.strip())
    if payee is None:
        raise ChangeRefused("the new payee is blank: give it a name")
    old = [name for name in dict.fromkeys(names) if name != payee]
    if not old:
        raise ChangeRefused("give at least one payee that is not the new one already")
    changes = RecordChanges(session)
    unused = set(old)
    for batch in batched(old):
        for page in session.pages(RECORDS, any_of("payee", batch)):
            unused.difference_update(row["payee"] for row in page)
            for row in page:
                changes.put(row, _renamed(row, payee))
        for page in session.pages(SPLITS, any_of("payee", batch)):
            session.write(SPLITS, [(row, _renamed(row, payee)) for row in page])
    if unused:
        raise ChangeRefused(
            f"no record has the payee {shown(min(unused))}: write it exactly as in the records"
        )
    renamed = dict.fromkeys(old, payee)
    rename_planned(session, changes.report, lambda _: renamed)
    _put_rule(session, changes.report, old, payee)
    follow_payees(session, old, payee, changes.report)
    return changes.close()


def rename_planned(
    session: LedgerSession, report: EditReport, renamed: Callable[[str | None], Mapping[str, str]]
) -> None:
    """Rename the payees of standing orders and of ignored recurring payments.

    A standing order without a payee may name it.

    renamed: returns the new payees of an account's records by their old payees.
    """
    orders = session.row_set(STANDING_ORDERS)
    for row in list(orders.rows.values()):
        payee = renamed(row["accountId"]).get(row["payee"] or row["name"])
        if payee is not None:
            after = {**row, "payee": payee, "updatedAt": session.now}
            orders.put(after)
            report.note(session, STANDING_ORDERS, row, after)
    for row in list(session.accounts.rows.values()):
        if row["ignoredPayments"]:
            items = renamed_items(row["ignoredPayments"], renamed(row["id"]))
            session.accounts.put({**row, "ignoredPayments": items})


def read_of_rule(name: str, value: Any) -> Any:
    """Return the stored value of a rule's field. Raises ChangeRefused."""
    try:
        return reader_of(RECORD_RULES[name])(value)
    except ValueRefused as error:
        raise ChangeRefused(f"{name} {error}") from None


def _renamed(row: Row, payee: str) -> Row:
    after = {**row, "payee": payee, "originalPayee": original_payee(row, payee)}
    note_stated(row, after)
    return after


def _put_rule(session: LedgerSession, report: EditReport, old: list[str], payee: str) -> None:
    """Let all rules give the new payee, and one of them compare the whole payee with the names."""
    name, rules = _rule_name(payee), session.row_set(RECORD_RULES)
    before = dict(rules.rows)
    for row in list_rules(session):
        if row["payee"] in old:
            is_of_merge = row["name"] == _rule_name(row["payee"])
            values = {"name": name} if is_of_merge and not rules.named(name) else {}
            rules.put({**row, **values, "payee": payee, "updatedAt": session.now})
    folded = {fold(name) for name in old}
    whole = [row for row in list_rules(session) if row["wholePayee"] and row["payee"] is not None]
    for row in whole:
        if row["payee"] != payee and folded.intersection(map(fold, row["keywords"])):
            raise ChangeRefused(
                f"the rule {title_of(RECORD_RULES, row)} gives one of these payees the name "
                f"{shown(row['payee'])}: change or remove that rule first"
            )
    rule = next((r for r in whole if r["payee"] == payee and r["accountId"] is None), None)
    if rule is None:
        made = {"keywords": read_of_rule("keywords", old), "wholePayee": True, "payee": payee}
        put_new(session, RECORD_RULES, {**made, "name": name})
    else:
        known = set(map(fold, rule["keywords"]))
        further = [name for name in old if fold(name) not in known]
        if further:
            keywords = read_of_rule("keywords", [*rule["keywords"], *further])
            rules.put({**rule, "keywords": keywords, "updatedAt": session.now})
    for row in list_rules(session):
        if row != before.get(row["id"]):
            report.note(session, RECORD_RULES, before.get(row["id"]), row)
    report.remarks.append(
        message(f"new records of these payees get the payee {shown(payee)}, by a rule")
    )


def _rule_name(payee: str) -> str:
    """Return the name of a rule that a merge makes; it follows the payee in later merges."""
    return f"Payee {payee}"
