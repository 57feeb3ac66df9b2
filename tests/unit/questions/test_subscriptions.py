"""Answers as calendars and feeds, read by the libraries that people's programs use."""

import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from xml.etree import ElementTree

import feedparser
import pytest
import vobject
from icalendar import Calendar

from finance_api.questions.subscriptions import as_calendar, as_feed

CHANGED = datetime(2026, 1, 31, 10, 5, 2, tzinfo=UTC)
HOME = "https://host.example/"

#: Texts that break a format if they are not escaped.
TEXTS = [
    "Rent",
    "Miete, Strom; Gas\\Wasser",
    "two\nlines\twith a tab",
    "END:VEVENT\r\nBEGIN:VALARM",
    "</title><script>alert(1)</script> & ]]>",
    "ünï😀" * 40,
    '"quoted" \ufeff\u2028',
]


def item(**values):
    row = {"date": "2026-02-01", "id": "1", "name": "Rent", "payee": None}
    return row | {"amount": -850, "currencyCode": "EUR"} | values


def record(**values):
    row = {"id": "1", "recordDate": "2026-01-31", "payee": "Café", "category": "Food"}
    return row | {"amount": Decimal("-4.5"), "currencyCode": "EUR", "labels": []} | values


@pytest.mark.parametrize("text", TEXTS)
def test_icalendar_and_vobject_read_each_upcoming_item_as_a_whole_day(text):
    rows = [item(name=text), item(id="2", date="2024-02-29", payee=text)]
    content = as_calendar("Due, soon; 50% \\", rows, CHANGED)
    calendar = Calendar.from_ical(content)
    assert b"REFRESH-INTERVAL;VALUE=DURATION:PT6H" in content
    assert calendar["NAME"] == calendar["X-WR-CALNAME"] == "Due, soon; 50% \\"
    first, second = calendar.walk("VEVENT")
    one_line = text.replace("\r\n", "\n")
    assert first["SUMMARY"] == f"{one_line}: -850.00 EUR"
    assert second["DESCRIPTION"] == one_line
    assert (first.start, first.end - first.start) == (date(2026, 2, 1), timedelta(days=1))
    assert second.start == date(2024, 2, 29)
    assert len({first["UID"], second["UID"]}) == 2
    read = vobject.readOne(content.decode())
    assert [e.dtstart.value for e in read.vevent_list] == [date(2026, 2, 1), date(2024, 2, 29)]
    assert read.vevent_list[0].summary.value == f"{one_line}: -850.00 EUR"
    assert all(len(line) <= 75 for line in content.split(b"\r\n"))


def test_payments_without_a_standing_order_are_separate_events_that_stay_the_same():
    def uids(rows):
        return [
            e["UID"] for e in Calendar.from_ical(as_calendar("Due", rows, CHANGED)).walk("VEVENT")
        ]

    rows = [item(id=None, name="Films"), item(id=None, name="Gym")]
    rows += [item(id=None, name="Gym", amount=-7), item(id=None, name="Gym", date="2026-03-01")]
    assert len(set(uids(rows))) == 4
    assert uids(rows[::-1]) == uids(rows)[::-1]
    # The same payment from another account, and twice on a day.
    more = [*rows, item(id=None, name="Films", account="Joint"), rows[0], *[item(id="1")] * 3]
    assert len(set(uids(more))) == len(more)
    assert uids(more)[:4] == uids(rows)


@pytest.mark.parametrize("text", [*TEXTS, "not a character \ufffe\uffff"])
def test_feedparser_reads_each_record_as_an_item(text):
    rows = [record(payee=text, labels=["a", "b"]), record(id="2", payee=None, note=text)]
    content = as_feed(text, rows, CHANGED, HOME)
    assert b"<script" not in content
    feed = feedparser.parse(io.BytesIO(content))
    assert not feed.bozo
    first, second = feed.entries
    assert first.title.endswith(": -4.50 EUR")
    titles = [each.text for each in ElementTree.fromstring(content).iter("title")]
    assert not any("<" in title for title in titles)
    assert (first.id, second.id) == ("1", "2")
    assert (second.title, first.summary) == ("Food: -4.50 EUR", "Food · a, b")
    assert first.published_parsed[:3] == (2026, 1, 31)
    assert feed.feed.link == HOME


def test_nothing_is_an_empty_calendar_and_an_empty_feed():
    assert not Calendar.from_ical(as_calendar("None", [], CHANGED)).walk("VEVENT")
    assert not feedparser.parse(io.BytesIO(as_feed("None", [], CHANGED, HOME))).entries


def test_the_same_answer_is_the_same_bytes():
    for make in (
        lambda: as_calendar("x", [item()], CHANGED),
        lambda: as_feed("x", [record()], CHANGED, HOME),
    ):
        assert make() == make()


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (-850, "EUR", "-850.00 EUR"),
        (Decimal("900719925474099.3001"), "EUR", "900719925474099.3001 EUR"),
        (1200, "JPY", "1200 JPY"),
        (Decimal("0.125"), "KWD", "0.125 KWD"),
        (0, None, "0.00"),
        (None, "EUR", "?"),
    ],
)
def test_amounts_are_exact(amount, currency, text):
    content = as_feed("x", [record(amount=amount, currencyCode=currency)], CHANGED, HOME)
    assert f"Café: {text}</title>" in content.decode()


def test_a_shop_with_an_ampersand_is_readable_as_text_and_as_html():
    content = as_feed("x", [record(payee="A&W <b>")], CHANGED, HOME)
    title = ElementTree.fromstring(content).findtext("channel/item/title")
    assert title == "A&W &lt;b>: -4.50 EUR"
