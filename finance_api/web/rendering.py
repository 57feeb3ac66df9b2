"""Template filters for numbers and times, and the variables of every template, such as notices."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from pyramid.config import Configurator
from pyramid.csrf import get_csrf_token
from pyramid.viewderivers import VIEW

from finance_api.auth.policy import has_api_access
from finance_api.http.requests import Request
from finance_api.questions.asking import question_paths
from finance_api.resources.currencies import decimals_of, smallest_units
from finance_api.values import time as times
from finance_api.values.colors import chart_color
from finance_api.values.number import rounded
from finance_api.values.regions import Region
from finance_api.values.text import Message, counted_text, in_region, message
from finance_api.values.version import __version__
from finance_api.web.api_requests import curl_line
from finance_api.web.kept_forms import (
    keep_refused,
    kept_errors,
    kept_form,
    owner_mark,
    page_of_form,
)
from finance_api.web.object_pages import MENU_BAR, NAVIGATION
from finance_api.web.page import CHANGED, DONE, capital, onward, opened, returning
from finance_api.web.routes import STATIC
from finance_api.web.sentences import sentence_of

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

#: Value of the parameter ``done`` -> notice on the page after a change.
NOTICES = {
    "saved": "Saved.",
    "already-added": "This form was sent before. Its record was not added a second time.",
    "created-before": "This form was sent before. Nothing was created a second time. If you did "
    "not copy what the first time created, revoke it and create another.",
    "same": "Nothing was changed: everything already had these values.",
    "searched": "All records were searched.",
    "changed-elsewhere": "This file was changed in another window. This is its current state.",
    "already-imported": "This file was already imported. It was not imported a second time.",
    "discarded": "The file was discarded. Nothing was imported.",
    "undone": "Undone. Your data is as it was before.",
    "undone-kept": "Undone, but {} stayed, edited manually since or still in use.",
    "question-removed": "The question is removed.",
    "link-revoked": "The link is revoked and no longer shows the answer.",
    "links-revoked": "All links of this question are revoked.",
    "token-renamed": "The token is renamed.",
    "token-revoked": "The token is revoked. Requests with it are refused from now on.",
    "jwt-revoked": "The JWT is revoked. Requests with it are refused from now on.",
    "jwts-revoked": "All your JWTs are revoked. Requests with them are refused from now on.",
    "session-ended": "The session is ended. That browser has to sign in again.",
    "signed-out": "You are signed out.",
    "signed-out-everywhere": "You are signed out everywhere.",
    "password-changed": "Your password is changed. All other sessions and all JWTs have ended.",
}

KEPT_NOTICE = "Your entries were kept. Nothing is saved yet: check them, and send the form again."

#: A page that is opened after this time, from a bookmark for example, does not show the notice.
_NOTICE_SECONDS = 3_600


def change_notice(request: Request) -> dict[str, Any] | None:
    """Return the notice that `page.changed` asks for; None if its entry is old or cannot be undone.

    The entry is searched for in the history of the signed-in user only. sentence: what it changed.
    undo: the path of its undo, which leads back to this page.
    """
    text = request.GET.get(CHANGED, "")
    if request.method != "GET" or not (text.isascii() and text.isdigit() and len(text) < 16):
        return None
    now = request.now
    for entry in request.storage.ledger.list_entries(request.user.id, [int(text)]):
        if entry.undone_at is None and not entry.pruned and entry.at > now - _NOTICE_SECONDS:
            undo = opened(request, f"/imports/{entry.number}/undo")
            return {"undo": undo, "sentence": sentence_of(entry)}
    return None


def month_words(seconds: int) -> str:
    """Return the month, alike in every region: ``Nov 2026``."""
    day = times.to_date(seconds)
    return f"{_MONTHS[day.month - 1]} {day.year}"


def moment(seconds: int, region: Region, time_zone: str) -> Markup:
    """Show a date-time, with the exact time as an attribute."""
    local = times.local_time(time_zone, seconds)
    shown = f"{region.day(times.from_date(local.date()))}, {_clock(local)}"
    return Markup('<time datetime="{}">{}</time>').format(times.instant_text(seconds), shown)


def time_of_day(seconds: int, _: Region, time_zone: str) -> Markup:
    shown = _clock(times.local_time(time_zone, seconds))
    return Markup('<time datetime="{}">{}</time>').format(times.instant_text(seconds), shown)


def _clock(local: datetime) -> str:
    """Return ``13:00 CET``, with a no-break space; ``13:00 UTC-03`` if the zone has no name."""
    name = local.tzname() or ""
    return f"{local:%H:%M}\N{NO-BREAK SPACE}{'UTC' if name.startswith(('+', '-')) else ''}{name}"


def day_of(seconds: int, region: Region, time_zone: str) -> Markup:
    """Show the day of a point in time."""
    return day(times.day_in(time_zone, seconds), region)


def day(seconds: int, region: Region) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(
        times.date_text(seconds), region.day(seconds)
    )


def amount(units: int, region: Region, currency: str | None = None) -> str:
    """Return ten-thousandths as ``1,234.50``, with at least the decimals of the currency."""
    return region.amount(units, decimals_of(currency))


def cents(units: int, currency: str | None = None) -> int:
    """Round to the decimals of the currency; converted amounts have more."""
    smallest = smallest_units(currency)
    return rounded(units, smallest) * smallest


def size(number: int, region: Region) -> str:
    """Return a number of bytes as ``3.4 MB``."""
    if number < 1_000:
        return f"{number} bytes"
    kilobytes = number / 1_024
    text = f"{kilobytes:.3g} KB" if kilobytes < 1_000 else f"{kilobytes / 1_024:.3g} MB"
    return region.decimal(text)


@cache
def static_url(name: str) -> str:
    """Return the URL of a static file, with a hash of its content so that browsers may cache it."""
    content = files("finance_api.web").joinpath("static", name).read_bytes()
    return f"{STATIC}/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def with_globals(request: Request, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables of a template, with those that every template has."""
    # Not `request.identity`: this may be an error page because authentication has failed.
    identity = request.known_identity
    user = None if identity is None else identity.user
    has_form = user is not None or values.get("page") == "login"
    # An error page shows no notice, as its query may be malformed.
    has_notice = has_form and values.get("page") != "error"
    kept = kept_form(request) if has_notice and user is not None else None
    errors = kept_errors(kept)
    name, _, number = request.GET.get(DONE, "").partition(".") if has_notice else ("", "", "")
    notice = NOTICES.get(name)
    if notice and number.isdecimal() and len(number) < 9:
        notice = message(notice.format(counted_text(int(number), "item")))
    return {
        "navigation": NAVIGATION if user else (),
        "menu_bar": MENU_BAR,
        **values,
        "user": user,
        "region": request.region,
        "form_user": "" if user is None else owner_mark(user),
        "has_api_access": user is not None and has_api_access(user, request.registry.settings),
        "csrf_token": get_csrf_token(request) if has_form else "",
        "is_kept": kept is not None,
        "notice": KEPT_NOTICE if kept is not None and not errors else notice,
        "errors": {**values.get("errors", {}), **errors},
        "posted": page_of_form(request) if _is_posted(request, values) else None,
        "change": change_notice(request) if has_notice and user else None,
        "static_url": static_url,
        "version": __version__,
        "savable_paths": question_paths(request.registry),
        "opened": partial(opened, request),
        "onward": partial(onward, request),
        "returning": partial(returning, request),
        "curl_line": partial(curl_line, request, "$TOKEN"),
    }


