"""Goals and standing orders: the values that are computed at request time."""

import pytest

from support.native_rows import account, goal, label, record, standing_order, uid


def test_the_next_due_date_moves_with_the_day(client):
    client.load(standing_order(recurrenceRule="FREQ=WEEKLY;COUNT=2", startDate="2026-03-18"))
    for now, expected in (
        ("2026-03-01T00:00:00Z", "2026-03-18"),
        ("2026-03-18T23:59:59Z", "2026-03-18"),
        ("2026-03-19T00:00:00Z", "2026-03-25"),
        ("2026-03-26T00:00:00Z", None),
    ):
        client.service.clock.set(now)
        assert client.names("standing-orders", "nextDueDate") == [expected]


def test_standing_orders_are_ordered_by_their_next_due_date(client):
    client.load(
        standing_order(1, recurrenceRule="FREQ=MONTHLY", startDate="2026-01-20"),
        standing_order(2, recurrenceRule="FREQ=DAILY;COUNT=1", startDate="2026-01-01"),
        standing_order(3, recurrenceRule="FREQ=MONTHLY", startDate="2026-01-19"),
        standing_order(4, recurrenceRule="FREQ=YEARLY", startDate="2026-01-19"),
    )

    def order(sort, **query):
        found = client.names("standing-orders", "id", sortBy=sort, **query)
        return [int(i[-12:], 16) for i in found]

    assert order("nextDueDate") == [3, 1, 4, 2]
    assert order("-nextDueDate") == [4, 1, 3, 2]
    assert order("-nextDueDate", limit=2, offset=1) == [1, 3]
    assert client.get("standing-orders", nextDueDate="gte.2026-01-01").status_int == 400


def test_a_standing_order_is_income_or_expense(client):
    client.load(
        account(),
        standing_order(1, type="expense", amount=-850, currencyCode="EUR"),
        standing_order(2, type="income", amount=2000, accountId=uid("Account", 1)),
    )
    assert client.names("standing-orders", "type", sortBy="id") == ["expense", "income"]
    assert client.names("standing-orders", "amount", type="eq.income") == [2000]


@pytest.mark.parametrize(
    ("saved", "target", "progress"),
    [
        (300, 1200, "0.25"),
        (1, 3, "0.3333"),
        (2, 3, "0.6667"),
        (0, 5, "0"),
        (15, 10, "1.5"),
        (5, 0, "null"),
        (5, None, "null"),
        (None, 100, "0"),
        (-1, 4, "-0.25"),
        (900719925474099, 0.0001, "9007199254740990000"),
    ],
)
def test_a_goal_s_progress_is_what_is_saved_of_the_target(client, saved, target, progress):
    client.load(goal(savedAmount=saved, targetAmount=target))
    text = client.get("goals").text.replace(" ", "")
    assert f'"progress":{progress},' in text


def test_a_linked_goal_follows_its_account_or_label(client):
    def saved(number, day, amount, **given):
        return record(number, recordDate=day, amount=amount, **given)

    label_ids = [uid("Label", 1), uid("Label", 2)]
    client.load(
        account(1, initialBalance=50),
        account(2, name="New"),
        account(3, name="Abroad", currencyCode="USD"),
        *(label(n, name=f"l{n}") for n in (1, 2, 3)),
        # The clock says 2026-03-18; the rate is that of 180 days, or of the days since the first
        # record.
        saved(1, "2025-01-01", 100, labelIds=label_ids),
        saved(2, "2025-12-01", 90, labelIds=label_ids[:1]),
        saved(3, "2026-03-18", -30, labelIds=label_ids[1:]),
        saved(4, "2026-03-19", 7, labelIds=label_ids),
        saved(5, "2026-02-17", 30, accountId=uid("Account", 2)),
        saved(6, "2026-02-18", 100, accountId=uid("Account", 3), labelIds=label_ids[:1]),
        saved(7, "2026-02-18", 900, labelIds=label_ids, recordState="void"),
        *(
            goal(n, targetAmount=target, savedAmount=3, currencyCode=currency, **link)
            for n, (target, currency, link) in enumerate(
                (
                    (300, "EUR", {"accountId": uid("Account", 1)}),
                    (60, None, {"accountId": uid("Account", 2)}),
                    (200, "EUR", {"labelId": uid("Label", 1)}),
                    (200, "EUR", {"labelId": uid("Label", 2)}),
                    (200, None, {"labelId": uid("Label", 1)}),
                    (200, None, {"labelId": uid("Label", 3)}),
                    (100, "EUR", {}),
                ),
                1,
            )
        ),
    )
    names = ("currentAmount", "remaining", "progress", "expectedDate")
    found = client.get("goals", sortBy="id").json["goals"]
    assert [tuple(row[name] for name in names) for row in found] == [
        (210, 90, 0.7, "2026-12-13"),
        (30, 30, 0.5, "2026-04-17"),
        (190, 10, 0.95, "2026-04-07"),
        (70, 130, 0.35, None),
        (None, None, None, None),
        (0, 200, 0, None),
        (3, 97, 0.03, None),
    ]


def test_goals_are_ordered_by_progress(client):
    amounts = [(1, 2), (3, 4), (1, None), (1, 4), (1, 0), (2, 4)]
    client.load(*(goal(n, savedAmount=s, targetAmount=t) for n, (s, t) in enumerate(amounts, 1)))

    def order(sort, **query):
        return [int(i[-12:], 16) for i in client.names("goals", "id", sortBy=sort, **query)]

    assert order("progress") == [4, 1, 6, 2, 3, 5]
    assert order("-progress") == [2, 1, 6, 4, 3, 5]
    assert order("progress", targetAmount="eq.4", limit=2) == [4, 6]
    assert order("-progress,-id", offset=1, limit=2) == [6, 1]
    assert client.get("goals", progress="gt.0").status_int == 400
