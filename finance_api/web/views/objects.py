"""Lists and forms of accounts, categories, budgets and the like: see `OBJECT_PAGES`."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from markupsafe import Markup
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import editable_fields
from finance_api.ledger.edits.objects import (
    add_object,
    check_limit,
    remove_object,
    set_object,
    uses_of,
)
from finance_api.ledger.session import UserRows
from finance_api.planning.computing import compute, list_computed
from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import ACCOUNTS, BUDGETS, GOALS, RECORDS, STANDING_ORDERS
from finance_api.resources.field import Field, Resource, Role
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.web.account_detail import AccountDetail
from finance_api.web.api_results import ApiRequest, ApiResults
from finance_api.web.budget_detail import BudgetDetail
from finance_api.web.cells import NONE, Cells, title_of
from finance_api.web.forms import (
    FormFaults,
    conflict,
    controls_of,
    digest_of,
    form_errors,
    form_id,
    label_of,
    plain_texts,
    read_texts,
    sent_texts,
    texts_of,
    with_new_category,
)
from finance_api.web.found_payments import found_payments
from finance_api.web.goal_detail import GoalDetail
from finance_api.web.kept_forms import kept_form
from finance_api.web.object_pages import OBJECT_PAGES, ObjectPage
from finance_api.web.page import (
    PAGE_ROWS,
    Pager,
    changed,
    editing,
    identity_of,
    offset_of,
    own_row,
    own_rows,
    page,
    path_id,
    refused,
    sentence,
    today_of,
)
from finance_api.web.rendering import day
from finance_api.web.repeats import RULE, check_end, next_dates, with_repeats, with_rule

#: What pages show beside the form, by resource.
_DETAILS: Mapping[Resource, Callable[[ApiResults, UserRows, Row], Any]] = {
    ACCOUNTS: AccountDetail,
    BUDGETS: BudgetDetail,
    GOALS: GoalDetail,
}


def _page_of(request: Request) -> ObjectPage:
    return OBJECT_PAGES[request.matched_route.name.partition(".")[0]]


def list_objects(request: Request) -> dict[str, Any]:
    """GET: the list of all objects, page by page."""
    shown, offset = _page_of(request), offset_of(request)
    resource = shown.resource
    sort = parse_sort(resource, shown.sort)
    query = Query(resource, (), sort, PAGE_ROWS, offset, with_total=True)
    user_id = identity_of(request).user.id
    found = list_computed(request.storage, user_id, query, today_of(request))
    fields = [resource[name] for name in shown.columns]
    owned = own_rows(request)
    cells = Cells(owned)
    rows = [
        {
            "id": row["id"],
            "name": title_of(row),
            "badges": _badges(row),
            "cells": [cells.cell(field, row) for field in fields],
        }
        for row in found.rows
    ]
    parameters = {"sortBy": shown.sort, "limit": str(PAGE_ROWS), "offset": str(offset)}
    return page(
        shown.name,
        shown.title,
        shown=shown,
        columns=[(label_of(field), cells.css(field)) for field in fields],
        rows=rows,
        total=found.total,
        pager=Pager.of(request, found.total or 0),
        found=found_payments(request, owned) if resource is STANDING_ORDERS else [],
        found_api=[ApiRequest(f"{PUBLIC_SURFACE}records/recurring", {})],
        api=[ApiRequest(f"{PUBLIC_SURFACE}{resource.path}", parameters)],
    )


def _badges(row: Row) -> list[str]:
    return [word.capitalize() for word in ("archived", "closed") if row.get(word)]


def show_new(request: Request) -> dict[str, Any]:
    """GET: a form with the defaults, or with values from the query of a link."""
    shown = _page_of(request)
    fields = editable_fields(shown.resource)
    if (kept := kept_form(request)) is not None:
        return _kept(_form(request, shown, _sent(kept, fields), None, {}), kept)
    currencies = {row["currencyCode"] for row in own_rows(request).accounts.rows.values()}
    texts = {
        field.name: request.GET.get(field.name) or _default_text(field) for field in fields.values()
    }
    if len(currencies) == 1 and "currencyCode" in fields:
        (texts["currencyCode"],) = currencies
    return _form(request, shown, texts, None, {})


def _default_text(field: Field) -> str:
    is_shown = field.default not in (None, (), False, 0)
    return str(field.default) if is_shown else ""


def add(request: Request) -> Response | dict[str, Any]:
    """POST"""
    shown = _page_of(request)
    fields = editable_fields(shown.resource)
    texts = _sent(request.POST, fields)
    with form_errors() as errors, editing(request, f"add {shown.resource.path}") as session:
        named = with_new_category(session, texts)
        values = read_texts(session, fields, named)
        named = plain_texts(fields, named, values)
        given = {
            field.name: named[field.name]
            for field in fields.values()
            if values[field.name] != field.default
        }
        _check(shown.resource, given, values)
        add_object(session, shown.resource, given, form_id(request.POST))
    if errors:
        form = _form(request, shown, texts, None, errors)
        return refused(request, {**form, "form_id": form_id(request.POST)})
    return changed(session, shown.path)


def _check(resource: Resource, given: Collection[str], values: Row) -> None:
    """Raises FormFaults, with the sentence beside its field."""
    if values.get(RULE) and {RULE, "startDate"} & {*given}:
        check_end(values[RULE], values["startDate"])
    try:
        check_limit(resource, {name: values[name] for name in given if name in values})
    except ChangeRefused as error:
        raise FormFaults({"limitAmount": sentence(error)}) from None


def _sent(sent: MultiDict, fields: Mapping[str, Field]) -> dict[str, str]:
    """Return the texts of the form that was sent."""
    texts = sent_texts(fields, sent)
    return with_rule(texts, sent) if RULE in texts else texts


def _kept(shown: dict[str, Any], sent: MultiDict) -> dict[str, Any]:
    """Return the variables of a form that was kept, with its hidden fields."""
    return {**shown, "form_id": form_id(sent), "seen": sent.get("seen", ""), "is_kept": True}


def show(request: Request) -> dict[str, Any]:
    """GET: the form of an object, and its computed values."""
    shown = _page_of(request)
    row = own_row(request, shown.resource)
    if (kept := kept_form(request)) is not None:
        fields = editable_fields(shown.resource)
        return _kept(_form(request, shown, _sent(kept, fields), row, {}), kept)
    return _form(request, shown, texts_of(shown.resource, row), row, {})


def change(request: Request) -> Response | dict[str, Any]:
    """POST"""
    shown, row_id = _page_of(request), path_id(request)
    resource = shown.resource
    fields = editable_fields(resource)
    texts = _sent(request.POST, fields)
    own_row(request, resource)
    with form_errors() as errors, editing(request, f"set {resource.path}") as session:
        stored = session.row_set(resource).rows.get(row_id)
        if stored is None:
            raise HTTPNotFound()
        now = texts_of(resource, stored)
        if request.POST.get("seen") != digest_of(now):
            raise conflict(session, fields, texts, now)
        named = with_new_category(session, texts)
        values = read_texts(session, fields, named, stored)
        named = plain_texts(fields, named, values)
        given = {name: named[name] for name in values if values[name] != stored[name]}
        _check(resource, given, values)
        if given:
            set_object(session, resource, row_id, given)
    if errors:
        return refused(request, _form(request, shown, texts, own_row(request, resource), errors))
    return changed(session, shown.path)


def confirm_removing(request: Request) -> dict[str, Any]:
    """GET"""
    shown = _page_of(request)
    return _removal(request, shown, own_row(request, shown.resource))


def remove(request: Request) -> Response | dict[str, Any]:
    """POST"""
    shown = _page_of(request)
    row = own_row(request, shown.resource)
    with_records = shown.resource is ACCOUNTS and "with_records" in request.POST
    try:
        with editing(request, f"remove {shown.resource.path}") as session:
            remove_object(session, shown.resource, row["id"], with_records=with_records)
    except ChangeRefused:
        # The page says what uses it.
        return refused(request, _removal(request, shown, row))
    return changed(session, shown.path)


def _removal(request: Request, shown: ObjectPage, row: Row) -> dict[str, Any]:
    owned = own_rows(request)
    uses = uses_of(owned, shown.resource, row["id"])
    own_records = uses.pop(RECORDS, None) if shown.resource is ACCOUNTS else None
    return page(
        shown.name,
        f"Remove {title_of(row)}",
        shown=shown,
        row_id=row["id"],
        uses=list(uses.values()),
        own_records=own_records,
    )


def _form(
    request: Request,
    shown: ObjectPage,
    texts: dict[str, str],
    row: Row | None,
    errors: dict[str, str],
) -> dict[str, Any]:
    """row: the row to change; None for a new one."""
    owned, resource = own_rows(request), shown.resource
    if "form" in errors:
        # A refusal names fields; the form shows their labels.
        for field in editable_fields(resource).values():
            label = label_of(field).lower()
            errors["form"] = re.sub(rf"\b{field.name}\b", label, errors["form"])
    cells = Cells(owned)
    facts = []
    detail = None
    if row is not None:
        user_id, today = identity_of(request).user.id, today_of(request)
        known = resource.having_role(Role.DERIVED)
        if resource.computed_fields:
            (row,) = compute(request.storage, user_id, resource, today, [row])
            known += resource.computed_fields
        facts = [(label_of(field), cells.cell(field, row)) for field in known]
        if resource is STANDING_ORDERS:
            dates = Markup(", ").join(map(day, next_dates(row, today)))
            facts = [("Next dates", dates or NONE)]
        if resource in _DETAILS:
            detail = _DETAILS[resource](ApiResults(request), owned, row)
    controls = with_repeats(controls_of(owned, editable_fields(resource), texts))
    rare = [control for control in controls if control.name in shown.rare]
    return page(
        shown.name,
        f"New {shown.word}" if row is None else title_of(row),
        shown=shown,
        controls=controls,
        rare_labels=", ".join(control.label.lower() for control in rare),
        is_rare_used=any(c.name in errors or c.text not in ("", "false") for c in rare),
        errors=errors,
        row_id=None if row is None else row["id"],
        form_id=new_id(),
        seen="" if row is None else digest_of(texts_of(resource, row)),
        facts=[] if detail else facts,
        detail=detail,
        row=row,
        is_editing="edit" in request.GET,
        api=_requests(resource, row, detail),
    )


def _requests(resource: Resource, row: Row | None, detail: Any) -> list[ApiRequest]:
    if row is None:
        return []
    own = ApiRequest(f"{PUBLIC_SURFACE}{resource.path}/{row['id']}", {}, about="Its fields")
    return [own, *(detail.requests if detail else ())]


def includeme(config: Configurator) -> None:
    for name in OBJECT_PAGES:
        for view, route, method, template in (
            (list_objects, name, "GET", "objects"),
            (show_new, f"{name}.new", "GET", "object_form"),
            (add, f"{name}.new", "POST", "object_form"),
            (show, f"{name}.edit", "GET", "object_form"),
            (change, f"{name}.edit", "POST", "object_form"),
            (confirm_removing, f"{name}.remove", "GET", "object_remove"),
            (remove, f"{name}.remove", "POST", "object_remove"),
        ):
            config.add_view(
                view,
                route_name=route,
                request_method=method,
                renderer=f"{template}.jinja2",
                permission=Permission.DATA_READ if method == "GET" else Permission.DATA_WRITE,
            )
