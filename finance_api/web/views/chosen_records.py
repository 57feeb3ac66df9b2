"""Changes from the list of records: of several at once, and of one record's category."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyramid.response import Response

from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.edits.records import change_records, remove_records, stored_records
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Condition
from finance_api.resources import CATEGORIES, LABELS, RECORDS
from finance_api.resources.field import Resource
from finance_api.web.api_results import conditions_of
from finance_api.web.forms import (
    NEW_CATEGORY,
    FormFaults,
    category_called,
    choice_label,
    digest_of,
    find_option,
    form_errors,
    named_options,
    read_texts,
)
from finance_api.web.page import (
    changed,
    editing,
    form_text,
    offset_of,
    own_row,
    page,
    path_id,
    refused,
    sentence,
    today_of,
)
from finance_api.web.record_filters import NONE, RecordFilters
from finance_api.web.routes import post
from finance_api.web.views.records import GIVEN, list_page, ticked_ids

_REMOVE = "remove"
_CHANGED_ELSEWHERE = (
    "Its category was changed elsewhere meanwhile, so it stays as it is now: {}. To replace it, "
    "enter yours again."
)


@post("records", Permission.DATA_WRITE, "records")
def change_chosen(request: Request) -> Response | dict[str, Any]:
    """Change the ticked records, or all that match the filters in the query.

    The first POST is answered by a confirmation with the number and the sums of the records; the
    second one changes them if the user's data is still the same.
    """
    filters, seen = RecordFilters.of(request), form_text(request, "seen")
    here = filters.path(offset=str(offset_of(request) or ""))
    action = "records remove" if form_text(request, "do") == _REMOVE else "records edit"
    with form_errors() as errors:
        with editing(request, action, dry_run=not seen) as session:
            selection = _Selection.of(request, session, filters)
            change = _change(session, request)
            sums = selection.sums()
            # Other records may have the same number and sums, so compare the revision.
            shown = {code: f"{number} {sum_}" for code, (number, sum_) in sums.items()}
            digest = digest_of({**shown, "revision": str(session.revision)})
            is_current = seen == digest
            if is_current:
                change.make(session, selection.ids())
        if is_current:
            return changed(session, here)
    if errors:
        return refused(request, list_page(request, errors, sent=request.POST))
    request.override_renderer = "records_confirm.jinja2"
    return page(
        "records",
        "Change records",
        planned=change,
        sums=sums,
        count=sum(number for number, _ in sums.values()),
        is_stale=bool(seen),
        here=here,
        sent={
            **{name: form_text(request, name) for name in ("do", *GIVEN)},
            "id": ",".join(ticked_ids(request.POST)),
            "all": form_text(request, "all"),
            "seen": digest,
        },
    )


@dataclass(frozen=True)
class _Selection:
    """ticked: ids. conditions: of all records that match the filters; None: the ticked ones."""

    session: LedgerSession
    ticked: list[str]
    conditions: tuple[Condition, ...] | None

    @classmethod
    def of(cls, request: Request, session: LedgerSession, filters: RecordFilters) -> "_Selection":
        """Raises FormFaults."""
        ticked = ticked_ids(request.POST)
        if form_text(request, "all") != "true":
            if not ticked:
                raise FormFaults({"id": "Choose one or more records."})
            return cls(session, ticked, None)
        if filters.errors:
            raise FormFaults({"id": "Correct the filters first."})
        user_id, given = session.user.id, filters.list_parameters
        found = conditions_of(session.storage, user_id, today_of(request), RECORDS, given)
        return cls(session, [], found)

    def ids(self) -> list[str]:
        if self.conditions is None:
            return self.ticked
        return [row["id"] for rows in self.session.pages(RECORDS, *self.conditions) for row in rows]

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
    """before, after: of the question, around the number of records."""

    before: str
    after: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    is_removal: bool = False

    def make(self, session: LedgerSession, ids: list[str]) -> None:
        """Raises ChangeRefused."""
        if self.is_removal:
            remove_records(session, ids)
            return
        labels = {"add_labels": self.add_labels, "remove_labels": self.remove_labels}
        change_records(session, ids, self.values, **labels)


def _change(session: LedgerSession, request: Request) -> _Change:
    """Read the change from the form. Raises FormFaults, ChangeRefused."""
    match form_text(request, "do"):
        case "label":
            row_id, name = _chosen(session, LABELS, form_text(request, "set_label"), "label")
            return _Change(f"Add the label {name} to", add_labels=(row_id,))
        case "unlabel":
            row_id, name = _chosen(session, LABELS, form_text(request, "set_label"), "label")
            return _Change(f"Remove the label {name} from", remove_labels=(row_id,))
        case "note":
            note = _value(session, "note", "set_note", form_text(request, "set_note"))
            if note is None:
                return _Change("Remove the note of", values={"note": None})
            return _Change("Set the note of", f"to “{note}”", {"note": note})
        case "state":
            state = form_text(request, "set_state")
            if not state:
                raise FormFaults({"set_state": "Choose a state."})
            values = {"recordState": _value(session, "recordState", "set_state", state)}
            return _Change("Set the state of", f"to {choice_label(state)}", values)
        case "remove":
            return _Change("Delete", is_removal=True)
    return _category_change(session, request)


def _category_change(session: LedgerSession, request: Request) -> _Change:
    wanted, new = form_text(request, "set_category"), form_text(request, NEW_CATEGORY).strip()
    if new:
        row_id, name = category_called(session, new), new
    elif wanted == NONE:
        return _Change("Remove the category of", values={"categoryId": None})
    else:
        row_id, name = _chosen(session, CATEGORIES, wanted, "category")
    return _Change("Set the category of", f"to {name}", {"categoryId": row_id})


def _chosen(session: LedgerSession, resource: Resource, row_id: str, key: str) -> tuple[str, str]:
    """The id and the name of one of the user's rows. Raises FormFaults."""
    if not row_id:
        raise FormFaults({f"set_{key}": f"Choose a {key}."})
    try:
        row = find_row(session, resource, row_id)
    except ChangeRefused as error:
        raise FormFaults({f"set_{key}": sentence(error)}) from None
    return str(row["id"]), str(row["name"])


