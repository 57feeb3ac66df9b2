"""Pages without sign-in: guides, also as Markdown, /llms.txt, and the references of the APIs."""

from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.http import surfaces
from finance_api.http.requests import Request
from finance_api.web.guides import FILES, IMAGES, MARKDOWN, get_guide, guide_path, llms_text
from finance_api.web.page import page

_WALLET = f"{surfaces.DOCS}/wallet"
#: Path -> name of the API, and path of its description.
_REFERENCES = {
    surfaces.DOCS: ("Public", surfaces.PUBLIC_DESCRIPTION),
    _WALLET: ("Wallet", surfaces.WALLET_DESCRIPTION),
    f"{surfaces.DOCS}/internal": ("Internal", surfaces.INTERNAL_DESCRIPTION),
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
        "records?recordDate=gte.-30d&counted=true&sortBy=amount&limit=10",
    ),
    ("What was my net worth at the end of each month?", "accounts/balances?interval=month"),
    ("How much of each budget is left?", "budgets?fields=name,periodLimit,spent,remaining"),
    ("What is due in the next 30 days?", "standing-orders/upcoming?days=30"),
)

#: The pages that a guide leads back to.
_PAGES = (
    ("overview", surfaces.OVERVIEW, "Overview"),
    ("docs", surfaces.DOCS, "API reference"),
    ("", surfaces.GUIDES, "All guides"),
)


def show_guide(request: Request) -> Any:
    """Show a guide as a page; or send its Markdown, or one of its images."""
    name = request.matchdict["name"].strip("/")
    if name in FILES:
        guide = get_guide(name)
        return page(
            "guide",
            guide.title,
            guide=guide,
            guide_name=name,
            guides=surfaces.GUIDES,
            navigation=(("Pages", _PAGES), ("Guides", _guide_entries())),
            menu_bar=_PAGES,
        )
    if name in MARKDOWN:
        return _text("text/markdown", MARKDOWN[name].read_text(encoding="utf-8"))
    if name in IMAGES:
        return Response(IMAGES[name].read_bytes(), content_type="image/png", charset=None)
    raise HTTPNotFound()


def _guide_entries() -> list[tuple[str, str, str]]:
    """Return the menu of the guides; a guide in a folder is linked on the folder's own page."""
    names = [name for name in FILES if name and "/" not in name]
    return [(name, guide_path(name), get_guide(name).title) for name in names]


def show_llms_text(request: Request) -> Response:
    return _text("text/plain", llms_text())


def _text(media_type: str, text: str) -> Response:
    return Response(text, content_type=media_type, charset="utf-8")


def _served(settings: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        path: reference
        for path, reference in _REFERENCES.items()
        if path != _WALLET or "finance_api.wallet" in settings["finance_api.plugins"]
    }


def show_reference(request: Request) -> dict[str, Any]:
    """Show the API's description in a viewer."""
    served = _served(request.registry.settings)
    title, description = served[request.path]
    names = [(path, name) for path, (name, _) in served.items()]
    questions = [(f"{surfaces.PUBLIC_SURFACE}{target}", text) for text, target in _QUESTIONS]
    return page(
        "docs",
        title,
        here=request.path,
        description=description,
        references=names,
        questions=questions if request.path == surfaces.DOCS else [],
        guides=surfaces.GUIDES,
    )


def includeme(config: Configurator) -> None:
    config.add_route("guides", surfaces.GUIDES + "{name:(?:/.*)?}")
    config.add_route("llms", surfaces.LLMS)
    everybody = {"request_method": "GET", "permission": NO_PERMISSION_REQUIRED}
    config.add_view(show_guide, route_name="guides", renderer="guide.jinja2", **everybody)
    config.add_view(show_llms_text, route_name="llms", **everybody)
    for path in _served(config.registry.settings):
        config.add_route(path, path)
        config.add_view(show_reference, route_name=path, renderer="reference.jinja2", **everybody)
