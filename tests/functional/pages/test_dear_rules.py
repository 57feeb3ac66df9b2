"""Rules of standing orders that are dear to search: refused at once, and never under the lock."""

from types import SimpleNamespace

import pytest

from finance_api.cli.editing import Edit
from finance_api.ledger.edits.objects import set_object
from finance_api.planning import recurrence, rule_days
from finance_api.resources import STANDING_ORDERS
from support.native_rows import account, standing_order, uid
from support.service import on_one_storage

PATH = f"/standing-orders/{uid('StandingOrder', 1)}"
#: It occurs for the first time in 8028, so all years until then are searched.
RARE = "FREQ=DAILY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=29"


@pytest.fixture
def waiting(service, monkeypatch):
    """Collects the years that are searched while the data is locked for writing."""
    found, write = [], service.backend.write
    locks = []

    def noted(years):
        for year in years:
            if locks:
                found.append(year)
            yield year

    def locked(*arguments, **named):
        locks.append(True)
        return write(*arguments, **named)

    monkeypatch.setattr(service.backend, "write", locked)
    monkeypatch.setattr(rule_days, "in_time", noted)
    recurrence._occurs.cache_clear()
    return found


@pytest.fixture
def orders(service, user):
    service.load(user, [account(1), standing_order(1, accountId=uid("Account", 1), amount=-850)])


@on_one_storage
def test_a_form_searches_before_it_locks_the_data(orders, visitor, waiting):
    rule = {"recurrenceRule": "other", "repeats-other": RARE, "startDate": "2026-01-01"}
    visitor.submit(PATH, PATH, status=303, **rule)
    assert waiting == []


@on_one_storage
def test_a_command_searches_before_it_locks_the_data(orders, service, user, waiting):
    cli = SimpleNamespace(
        backend=service.backend,
        clock=service.clock,
        settings={"finance_api.imports.keep_days": 400},
        require_persistence=lambda: None,
    )
    given = {"recurrenceRule": RARE, "startDate": "2026-01-01"}
    edit = Edit(cli, user.email, dry_run=False, as_json=True)
    edit(
        "set standing-orders",
        lambda s: set_object(s, STANDING_ORDERS, uid("StandingOrder", 1), given),
    )
    assert waiting == []


@on_one_storage
def test_an_import_searches_before_it_locks_the_data(service, user, waiting):
    service.load(user, [account(1), standing_order(1, recurrenceRule=RARE, startDate="2026-01-01")])
    assert waiting == []


@on_one_storage
@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("FREQ=DAILY;BYYEARDAY=100;BYMONTH=2", "never occurs: no day has everything it asks for"),
        (
            "FREQ=YEARLY;BYMONTH=2;BYSETPOS=" + ",".join(["366"] * 10_000),
            "has more than 732 entries in BYSETPOS",
        ),
    ],
)
def test_the_form_says_why_a_rule_is_refused(orders, visitor, rule, message):
    page = visitor.submit(
        PATH, PATH, status=400, **{"recurrenceRule": "other", "repeats-other": rule}
    )
    assert message in page.text
