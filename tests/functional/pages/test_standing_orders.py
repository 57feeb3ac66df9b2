"""Standing orders: how often they repeat as choices, and the ones found in the records."""

import re

import pytest

from support.browser import new_token, signed_in
from support.html import forms, shown_text
from support.native_rows import account, record, standing_order, uid
from support.service import Client, on_one_storage

PATH = f"/standing-orders/{uid('StandingOrder', 1)}"
#: What is said of a standing order that has ended, before the day of its newest payment.
AGAIN = ", but has a payment of "
#: The clock says 2026-03-18.
MONTHS = [f"{2025 + n // 12}-{1 + n % 12:02}-05" for n in range(6, 15)]


@pytest.fixture
def client(service, user):
    rows = [record(n, payee=f"Films {n}", amount=-9.99, recordDate=d) for n, d in enumerate(MONTHS)]
    order = standing_order(1, accountId=uid("Account", 1), amount=-850)
    service.load(user, [account(1), order, *rows])
    return Client(service, user, new_token(service, user))


def rule_of(client):
    return client.get(PATH.removeprefix("/")).json["recurrenceRule"]


@on_one_storage
@pytest.mark.parametrize(
    ("chosen", "rule", "dates"),
    [
        (
            {"recurrenceRule": "FREQ=WEEKLY;BYDAY=FR", "repeats-every": "2"},
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
            "27 Mar 2026, 10 Apr 2026, 24 Apr 2026",
        ),
        (
            {
                "recurrenceRule": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
                "repeats-every": "1",
            },
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "31 Mar 2026, 30 Apr 2026, 29 May 2026",
        ),
        (
            {"recurrenceRule": "other", "repeats-other": "FREQ=MONTHLY;BYMONTHDAY=1,15"},
            "FREQ=MONTHLY;BYMONTHDAY=1,15",
            "1 Apr 2026, 15 Apr 2026, 1 May 2026",
        ),
        ({"recurrenceRule": "", "startDate": "2026-05-01"}, None, "1 May 2026"),
        (
            {
                "recurrenceRule": "FREQ=WEEKLY;BYDAY=FR",
                "startDate": "2026-03-20",
                "repeats-end": "COUNT",
                "repeats-count": "2",
            },
            "FREQ=WEEKLY;BYDAY=FR;COUNT=2",
            "20 Mar 2026, 27 Mar 2026 ",
        ),
    ],
)
def test_a_choice_makes_the_rule_and_the_page_shows_the_next_dates(
    client, visitor, chosen, rule, dates
):
    visitor.submit(PATH, PATH, status=303, **chosen)
    assert rule_of(client) == rule
    page = visitor.get(PATH)
    shown = shown_text(page.text).partition(" Next ")[2].replace(" ,", ",")
    assert shown.replace(" then ", ", ").startswith(dates)
    (form,) = (f for f in forms(page.text) if f.action == PATH)
    sent = dict(form.filled({}))
    assert {name: sent[name] for name in chosen} == chosen
    before = client.get("standing-orders").body
    visitor.submit(PATH, PATH, status=303)
    assert client.get("standing-orders").body == before


@on_one_storage
def test_a_rule_that_is_written_otherwise_stays_as_it_is(service, user, client, visitor):
    rule = "INTERVAL=1;BYMONTHDAY=3;COUNT=09;FREQ=MONTHLY"
    service.load(user, [standing_order(1, recurrenceRule=rule, amount=-1)])
    visitor.submit(PATH, PATH, status=303, note="changed")
    assert rule_of(client) == rule


@on_one_storage
@pytest.mark.parametrize("every", ["0", "1001", "x"])
def test_an_impossible_interval_is_refused_and_kept_in_the_form(client, visitor, every):
    before = rule_of(client)
    given = {"recurrenceRule": "FREQ=WEEKLY", "repeats-every": every}
    page = visitor.submit(PATH, PATH, status=400, **given)
    assert "INTERVAL" in shown_text(page.text)
    assert f'name="repeats-every" type="number" min="1" max="1000" value="{every}"' in page.text
    assert rule_of(client) == before


