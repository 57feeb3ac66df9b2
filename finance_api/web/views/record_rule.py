"""Making a rule from a record, and applying it at once."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits.rules import SEARCHED_BY_RULES, add_and_apply_rule, add_rule
from finance_api.planning.keywords import first_word, keyword_of
from finance_api.query.model import Condition, Operator, Query, condition_on
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.values import Row
from finance_api.values.text import TextError, clean
from finance_api.web.api_results import ApiRequest
from finance_api.web.forms import (
    NEW_CATEGORY,
    FormFaults,
    category_called,
    form_errors,
    joined,
    named_options,
)
from finance_api.web.page import (
    changed,
    editing,
    form_text,
    identity_of,
    own_row,
    own_rows,
    page,
    page_after,
    refused,
)
from finance_api.web.routes import get, post

#: Up to this many records decide what the payees of a merchant share.
_MOST_ALIKE = 200
_MOST_EXAMPLES = 5
_WITHOUT = condition_on(RECORDS, "categoryId", Operator.IS_NULL)


@get("records.rule", Permission.DATA_READ, "record_rule")
def show_rule(request: Request) -> dict[str, Any]:
    row = own_row(request, RECORDS)
    texts = {"keyword": _proposed(request, row), "category": row["categoryId"] or ""}
    return _form(request, row, {**texts, NEW_CATEGORY: ""}, request.GET.get("back", ""), {})


@post("records.rule", Permission.DATA_WRITE, "record_rule")
def add_or_check(request: Request) -> Response | dict[str, Any]:
    """Add the rule, and apply it; or only count what its keyword matches."""
    row, action, back = own_row(request, RECORDS), form_text(request, "do"), _back(request)
    texts = {name: form_text(request, name) for name in ("keyword", "category", NEW_CATEGORY)}
    if action == "check":
        return _form(request, row, texts, back, {})
    with form_errors() as errors, editing(request, "rules add") as session:
        keyword, new = texts["keyword"].strip(), texts[NEW_CATEGORY].strip()
        if not keyword:
            raise FormFaults({"keyword": "Enter a keyword."})
        category = category_called(session, new) if new else texts["category"]
        if category not in session.categories.rows:
            raise FormFaults({"category": "Choose a category."})
        if action == "add":
            add_rule(session, [keyword], category=category)
        else:
            add_and_apply_rule(session, keyword, category)
    if errors:
        return refused(request, _form(request, row, texts, back, errors))
    return changed(session, page_after(back))


def _back(request: Request) -> str:
    return form_text(request, "back") or "/records"


def _form(
    request: Request, row: Row, texts: dict[str, str], back: str, errors: dict[str, str]
) -> dict[str, Any]:
    owned = own_rows(request)
    keyword = texts["keyword"].strip()
    given = {"keywords": joined([keyword]), "categoryId": texts["category"]}
    return page(
        "records",
        "Make a rule",
        row=row,
        texts=texts,
        back=page_after(back or "/records"),
        errors=errors,
        categories=[("", "Choose"), *named_options(owned, CATEGORIES)],
        matches=_count(request, keyword),
        without=_count(request, keyword, _WITHOUT),
        examples=_examples(request, keyword),
        more=ApiRequest("/rules/new", given).target,
    )


def _proposed(request: Request, row: Row) -> str:
    """Return the keyword that the record, and others like it, suggest."""
    name = "payee" if row["payee"] else "note"
    text = row[name] or ""
    conditions = _containing(name, first_word(text))
    rows = _found(request, conditions, _MOST_ALIKE) if conditions else []
    return keyword_of(text, [each[name] for each in rows])


def _containing(name: str, text: str) -> tuple[Condition, ...]:
    """Conditions of the records that a rule finds in one field; () for what nothing contains."""
    try:
        cleaned = clean(text)
    except TextError:
        return ()
    return (condition_on(RECORDS, name, Operator.CONTAINS_I, cleaned),) if cleaned else ()


def _count(request: Request, keyword: str, *others: Condition) -> int:
    """Return the number of records that the keyword matches: in payee or note, each once."""
    per_field = [_containing(name, keyword) for name in SEARCHED_BY_RULES]
    if not all(per_field):
        return 0
    user_id, data = identity_of(request).user.id, request.storage.data
    both = tuple(condition for conditions in per_field for condition in conditions)
    counts = [
        data.count_rows(user_id, Query(RECORDS, (*others, *conditions)))
        for conditions in (*per_field, both)
    ]
    return counts[0] + counts[1] - counts[2]


def _examples(request: Request, keyword: str) -> list[str]:
    """Return a few different texts that the keyword is found in, newest first."""
    texts: dict[str, None] = {}
    for name in SEARCHED_BY_RULES:
        if conditions := _containing(name, keyword):
            texts |= dict.fromkeys(row[name] for row in _found(request, conditions, _MOST_ALIKE))
    return list(texts)[:_MOST_EXAMPLES]


def _found(request: Request, conditions: tuple[Condition, ...], limit: int) -> list[Row]:
    query = Query(RECORDS, conditions, limit=limit)
    found: list[Row] = request.storage.data.list_rows(identity_of(request).user.id, query).rows
    return found
