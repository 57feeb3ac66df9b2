"""The filters of the records page, from its query string."""

from dataclasses import dataclass
from urllib.parse import urlencode

from finance_api.http.requests import Request
from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.query.errors import QueryError
from finance_api.query.parse import parse_conditions, parse_flow, parse_words
from finance_api.resources import RECORDS
from finance_api.resources.records import FLOW, WORDS
from finance_api.values import Row
from finance_api.values.ids import serial_id
from finance_api.web.api_results import SUMMARY, ApiRequest
from finance_api.web.forms import joined
from finance_api.web.page import PAGE_ROWS, sentence

#: In place of a category: records without a category.
NO_CATEGORY = "none"

#: Fields of records, by the parameters of the page.
_FIELDS = {
    "q": WORDS.name,
    "account": "accountId",
    "category": "categoryId",
    "label": "labelIds",
    "from": "recordDate",
    "to": "recordDate",
    "currency": "currencyCode",
    "import": "importId",
}
#: Parameters that are not fields: a currency for the sums; listing only what the sums count; spent
#: or received.
_CONVERT_TO, _COUNTED, _FLOW = "convertTo", "counted", FLOW.name
_YES = "true"


@dataclass(frozen=True)
class RecordFilters:
    """given: the page's parameters; faulty ones are ignored. errors: sentences about these."""

    given: dict[str, str]
    errors: dict[str, str]

    @classmethod
    def of(cls, request: Request) -> "RecordFilters":
        names = (*_FIELDS, _CONVERT_TO, _COUNTED, _FLOW)
        given = {name: request.GET.get(name, "").strip() for name in names}
        errors = {}
        for name, text in given.items():
            try:
                _check(name, text)
            except QueryError as error:
                errors[name] = sentence(error)
        return cls(given, errors)

    @property
    def query(self) -> str:
        """The query string of this page."""
        return urlencode({name: text for name, text in self.given.items() if text})

    @property
    def parameters(self) -> dict[str, str]:
        """The same filters for the API."""
        found: dict[str, str] = {}
        for name, text in self.given.items():
            if not text or name in self.errors or name not in _FIELDS:
                continue
            field, operand = _FIELDS[name], _operand(name, text)
            found[field] = f"{found[field]},{operand}" if field in found else operand
        if "categoryId" in found and self.given["category"] != NO_CATEGORY:
            found["withSubcategories"] = "true"
        if self.given[_FLOW] and _FLOW not in self.errors:
            found[_FLOW] = self.given[_FLOW]
        return found

    def page_request(self, offset: int) -> ApiRequest:
        page = {"limit": str(PAGE_ROWS), "offset": str(offset) if offset else ""}
        counted = {_COUNTED: _YES if self.is_counted else ""}
        given = {**self.parameters, **counted, "withTotal": "true", **page}
        return ApiRequest(f"{PUBLIC_SURFACE}records", given, about="The list")

    @property
    def sums_request(self) -> ApiRequest:
        given = {**self.parameters, _CONVERT_TO: self.convert_to}
        return ApiRequest(SUMMARY, given, about="The sums")

    @property
    def convert_to(self) -> str:
        """The currency that the sums are also converted to, or ""."""
        return "" if _CONVERT_TO in self.errors else self.given[_CONVERT_TO]

    @property
    def is_counted(self) -> bool:
        """Whether to list only the records that the sums count."""
        return self.given[_COUNTED] == _YES

    @property
    def without_counted(self) -> str:
        """The path of this page with all records listed."""
        given = {name: text for name, text in self.given.items() if text and name != _COUNTED}
        return f"/records?{urlencode(given)}"


def rule_link(row: Row) -> str | None:
    """Return a link to add a rule for records like this one; None without payee and note."""
    keyword = row["payee"] or row["note"]
    if not keyword:
        return None
    given = {"keywords": joined([keyword]), "categoryId": row["categoryId"] or ""}
    return ApiRequest("/rules/new", given).target


def _operand(name: str, text: str) -> str:
    match name:
        case "q":
            return text
        case "from":
            return f"gte.{text}"
        case "to":
            return f"lte.{text}"
        case "category" if text == NO_CATEGORY:
            return "is.null"
        case "import" if text.isascii() and text.isdigit() and len(text) < 10:
            return f"eq.{serial_id(int(text))}"
    return f"eq.{text}"


def _check(name: str, text: str) -> None:
    """Raises QueryError."""
    if not text or name == _COUNTED:
        return
    if name == "q":
        parse_words(text)
        return
    if name == _FLOW:
        parse_flow(text)
        return
    if name == _CONVERT_TO:
        parse_conditions(RECORDS["currencyCode"], f"eq.{text}")
        return
    parse_conditions(RECORDS[_FIELDS[name]], _operand(name, text))
