"""Lists and forms of accounts, categories, budgets and the like: see `OBJECT_PAGES`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
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
from finance_api.ledger.edits import objects
from finance_api.ledger.edits.naming import editable_fields
from finance_api.ledger.edits.questions import asking_for
from finance_api.ledger.edits.usual_categories import add_usual_categories
from finance_api.ledger.rows import RowSet
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.planning.computing import compute
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.resources.common import EXPENSE
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.plans import PERIODS
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.regions import MINUS, Region
from finance_api.values.text import edited, message
from finance_api.web import forms
from finance_api.web import page as pages
from finance_api.web.api_requests import ApiAnswers, ApiRequest, recurring_request
from finance_api.web.cells import NONE, Cells, money, title_of
from finance_api.web.development import CategoryDetail, LabelDetail, group_sums
from finance_api.web.found_payments import StandingOrderDetail, found_payments
from finance_api.web.kept_forms import kept_form
from finance_api.web.object_details import (
    AccountDetail,
    BudgetDetail,
    GoalDetail,
    ObjectDetail,
    RuleDetail,
)
from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.own_limits import LIMIT, OVERRIDES, PERIOD, changed_limits, limit_control
from finance_api.web.repeats import RULE, check_end, with_repeats, with_rule
from finance_api.web.routes import post
from finance_api.web.sentences import CANCEL
from finance_api.web.todays_balances import TodaysBalances

#: The list of categories indents up to this many levels.
_MOST_DEPTH = 3
#: What pages show beside the form, by resource.
_DETAILS: Mapping[Resource, type[ObjectDetail]] = {
    ACCOUNTS: AccountDetail,
    BUDGETS: BudgetDetail,
    CATEGORIES: CategoryDetail,
    GOALS: GoalDetail,
    LABELS: LabelDetail,
    RECORD_RULES: RuleDetail,
    STANDING_ORDERS: StandingOrderDetail,
}


class ObjectViews:
    """The pages of one resource: its list, and the forms for its objects."""

    def __init__(self, request: Request) -> None:
        self.request, self.region = request, request.region
        self.shown = OBJECT_PAGES[request.matched_route.name.partition(".")[0]]
        self.resource = self.shown.resource
        #: The fields of the form. Limits of single periods have a control of their own.
        self.fields = {
            field.name: field
            for field in editable_fields(self.resource).values()
            if field.kind is not Kind.LIMIT_LIST
        }

    def list_objects(self) -> dict[str, Any]:
        """Show one page of the list of all objects."""
        request, shown, resource = self.request, self.shown, self.resource
        is_by_date = shown.date is not None and request.GET.get("sort") != "name"
        order = f"{shown.date},{shown.sort}" if is_by_date else shown.sort
        page = {"limit": str(pages.PAGE_ROWS), "offset": str(pages.offset_of(request))}
        asked = ApiRequest(
            f"{PUBLIC_SURFACE}{resource.path}", {"sortBy": order, **page}, shown.title
        )
        answers = ApiAnswers(request)
        found = answers.get(asked, withTotal="true")
        total, listed = found.members["total"], found.rows
        pager, owned = pages.Pager.of(request, total), pages.own_rows(request)
        sums = found_here = None
        tree = CategoryTree(owned.categories.rows.values() if resource is CATEGORIES else ())
        if resource is CATEGORIES:
            listed = _sorted(owned.categories, partial(_branch_key, tree), pager)
        elif resource is STANDING_ORDERS:
            found_here = found_payments(owned, request.today, self.region)
            if is_by_date:
                listed = _sorted(owned.row_set(resource), found_here.by_day, pager)
            listed = [{**row, "nextDueDate": found_here.next_day(row)} for row in listed]
        if resource in (CATEGORIES, LABELS):
            sums = group_sums(answers, resource.word, tree)
        balances = TodaysBalances(answers, listed if resource is ACCOUNTS else ())
        if resource is ACCOUNTS:
            listed = [{**row, "balance": balances.by_account.get(row["id"])} for row in listed]
        fields = [resource[name] for name in shown.columns]
        cells = Cells(owned, self.region)
        rows = [
            {
                "id": row["id"],
                "name": title_of(row),
                "badges": [w.capitalize() for w in ("archived", "closed") if row.get(w)],
                "cells": [cells.cell(field, row) for field in fields]
                + ([] if sums is None else [_amounts(sums.get(row["id"], {}), self.region)]),
                "aside": balances.to_come(row),
                "depth": min(len([*tree.upwards(row["id"])][1:]), _MOST_DEPTH),
            }
            for row in listed
        ]
        columns = [(forms.label_of(field), cells.css(field)) for field in fields]
        columns += [] if sums is None else [("Last 12 months", "number")]
        filled = [n for n in range(len(columns)) if any(r["cells"][n] is not NONE for r in rows)]
        return pages.page(
            shown.name,
            shown.title,
            shown=shown,
            columns=[columns[n] for n in filled],
            rows=[{**row, "cells": [row["cells"][n] for n in filled]} for row in rows],
            total=total,
            pager=pager,
            is_by_date=is_by_date,
            too_many=resource in (CATEGORIES, LABELS) and sums is None,
            found=found_here,
            api=answers.shown + [recurring_request] * bool(found_here and found_here.totals),
        )

    def show_new(self) -> dict[str, Any]:
        """Show a form with the defaults, or with values from the query of a link."""
        if (kept := kept_form(self.request)) is not None:
            return self._kept(kept, None)
        owned, given = pages.own_rows(self.request), self.request.GET
        currencies = {row["currencyCode"] for row in owned.accounts.rows.values()}
        texts = {
            field.name: given.get(field.name) or _default_text(field)
            for field in self.fields.values()
        }
        if RULE in texts:
            texts |= {"type": texts["type"] or EXPENSE, RULE: texts[RULE] or "FREQ=MONTHLY"}
        if len(currencies) == 1 and "currencyCode" in texts:
            (texts["currencyCode"],) = currencies
        return self._form(texts, None, {})

    def add(self) -> Response | dict[str, Any]:
        sent = self.request.POST
        texts, row_id = self._sent(sent), forms.form_id(sent)
        is_cancelled = self.request.sent_text("do") == "cancelled"
        action = CANCEL if is_cancelled else f"add {self.resource.path}"
        with forms.form_errors() as errors, pages.editing(self.request, action) as session:
            objects.add_row(session, self.resource, self._given(session, texts, None), row_id)
        if errors:
            return pages.refused(
                self.request, {**self._form(texts, None, errors), "form_id": row_id}
            )
        return pages.changed(session, pages.returning(self.request, self.shown.path, row_id))

    def show(self) -> dict[str, Any]:
        """Show the form of an object, and its computed values."""
        row = pages.own_row(self.request, self.resource)
        if (kept := kept_form(self.request)) is not None:
            return self._kept(kept, row)
        return self._form(self._stored_texts(row), row, {})

    def change(self) -> Response | dict[str, Any]:
        request, resource, texts = self.request, self.resource, self._sent(self.request.POST)
        row_id = pages.own_row(request, resource)["id"]
        with (
            forms.form_errors() as errors,
            pages.editing(request, f"set {resource.path}") as session,
        ):
            stored = session.row_set(resource).rows.get(row_id)
            if stored is None:
                raise HTTPNotFound()
            now = self._stored_texts(stored)
            if (seen := request.sent_text("seen")) != forms.digest_of(now):
                raise forms.conflict(session, self.fields, texts, now, self.region, seen)
            if given := self._given(session, texts, stored):
                is_derived = not texts.get("initialBalance", "-").strip()
                objects.set_row(session, resource, stored, given, is_derived=is_derived)
        if errors:
            return pages.refused(
                request, self._form(texts, pages.own_row(request, resource), errors)
            )
        return pages.changed(session, pages.returning(request, self.shown.path, row_id))

    def confirm_removing(self) -> dict[str, Any]:
        return self._removal(pages.own_row(self.request, self.resource))

    def remove(self) -> Response | dict[str, Any]:
        row = pages.own_row(self.request, self.resource)
        with_records = self.resource is ACCOUNTS and "with_records" in self.request.POST
        into = self.request.sent_text("into") or None
        try:
            with pages.editing(self.request, f"remove {self.resource.path}") as session:
                objects.remove_object(
                    session, self.resource, row["id"], with_records=with_records, into=into
                )
        except ChangeRefused:
            # The page says what uses it.
            return pages.refused(self.request, self._removal(row))
        return pages.changed(session, pages.returning(self.request, self.shown.path))

    def _removal(self, row: Row) -> dict[str, Any]:
        owned = pages.own_rows(self.request)
        uses = objects.uses_of(owned, self.resource, row["id"])
        own_records = message(uses.pop(RECORDS, "")) if self.resource is ACCOUNTS else ""
        return pages.page(
            self.shown.name,
            f"Remove {title_of(row)}",
            shown=self.shown,
            row_id=row["id"],
            uses=list(map(message, uses.values())),
            questions=asking_for(owned, self.resource, row),
            others=self._others(owned, row["id"]),
            own_records=own_records,
        )

    def _others(self, owned: UserRows, row_id: str) -> list[tuple[str, str]]:
        """Return the rows that can take the row's place."""
        can_move = self.resource in objects.MERGED
        options = forms.named_options(owned, self.resource) if can_move else []
        return [option for option in options if option[0] != row_id]

    def _stored_texts(self, row: Row) -> dict[str, str]:
        """Return the texts of the form, and the limits that one of its controls changes."""
        limits = ",".join(row.get(OVERRIDES, ()))
        return {**forms.field_texts(self.fields, row, self.region), OVERRIDES: limits}

    def _sent(self, sent: MultiDict) -> dict[str, str]:
        """Return the texts of the form that was sent."""
        texts = forms.sent_texts(self.fields, sent)
        texts |= {name: str(sent[name]) for name in (PERIOD, LIMIT) if name in sent}
        return with_rule(texts, sent, self.region) if RULE in texts else texts

    def _given(
        self, session: LedgerSession, texts: Mapping[str, str], row: Row | None
    ) -> dict[str, Any]:
        """Return the values that differ from the row's.

        row: None for a new object, which has the defaults. Raises FormFaults, with each sentence
        beside its field, and ChangeRefused.
        """
        before = row or {field.name: field.default for field in self.fields.values()}
        named = forms.with_currency(self.fields, forms.with_new_category(session, texts))
        values = forms.read_texts(session, self._form_fields(row), named, self.region, before)
        if RULE in values and values["amount"] and values["amount"] != before["amount"]:
            # Without a sign, the type decides; a sign decides the type.
            if texts["amount"].strip().startswith(("+", "-", MINUS)):
                values["type"] = before["type"]
            elif values["type"] == EXPENSE:
                values["amount"] *= -1
        given = {name: value for name, value in values.items() if value != before[name]}
        if values.get(RULE) and {RULE, "startDate"} & given.keys():
            check_end(values[RULE], values["startDate"], self.region)
        if row is not None and {PERIOD, LIMIT} <= texts.keys():
            given |= changed_limits(row, texts, self.region)
        return given

    def _form_fields(self, row: Row | None) -> Mapping[str, Field]:
        """Return the fields of the form: some are required, unless a file left them out."""
        needed = [name for name in self.shown.needed if row is None or row[name]]
        return self.fields | {name: replace(self.fields[name], required=True) for name in needed}

    def _kept(self, sent: MultiDict, row: Row | None) -> dict[str, Any]:
        """Return the variables of a form that was kept, with its hidden fields."""
        shown = self._form(self._sent(sent), row, {})
        return {**shown, "form_id": forms.form_id(sent), "seen": sent.get("seen", "")}

    def _form(
        self, texts: dict[str, str], row: Row | None, errors: dict[str, str]
    ) -> dict[str, Any]:
        """Return the variables of the form. row: the object to change; None for a new object."""
        request, shown, resource = self.request, self.shown, self.resource
        owned = pages.own_rows(request)
        errors = self._at_fields(errors)
        detail: ObjectDetail | None = None
        answers = ApiAnswers(request)
        if row is not None:
            if resource.computed_fields:
                (row,) = compute(request.storage, request.user.id, resource, request.today, [row])
            path = f"{PUBLIC_SURFACE}{resource.path}/{row['id']}"
            answers.shown.append(ApiRequest(path, {}, about="Its fields"))
            detail = _DETAILS[resource](answers, owned, row, self.region)
        controls = forms.controls_of(owned, self._form_fields(row), texts, self.region)
        controls = with_repeats(controls, self.region)
        if row is not None and resource is BUDGETS and row["type"] in PERIODS:
            control = limit_control(row, texts, request.today, self.region)
            controls.insert(list(self.fields).index("limitAmount") + 1, control)
        return pages.page(
            shown.name,
            f"New {shown.word}" if row is None else title_of(row),
            shown=shown,
            controls=controls,
            errors=errors,
            row_id=None if row is None else row["id"],
            form_id=new_id(),
            seen="" if row is None else forms.digest_of(self._stored_texts(row)),
            detail=detail,
            row=row,
            is_editing="edit" in request.GET,
            api=answers.shown,
        )

    def _at_fields(self, errors: dict[str, str]) -> dict[str, str]:
        """Put a refusal that names fields as commands do beside them, with their labels."""
        text, named = errors.get("form", ""), []
        for name, field in self.fields.items():
            # Other words of a sentence can be those of short names.
            pattern = re.compile(rf"(?i)\b{name}\b")
            if not name.islower() and pattern.search(text):
                named.append(name)
                text = edited(text, partial(pattern.sub, forms.label_of(field).lower()))
        if not named:
            return errors
        return {**errors, **dict.fromkeys(named, pages.capital(text)), "form": ""}


