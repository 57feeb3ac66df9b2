"""The profile: time zone and base currency."""

from typing import Any
from zoneinfo import available_timezones

from pyramid.response import Response

from finance_api.auth.personal_tokens import is_open_to_all
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import SETTINGS_PAGES
from finance_api.values.time import TimeError, parse_time_zone
from finance_api.web.page import (
    done,
    form_text,
    identity_of,
    own_rows,
    page,
    refused,
    writing_for_user,
)
from finance_api.web.routes import get, post

PROFILE = f"{SETTINGS_PAGES}/profile"


@get("settings.profile", Permission.SETTINGS_READ, "profile")
def show_profile(request: Request) -> dict[str, Any]:
    user = identity_of(request).user
    return _page(request, user.time_zone, user.base_currency or "", {})


def _page(
    request: Request, time_zone: str, base_currency: str, errors: dict[str, str]
) -> dict[str, Any]:
    return page(
        "profile",
        "Profile",
        time_zone=time_zone,
        time_zones=[(zone, zone) for zone in sorted(available_timezones())],
        base_currency=base_currency,
        currencies=[("", "None"), *((code, code) for code in _currencies(request))],
        is_open_to_all=is_open_to_all(request.registry.settings),
        errors=errors,
    )


def _currencies(request: Request) -> list[str]:
    """The currencies of the user's accounts and of the exchange rates, and the chosen one."""
    found = {row["currencyCode"] for row in own_rows(request).accounts.rows.values()}
    found |= request.storage.rates.get_state().currencies
    chosen = identity_of(request).user.base_currency
    return sorted(found | ({chosen} if chosen else set()))


@post("settings.profile", Permission.SETTINGS_PROFILE_WRITE, "profile")
def change_profile(request: Request) -> dict[str, Any] | Response:
    time_zone, currency = (form_text(request, name) for name in ("time_zone", "base_currency"))
    errors = {}
    try:
        parse_time_zone(time_zone)
    except TimeError:
        errors["time_zone"] = "Choose a time zone from the list."
    if currency not in ("", *_currencies(request)):
        errors["base_currency"] = "Choose a currency from the list."
    if errors:
        return refused(request, _page(request, time_zone, currency, errors))
    with writing_for_user(request) as storage:
        storage.users.update(
            identity_of(request).user.id,
            time_zone=parse_time_zone(time_zone),
            base_currency=currency or None,
        )
    return done(PROFILE, "saved")
