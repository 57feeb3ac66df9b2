"""Writes answers as calendars (iCalendar, RFC 5545) and feeds (RSS 2.0), from their JSON rows.

Both depend only on the rows, the question's name and the moment of the last change, so the same
answer gives the same bytes.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from html import escape
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from finance_api.resources.currencies import decimals_of

#: How often calendars and feed readers are asked to look for changes.
_REFRESH = timedelta(hours=6)
#: Stored text may contain these two characters, but XML may not (XML 1.0, section 2.2).
_NOT_IN_XML = {0xFFFE: None, 0xFFFF: None}

_PROGRAM = "-//finance_api//upcoming//EN"

_Rows = Sequence[dict[str, Any]]


def as_calendar(name: str, rows: _Rows, changed_at: datetime, remark: str = "") -> bytes:
    """Return a calendar with an all-day event for each row. rows: upcoming items with a `date`.

    remark: a last event, on the day of the last row.
    """
    # Most processes never need this library.
    from icalendar import Calendar, Event

    calendar = Calendar()
    # The name is there twice: some programs know only the older property, x-wr-calname.
    for key, text in (
        ("version", "2.0"),
        ("prodid", _PROGRAM),
        ("name", name),
        ("x-wr-calname", name),
    ):
        calendar.add(key, text)
    # RFC 7986 defines no default type for this value.
    calendar.add("refresh-interval", _REFRESH, parameters={"VALUE": "DURATION"})
    events = []
    for row in rows:
        summary = f"{row.get('name') or row.get('payee')}: {_amount(row)}"
        # Expected payments without a standing order have no id, and links show no accountId.
        own_id = row.get("id") or uuid5(NAMESPACE_URL, f"{row.get('account')} {summary}")
        events.append((own_id, summary, row))
    events += [("more", remark, {"date": rows[-1]["date"]})] if remark else []
    numbers: Counter[str] = Counter()
    for own_id, summary, row in events:
        uid = f"{own_id}-{row['date']}"
        numbers[uid] += 1
        # A late payment is due today, perhaps together with the next one.
        number = f"-{numbers[uid]}" if numbers[uid] > 1 else ""
        event = Event.new(
            uid=f"{uid}{number}@finance_api",
            summary=summary,
            description=row.get("payee"),
            start=datetime.fromisoformat(row["date"]).date(),
            stamp=changed_at,
        )
        event.add("transp", "TRANSPARENT")
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content


def _title(text: str) -> str:
    """Return a title that is safe in readers that take it as HTML, and readable in the others."""
    return text.replace("<", "&lt;")


def as_feed(name: str, rows: _Rows, changed_at: datetime, home: str) -> bytes:
    """Return a feed with an item for each record. home: the URL of the pages."""
    rss = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(rss, "channel")
    _add(channel, "title", _title(name))
    _add(channel, "link", home)
    _add(channel, "description", escape(f"Answer to the saved question {name}."))
    _add(channel, "lastBuildDate", format_datetime(changed_at, usegmt=True))
    _add(channel, "ttl", str(_REFRESH.seconds // 60))
    for row in rows:
        item = ElementTree.SubElement(channel, "item")
        what = row.get("payee") or row.get("category") or "Record"
        _add(item, "title", _title(f"{what}: {_amount(row)}"))
        labels = ", ".join(row.get("labels") or ())
        # Readers take the description as HTML.
        parts = (row.get("category"), row.get("accountName"), row.get("note"), labels)
        _add(item, "description", escape(" · ".join(text for text in parts if text)))
        _add(item, "guid", row.get("id") or "", isPermaLink="false")
        if row.get("recordDate"):
            day = datetime.fromisoformat(row["recordDate"]).replace(tzinfo=UTC)
            _add(item, "pubDate", format_datetime(day, usegmt=True))
    content: bytes = ElementTree.tostring(rss, encoding="utf-8", xml_declaration=True)
    return content


def _add(parent: ElementTree.Element, name: str, text: str, **attributes: str) -> None:
    ElementTree.SubElement(parent, name, attributes).text = text.translate(_NOT_IN_XML)


def _amount(row: dict[str, Any]) -> str:
    """Return the exact amount, with at least the decimals of its currency."""
    if row.get("amount") is None:
        return "?"
    number, currency = Decimal(row["amount"]), row.get("currencyCode")
    exponent = number.as_tuple().exponent
    places = max(decimals_of(currency), -exponent if isinstance(exponent, int) else 0)
    return f"{number:.{places}f} {currency or ''}".rstrip()