def _sorted(rows: RowSet, key: Callable[[Row], Any], pager: pages.Pager) -> list[Row]:
    """Return a page of the rows in an order that the API does not have."""
    return sorted(rows.rows.values(), key=key)[pager.offset : pager.last]


def _branch_key(tree: CategoryTree, row: Row) -> list[tuple[bool, str, str]]:
    """Sort a category below its parent: by name, and archived branches after the others."""
    branch = [*tree.upwards(row["id"])][::-1]
    return [(each["archived"], str(each["name"]).casefold(), each["id"]) for each in branch]


def _amounts(sums: Mapping[str, int], region: Region) -> Markup:
    """Return amounts by currency, one in a line."""
    shown = [money(units, currency, region) for currency, units in sorted(sums.items())]
    return Markup("<br>").join(shown) if shown else NONE


def _default_text(field: Field) -> str:
    is_shown = field.default not in (None, (), False, 0)
    return str(field.default) if is_shown else ""


@post("categories", Permission.DATA_WRITE)
def begin_with_usual(request: Request) -> Response:
    """Add the usual categories."""
    with pages.editing(request, "categories begin") as session:
        add_usual_categories(session)
    return pages.changed(session, request.path)


@post("standing-orders", Permission.DATA_WRITE)
def ignore_found(request: Request) -> Response:
    """Ignore a recurring payment that was found in the records, or bring it back."""
    account_id, item = request.sent_text("account"), request.sent_text("payment")
    found = found_payments(pages.own_rows(request), request.today, request.region)
    is_ignored = request.sent_text("do") == "ignore"
    offered = {(each.recurring.account_id, each.item): each.recurring for each in found.payments}
    if not is_ignored:
        offered = {(each.account_id, item): each for each, item in found.ignored.items()}
    if (account_id, item) not in offered:
        return pages.done(request.path, "same")
    payee, action = offered[account_id, item].payee, "ignore" if is_ignored else "restore"
    with pages.editing(request, f"recurring {action}") as session:
        objects.ignore_payment(session, account_id, item, payee, is_ignored=is_ignored)
    return pages.changed(session, request.path)


def includeme(config: Configurator) -> None:
    for name in OBJECT_PAGES:
        for view, route, method, template in (
            ("list_objects", name, "GET", "objects"),
            ("show_new", f"{name}.new", "GET", "object_form"),
            ("add", f"{name}.new", "POST", "object_form"),
            ("show", f"{name}.edit", "GET", "object_form"),
            ("change", f"{name}.edit", "POST", "object_form"),
            ("confirm_removing", f"{name}.remove", "GET", "object_remove"),
            ("remove", f"{name}.remove", "POST", "object_remove"),
        ):
            config.add_view(
                ObjectViews,
                attr=view,
                route_name=route,
                request_method=method,
                renderer=f"{template}.jinja2",
                permission=Permission.DATA_READ if method == "GET" else Permission.DATA_WRITE,
            )
