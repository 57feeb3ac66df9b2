"""Objects that nothing refers to are imported in batches, so memory does not grow."""

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger import native_import
from finance_api.ledger import rows as ledger_rows
from finance_api.ledger.rows import RowSet
from finance_api.resources import BUDGETS, CATEGORIES, GOALS, LABELS, RECORDS, STANDING_ORDERS
from support.ledger import account, an_id, document, record
from support.service import native_line


@pytest.fixture(autouse=True)
def batches_of_three(monkeypatch):
    monkeypatch.setattr(native_import, "BATCH", 3)


def goals(count, **values):
    return [document("Goal", n, sourceId=f"s{n}", **values) for n in range(10, 10 + count)]


def without_id(row):
    return {name: value for name, value in row.items() if name != "id"}


def test_no_more_than_a_batch_is_held(person, monkeypatch):
    most = []
    real = RowSet.put

    def put(rows, row, line=None):
        real(rows, row, line)
        most.append(len(rows.rows))

    monkeypatch.setattr(RowSet, "put", put)
    for note in ("a", "b"):
        person.native(*goals(20, note=note))
    assert len(person.rows(GOALS)) == 20
    assert max(most) == 3


def test_what_is_mentioned_again_meets_what_the_file_brought(person):
    report = person.native(*goals(10), *goals(10), *map(without_id, goals(10, note="x")))
    assert (report.created, report.updated, report.unchanged) == (10, 10, 10)
    assert {row["note"] for row in person.rows(GOALS)} == {"x"}
    before = person.everything()
    person.native(*goals(10, note="y"))
    person.undo()
    assert person.everything() == before


def test_records_that_are_mentioned_again_by_id_or_source_are_one(person):
    bare = [record(n) for n in range(10, 20)]
    known = [{**row, "source": "bank", "sourceId": f"s{row['id']}"} for row in bare]
    again = [without_id({**row, "note": "third"}) for row in known]
    report = person.native(account(), *bare, *known, *known, *again)
    assert (report.created, report.updated, report.unchanged) == (11, 20, 10)
    assert [row["note"] for row in person.rows(RECORDS)] == ["third"] * 10
    report = person.native(record(5), *again)
    assert (report.created, report.updated, report.unchanged) == (1, 0, 10)
    person.audit()


def test_a_source_id_that_another_one_has_is_refused_over_batches_too(person):
    rows = [*goals(5), document("Goal", 90, sourceId="s10")]
    with pytest.raises(ChangeRefused, match=r"line 6: .*s10.* belongs to the Goal"):
        person.native(*rows)
    person.native(*goals(5))
    with pytest.raises(ChangeRefused, match=r"line 1: .*s10.* belongs to the Goal"):
        person.native(rows[5])


def test_they_may_refer_to_what_comes_later_in_the_file(person):
    person.native(
        document("Budget", 5, categoryIds=[an_id(2)]), document("Category", 2, name="Food")
    )
    assert person.only(BUDGETS)["categoryIds"] == (an_id(2),)
    with pytest.raises(ChangeRefused, match="line 1: categoryIds"):
        person.native(document("Budget", 5, categoryIds=[an_id(3)]))
    with pytest.raises(ChangeRefused, match="line 2: parentId"):
        person.native(account(), document("Category", 4, parentId=an_id(3)))


def test_orders_follow_their_account_s_currency_batch_by_batch(person, monkeypatch):
    monkeypatch.setattr("finance_api.ledger.session.PAGE", 2)
    orders = [
        document("StandingOrder", n, accountId=an_id(1), currencyCode="EUR", amount=1)
        for n in range(10, 15)
    ]
    person.native(account(), *orders)
    before = person.everything()
    person.native(account(currencyCode="USD"), {**orders[0], "currencyCode": "USD", "amount": 2})
    found = {row["currencyCode"] for row in person.rows(STANDING_ORDERS)}
    assert (found, person.row(STANDING_ORDERS, 10)["amount"]) == ({"USD"}, 20_000)
    person.undo()
    assert person.everything() == before


def test_a_few_long_texts_are_a_batch(person, monkeypatch):
    monkeypatch.setattr(native_import, "BATCH", 1_000)
    monkeypatch.setattr(native_import, "BATCH_BYTES", 10_000)
    sizes = []

    def noted(real):
        def put_rows(writer, user_id, resource, *, new, changed):
            if resource in (GOALS, RECORDS):
                sizes.append(len(new))
            return real(writer, user_id, resource, new=new, changed=changed)

        return put_rows

    rows = [record(n, note="x" * 6_000) for n in range(10, 20)] + goals(10, note="x" * 6_000)
    lines = "".join(map(native_line, [account(), *rows]))
    writer = person.change(lambda storage: type(storage.data))
    monkeypatch.setattr(writer, "put_rows", noted(writer.put_rows))
    # 20 rows are few, but their texts are too many to be kept until they are stored.
    monkeypatch.setattr(native_import, "MANY_BYTES", 50_000)
    person.file(lines)
    assert sizes and max(sizes) == 2


def test_there_is_a_limit_of_what_is_held_whole(person, monkeypatch):
    monkeypatch.setattr(ledger_rows, "MOST_ROWS", 4)
    for resource, model_type in ((LABELS, "Label"), (CATEGORIES, "Category")):
        rows = [document(model_type, n, name=f"n{n}") for n in range(10, 15)]
        before = person.snapshot()
        with pytest.raises(ChangeRefused, match=f"line 5: at most 4 {resource.name} are allowed"):
            person.native(*rows)
        assert person.snapshot() == before
        person.native(*rows[:4])
    text = "date,amount,labels\n2026-01-01,-5,another\n"
    with pytest.raises(ChangeRefused, match="at most 4 labels are allowed"):
        person.csv(text, account="Giro", currency="EUR")
