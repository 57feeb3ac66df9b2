"""The page that shows API usage, and the remaining requests."""

import re

import pytest

from finance_api.storage.interface import Token
from finance_api.values.time import parse_time
from support.browser import new_token, new_user, signed_in, tokens_of
from support.html import shown_text
from support.service import USUAL_LIMITS, Service, on_one_storage

PERIODS = {"30days": 30, "12weeks": 12, "12months": 12}
#: Today is Wednesday, 18 March 2026.
REQUESTS = {
    "2026-03-18": 3,
    "2026-03-16": 1_200,
    "2026-03-15": 5,
    "2026-02-17": 7,
    "2026-02-16": 11,
    "2025-12-29": 13,
    "2025-12-28": 17,
    "2025-04-01": 19,
    "2025-03-31": 23,
}


def write(service, user, days):
    numbers = {(user.id, parse_time(f"{at}T00:00:00Z"), ""): n for at, n in days.items()}
    service.change(lambda storage: storage.usage.add(numbers))


def table(page):
    """Return the table's numbers by period, in its order."""
    body = re.search("<tbody>(.*?)</tbody>", page, re.S)[1]
    rows = re.findall('<th scope="row">(.*?)</th><td class="number">(.*?)</td>', body)
    return {label: int(number.replace(",", "")) for label, number in rows}


def assert_agrees(page, count, total):
    """Check that the chart, its text, the table and the sum agree."""
    numbers = table(page)
    assert len(numbers) == count
    assert sum(numbers.values()) == total
    titles = re.findall("<tspan[^>]*>([^<]*): ([0-9,]+)</tspan>", page)
    assert {label: int(n.replace(",", "")) for label, n in titles} == numbers
    assert f'<p class="figure">{total:,}</p>' in page
    assert f'<tfoot><tr><th scope="row">Total</th><td class="number">{total:,}' in page
    tallest = max(numbers, key=numbers.get)
    description = shown_text(re.search("<desc.*?</desc>", page, re.S)[0])
    assert description.endswith(f"The highest is {tallest} with {numbers[tallest]:,}.")
    heights = [float(h) for h in re.findall('class="column requests".*? height="([0-9.]+)%"', page)]
    assert len(heights) == count
    top = max(heights)
    for height, number in zip(heights, numbers.values(), strict=True):
        assert 0 <= height <= 100
        assert abs(height / top - number / max(numbers.values())) < 0.01
    return numbers


@pytest.mark.parametrize("period", PERIODS)
def test_each_period_has_its_numbers(service, user, visitor, period):
    write(service, user, REQUESTS)
    write(service, new_user(service), {"2026-03-18": 1_000_000})
    page = visitor.get(f"/settings/usage?period={period}").text
    expected = {
        "30days": {"18 Mar 2026": 3, "16 Mar 2026": 1_200, "15 Mar 2026": 5, "17 Feb 2026": 7},
        "12weeks": {
            "Week from 16 Mar 2026": 1_203,
            "Week from 9 Mar 2026": 5,
            "Week from 16 Feb 2026": 18,
            "Week from 29 Dec 2025": 13,
        },
        "12months": {"Mar 2026": 1_208, "Feb 2026": 18, "Dec 2025": 30, "Apr 2025": 19},
    }[period]
    numbers = assert_agrees(page, PERIODS[period], sum(expected.values()))
    assert {label: n for label, n in numbers.items() if n} == expected
    current = re.search('href="/settings/usage[?]period=([0-9a-z]+)" aria-current="page"', page)
    assert current[1] == period


@on_one_storage
@pytest.mark.parametrize(
    "query",
    ["", "?period=", "?period=31days", "?period=0days", "?period=x", "?period=%00", "?other=1"]
    + ["?period=12WEEKS", "?period=12weeks%20", "?period=30days&period=%C3%BC", "?period=9e9days"],
)
def test_another_period_is_the_usual_one(service, user, visitor, query):
    write(service, user, REQUESTS)
    usual = visitor.get("/settings/usage?period=30days").text
    assert visitor.get(f"/settings/usage{query}").text == usual


@on_one_storage
def test_one_request_is_shown_as_well_as_a_thousand_million(service, user, visitor):
    write(service, user, {"2026-03-18": 1})
    assert_agrees(visitor.get("/settings/usage").text, 30, 1)
    write(service, user, {"2026-03-17": 1_234_567_890})
    assert_agrees(visitor.get("/settings/usage").text, 30, 1_234_567_891)


@on_one_storage
def test_without_requests_the_page_says_what_to_do(service, user, visitor):
    page = visitor.get("/settings/usage").text
    assert "No requests in this period" in shown_text(page)
    assert '<svg class="chart' not in page
    assert "/settings/tokens" in page
    new_token(service, user)
    assert "They appear here" in shown_text(visitor.get("/settings/usage").text)


# -- what is left --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def limited():
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


def test_each_active_token_has_its_quota_and_when_it_is_full_again(limited):
    user = new_user(limited)
    used, unused, revoked = (new_token(limited, user, n) for n in ("used", "unused", "revoked"))
    (gone,) = [t for t in tokens_of(limited, user) if t.name == "revoked"]
    limited.change(lambda storage: storage.users.revoke(Token, gone.id, limited.clock.now()))
    headers = {"Authorization": f"Bearer {used}"}
    for _ in range(10):
        limited.web.get("/v1/api/records", headers=headers)
    visitor = signed_in(limited, user)
    for path in ("/settings/usage", "/settings/tokens"):
        page = visitor.get(path).text
        text = shown_text(page)
        assert "490 of 500" in text
        assert "500 of 500" in text
        # Ten times 7.2 seconds.
        assert re.findall('Back to 500 at <time datetime="([^"]*)"', page) == [
            "2026-03-18T12:01:12Z"
        ]
        assert "Back to 500 at 12:01 UTC" in text
        assert len(re.findall("<meter ", page)) == 2
    allowance = "Each token may make 500 requests; they refill evenly over an hour."
    assert allowance in shown_text(visitor.get("/settings/usage").text)
    assert "revoked" not in shown_text(visitor.get("/settings/usage").text)
    # Reading the page costs no requests.
    assert "490 of 500" in shown_text(visitor.get("/settings/usage").text)
    for _ in range(495):
        limited.web.get("/v1/api/records", headers=headers, expect_errors=True)
    assert "0 of 500" in shown_text(visitor.get("/settings/usage").text)
    limited.clock.advance(7_200)
    assert "Back to" not in signed_in(limited, user).get("/settings/usage").text
    assert unused != revoked


def test_every_limit_of_a_token_is_named():
    limits = {"finance_api.ratelimit.public": "20/minute, 1000/day"}
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS, **limits})
    user = new_user(service)
    new_token(service, user)
    text = shown_text(signed_in(service, user).get("/settings/usage").text)
    assert "Each token may make 20 requests; they refill evenly over a minute." in text
    assert "It may also make no more than 1,000 requests; they refill evenly over a day." in text
    service.stop()


def test_usage_is_reported_by_token(service, user, visitor):
    tokens = {name: new_token(service, user, name) for name in ("sheet", "home")}
    asked = {"sheet": 1, "home": 2}
    for name, number in asked.items():
        for _ in range(number):
            headers = {"Authorization": f"Bearer {tokens[name]}"}
            assert service.web.get("/v1/api/labels", headers=headers).status_int == 200
    service.services.usage.flush()
    page = visitor.get("/settings/usage").text
    table = shown_text(page.split('id="by-token-table"')[1].split("</table>")[0])
    assert table.endswith("Token Requests home 2 sheet 1")
