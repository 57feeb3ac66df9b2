"""The list of records, and its forms: for several records, and for the category of one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyramid.response import Response
from webob.multidict import MultiDict

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_records, find_row, rows_called, stored_records
from finance_api.ledger.edits.records import change_records, remove_records
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.planning.answers import Reading
from finance_api.planning.conditions import resolved
from finance_api.planning.hints import find_hints
from finance_api.query.model import Condition, Query
from finance_api.questions.asking import find
from finance_api.questions.building import NONE
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.currencies import decimals_of
from finance_api.resources.field import Resource
from finance_api.resources.records import RECORD_STATES
from finance_api.values import Row
from finance_api.web import forms, record_filters
from finance_api.web import page as pages
from finance_api.web.api_requests import ApiAnswers, ApiRequest
from finance_api.web.kept_forms import ROW, kept_errors, kept_form
from finance_api.web.overview import Money
from finance_api.web.routes import get, post

_REMOVE = "remove"
#: The confirmation of a change names up to this many records.
_MOST_NAMED = 10
_CHANGED_ELSEWHERE = (
    "Its category was changed elsewhere meanwhile, so it stays as it is now: {}. To replace it, "
    "enter yours again."
)


@get("records", Permission.DATA_READ, "records")
def list_records(request: Request) -> dict[str, Any]:
    sent = kept_form(request)
    if sent is not None and ROW in sent:
        typed = tuple(str(sent[name]) for name in (ROW, "category", "seen") if name in sent)
        return list_page(request, dict(kept_errors(sent)), typed)
    return list_page(request, {}, sent=sent)


#: The controls of the form that changes the chosen records.
GIVEN = ("set_category", forms.NEW_CATEGORY, "set_label", "set_note", "set_state")
_CHOSEN_ALL = "all"
_NOT_LISTED = "The record whose category you typed is no longer in this list."


def list_page(
    request: Request,
    errors: dict[str, str],
    typed: tuple[str, ...] | None = None,
    sent: MultiDict | None = None,
) -> dict[str, Any]:
    """Return the variables of the list.

    errors: sentences about the form for several records, or about a typed category. typed: the id
    of the record whose category was typed, and the typed text; from a kept form also the id of the
    category that the record had. sent: the form for several records, to show it again.
    """
    filters = record_filters.RecordFilters.of(request)
    owned, answers = pages.own_rows(request), ApiAnswers(request)
    # The sums come first: they also give the total, so texts are searched only once.
    whole = answers.sums(filters.sums_request)
    # If there are too many amounts to convert, show the sums by currency.
    sums = whole or answers.sums(filters.sums_request, convertTo="")
    asked = filters.page_request(0)
    total = filters.total_of(sums) if sums else answers.get(asked, limit="1").members["total"]
    pager = pages.Pager.of(request, total, filters.size)
    asked = filters.page_request(pager.offset)
    found = answers.get(asked, withTotal="")
    if typed is not None and all(row["id"] != typed[0] for row in found.rows):
        # The record was deleted, or has left the list.
        errors = {"form": next(iter(errors.values()), _NOT_LISTED)}
    named = (forms.named_options(owned, each) for each in (ACCOUNTS, CATEGORIES, LABELS))
    accounts, categories, labels = named
    selecting, entries = _selecting(request, sent), sent or MultiDict()
    return pages.page(
        "records",
        "Records",
        rows=found.rows,
        hints=[] if found.rows else _hints(request, answers, asked),
        rule_of=record_filters.rule_link,
        decimals_of=decimals_of,
        here=filters.path(offset=str(pager.offset or "")),
        paths=dict(categories),
        names=forms.last_parts(categories),
        typed=typed or ("", ""),
        addable=typed[1] if typed and not rows_called(owned, CATEGORIES, typed[1]) else "",
        sums=sums,
        too_many=whole is None,
        converted=Money.of(whole.rows, "converted") if whole and filters.convert_to else None,
        filters=filters,
        chips=filters.chips(dict((*accounts, *categories, *labels))),
        options={
            "period": record_filters.period_options(request, filters.given["period"]),
            "account": accounts,
            "category": [*record_filters.presence("category"), *categories],
            "label": [*record_filters.presence("label"), *labels],
            "note": record_filters.presence("note"),
            "type": _choices(record_filters.TYPES),
            "state": _choices(RECORD_STATES),
            "currency": [(code, code) for code in _currencies(owned)],
            "size": [(str(size), str(size)) for size in record_filters.SIZES],
        },
        errors={**filters.errors, **errors},
        selecting=selecting,
        chosen=frozenset(ticked_ids(entries)),
        given_categories=[("", "Choose"), (NONE, "No category"), *categories],
        given_labels=[("", "Choose"), *labels],
        given_states=[("", "Choose"), *_choices(RECORD_STATES)],
        sent={name: str(entries.get(name, "")) for name in GIVEN},
        pager=pager,
        api=[asked, filters.sums_request, filters.download_request],
    )


def _hints(request: Request, answers: ApiAnswers, asked: ApiRequest) -> list[str]:
    """Return why there are no rows: names in the filters that the user does not have."""
    conditions = answers.find(asked).values.conditions
    return find_hints(request.storage, request.user.id, RECORDS, conditions)


def _selecting(request: Request, sent: MultiDict | None) -> str:
    """Return which records are chosen: "some", "page" or "all"; "" if the form is not shown."""
    if sent is not None:
        return _CHOSEN_ALL if sent.get(_CHOSEN_ALL) else "some"
    selecting = request.GET.get("select", "")
    return selecting if selecting in ("some", "page", _CHOSEN_ALL) else ""


def ticked_ids(sent: MultiDict) -> list[str]:
    """Return the ids in the form; a confirmation sends thousands of them in one field."""
    return [each for ids in sent.getall("id") for each in str(ids).split(",") if each]


def _choices(values: Iterable[str]) -> list[tuple[str, str]]:
    return [(value, forms.choice_label(value)) for value in values]


def _currencies(owned: UserRows) -> list[str]:
    return sorted({row["currencyCode"] for row in owned.accounts.rows.values()})


@post("records", Permission.DATA_WRITE, "records")
def change_chosen(request: Request) -> Response | dict[str, Any]:
    """Change the ticked records, or all that match the filters in the query.

    The first POST is answered by a confirmation with the number and the sums of the records; the
    second POST changes them if the user's data is still the same.
    """
    filters, seen = record_filters.RecordFilters.of(request), request.sent_text("seen")
    here = filters.path(offset=str(pages.offset_of(request) or ""))
    action = "records remove" if request.sent_text("do") == _REMOVE else "records edit"
    with forms.form_errors() as errors:
        with pages.editing(request, action, dry_run=not seen) as session:
            selection = _Selection.of(request, session, filters)
            change = _change(session, request)
            sums, named = selection.sums(), selection.named()
            # Other records may have the same number and sums, so compare the revision, too.
            shown = {code: f"{number} {sum_}" for code, (number, sum_) in sums.items()}
            digest = forms.digest_of({**shown, "revision": str(session.revision)})
            is_current = seen == digest
            if is_current:
                change.make(session, selection.ids())
        if is_current:
            return pages.changed(session, here)
    if errors:
        return pages.refused(request, list_page(request, errors, sent=request.POST))
    request.override_renderer = "records_confirm.jinja2"
    return pages.page(
        "records",
        "Delete records" if change.is_removal else "Change records",
        planned=change,
        sums=sums,
        named=named,
        count=sum(number for number, _ in sums.values()),
        is_stale=bool(seen),
        here=here,
        sent={
            **{name: request.sent_text(name) for name in ("do", *GIVEN)},
            "id": ",".join(ticked_ids(request.POST)),
            "all": request.sent_text("all"),
            "seen": digest,
        },
    )


@dataclass(frozen=True)
class _Selection:
    """The records to change. ticked: the ids of ticked records.

    conditions: the filters, if all records that match them are chosen; None if only the ticked
    records are chosen.
    """

    session: LedgerSession
    ticked: list[str]
    conditions: tuple[Condition, ...] | None

    @classmethod
    def of(
        cls, request: Request, session: LedgerSession, filters: record_filters.RecordFilters
    ) -> "_Selection":
        """Read the selection from the form. Raises FormFaults."""
        ticked = ticked_ids(request.POST)
        if request.sent_text("all") != "true":
            if not ticked:
                raise forms.FormFaults({"id": "Choose one or more records."})
            return cls(session, ticked, None)
        if filters.errors:
            raise forms.FormFaults({"id": "Correct the filters first."})
        values = find(request.registry, filters.list_request.target).values
        reading = Reading(session.storage, session.user, request.now)
        query = resolved(Query(RECORDS, values.conditions), values, reading)
        return cls(session, [], query.conditions)

    def ids(self) -> list[str]:
        if self.conditions is None:
            return self.ticked
        return [row["id"] for rows in self.session.pages(RECORDS, *self.conditions) for row in rows]

    def named(self) -> list[Row]:
        """Return the ticked records if they are few, otherwise none. Raises ChangeRefused."""
        ids = self.ticked if len(self.ticked) <= _MOST_NAMED else []
        return find_records(self.session, ids)

    def sums(self) -> dict[str, tuple[int, int]]:
        """Return the number and the sum of the records by currency. Raises ChangeRefused."""
        if self.conditions is not None:
            found = self.session.storage.data.sum_by(
                self.session.user.id, ("currencyCode",), self.conditions, with_void=True
            )
            return {code: (each.number, each.amount) for (code,), each in sorted(found.items())}
        sums: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for rows in stored_records(self.session, self.ticked):
            for row in rows:
                number, amount = sums[row["currencyCode"]]
                sums[row["currencyCode"]] = number + 1, amount + row["amount"]
        return dict(sorted(sums.items()))


@dataclass(frozen=True)
class _Change:
    """A change to the chosen records.

    before, after: the words of the question before and after the number of records.
    """

    before: str
    after: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    is_removal: bool = False

    def make(self, session: LedgerSession, ids: list[str]) -> None:
        """Make the change. Raises ChangeRefused."""
        if self.is_removal:
            remove_records(session, ids)
            return
        change_records(
            session, ids, self.values, add_labels=self.add_labels, remove_labels=self.remove_labels
        )


def _change(session: LedgerSession, request: Request) -> _Change:
    """Read the change from the form. Raises FormFaults, ChangeRefused."""
    match request.sent_text("do"):
        case "label" | "unlabel" as what:
            row_id, name = _chosen(session, LABELS, request.sent_text("set_label"), "label")
            if what == "label":
                return _Change(f"Add the label {name} to", add_labels=(row_id,))
            return _Change(f"Remove the label {name} from", remove_labels=(row_id,))
        case "note":
            note = _value(session, "note", "set_note", request)
            if note is None:
                return _Change("Remove the note of", values={"note": None})
            return _Change("Set the note of", f"to “{note}”", {"note": note})
        case "state":
            state = request.sent_text("set_state")
            if not state:
                raise forms.FormFaults({"set_state": "Choose a state."})
            values = {"recordState": _value(session, "recordState", "set_state", request)}
            return _Change("Set the state of", f"to {forms.choice_label(state)}", values)
        case "remove":
            return _Change("Delete", is_removal=True)
    return _category_change(session, request)


def _category_change(session: LedgerSession, request: Request) -> _Change:
    wanted, new = request.sent_text("set_category"), request.sent_text(forms.NEW_CATEGORY).strip()
    if new:
        row_id, name = forms.category_called(session, new), new
    elif wanted == NONE:
        return _Change("Remove the category of", values={"categoryId": None})
    else:
        row_id, name = _chosen(session, CATEGORIES, wanted, "category")
    return _Change("Set the category of", f"to {name}", {"categoryId": row_id})


def _chosen(session: LedgerSession, resource: Resource, row_id: str, key: str) -> tuple[str, str]:
    """Return the id and the name of one of the user's rows. Raises FormFaults."""
    if not row_id:
        raise forms.FormFaults({f"set_{key}": f"Choose a {key}."})
    try:
        row = find_row(session, resource, row_id)
    except ChangeRefused as error:
        raise forms.FormFaults({f"set_{key}": pages.sentence(error)}) from None
    return str(row["id"]), str(row["name"])