@on_one_storage
def test_an_end_is_a_date_in_words_and_a_mistake_in_it_is_named(client, visitor):
    given = {"recurrenceRule": "FREQ=MONTHLY;BYMONTHDAY=3"}
    for field, text, sentence in (
        ("until", "31 Feb 2027", "The last day is missing or not a day such as 31 Dec 2026."),
        ("until", "2020-01-01", "The last day is before the start date"),
        ("count", "0", "The number of times must be from 1 to 10,000."),
    ):
        end = {"repeats-end": "UNTIL" if field == "until" else "COUNT", f"repeats-{field}": text}
        page = visitor.submit(PATH, PATH, status=400, **given, **end)
        assert sentence in shown_text(page.text)
        assert f'value="{text}"' in page.text
    # Filling in the date is enough to choose this end.
    visitor.submit(PATH, PATH, status=303, **given, **{"repeats-until": "3 May 2026"})
    assert rule_of(client) == "FREQ=MONTHLY;BYMONTHDAY=3;UNTIL=20260503"
    shown = shown_text(visitor.get("/standing-orders").text)
    assert "every month on the 3rd, until 3 May 2026" in shown
    shown = shown_text(visitor.get(PATH).text)
    usual = "Amount −850.00 EUR every month on the 3rd, until 3 May 2026, Giro"
    assert f"{usual} Next 3 Apr 2026 then 3 May 2026 Records" in shown
    visitor.submit(PATH, PATH, status=303, **{"repeats-end": ""})
    assert rule_of(client) == "FREQ=MONTHLY;BYMONTHDAY=3"


def test_a_payment_found_in_the_records_becomes_a_standing_order_with_one_button(client, visitor):
    page = visitor.get("/standing-orders").text
    found = page.split('aria-labelledby="found-title"')[1].split("</section>")[0]
    text = shown_text(found)
    for each in (
        "Films 8",
        "9 records",
        "every month on the 5th",
        "Giro",
        "5 Apr 2026",
        "−9.99 EUR",
    ):
        assert each in text
    (form, _) = (f for f in forms(found) if f.action == "/standing-orders/new")
    visitor.post(form.action, form.filled({}), status=303)
    made = client.get("standing-orders", payee="eq.Films 8").json["standingOrders"]
    assert [
        (o["amount"], o["recurrenceRule"], o["startDate"], o["nextDueDate"], o["type"])
        for o in made
    ] == [(-9.99, "FREQ=MONTHLY;BYMONTHDAY=5", "2026-04-05", "2026-04-05", "expense")]
    assert "These are not standing orders yet" not in visitor.get("/standing-orders").text


@on_one_storage
def test_a_payment_found_in_the_records_shows_its_changed_price(service, user, client, visitor):
    cheaper = [
        record(n, payee="Films", amount=-7, recordDate=day) for n, day in enumerate(MONTHS[:4])
    ]
    service.load(user, cheaper)
    found = visitor.get("/standing-orders").text.split('aria-labelledby="found-title"')[1]
    assert "−7.00 before" in shown_text(found)


@on_one_storage
def test_recurring_payments_have_the_sums_of_the_api_by_month_and_year(client, visitor):
    (total,) = client.get("records/recurring").json["totals"]
    assert (total["currencyCode"], total["yearlyExpense"]) == ("EUR", -119.88)
    text = shown_text(visitor.get("/standing-orders").text)
    assert (
        "1 recurring payment in your records, with a standing order or without: "
        "−9.99 EUR a month, −119.88 EUR a year."
    ) in text.replace(" .", ".")


@on_one_storage
def test_standing_orders_are_sorted_by_next_date_or_by_name(service, user, client, visitor):
    days = ((2, "Attic", "2026-04-09"), (3, "Boat", "2026-03-20"), (4, "Car", "2020-01-01"))
    service.load(
        user,
        [
            standing_order(n, name=name, amount=-1, startDate=day, recurrenceRule=None)
            for n, name, day in days
        ],
    )

    def names(path):
        text = visitor.get(path).text.partition("Standing orders <span")[2]
        return re.findall(r'class="name-text" href="/standing[^>]*>([^<]+)<', text)

    known = {"Attic", "Boat", "Car"}
    assert [name for name in names("/standing-orders") if name in known] == ["Boat", "Attic", "Car"]
    by_name = names("/standing-orders?sort=name")
    assert [name for name in by_name if name in known] == ["Attic", "Boat", "Car"]


