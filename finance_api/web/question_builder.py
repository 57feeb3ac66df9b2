"""What people choose on the page of a new question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finance_api.http.requests import Request
from finance_api.questions.building import CHOICES, NAMES, Choices
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.web.api_requests import RECORDS_PATH, ApiAnswers, ApiRequest
from finance_api.web.forms import named_options
from finance_api.web.page import own_rows
from finance_api.web.record_filters import RecordFilters, period_options, presence
from finance_api.web.views.record import suggested_payees


def chosen_in(given: Mapping[str, str]) -> dict[str, str]:
    """Return what is chosen in a query or a form, by name."""
    return {name: given.get(name, "").strip() for name in NAMES}


@dataclass(frozen=True)
class QuestionBuilder:
    """choices: what was chosen, and the lists to choose from. faults: of the text and the payee."""

    choices: Choices
    answers: ApiAnswers
    faults: Mapping[str, str]

    @classmethod
    def of(cls, request: Request) -> "QuestionBuilder":
        owned = own_rows(request)
        chosen = chosen_in(request.GET)
        options: dict[str, Sequence[tuple[str, str]]] = {
            **{name: list(choices.items()) for name, choices in CHOICES.items()},
            "period": period_options(request, chosen["period"]),
            "account": named_options(owned, ACCOUNTS),
            "category": [*presence("category"), *named_options(owned, CATEGORIES)],
            "label": [*presence("label"), *named_options(owned, LABELS)],
        }
        faults = RecordFilters.read(request, {name: chosen[name] for name in ("q", "payee")}).errors
        return cls(Choices(chosen, options), ApiAnswers(request), faults)

    @property
    def payees(self) -> list[str]:
        return [payee for payee, _ in suggested_payees(self.answers)]

    @cached_property
    def errors(self) -> dict[str, str]:
        errors, payee = {**self.choices.errors, **self.faults}, self.choices.chosen["payee"]
        asked = ApiRequest(RECORDS_PATH, {"payee": f"eq.{payee}", "limit": "1"})
        if payee and ("payee" in errors or not self.answers.get(asked).rows):
            errors["payee"] = "No record has this payee. Write all of its name, or use the text."
        return errors

    @property
    def built(self) -> dict[str, str]:
        """The name and the address of the question; empty if nothing was chosen, or at a fault."""
        if not self.choices.chosen["what"] or self.errors:
            return {}
        return {"name": self.choices.name, "address": self.choices.address}
