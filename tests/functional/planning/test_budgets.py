"""The amount used in a budget's current period. The clock is set to Wednesday, 2026-03-18."""

from decimal import Decimal

from support.native_rows import account, budget, category, label, record, uid

SIX = ("periodStart", "periodEnd", "spent", "remaining", "progress", "recordCount")


def tracked(client, number=1):
    (row,) = client.exact("budgets", id=uid("Budget", number))["budgets"]
    return tuple(row[name] for name in SIX)


def spent(client, number=1):
    values = tracked(client, number)
    return values[2], values[5]


def test_a_refund_lowers_what_is_spent(client):
    food = uid("Category", 1)
    client.load(
        account(),
        category(1, group="Living"),
        budget(categoryIds=[food]),
        record(1, amount=-30.25, categoryId=food),
        record(2, amount=10.1, categoryId=food),
    )
    month = ("2026-03-01", "2026-03-31")
    assert tracked(client) == (*month, Decimal("20.15"), Decimal("79.85"), Decimal("0.2015"), 2)
    client.load(record(3, amount=50, categoryId=food))
    assert tracked(client)[2:] == (Decimal("-29.85"), Decimal("129.85"), Decimal("-0.2985"), 3)


def test_income_is_no_refund(client):
    salary, unknown, spending = (uid("Category", n) for n in (1, 2, 3))
    client.load(
        account(),
        category(1, name="Salary", group="Income"),
        category(2, name="Something"),
        category(3, name="Food", group="Living"),
        budget(1),
        budget(2, categoryIds=[salary, unknown, spending]),
        record(1, amount=-1),
        record(2, amount=2),
        record(4, amount=4, categoryId=unknown),
        record(8, amount=-8, categoryId=unknown),
        record(16, amount=16, categoryId=salary),
        record(32, amount=-32, categoryId=salary),
        record(64, amount=-64, categoryId=spending),
        record(128, amount=128, categoryId=spending),
    )
    rows = client.get("budgets", sortBy="id").json["budgets"]
    assert [(row["spent"], row["income"], row["recordCount"]) for row in rows] == [
        (1 + 8 + 64 - 128, 2 + 4 + 16 - 32, 4),
        (-4 + 8 + 64 - 128, 16 - 32, 4),
    ]


def test_progress_has_four_decimals_and_none_for_a_limit_of_zero(client):
    client.load(
        account(),
        record(amount=-1),
        budget(1, limitAmount=3),
        budget(2, limitAmount=0),
        budget(3, limitAmount=6),
        budget(4, limitAmount=0.5),
        budget(5, limitAmount=100000),
        budget(6, limitAmount=None),
    )
    progress = [tracked(client, n)[4] for n in range(1, 7)]
    assert progress == [Decimal("0.3333"), None, Decimal("0.1667"), 2, 0, None]
    assert [tracked(client, n)[3] for n in (1, 2, 6)] == [2, -1, None]


def test_sums_are_exact_and_may_exceed_what_one_amount_holds(client):
    large = Decimal("922337203685477.5807")
    accounts = range(1, 5)
    client.load(
        *(account(n, name=f"a{n}") for n in accounts),
        *(record(n, accountId=uid("Account", n), amount=-large) for n in accounts),
        budget(1, limitAmount=large),
        budget(2, limitAmount=Decimal("0.0001"), accountIds=[uid("Account", 1)]),
    )
    assert tracked(client)[2:] == (4 * large, -3 * large, 4, 4)
    assert '"spent":3689348814741910.3228' in client.get("budgets").text
    assert tracked(client, 2)[4] == large * 10000
    assert client.names("budgets", "id", sortBy="-spent") == [uid("Budget", n) for n in (1, 2)]


def test_budgets_are_ordered_by_what_is_computed(client):
    client.load(
        account(),
        *(account(n, name=f"a{n}") for n in (2, 3)),
        *(record(n, amount=-n * n, accountId=uid("Account", n)) for n in (1, 2, 3)),
        budget(1, accountIds=[uid("Account", 2)]),
        budget(2, accountIds=[uid("Account", 3)], limitAmount=5),
        budget(3, endDate="2026-01-01"),
        budget(4, accountIds=[uid("Account", 1)], type="BUDGET_INTERVAL_WEEK"),
    )

    def order(sort, **query):
        return [int(i[-12:], 16) for i in client.names("budgets", "id", sortBy=sort, **query)]

    assert order("spent") == [4, 1, 2, 3]
    assert order("-spent") == [2, 1, 4, 3]
    assert order("remaining") == [2, 1, 4, 3]
    assert order("-progress") == [2, 1, 4, 3]
    assert order("periodStart,-spent") == [2, 1, 4, 3]
    assert order("recordCount,-id") == [4, 2, 1, 3]
    message = client.fault("budgets", remaining="lt.0")["message"]
    assert message == (
        "is computed, so rows cannot be filtered by it; sort by it instead: sortBy=remaining"
    )
    assert order("-periodEnd,spent", limit=2) == [1, 2]
    assert order("-periodEnd,spent", limit=2, offset=2) == [4, 3]
    body = client.get("budgets", sortBy="-spent", limit=2, limitAmount="eq.100", withTotal="true")
    assert [body.json[k] for k in ("total", "nextOffset")] == [3, 2]


def test_a_budget_may_name_a_thousand_labels_and_accounts(client):
    count = range(1, 1001)
    client.load(
        *(account(n, name=f"a{n}") for n in count),
        *(label(n, name=f"l{n}") for n in count),
        *(category(n, name=f"c{n}") for n in count),
        record(1, labelIds=[uid("Label", 1000)], categoryId=uid("Category", 7)),
        budget(1, labelIds=[uid("Label", n) for n in count]),
        budget(2, accountIds=[uid("Account", n) for n in count if n != 2]),
        budget(3, categoryIds=[uid("Category", n) for n in count]),
    )
    assert [spent(client, n) for n in (2, 3, 1)] == [(1, 1)] * 3