def _is_posted(request: Request, values: Mapping[str, Any]) -> bool:
    """Whether Back should lead to the page of the form to which this page is the answer.

    Reloading an error page, or one that carries the form, sends the form again.
    """
    is_again = values.get("page") == "error" or values.get("carried")
    return request.method == "POST" and not is_again


def add_globals(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: views with a template return the variables of every template, too."""
    renderer = info.options.get("renderer")
    if renderer is None or not renderer.name.endswith(".jinja2"):
        return view

    def wrapped(context: Any, request: Request) -> Any:
        values = view(context, request)
        if not isinstance(values, dict):
            return values
        is_refused = request.method == "POST" and request.response.status_int == 400
        redirection = keep_refused(request, values) if is_refused else None
        return with_globals(request, values) if redirection is None else redirection

    return wrapped


def _in_region(show: Callable[..., str]) -> Callable[..., str]:
    """Make a filter of a function whose second argument is the region of the page."""

    @pass_context
    def shown(context: Context, value: int, *arguments: Any) -> str:
        return show(value, context["region"], *arguments)

    return shown


def _in_zone(show: Callable[[int, Region, str], Markup]) -> Callable[..., Markup]:
    """Make a filter that shows a moment in the time zone of the signed-in user."""

    @pass_context
    def shown(context: Context, seconds: int) -> Markup:
        user = context.get("user")
        return show(seconds, context["region"], user.time_zone if user else times.UTC)

    return shown


@pass_context
def write_message(context: Context, value: Any) -> Any:
    """Write each message that a template shows in the region of the page."""
    return in_region(value, context["region"]) if isinstance(value, Message) else value


def includeme(config: Configurator) -> None:
    config.add_settings(
        {
            "jinja2.finalize": write_message,
            "jinja2.filters": {
                "moment": _in_zone(moment),
                "time_of_day": _in_zone(time_of_day),
                "day_of": _in_zone(day_of),
                "day": _in_region(day),
                "amount": _in_region(amount),
                "capital": capital,
                "cents": cents,
                "count": _in_region(lambda number, region: region.count(number)),
                "size": _in_region(size),
                "chart_color": chart_color,
            },
        }
    )
    config.add_view_deriver(add_globals, under="rendered_view", over=VIEW)
