"""Template filters for numbers and times, and variables of every template."""

import hashlib
from functools import cache, partial
from importlib.resources import files

from markupsafe import Markup
from pyramid.config import Configurator
from pyramid.csrf import get_csrf_token
from pyramid.events import BeforeRender

from finance_api.requests import Request
from finance_api.values.number import decimal_text, rounded
from finance_api.values.time import date_text, instant_text, to_date
from finance_api.web.api_requests import curl_line
from finance_api.web.navigation import NAVIGATION
from finance_api.web.routes import STATIC

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

#: In ten-thousandths.
_CENT = 100

#: Notices on the page after a change, by the value of the parameter ``done``.
NOTICES = {
    "added": "Added.",
    "saved": "Saved.",
    "removed": "Removed.",
    "records-changed": "The chosen records are changed.",
    "records-same": "The chosen records had that already.",
    "rules-applied": "The rules are applied.",
    "transfers-found": "All records have been looked at.",
    "transfers-linked": "Confirmed. Budgets and sums leave these transfers out.",
    "transfers-refused": "These are not transfers, and are not proposed again.",
    "changed-elsewhere": "This file was changed in another window. This is how it is now.",
    "discarded": "The file is discarded. Nothing was imported.",
    "undone": "Taken back. What was there before is there again.",
    "token-revoked": "The token is revoked. Requests with it are refused from now on.",
    "jwt-revoked": "The JWT is revoked. Requests with it are refused from now on.",
    "jwts-revoked": "All your JWTs are revoked. Requests with them are refused from now on.",
    "signed-out": "You are signed out.",
    "signed-out-everywhere": "You are signed out everywhere.",
    "password-changed": "Your password is changed. All other sessions and all JWTs have ended.",
}


def day_words(seconds: int) -> str:
    """``21 Nov 2026``, in UTC."""
    day = to_date(seconds)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def month_words(seconds: int) -> str:
    """``Nov 2026``."""
    return day_words(seconds).partition(" ")[2]


def moment(seconds: int) -> Markup:
    """A date-time, with the exact one as an attribute."""
    exact = instant_text(seconds)
    shown = f"{day_words(seconds)}, {exact[11:16]} UTC"
    return Markup('<time datetime="{}">{}</time>').format(exact, shown)


def time_of_day(seconds: int) -> Markup:
    exact = instant_text(seconds)
    return Markup('<time datetime="{}">{} UTC</time>').format(exact, exact[11:16])


def day(seconds: int) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(date_text(seconds), day_words(seconds))


def amount(units: int) -> str:
    """Ten-thousandths as ``1,234.50``: grouped, with two decimals at least."""
    sign = "\N{MINUS SIGN}" if units < 0 else ""
    whole, _, decimals = decimal_text(abs(units), 4).partition(".")
    return f"{sign}{int(whole):,}.{decimals.ljust(2, '0')}"


def cents(units: int) -> int:
    """Rounded to two decimals: what is converted has more."""
    return rounded(units, _CENT) * _CENT


def size(number: int) -> str:
    """``3.4 MB``, of bytes."""
    if number < 1_000:
        return f"{number} bytes"
    kilobytes = number / 1_024
    return f"{kilobytes:.3g} KB" if kilobytes < 1_000 else f"{kilobytes / 1_024:.3g} MB"


def count(number: int) -> str:
    return f"{number:,}"


@cache
def static_url(name: str) -> str:
    """The URL of a static file, with a hash of its content, so that browsers may cache it."""
    content = files("finance_api.web").joinpath("static", name).read_bytes()
    return f"{STATIC}/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def add_globals(event: BeforeRender) -> None:
    request: Request | None = event.get("request")
    if request is None or not str(event["renderer_name"]).endswith(".jinja2"):
        return
    # Not `authentication`, which may be what failed.
    identity = request.known_identity
    known = event.rendering_val
    has_form = identity is not None or known.get("page") == "login"
    event["user"] = None if identity is None else identity.user
    event["csrf_token"] = get_csrf_token(request) if has_form else ""
    # Not on an error page, whose query may be malformed.
    tells = has_form and known.get("page") != "error"
    event["notice"] = NOTICES.get(request.GET.get("done", "")) if tells else None
    event["static_url"] = static_url
    event["navigation"] = NAVIGATION
    event["curl_line"] = partial(curl_line, request, "$TOKEN")


def includeme(config: Configurator) -> None:
    config.add_settings(
        {
            "jinja2.filters": {
                "moment": moment,
                "time_of_day": time_of_day,
                "day": day,
                "amount": amount,
                "cents": cents,
                "count": count,
                "size": size,
            }
        }
    )
    config.add_subscriber(add_globals, BeforeRender)
