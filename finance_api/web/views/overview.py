"""The overview."""

from typing import Any

from pyramid.response import Response
from pyramid.security import NO_PERMISSION_REQUIRED
from pyramid.view import view_config

from finance_api.auth.permissions import Permission
from finance_api.requests import Request
from finance_api.resources import ACCOUNTS
from finance_api.surfaces import SETTINGS_PAGES
from finance_api.usage.periods import UsagePeriod
from finance_api.web.page import SeeOther, data_state, identity_of, page
from finance_api.web.views.jwts import jwt_views
from finance_api.web.views.tokens import token_views


@view_config(
    route_name="overview",
    request_method="GET",
    renderer="overview.jinja2",
    permission=Permission.DATA_READ,
)
def show_overview(request: Request) -> dict[str, Any]:
    user_id = identity_of(request).user.id
    boundaries = UsagePeriod(30, "days").boundaries(request.services.clock.now())
    days = request.storage.usage.list_days(user_id, boundaries[0], boundaries[-1])
    accounts = request.storage.data.scan_rows(user_id, ACCOUNTS)
    return page(
        "overview",
        "Overview",
        token_count=sum(token.state == "active" for token in token_views(request)),
        jwt_count=sum(jwt.state == "active" for jwt in jwt_views(request)),
        requests_30_days=sum(number for _, number in days),
        account_count=len(accounts),
        record_count=sum(account["recordCount"] for account in accounts),
        **data_state(request),
    )


@view_config(route_name="settings", request_method="GET", permission=NO_PERMISSION_REQUIRED)
@view_config(route_name="settings.slash", request_method="GET", permission=NO_PERMISSION_REQUIRED)
def show_settings(request: Request) -> Response:
    return SeeOther(f"{SETTINGS_PAGES}/tokens")
