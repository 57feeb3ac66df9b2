"""Template filters for numbers and times, and the variables of every template, such as notices."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache, partial
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from pyramid.config import Configurator
from pyramid.csrf import get_csrf_token
from pyramid.viewderivers import VIEW

from finance_api.auth.policy import has_api_access
from finance_api.http.requests import Request
from finance_api.ledger.edits.naming import counted_rows
from finance_api.ledger.edits.rules import APPLY
from finance_api.ledger.session import IMPORT
from finance_api.questions.asking import question_paths
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.currencies import decimals_of, money_text, smallest_units
from finance_api.resources.field import Resource, Role
from finance_api.storage.interface import HistoryEntry
from finance_api.values import time as times
from finance_api.values.number import rounded, to_units
from finance_api.values.regions import Region
from finance_api.values.text import Message, count_text, counted_text, in_region, message
from finance_api.values.version import __version__
from finance_api.web.api_requests import curl_line
from finance_api.web.colors import chart_color
from finance_api.web.forms import label_of
from finance_api.web.kept_forms import kept_form, owner_mark
from finance_api.web.object_pages import MENU_BAR, NAVIGATION
from finance_api.web.page import CHANGED, DONE, NOTICE_PARAMETERS, capital
from finance_api.web.routes import STATIC

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

#: Value of the parameter ``done`` -> notice on the page after a change.
NOTICES = {
    "saved": "Saved.",
    "already-added": "This form was sent before. Its record was not added a second time.",
    "created-before": "This form was sent before. Nothing was created a second time. If you did "
    "not copy what the first time created, revoke it and create another.",
    "same": "Nothing was changed: everything already had these values.",
    "transfers-found": "All records were searched for transfers.",
    "changed-elsewhere": "This file was changed in another window. This is its current state.",
    "already-imported": "This file was already imported. It was not imported a second time.",
    "discarded": "The file was discarded. Nothing was imported.",
    "undone": "Undone. Your data is as it was before.",
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

_TRANSFERS = {
    "transfers link": "{} linked. Budgets and sums leave transfers out.",
    "transfers unlink": "{} unlinked.",
    "transfers dismiss": "{} dismissed. These pairs are not proposed again.",
}
_SPLITS = {
    "records split": "{} split into parts.",
    "records join": "Parts of {} joined into one record again.",
}
_VERBS = {"created": "added", "updated": "changed", "removed": "removed"}
#: A sentence names up to this many fields.
_MAX_FIELDS = 3
_BY_NAME = {resource.name: resource for resource in RESOURCES}
#: Derived fields that sentences name in place of the stored fields, which contain ids.
_READABLE = ("category", "labels")


def change_notice(request: Request) -> dict[str, Any] | None:
    """Return the notice that `page.changed` asks for; None if its entry is old or cannot be undone.

    number: the number of the history entry, which is searched for in the history of the signed-in
    user only. sentence: what it changed. back: the path of the page without the notice.
    """
    text = request.GET.get(CHANGED, "")
    if request.method != "GET" or not (text.isascii() and text.isdigit() and len(text) < 16):
        return None
    now = request.now
    for entry in reversed(request.storage.history.list_entries(request.user.id)):
        if entry.number == int(text):
            is_live = (
                entry.undone_at is None and not entry.pruned and entry.at > now - _NOTICE_SECONDS
            )
            kept = [pair for pair in request.GET.items() if pair[0] not in NOTICE_PARAMETERS]
            back = request.path + (f"?{urlencode(kept)}" if kept else "")
            notice = {"number": entry.number, "sentence": sentence_of(entry), "back": back}
            return notice if is_live else None
    return None


def sentence_of(entry: HistoryEntry) -> Message:
    """Say what an entry changed: ``Category of 12 records set to Groceries.``"""
    details = entry.details
    counts = details.get("counts") or {}
    if entry.action == IMPORT:
        return _import_sentence((details.get("file") or {}).get("name"), counts)
    if entry.action in _TRANSFERS:
        transfers = counted_text(max(1, counts.get("updated", 0) // 2), "transfer")
        return message(_TRANSFERS[entry.action].format(transfers))
    summary = details.get("summary") or {}
    if entry.action in _SPLITS:
        sentence = _SPLITS[entry.action].format(summary.get("name") or "a record")
        return capital(sentence)
    parts = _parts(summary) if summary.get("counts") else ["your data changed"]
    text = ", ".join(parts)
    if entry.action == APPLY:
        return message(f"Rules applied: {text}.")
    return capital(f"{text}.")


def _import_sentence(file: str | None, counts: dict[str, int]) -> Message:
    rows = [
        f"{count_text(counts[key])} {word}"
        for key, word in (("created", "new"), ("updated", "changed"))
        if counts.get(key)
    ]
    return message(f"{file or 'The file'} imported: {', '.join(rows) or 'nothing new'}.")


def _parts(summary: dict[str, Any]) -> list[str]:
    parts: list[str] = []
    for name, verbs in summary["counts"].items():
        resource = _BY_NAME[name]
        for verb, count in verbs.items():
            called = summary.get("name") if not parts and count == 1 else None
            fields = _fields(resource, summary) if not parts else {}
            if verb == "updated" and 0 < len(fields) <= _MAX_FIELDS:
                parts.append(_values_set(fields, called or counted_rows(count, resource)))
            else:
                what = f"{resource.word} {called}" if called else counted_rows(count, resource)
                is_deleted = resource is RECORDS and verb == "removed"
                parts.append(f"{what} {'deleted' if is_deleted else _VERBS[verb]}")
    return parts


def _fields(resource: Resource, summary: dict[str, Any]) -> dict[str, list[str | None]]:
    """Return the new values of the fields that people set, by the fields' labels.

    summary: the summary of an edit, which may also have values of another resource.
    """
    values, currency = summary["values"], summary.get("currency")
    found = {name: resource.get_field(name) for name in values}
    return {
        label_of(field): [
            money_text(to_units(Decimal(text)), currency) if text and field.is_money else text
            for text in values[name]
        ]
        for name, field in found.items()
        if field is not None and (name in _READABLE or field.role is Role.STORED)
    }


def _values_set(fields: dict[str, list[str | None]], rows: str) -> str:
    labels = [label.lower() for label in fields]
    names = " and ".join((", ".join(labels[:-1]), labels[-1])) if len(labels) > 1 else labels[0]
    values = next(iter(fields.values()))
    if len(fields) > 1 or not values:
        return f"{names} of {rows} changed"
    return f"{names} of {rows} {'removed' if values[0] is None else f'set to {values[0]}'}"


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
    is_kept = has_notice and user is not None and kept_form(request) is not None
    notice = NOTICES.get(request.GET.get(DONE, "")) if has_notice else None
    return {
        "navigation": NAVIGATION if user else (),
        "menu_bar": MENU_BAR,
        **values,
        "user": user,
        "region": request.region,
        "form_user": "" if user is None else owner_mark(user),
        "has_api_access": user is not None and has_api_access(user, request.registry.settings),
        "csrf_token": get_csrf_token(request) if has_form else "",
        "is_kept": is_kept,
        "notice": KEPT_NOTICE if is_kept else notice,
        "change": change_notice(request) if has_notice and user else None,
        "static_url": static_url,
        "version": __version__,
        "savable_paths": question_paths(request.registry),
        "curl_line": partial(curl_line, request, "$TOKEN"),
    }


def add_globals(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """View deriver: views with a template return the variables of every template, too."""
    renderer = info.options.get("renderer")
    if renderer is None or not renderer.name.endswith(".jinja2"):
        return view

    def wrapped(context: Any, request: Request) -> Any:
        values = view(context, request)
        return with_globals(request, values) if isinstance(values, dict) else values

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