@on_one_storage
def test_a_cancelled_payment_is_no_longer_expected_and_warns_if_it_is_paid_again(
    service, user, client, visitor
):
    page = visitor.get("/standing-orders").text
    found = page.split('aria-labelledby="found-title"')[1].split("</section>")[0]
    (_, cancelled) = (f for f in forms(found) if f.action == "/standing-orders/new")
    assert ("repeats-until", "2026-03-18") in cancelled.fields
    visitor.post(cancelled.action, cancelled.filled({"repeats-until": "2026-03-10"}), status=303)
    said = "Films 8 is cancelled: you are warned if it is paid after its last day."
    assert said in shown_text(visitor.get("/imports").text)
    (order,) = client.get("standing-orders", payee="eq.Films 8").json["standingOrders"]
    assert order["recurrenceRule"] == "FREQ=MONTHLY;BYMONTHDAY=5;UNTIL=20260310"
    assert order["nextDueDate"] is None
    assert client.get("records/recurring").json["totals"] == []
    expected = client.get("standing-orders/upcoming", include="expected", days=60).json
    assert [each for each in expected["upcoming"] if each["payee"] == "Films 8"] == []
    text = shown_text(visitor.get("/standing-orders").text)
    assert AGAIN not in text and "recurring payment" not in text
    service.clock.advance(30 * 86_400)
    later = signed_in(service, user)
    service.load(user, [record(20, payee="Films 9", amount=-9.99, recordDate="2026-04-05")])
    for path in ("/standing-orders", "/overview"):
        text = shown_text(later.get(path).text).replace(" ,", ",")
        assert f"Films 8 ended on 10 Mar 2026{AGAIN}5 Apr 2026" in text, path
    (total,) = client.get("records/recurring").json["totals"]
    assert total["yearlyExpense"] == -119.88


@on_one_storage
@pytest.mark.parametrize("day", ["2026-04-05", "2026-12-24"])
def test_a_payment_of_a_day_to_come_warns_too_however_long_the_pause(
    service, user, client, visitor, day
):
    service.load(user, [order_until(2, "Films 8", -9.99, "20260305", "2025-07-05")])
    assert AGAIN not in shown_text(visitor.get("/overview").text)
    service.load(user, [record(20, payee="FILMS 9", amount=-9.99, recordDate=day)])
    for path in ("/standing-orders", "/overview"):
        assert AGAIN in shown_text(visitor.get(path).text), path
    # Another amount is another payment.
    service.load(user, [record(20, payee="FILMS 9", amount=-19.99, recordDate=day)])
    assert AGAIN not in shown_text(visitor.get("/overview").text)


@on_one_storage
@pytest.mark.parametrize(
    ("until", "is_again"), [("20260403", True), ("20260404", True), ("20260405", False)]
)
def test_a_payment_soon_after_the_last_day_warns_unless_it_is_a_late_one(
    service, user, client, visitor, until, is_again
):
    service.load(user, [order_until(2, "Films 8", -9.99, until, "2025-07-05")])
    service.load(user, [record(20, payee="FILMS 9", amount=-9.99, recordDate="2026-04-06")])
    service.clock.advance(40 * 86_400)
    page = shown_text(signed_in(service, user).get("/overview").text)
    assert (AGAIN in page) == is_again


@on_one_storage
def test_a_payee_that_is_renamed_after_its_payment_was_cancelled_warns_too(
    service, user, client, visitor
):
    service.load(
        user,
        [order_until(2, "Paper", -20, "20260305", "2025-07-05"), *monthly(30, "Paper", -20, "12")],
    )
    path = "/payee?name=Paper"
    visitor.submit(path, path, into="The Daily", status=303)
    assert AGAIN in shown_text(visitor.get("/overview").text)
    visitor.submit("/payee?name=The+Daily", "/payee?name=The+Daily", into="Weekly", status=303)
    assert AGAIN in shown_text(visitor.get("/overview").text)
    # Only the payment that follows is renamed: its file names the payee of the standing order.
    films = record(20, payee="Films 9", amount=-9.99, recordDate="2026-03-17", sourceId="20")
    service.load(user, [order_until(2, "Films 8", -9.99, "20260305", "2025-07-05"), films])
    visitor.submit("/payee?name=Films+9", "/payee?name=Films+9", into="Movies", status=303)
    assert f"Films 8 ended on 5 Mar 2026{AGAIN}" in visitor_text(visitor)


@on_one_storage
def test_the_last_day_of_a_cancelled_payment_is_checked(client, visitor):
    page = visitor.get("/standing-orders").text
    (_, cancelled) = (f for f in forms(page) if f.action == "/standing-orders/new")
    sent = cancelled.filled({"repeats-until": "2020-01-01"})
    refused = visitor.post(cancelled.action, sent, status=400)
    assert "The last day is before the start date" in shown_text(refused.text)
    assert client.get("standing-orders", payee="eq.Films 8").json["standingOrders"] == []


