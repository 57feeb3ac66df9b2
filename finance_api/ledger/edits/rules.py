"""Adds record rules, and applies them to stored records."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native import ValueRefused, reader_of
from finance_api.ledger.derivation import Rules
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.objects import add_row, put_new
from finance_api.ledger.edits.record_changes import RecordChanges
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import condition_on
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES, RECORDS
from finance_api.runtime.time_limit import in_time
from finance_api.values import Row
from finance_api.values.text import count_text, message

#: The fields of records in which rules look for keywords.
SEARCHED_BY_RULES = ("payee", "originalPayee", "note")
#: The action of `apply_rules` in the history.
APPLY = "rules apply"


def add_rule(
    session: LedgerSession,
    keywords: Sequence[str],
    *,
    category: str | None,
    labels: Sequence[str] = (),
    account: str | None = None,
) -> EditReport:
    """Add a rule. category, labels, account: names or ids. Raises ChangeRefused."""
    found_labels = (find_row(session, LABELS, name)["id"] for name in labels)
    values: dict[str, Any] = {
        "keywords": _keywords(keywords),
        "categoryId": category and find_row(session, CATEGORIES, category)["id"],
        "labelIds": tuple(dict.fromkeys(found_labels)),
        "accountId": account and find_row(session, ACCOUNTS, account)["id"],
    }
    return add_row(session, RECORD_RULES, values)


def _keywords(keywords: Sequence[str]) -> Any:
    try:
        texts = reader_of(RECORD_RULES["keywords"])(list(keywords))
    except ValueRefused as error:
        raise ChangeRefused(f"keywords {error}") from None
    if not texts or len(texts) < len(set(keywords)):
        raise ChangeRefused("a keyword is blank, so it would match nothing")
    return texts


def add_and_apply_rule(session: LedgerSession, keyword: str, category_id: str) -> EditReport:
    """Add a rule, and apply the rules to the records that it matches and that have no category.

    Raises ChangeRefused.
    """
    values = {"keywords": _keywords([keyword]), "categoryId": category_id}
    rule = put_new(session, RECORD_RULES, values)
    changes = RecordChanges(session)
    changes.report.note(session, RECORD_RULES, None, rule)
    changes.changed = True
    rules = Rules(session)
    without = condition_on(RECORDS, "categoryId", Operator.IS_NULL)
    for name in SEARCHED_BY_RULES:
        contains = condition_on(RECORDS, name, Operator.CONTAINS_I, rule["keywords"][0])
        for page in session.pages(RECORDS, without, contains):
            for row in in_time(page):
                after = _ruled(rules, row)
                if after is not None:
                    changes.put(row, after)
        # The next search leaves out the records that have a category now.
        changes.flush()
    return changes.close()


def apply_rules(session: LedgerSession, *, recategorise: bool = False) -> EditReport:
    """Apply the rules to stored records without a category: set the category, and add labels.

    recategorise: also apply them to records whose category a rule set. Categories from manual edits
    or files stay, and so does a category whose rule no longer matches the record.
    """
    rules = Rules(session)
    changes = RecordChanges(session)
    without = condition_on(RECORDS, "categoryId", Operator.IS_NULL)
    counts: Counter[str] = Counter()
    for page in session.pages(RECORDS, *(() if recategorise else (without,))):
        for row in in_time(page):
            after = _ruled(rules, row)
            if after is not None and changes.put(row, after):
                counts[after["category"] or "no category"] += 1
    if counts:
        by_category = (f"{count_text(count)} {name}" for name, count in counts.most_common())
        changes.report.remarks.append(message(f"by category: {', '.join(by_category)}"))
    return changes.close()


def _ruled(rules: Rules, row: Row) -> Row | None:
    """Return the record as the rules change it; None if they must not change it."""
    if "categoryId" in row["setByHand"]:
        return None
    if row["categoryId"] is not None and not row["categoryByRule"]:
        return None
    category_id, label_ids = rules.apply(row["accountId"], *(row[n] for n in SEARCHED_BY_RULES))
    after = dict(row)
    if category_id is not None:
        after["categoryId"], after["categoryByRule"] = category_id, True
    if "labelIds" not in row["setByHand"]:
        after["labelIds"] = tuple(dict.fromkeys((*row["labelIds"], *label_ids)))
    return after
