"""Builds the address and the name of a question from what people choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from finance_api.http.surfaces import PUBLIC_SURFACE
from finance_api.questions.saved import MAX_NAME_CHARACTERS

_BALANCE = "balance"
#: What a question can be about, by what it can be grouped, and with what it can be compared.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "what": {
        "spent": "Spent",
        "received": "Received",
        "count": "Number of records",
        _BALANCE: "Balance",
    },
    "by": {"month": "By month", "category": "By category", "payee": "By payee"},
    "compare": {"previous": "With the period before", "year": "With a year before"},
}
#: The filters of records, by the name of the choice, in the order of a question's name.
_FILTERS = {
    "category": "categoryId",
    "account": "accountId",
    "label": "labelIds",
    "payee": "payee",
    "q": "q",
    "period": "recordDate",
}
NAMES = ("what", *_FILTERS, "by", "compare")
#: Values for records without a category or label, and with any.
NONE, ANY = "none", "any"
NULL_TESTS = {NONE: "is.null", ANY: "is.not_null"}
_NOT_OF_BALANCES = ("category", "label", "payee", "q", "compare")


@dataclass(frozen=True)
class Choices:
    """What was chosen, by the names in `NAMES`; "" for what was not chosen.

    options: values and their labels, for names that have a list to choose from.
    """

    chosen: Mapping[str, str]
    options: Mapping[str, Sequence[tuple[str, str]]]

    @property
    def errors(self) -> dict[str, str]:
        """Sentences about what cannot be asked, by name."""
        chosen, errors = self.chosen, {}
        for name, options in self.options.items():
            if chosen[name] and chosen[name] not in dict(options):
                errors[name] = "What was chosen here no longer exists: choose again."
        if chosen["compare"] and not chosen["period"]:
            errors["period"] = "Choose the period to compare."
        if chosen["what"] == _BALANCE:
            for name in _NOT_OF_BALANCES:
                if chosen[name]:
                    errors[name] = "A balance is that of accounts: leave this empty."
            if chosen["by"] not in ("", "month"):
                errors["by"] = "A balance can only be asked by month."
            elif chosen["period"] and not chosen["by"]:
                errors["by"] = "Earlier balances can only be asked by month."
        return errors

    @property
    def name(self) -> str:
        """A name such as ``Spent: Groceries, this month, by payee``."""
        words = [self._label(name) for name in NAMES if self.chosen[name]]
        name = f"{words[0]}: {', '.join(words[1:])}" if words[1:] else words[0]
        return name if len(name) <= MAX_NAME_CHARACTERS else f"{name[: MAX_NAME_CHARACTERS - 1]}…"

    def _label(self, name: str) -> str:
        text = self.chosen[name]
        label = dict(self.options.get(name, ())).get(text, text)
        match name:
            case "q":
                return f"“{text}”"
            case "by":
                return label.lower()
            case "compare":
                return f"compared {label.lower()}"
            case "period" if label.lower().replace(" ", "-") == text:
                # A relative date; months of the calendar keep their capitals.
                return label.lower()
        return label

    @property
    def address(self) -> str:
        what, by, period = (self.chosen[name] for name in ("what", "by", "period"))
        asked = {name: self._condition(choice) for choice, name in _FILTERS.items()}
        if what == _BALANCE:
            # Months to come are asked for only if they have records.
            to = "" if period.startswith("this-") else period
            days = {"from": period, "to": to} if by else {"from": "today", "to": "today"}
            interval = "month" if by else "day"
            # Without an account, the sums are asked for.
            days |= {
                "accountId": asked["accountId"],
                "rows": "" if asked["accountId"] else "totals",
            }
            return _address("accounts/balances", interval=interval, **days)
        asked |= {"compare": self.chosen["compare"]}
        asked |= {"withSubcategories": "true"} if asked["categoryId"].startswith("eq.") else {}
        asked |= {"fill": "true"} if by in ("", "month") else {"sortBy": f"-{what}"}
        return _address("records/summary", groupBy=by, columns=what, **asked)

    def _condition(self, choice: str) -> str:
        text = self.chosen[choice]
        if choice == "q" or not text:
            return text
        is_test = choice in ("category", "label") and text in NULL_TESTS
        return NULL_TESTS[text] if is_test else f"eq.{text}"


def _address(path: str, **parameters: str) -> str:
    given = {name: text for name, text in parameters.items() if text}
    return f"{PUBLIC_SURFACE}{path}?{urlencode(given, safe=',.:', quote_via=quote)}"
