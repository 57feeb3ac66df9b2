"""The part of a form that asks when a token or a link expires."""

from typing import Any

from finance_api.http.requests import Request
from finance_api.values.time import DAY_SECONDS, TimeError, date_text, parse_date, start_of_day
from finance_api.web.forms import form_id

_DAYS = ("30", "90", "365")
_LAST_DAY = parse_date("9999-12-30")


def expiry_page(request: Request) -> dict[str, Any]:
    """Return the template variables for this part of a form."""
    return {"min_date": date_text(request.today + DAY_SECONDS), "form_id": form_id(request.POST)}


def expiry_values(request: Request) -> dict[str, str]:
    """Return the texts that were sent, by field."""
    return {name: request.sent_text(name) for name in ("expiry", "expires_on")}


def expires_at(request: Request, noun: str, errors: dict[str, str]) -> int | None:
    """Return when the credential expires; None if it never does or the form is faulty.

    The form sends a number of days, ``never``, or ``date`` with the last valid day in the user's
    time zone. noun: the word for the credential. errors: gets a sentence for each faulty field.
    """
    expiry, expires_on = expiry_values(request).values()
    if expiry == "never":
        return None
    if expiry in _DAYS:
        return request.now + int(expiry) * DAY_SECONDS
    if expiry != "date":
        errors["expiry"] = f"Choose when the {noun} expires."
        return None
    try:
        day = parse_date(expires_on.strip())
    except TimeError:
        errors["expires_on"] = "Enter a date such as 2027-01-31."
        return None
    if day <= request.today:
        errors["expires_on"] = "Choose a date after today."
    elif day > _LAST_DAY:
        errors["expires_on"] = f"Choose a date up to {date_text(_LAST_DAY)}."
    else:
        return start_of_day(request.user.time_zone, day + DAY_SECONDS)
    return None
