"""The filters, order and page size of the records page, from its query string."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from finance_api.http.requests import Request
from finance_api.importers.interface import ChangeRefused
from finance_api.planning.answers import Answer, ParametersRefused
from finance_api.query.errors import QueryError, quoted
from finance_api.query.kinds import parse_one_of
from finance_api.query.model import RELATIVE_DATES
from finance_api.query.parse import parse_conditions
from finance_api.questions.asking import find
from finance_api.questions.building import ANY, NONE, NULL_TESTS
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.records import FLOW
from finance_api.values import Row
from finance_api.values.ids import are_ids, serial_id
from finance_api.values.regions import Region
from finance_api.values.time import Period, TimeError, parse_date
from finance_api.values.written import WrittenRefused, parse_amount
from finance_api.web.api_requests import RECORDS_PATH, SUMMARY, ApiRequest
from finance_api.web.forms import choice_label, find_option, named_options
from finance_api.web.page import PAGE_ROWS, own_rows, sentence
from finance_api.web.timespans import Timespan, parse_timespan

#: Transfers between own accounts are neither income nor expenses.
TYPES = {
    "expense": {"recordType": "eq.expense", "transferId": "is.null"},
    "income": {"recordType": "eq.income", "transferId": "is.null"},
    "transfer": {"transferId": "is.not_null"},
}
#: Headings to sort by, and their fields.
SORTS = {"date": "recordDate", "payee": "payee", "amount": "amount"}
_DEFAULT_SORT = "-date"
#: Rows per page, to choose from. The API allows no more than the largest number.
SIZES = (PAGE_ROWS, 2 * PAGE_ROWS)

#: Filters of the API, by the name of the parameter.
Filters = Mapping[str, str]


def _is(name: str) -> Callable[[str, Region], Filters]:
    return lambda text, _: {name: NULL_TESTS.get(text, f"eq.{text}")}


def _day(prefix: str) -> Callable[[str, Region], Filters]:
    return lambda text, _: {"recordDate": prefix + text}


def _size(prefix: str) -> Callable[[str, Region], Filters]:
    """Return a function that makes a filter of the amount, whatever its sign."""

    def filters(text: str, region: Region) -> Filters:
        try:
            return {"amount": f"{prefix}{abs(parse_amount(text, region)):f}"}
        except WrittenRefused as error:
            raise QueryError(f"the amount {error}") from None

    return filters


def _type(text: str, _: Region) -> Filters:
    return TYPES[parse_one_of(list(TYPES), text)]


def _note(text: str, _: Region) -> Filters:
    return {"note": NULL_TESTS[parse_one_of(list(NULL_TESTS), text)]}


def _period(text: str, _: Region) -> Filters:
    if text in RELATIVE_DATES:
        return {"recordDate": f"eq.{text}"}
    span = parse_timespan(text, "", "")
    if span is None:
        raise QueryError(f"{quoted(text)} is not a month, a quarter or a year")
    return {"recordDate": span.filter}


def _import(text: str, _: Region) -> Filters:
    """Return the filter for an import. text: the number of the import, or its importId."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return {"importId": f"eq.{serial_id(int(text)) if is_number else text}"}


#: Parameter of the page -> function that converts its text to filters of the API.
_FILTERS: Mapping[str, Callable[[str, Region], Filters]] = {
    "q": lambda text, _: {"q": text},
    "period": _period,
    "from": _day("gte."),
    "to": _day("lte."),
    "account": _is("accountId"),
    "category": _is("categoryId"),
    "type": _type,
    "min": _size("abs.gte."),
    "max": _size("abs.lte."),
    "label": _is("labelIds"),
    "note": _note,
    "currency": _is("currencyCode"),
    "state": _is("recordState"),
    "import": _import,
    "payee": _is("payee"),
    FLOW.name: lambda text, _: {FLOW.name: text},
}
#: Parameters with ids.
_NAMED = {"account": ACCOUNTS, "category": CATEGORIES, "label": LABELS}
#: Parameters that are not filters: the currency to convert sums to, and whether to list only the
#: records that the sums count.
_CONVERT_TO, _COUNTED = "convertTo", "counted"
_SORT, _SIZE = "sort", "size"
_NAMES = (*_FILTERS, _CONVERT_TO, _COUNTED, _SORT, _SIZE)
_YES = "true"
#: The sums that the page shows.
_COLUMNS = "count,income,expense,net"


#: The page offers up to this many months and years.
_MONTHS, _YEARS = 24, 12


