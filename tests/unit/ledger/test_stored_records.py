"""An import matches the records it has just stored, however few of them are in memory."""

from finance_api.resources import RECORDS
from support.ledger import account, an_id, record

MANY = 2_500


def lines(**values):
    return [
        record(n, amount=n, source="bank", sourceId=f"s{n}", **values) for n in range(10, 10 + MANY)
    ]


def without_id(row):
    return {k: v for k, v in row.items() if k != "id"}


def test_second_mention_of_each_record_replaces_the_first(person):
    report = person.native(account(), *lines(), *lines(), *lines(note="again"))
    assert (report.created, report.updated, report.unchanged) == (MANY + 1, MANY, MANY)
    assert {row["note"] for row in person.rows(RECORDS)} == {"again"}
    person.audit()


def test_second_mention_by_source_alone_meets_the_first(person):
    second = [without_id(row) for row in lines(note="again")]
    report = person.native(account(), *lines(), *second)
    assert (report.created, report.updated) == (MANY + 1, MANY)
    assert person.row(RECORDS, 10)["note"] == "again"
    person.audit()


def test_source_that_a_record_got_later_is_known(person):
    bare = [record(n) for n in range(10, 10 + MANY)]
    by_source = [without_id(row) for row in lines(note="third")]
    person.native(account(), *bare, *lines(note="second"), *by_source)
    assert len(person.rows(RECORDS)) == MANY
    assert person.row(RECORDS, 10)["note"] == "third"
    person.audit()


def test_records_of_an_earlier_import_are_known(person):
    person.native(account(), record(5))
    person.native(*lines())
    report = person.native(record(5, note="new"), *[without_id(row) for row in lines()])
    assert (report.created, report.updated, report.unchanged) == (0, 1, MANY)
    assert person.row(RECORDS, 5)["id"] == an_id(5)