@on_one_storage
def test_the_page_of_a_standing_order_has_its_figures_and_its_records(
    service, user, client, visitor
):
    assert "No recurring payment in your records" in shown_text(visitor.get(PATH).text)
    service.load(user, [order_until(1, "Films", -9.99, None, "2025-07-05")])
    text = shown_text(visitor.get(PATH).text)
    assert "Last paid 5 Mar 2026 −9.99 EUR In a year −119.88 EUR" in text
    records = visitor.get(PATH).html.select("#newest-table a")
    assert [each.text for each in records] == [f"Films {n}" for n in range(8, -1, -1)]


@on_one_storage
def test_an_ignored_payment_is_neither_shown_nor_expected_until_it_is_brought_back(
    service, user, client, visitor
):
    def expected():
        upcoming = client.get("standing-orders/upcoming", include="expected", days=60).json
        return [each["payee"] for each in upcoming["upcoming"] if each["payee"] == "Films 8"]

    service.load(user, monthly(40, "Bakery", -4, "09"))
    assert expected()
    page = visitor.get("/standing-orders")
    (films,) = (f for f in forms(page.text) if "films" in dict(f.fields).get("payment", ""))
    sent = films.filled({"do": "ignore"})
    page = visitor.follow(visitor.post("/standing-orders", sent, status=303))
    assert "The recurring payment Films 8 is no longer shown or expected." in shown_text(page.text)
    assert "1 ignored payment" in shown_text(page.text)
    (row,) = visitor.get("/imports/3").html.select("tbody tr")
    cells = ["Films 8", "Recurring payment", "Shown", "Ignored"]
    assert " ".join(row.text.split()) == " ".join(cells)
    assert not expected()
    assert [each["payee"] for each in client.get("records/recurring").json["recurring"]] == [
        "Bakery"
    ]
    # Sent again, it changes nothing; the next payment of nearly that amount is ignored, too.
    answer = visitor.post("/standing-orders", sent, status=303)
    assert "done=same" in answer.headers["Location"]
    service.load(user, [record(60, payee="Films 9", amount=-10.2, recordDate="2026-03-17")])
    assert not expected()
    back = {**dict(sent), "do": "restore"}
    page = visitor.follow(visitor.post("/standing-orders", back, status=303))
    assert "ignored payment" not in shown_text(page.text)
    assert len(client.get("records/recurring").json["recurring"]) == 2


@on_one_storage
def test_another_amount_of_the_same_payee_is_not_ignored(service, user, client, visitor):
    service.load(user, monthly(40, "Films", -25, "20"))
    page = visitor.get("/standing-orders")
    (films,) = (
        f for f in forms(page.text) if dict(f.fields).get("payment", "").startswith("-99900 ")
    )
    visitor.post("/standing-orders", films.filled({"do": "ignore"}), status=303)
    found = client.get("records/recurring").json["recurring"]
    assert [each["amount"] for each in found] == [-25]


def visitor_text(visitor):
    return shown_text(visitor.get("/overview").text).replace(" ,", ",")


def monthly(first, payee, amount, of_month, months=MONTHS):
    days = [f"{month[:-2]}{of_month}" for month in months]
    return [
        record(first + n, payee=payee, amount=amount, recordDate=day) for n, day in enumerate(days)
    ]


def order_until(number, payee, amount, until, start):
    rule = "FREQ=MONTHLY" if until is None else f"FREQ=MONTHLY;UNTIL={until}"
    return standing_order(
        number,
        name=payee,
        accountId=uid("Account", 1),
        amount=amount,
        recurrenceRule=rule,
        startDate=start,
    )


@on_one_storage
def test_a_renewed_contract_and_another_payment_to_the_payee_do_not_warn(
    service, user, client, visitor
):
    service.load(
        user,
        [
            order_until(2, "Rent", -800, "20250603", "2024-07-03"),
            order_until(3, "Rent", -800, None, "2025-07-03"),
            *monthly(30, "Rent", -800, "03", ["2025-06-05", *MONTHS]),
            order_until(4, "Apple", -9.99, "20260303", "2025-04-03"),
            *monthly(50, "Apple", -9.99, "03"),
            *monthly(70, "Apple", -12.99, "16"),
        ],
    )
    text = shown_text(visitor.get("/standing-orders").text)
    assert AGAIN not in text
    assert "−12.99 EUR" in text
    service.clock.advance(60 * 86_400)
    # The cancelled one has ended meanwhile; the other one goes on.
    service.load(user, monthly(90, "Apple", -12.99, "16", ["2026-04-16", "2026-05-16"]))
    text = shown_text(signed_in(service, user).get("/standing-orders").text)
    assert "Apple ended" not in text


