"""Adds record rules, and applies them to stored records."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.importers import NATIVE
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.derivation import Rules, list_rules
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.objects import add_row, put_new
from finance_api.ledger.edits.payees import read_of_rule, rename_planned
from finance_api.ledger.edits.record_changes import RecordChanges
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.matching.stated import (
    note_stated,
    original_payee,
    own_source,
    payee_of_file,
)
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES, RECORDS
from finance_api.runtime.time_limit import in_time
from finance_api.values import Row
from finance_api.values.text import count_text, fold, message

#: The fields of records in which rules look for keywords.
SEARCHED_BY_RULES = ("payee", "originalPayee", "note")
#: The action of `apply_rules` in the history.
APPLY = "rules apply"
_WITHOUT = condition_on(RECORDS, "categoryId", Operator.IS_NULL)
#: The records whose payees `categorise_payees` gives a category.
TO_CATEGORISE = (
    _WITHOUT,
    condition_on(RECORDS, "payee", Operator.NOT_NULL),
    condition_on(RECORDS, "transferId", Operator.IS_NULL),
)


class TooManyForRules(ChangeRefused):
    """A refusal because of the number of records."""

    def __init__(self, count: int) -> None:
        super().__init__(f"too many records to apply the rules to at once: {count}")


class PayeesRefused(Exception):
    """reasons: why payees cannot get their categories, by payee."""

    def __init__(self, reasons: Mapping[str, ChangeRefused]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def add_rule(
    session: LedgerSession,
    keywords: Sequence[str],
    *,
    category: str | None,
    labels: Sequence[str] = (),
    account: str | None = None,
    payee: str | None = None,
    whole_payee: bool = False,
) -> EditReport:
    """Add a rule. category, labels, account: names or ids. Raises ChangeRefused."""
    found_labels = (find_row(session, LABELS, name)["id"] for name in labels)
    values: dict[str, Any] = {
        "keywords": _keywords(keywords),
        "categoryId": category and find_row(session, CATEGORIES, category)["id"],
        "labelIds": tuple(dict.fromkeys(found_labels)),
        "accountId": account and find_row(session, ACCOUNTS, account)["id"],
        "payee": payee and read_of_rule("payee", payee),
        "wholePayee": whole_payee,
    }
    return add_row(session, RECORD_RULES, values)


def _keywords(keywords: Sequence[str]) -> Any:
    texts = read_of_rule("keywords", list(keywords))
    if not texts or len(texts) < len(set(keywords)):
        raise ChangeRefused("a keyword is blank, so it would match nothing")
    return texts


def add_and_apply_rule(session: LedgerSession, keyword: str, category_id: str) -> EditReport:
    """Add a rule, and apply the rules to the records that it matches and that have no category.

    Raises ChangeRefused.
    """
    changes = RecordChanges(session)
    rule = _put_rule(session, changes, keyword, category_id)
    rules = Rules(session)
    for name in SEARCHED_BY_RULES:
        contains = condition_on(RECORDS, name, Operator.CONTAINS_I, rule["keywords"][0])
        for page in session.pages(RECORDS, _WITHOUT, contains):
            for row in in_time(page):
                changes.put(row, _categorised(rules, row))
        # The next search leaves out the records that have a category now.
        changes.flush()
    return changes.close()


def _put_rule(
    session: LedgerSession, changes: RecordChanges, keyword: str, category_id: str, **values: Any
) -> Row:
    values = {"keywords": _keywords([keyword]), "categoryId": category_id, **values}
    rule = put_new(session, RECORD_RULES, values)
    changes.note(RECORD_RULES, None, rule)
    return rule


def categorise_payees(session: LedgerSession, chosen: Mapping[str, str]) -> EditReport:
    """Give the records of payees that have no category one, and add a rule for each payee.

    Transfers, and records whose category was removed manually, stay without. If the rule exists
    already, it is not added again. chosen: category ids by payee. Raises PayeesRefused.
    """
    changes = RecordChanges(session)
    reasons, added = {}, set()
    there = {
        (fold(keyword), row["categoryId"])
        for row in list_rules(session)
        if row["wholePayee"] and row["accountId"] is None
        for keyword in row["keywords"]
    }
    for payee, category_id in chosen.items():
        try:
            if category_id not in session.categories.rows:
                raise ChangeRefused("this category was removed: choose another one")
            if (fold(payee), category_id) not in there:
                _put_rule(session, changes, payee, category_id, wholePayee=True)
                added.add(payee)
        except ChangeRefused as error:
            reasons[payee] = error
    rules = Rules(session)
    for payee in chosen.keys() - reasons.keys():
        try:
            number = _categorise(session, changes, rules, payee, chosen[payee])
            if not number and payee in added:
                raise ChangeRefused(
                    "no records of this payee are left without a category, except those whose "
                    "category you removed"
                )
        except ChangeRefused as error:
            reasons[payee] = error
    if reasons:
        raise PayeesRefused(reasons)
    return changes.close()


def _categorise(
    session: LedgerSession, changes: RecordChanges, rules: Rules, payee: str, category_id: str
) -> int:
    """Apply the rules to the payee's records; return the number of changed records.

    Raises ChangeRefused if another rule comes first.
    """
    number, folded = 0, fold(payee)
    contains = condition_on(RECORDS, "payee", Operator.CONTAINS_I, payee)
    for page in session.pages(RECORDS, *TO_CATEGORISE, contains):
        for row in in_time(page):
            if fold(row["payee"]) == folded:
                after = _categorised(rules, row)
                if after["categoryId"] not in (None, category_id):
                    raise ChangeRefused(
                        "an earlier rule gives records of this payee another category: apply the "
                        "rules first, or change that rule"
                    )
                number += changes.put(row, after)
    changes.flush()
    return number


def apply_rules(
    session: LedgerSession, *, recategorise: bool = False, most: int | None = None
) -> EditReport:
    """Apply the rules to stored records: set payees, and the category and labels of those without
    a category.

    recategorise: also set category and labels of records whose category a rule set. Payees and
    categories from manual edits and categories from files stay, and so does a payee or category
    whose rule no longer matches the record. If all records of a payee in an account are renamed,
    so are its standing orders and ignored recurring payments. most: refuse if the rules have to
    read more records than this; None: never. Raises ChangeRefused.
    """
    rules = Rules(session)
    conditions = () if recategorise or rules.can_rename else (_WITHOUT,)
    if most is not None:
        _check_number(session, conditions, most)
    changes = RecordChanges(session)
    payees: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
    counts: dict[str, Counter[str]] = {"category": Counter(), "payee": Counter()}
    for page in session.pages(RECORDS, *conditions):
        for row in in_time(page):
            named = _named(rules, row)
            is_ruled = recategorise or row["categoryId"] is None
            after = _categorised(rules, named) if is_ruled else named
            if rules.can_rename and row["payee"] is not None:
                # Standing orders without an account are about the payee in all of them.
                for account_id in (row["accountId"], None):
                    payees[account_id, row["payee"]].add(after["payee"])
            if changes.put(row, after):
                counts["payee"][after["payee"]] += after["payee"] != row["payee"]
                is_other = any(after[name] != named[name] for name in ("categoryId", "labelIds"))
                counts["category"][after["category"] or "no category"] += is_other
    renamed: defaultdict[str | None, dict[str, str]] = defaultdict(dict)
    for (account_id, old), new in payees.items():
        if len(new) == 1 and old not in new:
            renamed[account_id][old] = new.pop()
    if renamed:
        rename_planned(session, changes.report, renamed.__getitem__)
    for name, found in counts.items():
        if each := [f"{count_text(count)} {text}" for text, count in found.most_common() if count]:
            changes.report.remarks.append(message(f"by {name}: {', '.join(each)}"))
    return changes.close()


def _check_number(session: LedgerSession, conditions: Sequence[Condition], most: int) -> None:
    """Raise TooManyForRules if more records than ``most`` meet the conditions."""
    by = ("categoryId",)
    sums = session.storage.data.sum_by(session.user.id, by, conditions, with_void=True)
    if (count := sum(each.number for each in sums.values())) > most:
        raise TooManyForRules(count)


def _named(rules: Rules, row: Row) -> Row:
    """Return the record with the payee that the rules give to the texts of its file.

    A payee that somebody typed stays.
    """
    after, stated = dict(row), payee_of_file(row)
    is_told = stated is not None or own_source(row) not in (None, NATIVE)
    if "payee" not in row["setByHand"] and is_told:
        payee = rules.payee(row["accountId"], stated, row["note"])
        if payee is not None:
            after |= {"payee": payee, "originalPayee": original_payee(row, payee)}
            note_stated(row, after)
    return after


def _categorised(rules: Rules, row: Row) -> Row:
    """Return the record with the category and labels of the rules, unless it has others."""
    after = dict(row)
    if "categoryId" in row["setByHand"]:
        return after
    if row["categoryId"] is not None and not row["categoryByRule"]:
        return after
    payees = row["payee"], row["originalPayee"]
    category_id, label_ids = rules.apply(row["accountId"], payees, row["note"])
    if category_id is not None:
        after["categoryId"], after["categoryByRule"] = category_id, True
    if "labelIds" not in row["setByHand"]:
        after["labelIds"] = tuple(dict.fromkeys((*row["labelIds"], *label_ids)))
    return after
