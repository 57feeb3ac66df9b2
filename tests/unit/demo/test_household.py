"""The demo data as a newcomer sees it."""

from datetime import UTC, datetime

import pytest

from finance_api.auth.user_accounts import make_user
from finance_api.demo import Household
from finance_api.ledger.importing import import_rows
from finance_api.planning.tracking import tracked_budgets
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS, STANDING_ORDERS
from finance_api.storage.interface import unit_of_work
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import DAY_SECONDS, to_date

EMAIL = "demo@example.com"
DAYS = ("2026-01-05", "2026-11-21")


def seconds(day):
    return int(datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=UTC).timestamp())


@pytest.fixture(scope="module", params=DAYS)
def demo(request):
    """The time of loading, and all data of the demo user after it."""
    now = seconds(request.param)
    backend = MemoryBackend()
    household = Household(10_001, 2_000, now)
    with unit_of_work(backend) as storage:
        user = make_user(storage, EMAIL, premium=True, password=None, now=now)
    import_rows(backend, EMAIL, household.documents(), household.records, now=now)
    with unit_of_work(backend) as storage:
        yield (
            now,
            {r: list(storage.data.scan_rows(user.id, r)) for r in (BUDGETS, RECORDS, CATEGORIES)},
            {
                budget["name"]: budget
                for budget in tracked_budgets(
                    storage,
                    user.id,
                    now - now % DAY_SECONDS,
                    storage.data.scan_rows(user.id, BUDGETS),
                )
            },
        )


def test_budgets_have_a_limit_that_the_period_uses_in_part(demo):
    now, _, budgets = demo
    assert set(budgets) == {"Everything", "Groceries", "Eating out"}
    year = (now - budgets["Everything"]["periodStart"]) / (365 * DAY_SECONDS)
    share = budgets["Everything"]["spent"] / budgets["Everything"]["limitAmount"]
    assert year * 0.5 <= share <= year + 0.2
    assert all(0 <= budget["spent"] < budget["limitAmount"] * 2 for budget in budgets.values())


def test_budgets_leave_income_out(demo):
    _, rows, _ = demo
    income = {row["id"] for row in rows[CATEGORIES] if row["group"] == "Income"}
    assert income
    for budget in rows[BUDGETS]:
        assert budget["categoryIds"]
        assert income.isdisjoint(budget["categoryIds"])


def test_some_records_have_no_category_and_most_have(demo):
    _, rows, _ = demo
    spendings = [row for row in rows[RECORDS] if row["transferId"] is None]
    without = [row for row in spendings if row["categoryId"] is None]
    assert 0.02 < len(without) / len(spendings) < 0.1


def test_rent_and_salary_fall_on_the_days_of_their_standing_orders(demo):
    _, rows, _ = demo
    days = {"Landlord": set(), "Employer Ltd": set()}
    for row in rows[RECORDS]:
        if row["payee"] in days:
            days[row["payee"]].add(row["recordDate"] // DAY_SECONDS * DAY_SECONDS)
    assert len(days["Landlord"]) >= 15 and all(to_date(day).day == 1 for day in days["Landlord"])
    after = {to_date(day + DAY_SECONDS).day for day in days["Employer Ltd"]}
    assert len(days["Employer Ltd"]) >= 15 and after == {1}


@pytest.mark.parametrize("day", DAYS)
def test_usage_is_of_some_weeks_until_yesterday(day):
    now = seconds(day)
    usage = Household(10_001, 0, now).usage()
    today = now - now % DAY_SECONDS
    assert all(start % DAY_SECONDS == 0 for start in usage)
    assert today - 56 * DAY_SECONDS <= min(usage) < max(usage) < today
    assert 40 <= len(usage) < 56
    assert all(0 < requests < 500 for requests in usage.values())


def test_usage_is_the_same_for_a_seed_and_day_whatever_was_made_before():
    now = seconds("2026-06-15")
    household = Household(7, 100, now)
    rows = [*household.documents(), *household.records()]
    usage = household.usage()
    assert usage == Household(7, 100, now + 60).usage()
    assert usage != Household(8, 100, now).usage()
    same = Household(7, 100, now)
    assert same.usage() and [*same.documents(), *same.records()] == rows


def test_a_household_that_is_read_again_has_the_same_rows():
    household = Household(10_001, 50, seconds("2026-11-21"))
    assert next(household.records()) == next(household.records())
    assert [*household.documents(), *household.records()] == [
        *household.documents(),
        *household.records(),
    ]


@pytest.mark.parametrize("records", [50, 399, 400, 2_000, 10_000])
@pytest.mark.parametrize("seed", [1, 10_001, 20_001])
def test_no_account_but_the_card_is_ever_below_zero(seed, records):
    for day in DAYS:
        household = Household(seed, records, seconds(day))
        accounts = [r.values for r in household.documents() if r.resource is ACCOUNTS]
        balances = {row["name"]: row["initialBalance"] for row in accounts}
        lowest, names = dict(balances), {row["id"]: row["name"] for row in accounts}
        for row in household.records():
            name = names[row.values["accountId"]]
            balances[name] += row.values["amount"]
            lowest[name] = min(lowest[name], balances[name])
            if name == "Credit card" and row.values.get("transferId"):
                # It is paid in full each month.
                assert balances[name] >= 0
        assert len(lowest) == 4
        assert [name for name, least in lowest.items() if least < 0] == ["Credit card"]


@pytest.mark.parametrize("day", DAYS)
def test_the_only_large_bill_to_come_leaves_little_on_the_current_account(day):
    household = Household(10_001, 2_000, seconds(day))
    rows = household.documents()
    (bill,) = [
        r.values for r in rows if r.resource is STANDING_ORDERS if r.values["name"] == "Energy"
    ]
    (account,) = [r.values for r in rows if r.values["id"] == bill["accountId"]]
    records = [r.values for r in household.records()]
    own = [row["amount"] for row in records if row["accountId"] == account["id"]]
    balance = account["initialBalance"] + sum(own)
    assert seconds(day) < bill["startDate"] < seconds(day) + 10 * DAY_SECONDS
    assert 0 < balance + bill["amount"] < 25_000_000