def _value(session: LedgerSession, name: str, key: str, text: str) -> Any:
    """Read a field of records. key: of its control. Raises FormFaults."""
    try:
        return read_texts(session, {name: RECORDS[name]}, {name: text})[name]
    except FormFaults as faults:
        raise FormFaults({key: faults.errors[name]}) from None


@post("records.category", Permission.DATA_WRITE, "records")
def set_category(request: Request) -> Response | dict[str, Any]:
    """Set the category of one record, by its name or path or a part of it, and lead to the next."""
    row, text = own_row(request, RECORDS), form_text(request, "category").strip()
    # Only a second button adds a category, so that Enter does not create one from a typo.
    is_new = text and form_text(request, "new") == text
    with form_errors() as errors, editing(request, "records edit") as session:
        options = named_options(session, CATEGORIES)
        if not is_new:
            category = find_option(options, text, "category") if text else None
        (stored,) = [each for page in stored_records(session, [row["id"]]) for each in page]
        if (stored["categoryId"] or "") != form_text(request, "seen"):
            now = dict(options).get(stored["categoryId"], "none")
            raise FormFaults({"form": _CHANGED_ELSEWHERE.format(now)})
        if is_new:
            category = category_called(session, text)
        change_records(session, [row["id"]], {"categoryId": category})
    if errors:
        faults = {f"c-{row['id']}": next(iter(errors.values()))}
        return refused(request, list_page(request, faults, typed=(row["id"], text)))
    filters = RecordFilters.of(request)
    response = changed(session, filters.path(offset=str(offset_of(request) or "")))
    if following := form_text(request, "next"):
        request.matchdict["id"] = following
        response.headers["Location"] += f"#c-{path_id(request)}"
    return response
