"""How native rows are matched with stored ones, and conflicts between two matches."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import LABELS, RECORDS
from support.ledger import account, an_id, document, record


def sourced(number, source_id, **values):
    return record(number, source="bank", sourceId=source_id, **values)


def without_id(row):
    return {k: v for k, v in row.items() if k != "id"}


def test_row_is_found_by_its_source_even_if_its_id_was_chosen_elsewhere(person):
    person.native(account(), sourced(9, "a"))
    report = person.native(without_id(sourced(9, "a", amount=5)))
    assert (report.created, report.updated) == (0, 1)
    assert person.only(RECORDS)["id"] == an_id(9)
    assert person.balance() == "5"


def test_same_source_id_of_another_source_is_another_row(person):
    rows = [without_id(record(9, source=s, sourceId="1")) for s in ("bank", "other")]
    person.native(account(), *rows, without_id(record(9, sourceId="1")))
    assert len(person.rows(RECORDS)) == 3


def test_source_id_of_another_row_refuses_the_file_with_its_line(person):
    person.native(account(), sourced(9, "a"), document("Label", 1, source="s", sourceId="1"))
    before = person.snapshot()
    for row in (sourced(10, "a"), document("Label", 2, source="s", sourceId="1")):
        with pytest.raises(ImportRefused) as refused:
            person.native(account(5), row)
        assert refused.value.line == 2
        assert "sourceId" in refused.value.reason
        assert person.snapshot() == before


def test_two_rows_of_a_file_with_one_source_id_are_refused_with_the_second_line(person):
    for rows in (
        (sourced(9, "a"), sourced(10, "a")),
        tuple(document("Label", n, source="s", sourceId="1") for n in (9, 10)),
    ):
        with pytest.raises(ImportRefused) as refused:
            person.native(account(), *rows)
        assert refused.value.line == 3
    assert person.revision == 0


def test_source_then_id_of_one_record_in_one_file_count_once(person):
    person.native(account(), sourced(9, "a", amount=10))
    person.native(without_id(sourced(9, "a", amount=30)), record(9, amount=20))
    person.audit()
    assert person.balance() == "20"


def test_answer_does_not_depend_on_where_a_batch_ends(new_person):
    """The same two lines, next to each other and with many between them."""
    found = []
    for between in (0, 1_500):
        person = new_person()
        person.native(account(), sourced(9, "a", amount=10))
        filler = [record(n, amount=0) for n in range(1000, 1000 + between)]
        person.native(record(9, amount=20), *filler, without_id(sourced(9, "a", amount=30)))
        amounts = sorted(r["amount"] for r in person.rows(RECORDS) if r["amount"])
        found.append((amounts, person.balance()))
    assert found[0] == found[1]


def test_source_can_move_to_another_row_in_one_file(person):
    """Each row of the file is a whole object; together they do not contradict each other."""
    labels = [document("Label", n, source="s", sourceId=str(n)) for n in (1, 2)]
    person.native(account(), sourced(9, "a"), sourced(10, "b"), *labels)
    person.native(record(9), sourced(10, "a"))
    person.native(document("Label", 1), document("Label", 2, source="s", sourceId="1"))
    assert person.row(RECORDS, 10)["sourceId"] == "a"
    assert person.row(LABELS, 2)["sourceId"] == "1"


def test_longest_source_ids_are_found_again(person):
    text = "".join(chr(0x20000 + (n * 7919) % 40_000) for n in range(500))
    row = without_id(record(9, source=text[:100], sourceId=text[::-1]))
    person.native(account(), row)
    assert person.native(row).unchanged == 1


def test_source_ids_that_grow_when_they_are_normalised_come_in_again(person, new_person):
    """U+1D160 is three characters in NFC."""
    with pytest.raises(ImportRefused, match="sourceId has 1200 characters"):
        person.native(account(), record(9, sourceId="\U0001d160" * 400))
    person.native(account(), record(9, sourceId="\U0001d160" * 160, note="\U0001d160" * 40_000))
    other = new_person()
    other.file(person.dump())
    assert other.dump() == person.dump()