@dataclass(frozen=True)
class RecordFilters:
    """The parameters of the records page.

    given: all parameters, as sent. valid: the valid ones. errors: sentences about the invalid ones.
    region: the region of the page.
    """

    given: dict[str, str]
    valid: dict[str, str]
    errors: dict[str, str]
    region: Region

    @classmethod
    def of(cls, request: Request) -> "RecordFilters":
        request.accepted = _NAMES
        return cls.read(request, request.GET)

    @classmethod
    def read(cls, request: Request, sent: Mapping[str, str]) -> "RecordFilters":
        """Read the parameters from the query of a list."""
        given = {name: sent.get(name, "").strip() for name in _NAMES}
        valid: dict[str, str] = {}
        errors: dict[str, str] = {}
        for name, text in given.items():
            try:
                if text:
                    given[name] = _with_id(request, name, text)
                    _check(request, name, given[name])
                    valid[name] = given[name]
            except ChangeRefused as refused:
                errors[name] = sentence(refused)
            except QueryError as error:
                is_day = name in ("from", "to")
                errors[name] = f"{quoted(text)} is not a day." if is_day else sentence(error)
        return cls(given, valid, errors, request.region)

    def path(self, **changed: str) -> str:
        """Return the path of the list's first page with changed parameters; "" removes them."""
        given = {name: text for name, text in {**self.given, **changed}.items() if text}
        return f"/records?{urlencode(given)}" if given else "/records"

    @property
    def parameters(self) -> dict[str, str]:
        """The filters as parameters of the API."""
        # Nothing matches a text that cannot be searched.
        found: dict[str, str] = {"id": str(UUID(int=0))} if "q" in self.errors else {}
        for name, text in self._applied.items():
            for to, operand in _FILTERS[name](text, self.region).items():
                found[to] = f"{found[to]},{operand}" if to in found else operand
        if "categoryId" in found and self.given["category"] not in NULL_TESTS:
            found["withSubcategories"] = "true"
        return found

    @property
    def _applied(self) -> dict[str, str]:
        return {name: text for name, text in self.valid.items() if name in _FILTERS}

    @property
    def list_parameters(self) -> dict[str, str]:
        """The filters and the order of the list as parameters of the API."""
        counted = _YES if self.is_counted else ""
        return {**self.parameters, _COUNTED: counted, "sortBy": self.sort_by}

    @property
    def list_request(self) -> ApiRequest:
        return ApiRequest(RECORDS_PATH, self.list_parameters)

    def page_request(self, offset: int) -> ApiRequest:
        page = {"limit": str(self.size), "offset": str(offset) if offset else ""}
        given = {**self.list_parameters, "withTotal": "true", **page}
        return ApiRequest(RECORDS_PATH, given, about="Records")

    def download_path(self, form: str) -> str:
        """Return the path of the download. form: csv or xlsx."""
        return self.path(format=form).replace("/records", "/records/download", 1)

    @property
    def download_request(self) -> ApiRequest:
        return ApiRequest(f"{RECORDS_PATH}.csv", self.list_parameters, about="Download")

    @property
    def sums_request(self) -> ApiRequest:
        given = {**self.parameters, "columns": _COLUMNS, _CONVERT_TO: self.convert_to}
        return ApiRequest(SUMMARY, given, about="Sums of records")

    def sum_question(self, name: str, words: Sequence[str]) -> ApiRequest:
        """Return the request for one of the sums alone. words: the filters in words."""
        given = {**self.sums_request.parameters, "columns": name, "fill": "true"}
        merged = {"mergeCurrencies": "true"} if self.convert_to else {}
        about = f"{name.capitalize()}: {', '.join(words) or 'all records'}"
        return ApiRequest(SUMMARY, given | merged, about)

    def total_of(self, sums: Answer) -> int:
        """Return the number of records in the list. sums: the answer to `sums_request`."""
        left_out = 0 if self.is_counted else sum(sums.members["leftOut"].values())
        return left_out + sum(int(group["count"]) for group in sums.rows)

    @property
    def convert_to(self) -> str:
        """The currency that the sums are also converted to, or ""."""
        return self.valid.get(_CONVERT_TO, "")

    @property
    def is_counted(self) -> bool:
        """Whether to list only the records that the sums count."""
        return self.valid.get(_COUNTED) == _YES

    @property
    def size(self) -> int:
        """The number of records on a page."""
        return int(self.valid.get(_SIZE, PAGE_ROWS))

    @property
    def sort(self) -> str:
        """A key of `SORTS`, after a minus sign for descending order; "" for the default."""
        return self.valid.get(_SORT, "")

    @property
    def sort_by(self) -> str:
        """The API's ``sortBy``; "" for its default."""
        if self.sort in ("", _DEFAULT_SORT):
            return ""
        sign = "-" if self.sort.startswith("-") else ""
        return sign + SORTS[self.sort.removeprefix("-")]

    def heading(self, name: str) -> tuple[str, str]:
        """Return the aria-sort of a heading, or "", and the path of the list sorted by it."""
        now = self.sort or _DEFAULT_SORT
        order = {name: "ascending", f"-{name}": "descending"}.get(now, "")
        falls = order == "ascending" or (not order and f"-{name}" == _DEFAULT_SORT)
        sort = f"-{name}" if falls else name
        return order, self.path(sort="" if sort == _DEFAULT_SORT else sort)

    def chips(self, names: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the filters that apply in words, each with the path of the page without it.

        names: accounts', categories' and labels' names, by id.
        """
        applied = self._applied
        if self.is_counted:
            applied[_COUNTED] = _YES
        return [
            (_words(name, names.get(text, gone or text), self.region), self.path(**{name: ""}))
            for name, text in applied.items()
            for gone in [f"A removed {name}" if are_ids(text) and name in _NAMED else ""]
        ]


def presence(word: str) -> list[tuple[str, str]]:
    return [(NONE, f"Without a {word}"), (ANY, f"With a {word}")]


def period_options(request: Request, given: str) -> list[tuple[str, str]]:
    """Return periods relative to today, the newest months and years, and the given period."""
    user_id, region = request.user.id, request.region
    months = request.storage.data.sum_by(user_id, ("month",), (), with_void=True)
    days = sorted((month for (month,) in months), reverse=True)
    spans = [Timespan.around(Period.MONTH, day) for day in days[:_MONTHS]]
    years = dict.fromkeys(Timespan.around(Period.YEAR, day) for day in days)
    spans += [*years][:_YEARS]
    if (span := parse_timespan(given, "", "")) is not None and given and span not in spans:
        spans.insert(0, span)
    past = (name for name, date in RELATIVE_DATES.items() if not date.is_ahead)
    relative = [(name, _relative_words(name)) for name in past]
    return relative + [(span.parameters["period"], span.words(region)) for span in spans]


def _relative_words(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _words(name: str, text: str, region: Region) -> str:
    """Describe the records that a filter keeps: ``From 2026-03-01``, ``Without a category``."""
    if text in NULL_TESTS and name in ("category", "label", "note"):
        return f"{'Without' if text == NONE else 'With'} a {name}"
    match name:
        case "q":
            return f"“{text}”"
        case "period" if text in RELATIVE_DATES:
            return _relative_words(text)
        case "period":
            span = parse_timespan(text, "", "")
            return span.words(region) if span else text
        case "type" | "state" | "flow":
            return choice_label(text)
        case "min":
            return f"At least {text}"
        case "max":
            return f"At most {text}"
        case "counted":
            return "Only what the sums count"
        case "import" | "payee":
            return f"{name.capitalize()} {text}"
        case "from" | "to":
            with suppress(TimeError):
                text = region.day(parse_date(text))
            return f"{name.capitalize()} {text}"
    return text


def _with_id(request: Request, name: str, text: str) -> str:
    """Return the id of what a link names instead of its id. Raises ChangeRefused."""
    resource = _NAMED.get(name)
    if resource is None or text in NULL_TESTS or are_ids(text):
        return text
    return find_option(named_options(own_rows(request), resource), text, resource.word)


def _check(request: Request, name: str, text: str) -> None:
    """Check a parameter. Raises QueryError."""
    match name:
        case "counted":
            return
        case "convertTo":
            parse_conditions(RECORDS["currencyCode"], f"eq.{text}")
        case "sort":
            parse_one_of([sign + key for key in SORTS for sign in ("", "-")], text)
        case "size":
            parse_one_of(list(map(str, SIZES)), text)
        case _:
            asked = ApiRequest(RECORDS_PATH, _FILTERS[name](text, request.region))
            try:
                find(request.registry, asked.target)
            except ParametersRefused as refused:
                raise QueryError(*(message for _, message in refused.faults)) from None


def rule_link(row: Row) -> str | None:
    """Return a link to make a rule from a record; None if it has neither payee nor note."""
    return f"/records/{row['id']}/rule" if row["payee"] or row["note"] else None
