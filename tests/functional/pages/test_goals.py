"""A goal's page: what is saved on its account or by its label, and when it is reached."""

import pytest

from support.html import shown_text
from support.native_rows import account, budget, goal, label, record, uid
from support.service import on_one_storage

PATH = f"/goals/{uid('Goal', 1)}"


def figures(page):
    return shown_text(page.text.split('aria-label="Goal"')[1].split("</section>")[0])


@on_one_storage
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"accountId": uid("Account", 1), "targetAmount": 1000, "desiredDate": "2026-05-17"},
            [
                "Saved 640.00 EUR of 1,000.00 EUR",
                "Left 360.00 EUR",
                # 540 in 180 days.
                "Reached at this rate 16 Jul 2026 later than 17 May 2026",
                "64%",
                "save 180.00 EUR every 30 days.",
                "From Giro",
            ],
        ),
        ({"accountId": uid("Account", 1), "targetAmount": 100}, ["Saved 640.00 EUR", "reached"]),
        ({"savedAmount": 5, "targetAmount": 10}, ["Saved 5.00 EUR", "50%", "Link an account"]),
        # The percent that are reached, without decimals.
        ({"savedAmount": 5.999, "targetAmount": 9}, ["Saved 5.999 EUR", " 66%"]),
        ({"labelId": uid("Label", 1)}, ["Saved 540.00 EUR", "From home"]),
        ({"labelId": uid("Label", 2), "targetAmount": 1}, ["Saved 0.00 EUR", "nothing was saved"]),
    ],
)
def test_the_page_of_a_goal(service, user, visitor, given, expected):
    days = ("2025-06-01", "2025-11-01", "2026-03-01")
    rows = [
        record(n, amount=amount, recordDate=day, labelIds=[uid("Label", 1)] * (amount > 100))
        for n, (day, amount) in enumerate(zip(days, (100, 240, 300), strict=True))
    ]
    own = [account(1), label(1), label(2, name="other"), goal(1, currencyCode="EUR", **given)]
    service.load(user, [*own, *rows])
    text = figures(visitor.get(PATH))
    for each in expected:
        assert each in text


@on_one_storage
def test_a_goal_without_a_currency_has_that_of_its_account(service, user, visitor):
    own = {"accountId": uid("Account", 1), "targetAmount": 1000, "desiredDate": "2026-04-17"}
    service.load(user, [account(1, currencyCode="JPY"), goal(1, **own), record(1, amount=300)])
    text = figures(visitor.get(PATH))
    assert "Saved 300 JPY of 1,000 JPY" in text and "Left 700 JPY" in text
    assert "save 700 JPY every 30 days." in text


@on_one_storage
def test_a_goal_has_one_link_in_its_currency(service, user, visitor):
    service.load(
        user, [account(1), account(2, name="Abroad", currencyCode="USD"), label(1), goal(1)]
    )
    page = visitor.submit(
        PATH, PATH, status=400, accountId=uid("Account", 1), labelId=uid("Label", 1)
    )
    assert "A goal has an account or a label, not both." in shown_text(page.text)
    page = visitor.submit(PATH, PATH, status=400, accountId=uid("Account", 2), currencyCode="EUR")
    assert "is EUR, but the account Abroad is in USD" in shown_text(page.text)
    visitor.submit(PATH, PATH, status=303, accountId=uid("Account", 2), currencyCode="USD")
    # The currency of a goal follows its account's.
    account_path = f"/accounts/{uid('Account', 2)}"
    visitor.submit(account_path, account_path, status=303, currencyCode="CHF")
    assert "Saved 0.00 CHF" in figures(visitor.get(PATH))
    page = visitor.get(f"{account_path}/remove")
    assert "1 goal" in shown_text(page.text)


@on_one_storage
def test_what_is_saved_on_an_account_is_its_balance_of_today(service, user, visitor):
    own = {"accountId": uid("Account", 1), "targetAmount": 100}
    service.load(
        user,
        [
            account(1, initialBalance=50),
            record(1, amount=10, recordDate="2026-03-18"),
            record(2, amount=-30, recordDate="2026-03-19"),
            goal(1, **own),
        ],
    )
    text = figures(visitor.get(PATH))
    assert "Saved 60.00 EUR of 100.00 EUR" in text and "Left 40.00 EUR" in text


@on_one_storage
def test_a_plan_without_a_currency_says_so(service, user, visitor):
    service.load(user, [account(1), goal(1, savedAmount=5), budget(1, currencyCode=None)])
    assert "This goal has no currency." in figures(visitor.get(PATH))
    text = shown_text(visitor.get(f"/budgets/{uid('Budget', 1)}").text)
    assert "This budget has no currency, so no record counts as spent." in text


@on_one_storage
def test_what_is_refused_stands_at_its_field(service, user, visitor):
    service.load(user, [account(1), account(2, currencyCode="JPY")])
    for given, name, sentence in (
        ({"targetAmount": "-5"}, "targetAmount", "Target must be above 0."),
        (
            {"targetAmount": "5"},
            "currencyCode",
            "Currency is missing: the accounts are in EUR, JPY.",
        ),
    ):
        page = visitor.submit("/goals/new", "/goals/new", status=400, name="Bike", **given)
        assert [each.text for each in page.html.select(f"#{name}-error")] == [sentence]
