"""Applying the rules to stored records."""

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from finance_api.auth.permissions import Permission
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.edits.rules import APPLY, apply_rules
from finance_api.requests import Request
from finance_api.web.page import done, editing, form_text, page

#: So many changes of the preview are shown.
MOST_CHANGES = 100


@view_config(
    route_name="rules.apply",
    request_method="GET",
    renderer="rules_apply.jinja2",
    permission=Permission.DATA_READ,
)
def show_apply(request: Request) -> dict[str, Any]:
    return _page(None, recategorise=False)


@view_config(
    route_name="rules.apply",
    request_method="POST",
    renderer="rules_apply.jinja2",
    permission=Permission.DATA_WRITE,
)
def preview_or_apply(request: Request) -> Response | dict[str, Any]:
    """Applies what the preview showed; if the data changed meanwhile, there is another preview."""
    recategorise = form_text(request, "all") == "true"
    seen = form_text(request, "revision")
    if seen:
        with editing(request, APPLY) as session:
            if seen == str(session.revision):
                apply_rules(session, recategorise=recategorise)
                return done("/rules", "rules-applied")
    with editing(request, APPLY, dry_run=True) as session:
        report = apply_rules(session, recategorise=recategorise)
        revision = session.revision
    return _page(report, recategorise=recategorise, revision=revision, is_stale=bool(seen))


def _page(report: EditReport | None, **variables: Any) -> dict[str, Any]:
    defaults = {"revision": None, "is_stale": False}
    return page(
        "rules",
        "Apply the rules",
        report=report,
        most=MOST_CHANGES,
        **{**defaults, **variables},
    )