@on_one_storage
def test_one_control_at_the_end_has_the_requests_of_the_page(client, visitor):
    before, control, after = visitor.get("/standing-orders").text.partition('<details class="api">')
    assert "Recurring payments" in before and "GET /v1/api/records/recurring" in after
    assert control and "GET /v1/api/standing-orders" in after
    assert "<section" not in after and 'class="api"' not in after


@on_one_storage
def test_the_page_of_an_ended_standing_order_warns_as_the_list_does_and_has_no_yearly_sum(
    service, user, client, visitor
):
    path = f"/standing-orders/{uid('StandingOrder', 2)}"
    service.load(user, [order_until(2, "Films 8", -9.99, "20260310", "2025-07-05")])
    text = shown_text(visitor.get(path).text)
    assert "has ended Last paid 5 Mar 2026 −9.99 EUR Records" in text and AGAIN not in text
    service.clock.advance(30 * 86_400)
    service.load(user, [record(20, payee="Films 9", amount=-9.99, recordDate="2026-04-05")])
    text = shown_text(signed_in(service, user).get(path).text)
    assert f"Films 8 ended on 10 Mar 2026{AGAIN}5 Apr 2026" in text.replace(" ,", ",")
    assert "In a year −119.88 EUR" in text


@on_one_storage
def test_the_next_day_of_a_payment_is_one_that_is_not_paid_yet(service, user, client, visitor):
    # The clock says 2026-03-18.
    of_today = {"accountId": uid("Account", 1), "recurrenceRule": "FREQ=MONTHLY"}
    service.load(
        user,
        [
            standing_order(2, name="Rent", amount=-800, startDate="2025-06-18", **of_today),
            *monthly(30, "Rent", -800, "18"),
            # It is paid ahead, and so is the payment without a standing order.
            standing_order(3, name="Gym", amount=-30, startDate="2026-03-25", **of_today),
            record(50, payee="Gym", amount=-30, recordDate="2026-03-25"),
            record(51, payee="Films 9", amount=-9.99, recordDate="2026-04-05"),
            standing_order(4, name="Tea", amount=-4, startDate="2026-03-30", **of_today),
        ],
    )
    page = visitor.get("/standing-orders").text
    rows = {
        number: page.partition(f'id="r-{uid("StandingOrder", number)}"')[2].partition("</tr>")[0]
        for number in (2, 3, 4)
    }
    for number, day in ((2, "18 Apr 2026"), (3, "25 Apr 2026"), (4, "30 Mar 2026")):
        assert day in shown_text(rows[number])
        order = shown_text(visitor.get(f"/standing-orders/{uid('StandingOrder', number)}").text)
        assert f"Next {day} then" in order
    assert page.index(rows[4]) < page.index(rows[2]) < page.index(rows[3])
    found = page.split('aria-labelledby="found-title"')[1]
    assert "5 May 2026" in shown_text(found) and "5 Apr 2026" not in shown_text(found)


@on_one_storage
def test_records_without_a_payee_belong_to_a_standing_order_by_their_note(service, user, visitor):
    service.load(
        user,
        [
            account(1),
            order_until(1, "Club", -7, None, "2025-07-09"),
            *[{**row, "payee": None, "note": "Club"} for row in monthly(1, "", -7, "09")],
        ],
    )
    assert "Last paid 9 Mar 2026" in shown_text(visitor.get(PATH).text)


@on_one_storage
@pytest.mark.parametrize(
    ("typed", "chosen", "amount", "type_"),
    [
        ("100", {}, -100, "expense"),
        ("3+4", {}, -7, "expense"),
        ("100", {"type": "income"}, 100, "income"),
        ("-100", {"type": "income"}, -100, "expense"),
        ("+100", {}, 100, "income"),
    ],
)
def test_a_payment_goes_out_unless_one_says_otherwise(
    client, visitor, typed, chosen, amount, type_
):
    new = "/standing-orders/new"
    given = {"name": "Flat", "accountId": uid("Account", 1), "startDate": "2026-04-01"}
    visitor.submit(new, new, status=303, amount=typed, **given, **chosen)
    (made,) = client.get("standing-orders", name="eq.Flat").json["standingOrders"]
    assert (made["amount"], made["type"], made["recurrenceRule"]) == (amount, type_, "FREQ=MONTHLY")
    # It stays when something else is changed.
    path = f"/standing-orders/{made['id']}"
    visitor.submit(path, path, status=303, note="changed")
    (again,) = client.get("standing-orders", name="eq.Flat").json["standingOrders"]
    assert (again["amount"], again["type"], again["note"]) == (amount, type_, "changed")
