"""The references of the APIs, which need no sign-in."""

from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.http.requests import Request
from finance_api.http.surfaces import (
    DOCS,
    GUIDES,
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    PUBLIC_SURFACE,
    WALLET_DESCRIPTION,
)
from finance_api.web.page import page

_WALLET = f"{DOCS}/wallet"
#: Path -> name of the API, and path of its description.
_REFERENCES = {
    DOCS: ("Public", PUBLIC_DESCRIPTION),
    _WALLET: ("Wallet", WALLET_DESCRIPTION),
    f"{DOCS}/internal": ("Internal", INTERNAL_DESCRIPTION),
}
#: Common first questions, and the requests that answer them; the guide has more.
_QUESTIONS = (
    ("The newest records", "records?limit=5"),
    ("How much money do I have?", "accounts?fields=name,balance,currencyCode"),
    (
        "What did I spend this month, by category?",
        "records/summary?groupBy=category&columns=spent&recordDate=eq.this-month&sortBy=-spent",
    ),
    (
        "What did groceries cost in each month of this year?",
        "records/summary?groupBy=month&columns=spent&category=eq.Groceries&recordDate=eq.this-year",
    ),
    (
        "My largest expenses of the last 30 days",
        "records?recordDate=gte.-30d&sortBy=amount&limit=10",
    ),
    ("What was my net worth at the end of each month?", "accounts/balances?interval=month"),
    ("How much of each budget is left?", "budgets?fields=name,limitAmount,spent,remaining"),
    ("What is due in the next 30 days?", "standing-orders/upcoming?days=30"),
)


def _served(settings: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        path: reference
        for path, reference in _REFERENCES.items()
        if path != _WALLET or "finance_api.api.wallet" in settings["finance_api.plugins"]
    }


def show_reference(request: Request) -> dict[str, Any]:
    """Show the API's description in a viewer."""
    served = _served(request.registry.settings)
    title, description = served[request.path]
    names = [(path, name) for path, (name, _) in served.items()]
    questions = [(f"{PUBLIC_SURFACE}{target}", text) for text, target in _QUESTIONS]
    return page(
        "docs",
        title,
        here=request.path,
        description=description,
        references=names,
        questions=questions if request.path == DOCS else [],
        guides=GUIDES,
    )


def includeme(config: Configurator) -> None:
    for path in _served(config.registry.settings):
        config.add_route(path, path)
        config.add_view(
            show_reference,
            route_name=path,
            request_method="GET",
            renderer="reference.jinja2",
            permission=NO_PERMISSION_REQUIRED,
        )
