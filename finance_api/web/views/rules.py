"""Rules: making one from a record, and applying all of them to stored records."""

from collections import Counter
from contextlib import suppress
from itertools import groupby
from typing import Any

from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.ledger.edits import rules
from finance_api.ledger.edits.naming import joined
from finance_api.ledger.edits.report import Change, EditReport
from finance_api.ledger.rule_matches import RuleSearch
from finance_api.ledger.session import LedgerSession
from finance_api.planning.keywords import first_word, keyword_of
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.storage.interface import TooManySums
from finance_api.values import Row
from finance_api.web import forms
from finance_api.web.api_requests import ApiRequest
from finance_api.web.kept_forms import kept_form
from finance_api.web.page import changed, editing, own_row, own_rows, page, refused, returning
from finance_api.web.routes import get, post

#: The preview shows up to this many records.
MOST_RECORDS = 100
#: A preview reads up to this many records, in 0.25 s of processor time if none of them change.
MOST_READ = 15_000


@get("records.rule", Permission.DATA_READ, "record_rule")
def show_rule(request: Request) -> dict[str, Any]:
    row = own_row(request, RECORDS)
    if (kept := kept_form(request)) is not None:
        return _form(request, row, _sent(kept), {})
    return _form(request, row, {"category": row["categoryId"] or "", forms.NEW_CATEGORY: ""}, {})


@post("records.rule", Permission.DATA_WRITE, "record_rule")
def add_or_check(request: Request) -> Response | dict[str, Any]:
    """Add the rule, and apply it if asked to; or only count what its keyword matches."""
    row, action = own_row(request, RECORDS), request.sent_text("do")
    texts = _sent(request.POST)
    if action == "check":
        return _form(request, row, texts, {})
    with forms.form_errors() as errors, editing(request, "rules add") as session:
        keyword, new = texts["keyword"].strip(), texts[forms.NEW_CATEGORY].strip()
        if not keyword:
            raise forms.FormFaults({"keyword": "Enter a keyword."})
        category = forms.category_called(session, new) if new else texts["category"]
        if category not in session.categories.rows:
            raise forms.FormFaults({"category": "Choose a category."})
        if action == "add":
            rules.add_rule(session, [keyword], category=category)
        else:
            rules.add_and_apply_rule(session, keyword, category)
    if errors:
        return refused(request, _form(request, row, texts, errors))
    return changed(session, returning(request, "/records", row["id"]))


def _sent(sent: MultiDict) -> dict[str, str]:
    return {name: str(sent.get(name, "")) for name in ("keyword", "category", forms.NEW_CATEGORY)}


def _form(
    request: Request, row: Row, texts: dict[str, str], errors: dict[str, str]
) -> dict[str, Any]:
    """Return the variables of the page. texts: without a keyword, the page proposes one."""
    owned = own_rows(request)
    search = RuleSearch(owned)
    if "keyword" not in texts:
        texts = {**texts, "keyword": _proposed(search, row)}
    keyword = texts["keyword"].strip()
    given = {"keywords": joined([keyword]), "categoryId": texts["category"]}
    return page(
        "records",
        "Make a rule",
        row=row,
        texts=texts,
        errors=errors,
        categories=[("", "Choose"), *forms.named_options(owned, CATEGORIES)],
        matches=search.find_matches([keyword]),
        more=ApiRequest("/rules/new", given).target,
    )


def _proposed(search: RuleSearch, row: Row) -> str:
    """Return the keyword that the record, and others like it, suggest."""
    # A later file has the original payee again.
    name = next((each for each in ("originalPayee", "payee") if row[each]), "note")
    text = row[name] or ""
    alike: Counter[str] = Counter()
    with suppress(TooManySums):
        for (*_, other), number in search.groups((name,), [first_word(text)]).items():
            alike[other] += number
    return keyword_of(text, alike)


@get("rules.apply", Permission.DATA_READ, "rules_apply")
def show_apply(request: Request) -> dict[str, Any]:
    return _page(None, recategorise=False)


@post("rules.apply", Permission.DATA_WRITE, "rules_apply")
def preview_or_apply(request: Request) -> Response | dict[str, Any]:
    """Apply the changes of the preview; if the data has changed since, show a new preview."""
    recategorise = request.sent_text("all") == "true"
    seen = request.sent_text("revision")
    if seen:
        with editing(request, rules.APPLY) as session:
            if seen == str(session.revision):
                rules.apply_rules(session, recategorise=recategorise)
                return changed(session, "/rules")
    try:
        with editing(request, rules.APPLY, dry_run=True) as session:
            report = rules.apply_rules(session, recategorise=recategorise, most=MOST_READ)
            rows, revision = _changed(session, report.changes), session.revision
    except rules.TooManyForRules:
        return _page(None, recategorise=recategorise, is_too_large=True)
    return _page(
        report, rows=rows, recategorise=recategorise, revision=revision, is_stale=bool(seen)
    )


def _changed(session: LedgerSession, changes: list[Change]) -> list[tuple[Row, list[Change]]]:
    """Return the records to list, newest first, with their changes."""
    by_id = {row_id: list(found) for row_id, found in groupby(changes, lambda each: each.id)}
    rows = session.storage.data.get_rows(session.user.id, RECORDS, by_id).values()
    newest_first = sorted(rows, key=lambda row: (row["recordDate"], row["id"]), reverse=True)
    return [(row, by_id[row["id"]]) for row in newest_first[:MOST_RECORDS]]


def _page(report: EditReport | None, **variables: Any) -> dict[str, Any]:
    defaults = {"rows": (), "revision": None, "is_stale": False, "is_too_large": False}
    return page(
        "rules",
        "Apply the rules",
        report=report,
        label_of=lambda change: forms.label_of(RECORDS[change.field]),
        **{**defaults, **variables},
    )