def _value(session: LedgerSession, name: str, key: str, request: Request) -> Any:
    """Read a field of records. key: the key of the field's control. Raises FormFaults."""
    fields, texts = {name: RECORDS[name]}, {name: request.sent_text(key)}
    try:
        return forms.read_texts(session, fields, texts, request.region)[name]
    except forms.FormFaults as faults:
        raise forms.FormFaults({key: faults.errors[name]}) from None


@post("records.category", Permission.DATA_WRITE, "records")
def set_category(request: Request) -> Response | dict[str, Any]:
    """Set the category of one record, and lead to the next record.

    The form has the name or the path of the category, or a part of it.
    """
    row, text = pages.own_row(request, RECORDS), request.sent_text("category").strip()
    # Only a second button adds a category, so that Enter does not create one from a typo.
    is_new = text and request.sent_text("new") == text
    with forms.form_errors() as errors, pages.editing(request, "records edit") as session:
        options = forms.named_options(session, CATEGORIES)
        if not is_new:
            category = forms.find_option(options, text, "category") if text else None
        (stored,) = find_records(session, [row["id"]])
        if (stored["categoryId"] or "") != request.sent_text("seen"):
            now = dict(options).get(stored["categoryId"], "none")
            raise forms.FormFaults({"form": _CHANGED_ELSEWHERE.format(now)})
        if is_new:
            category = forms.category_called(session, text)
        change_records(session, [row["id"]], {"categoryId": category})
    if errors:
        faults = {f"c-{row['id']}": next(iter(errors.values()))}
        return pages.refused(request, list_page(request, faults, typed=(row["id"], text)))
    filters = record_filters.RecordFilters.of(request)
    response = pages.changed(session, filters.path(offset=str(pages.offset_of(request) or "")))
    if following := request.sent_text("next"):
        request.matchdict["id"] = following
        response.headers["Location"] += f"#c-{request.path_id}"
    return response
