"""The profile: time zone, region and base currency."""

from typing import Any

from pyramid.response import Response

from finance_api.auth.personal_tokens import is_open_to_all
from finance_api.auth.policy import Permission
from finance_api.http.requests import Request
from finance_api.http.surfaces import SETTINGS_PAGES
from finance_api.values.regions import RegionError, parse_region, region_names
from finance_api.values.time import TimeError, parse_time_zone
from finance_api.web.choices import Options, currency_options, flat, time_zone_options
from finance_api.web.page import done, own_rows, page, refused, returning, writing_for_user
from finance_api.web.routes import get, post

PROFILE = f"{SETTINGS_PAGES}/profile"
_FIELDS = ("time_zone", "region", "base_currency")


@get("settings.profile", Permission.SETTINGS_READ, "profile")
def show_profile(request: Request) -> dict[str, Any]:
    user = request.user
    return _page(request, {name: getattr(user, name) or "" for name in _FIELDS}, {})


def _page(request: Request, texts: dict[str, str], errors: dict[str, str]) -> dict[str, Any]:
    return page(
        "profile",
        "Profile",
        targets={name: name for name in _FIELDS},
        texts=texts,
        time_zones=time_zone_options(),
        regions=[("", "As set in your browser"), *_regions(request, texts["region"])],
        today=request.today,
        currencies=_currencies(request),
        is_open_to_all=is_open_to_all(request.registry.settings),
        errors=errors,
    )


def _regions(request: Request, chosen: str) -> Options:
    """Return the regions with a name, of the browser's languages first, and the chosen one."""
    names = region_names()
    others = [(chosen, chosen)] if chosen and chosen not in names else []
    accepted = sorted(request.accept_language.parsed or (), key=lambda pair: -float(pair[1]))
    tags = [f"{tag}-".lower() for tag, _ in accepted]
    tags += [f"{tag.partition('-')[0]}-" for tag in tags]
    found = (p for tag in tags for p in names.items() if f"{p[0]}-".lower().startswith(tag))
    first = list(dict.fromkeys(found))
    rest = [pair for pair in names.items() if pair not in first]
    return [*others, ("In your languages", first), ("Others", rest)] if first else [*others, *rest]


def _currencies(request: Request) -> Options:
    """Return the currencies of the user's accounts and of exchange rates, and the chosen one."""
    own = {row["currencyCode"] for row in own_rows(request).accounts.rows.values()}
    chosen = request.user.base_currency
    rated = request.storage.rates.get_state().currencies
    return [("", "None"), *currency_options(own | ({chosen} if chosen else set()), rated)]


@post("settings.profile", Permission.SETTINGS_PROFILE_WRITE, "profile")
def change_profile(request: Request) -> dict[str, Any] | Response:
    texts = {name: request.sent_text(name) for name in _FIELDS}
    changes: dict[str, str | None] = {"base_currency": texts["base_currency"] or None}
    errors = {}
    try:
        changes["time_zone"] = parse_time_zone(texts["time_zone"])
    except TimeError:
        errors["time_zone"] = "Choose a time zone from the list."
    try:
        changes["region"] = parse_region(texts["region"]) if texts["region"] else None
    except RegionError:
        errors["region"] = "Choose a region from the list."
    if texts["base_currency"] not in dict(flat(_currencies(request))):
        errors["base_currency"] = "Choose a currency from the list."
    if errors:
        return refused(request, _page(request, texts, errors))
    with writing_for_user(request) as storage:
        storage.users.update(request.user.id, **changes)
    return done(returning(request, PROFILE), "saved")
