"""Records split into parts, and joined again."""

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.records import change_records, remove_records, void_duplicates
from finance_api.ledger.edits.splits import Part, join_parts, split_record
from finance_api.ledger.edits.transfers import link_records
from finance_api.resources import RECORDS, SPLITS
from finance_api.values.number import decimal_text
from support.edits import edited, kept
from support.ledger import Person, account, an_id, document, ofx_statement, record, units

BASE = [
    account(name="Checking", initialBalance=100),
    account(2, name="Other"),
    document("Category", 11, name="Groceries"),
    document("Category", 12, name="Household"),
    document("Label", 21, name="home"),
    document("Label", 22, name="week"),
]
RECEIPT = record(
    100,
    amount=-30,
    payee="Corner Shop",
    note="receipt",
    categoryId=an_id(11),
    labelIds=[an_id(21)],
    sourceId="receipt",
    originalAmount=-33,
    originalCurrencyCode="CHF",
    recordState="cleared",
)


@pytest.fixture
def books(person: Person) -> Person:
    person.native(*BASE, RECEIPT)
    return person


def part(amount, row=None, **values):
    return Part(units(str(amount)), row and row["id"], values)


def split(person, *parts, of=100):
    row_id = an_id(of) if isinstance(of, int) else of
    return edited(person, split_record, row_id, parts)


def parts(person):
    """The records with a splitId, in the order of their ids."""
    return [row for row in person.rows(RECORDS) if row["splitId"] is not None]


def amounts(person):
    return [decimal_text(row["amount"]) for row in parts(person)]


def refused(person, function, *arguments):
    before = kept(person)
    with pytest.raises(ChangeRefused) as caught:
        edited(person, function, *arguments)
    assert kept(person) == before
    return str(caught.value)


def test_parts_take_the_place_of_the_record(books):
    before = books.row(RECORDS, 100)
    report = split(
        books, part("-20"), part("-10.0001", categoryId=an_id(12), note=None), part("0.0001")
    )
    assert (report.created, report.removed) == (3, 1)
    assert amounts(books) == ["-20", "-10.0001", "0.0001"]
    first, second, _ = found = parts(books)
    assert [row["category"] for row in found] == ["Groceries", "Household", "Groceries"]
    assert [row["note"] for row in found] == ["receipt", None, "receipt"]
    assert (first["setByHand"], second["setByHand"]) == ((), ("categoryId", "note"))
    for row in found:
        for name in ("accountId", "recordDate", "payee", "labels", "importId", "recordState"):
            assert row[name] == before[name]
        for name in ("source", "sourceId", "originalAmount", "originalCurrencyCode"):
            assert row[name] is None
        assert row["splitId"] == before["id"]
    assert books.balance() == "70"
    (whole,) = books.rows(SPLITS)
    assert whole == {name: before[name] for name in whole}


def test_mirrors_learn_of_the_removal_and_of_the_parts(books):
    since = books.revision
    split(books, part(-20), part(-10))
    changes = {c.row_id: c.is_deletion for c in books.changes(since) if c.resource is RECORDS}
    assert changes == {an_id(100): True} | {row["id"]: False for row in parts(books)}
    edited(books, join_parts, an_id(100))
    changes = {c.row_id: c.is_deletion for c in books.changes(since) if c.resource is RECORDS}
    assert changes[an_id(100)] is False
    assert sum(changes.values()) == 2


def test_undo_restores_the_whole_byte_for_byte(books):
    before = books.everything(), books.dump()
    split(books, part(-20, categoryId=None), part(-10, labelIds=()))
    books.undo()
    assert (books.everything(), books.dump()) == before


def test_the_parts_of_a_split_change_together(books):
    split(books, part(-20), part(-10))
    one, other = parts(books)
    report = split(books, part(-12, one, note="milk"), part("-5.5"), part("-12.5"), of=one["id"])
    assert (report.created, report.updated, report.removed) == (2, 1, 1)
    assert sorted(amounts(books)) == ["-12", "-12.5", "-5.5"]
    assert books.row(RECORDS, one["id"])["note"] == "milk"
    assert other["id"] not in {row["id"] for row in parts(books)}
    before = books.everything()
    books.undo()
    assert parts(books) == [one, other]
    assert books.everything() != before


def test_joined_parts_are_the_record_again(books):
    before = books.row(RECORDS, 100)
    split(books, part(-20), part(-10, note="soap"))
    edited(books, join_parts, parts(books)[1]["id"])
    after = books.row(RECORDS, 100)
    by_hand = ("categoryId", "labelIds")
    assert after == {**before, "setByHand": by_hand, "categoryByRule": None}
    assert books.rows(SPLITS) == parts(books) == []


def test_a_joined_record_has_the_category_and_labels_of_all_parts(books):
    labels = (an_id(22), an_id(21))
    split(books, part(-20, categoryId=an_id(12)), part(-10, labelIds=labels))
    edited(books, join_parts, an_id(100))
    after = books.row(RECORDS, 100)
    assert (after["category"], after["labels"]) == (None, ("home",))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([part(-30)], "needs 2 to 500 parts; 1 were given"),
        ([part(-20), part(-9)], "-30 EUR add up to -29 EUR: the difference is -1 EUR"),
        ([part(-20), part("-10.0001")], "the difference is 0.0001 EUR"),
        ([part(-20), part(-10, {"id": an_id(7)})], None),
    ],
)
def test_parts_that_do_not_fit_are_refused(books, given, reason):
    import re

    if reason is None:
        split(books, part(-20), part(-10))
        reason = f"{an_id(7)} is not the id of a part of the split record"
    assert re.search(reason, refused(books, split_record, an_id(100), given))


def test_void_records_halves_of_transfers_and_unknown_records_are_not_split(books):
    books.native(
        record(1, recordState="void", payee="Gone"),
        record(2, amount=-5),
        record(3, amount=5, accountId=an_id(2)),
    )
    edited(books, link_records, an_id(2), an_id(3))
    halves = [part(-1), part("-0.5")]
    assert "is void and counts nowhere" in refused(books, split_record, an_id(1), halves)
    assert "half of a transfer" in refused(books, split_record, an_id(2), halves)
    assert "no record has the id" in refused(books, split_record, an_id(9), halves)
    assert "is not the id of a split record" in refused(books, join_parts, an_id(2))


def test_parts_keep_what_belongs_to_the_whole(books):
    books.native(record(3, amount=20, accountId=an_id(2)))
    split(books, part(-20), part(-10))
    one, other = (row["id"] for row in parts(books))
    assert "only some parts" in refused(books, void_duplicates, [one])
    assert "would add up to -10" in refused(books, remove_records, [one])
    assert "is a part of a split" in refused(books, link_records, one, an_id(3))
    assert "account and date" in refused(books, change_records, [one], {"recordDate": 0})
    edited(books, change_records, [one], {"categoryId": an_id(12), "note": "x", "payee": "y"})
    edited(books, void_duplicates, [one, other])
    assert books.only(SPLITS)["recordState"] == "void"
    assert books.balance() == "100"
    edited(books, change_records, [one, other], {"recordState": "reconciled"})
    assert books.only(SPLITS)["recordState"] == "reconciled"
    edited(books, remove_records, [one, other])
    # A file brought the whole, so it is kept without parts.
    assert [row["id"] for row in books.rows(RECORDS)] == [an_id(3)]
    assert [row["id"] for row in books.rows(SPLITS)] == [an_id(100)]


# -- imports


STATEMENT = [("20260105", "-30.00", "F1", "Corner Shop"), ("20260107", "5.00", "F2", "Refund")]


@pytest.fixture
def downloaded(person: Person) -> Person:
    person.ofx(ofx_statement(STATEMENT))
    (whole,) = (row for row in person.rows(RECORDS) if row["amount"] < 0)
    split(person, part(-20), part(-10), of=whole["id"])
    return person


def test_the_same_file_matches_the_whole(downloaded):
    before = downloaded.snapshot()
    report = downloaded.ofx(ofx_statement(STATEMENT))
    assert (report.created, report.updated, report.unchanged) == (0, 0, 2)
    overlapping = [*STATEMENT, ("20260109", "-1.00", "F3", "Kiosk")]
    assert before == downloaded.snapshot()
    assert downloaded.ofx(ofx_statement(overlapping)).created == 1


def test_another_format_matches_the_whole(downloaded):
    text = "Date,Payee,Amount\n2026-01-05,Corner Shop,-30.00\n2026-01-07,Refund,5.00\n"
    report = downloaded.csv(text, account="Checking 100", currency="EUR")
    assert report.created == 0
    assert downloaded.only(SPLITS)["furtherSources"]
    assert downloaded.csv(text, account="Checking 100", currency="EUR").created == 0
    assert amounts(downloaded) == ["-20", "-10"]


def test_a_corrected_date_and_payee_reach_the_parts(downloaded):
    edited(downloaded, change_records, [parts(downloaded)[0]["id"]], {"payee": "Mine"})
    corrected = [("20260106", "-30.00", "F1", "Corner Store"), STATEMENT[1]]
    downloaded.ofx(ofx_statement(corrected), ids="stable")
    assert [row["payee"] for row in parts(downloaded)] == ["Mine", "Corner Store"]
    assert {row["recordDate"] for row in parts(downloaded)} == {1767657600}
    downloaded.audit()


def test_a_corrected_amount_becomes_a_part_of_its_own(downloaded):
    before = downloaded.everything()
    for amount, expected in (
        ("-31.50", ["-1.5", "-10", "-20"]),
        ("-29", ["-10", "-20", "1"]),
        ("-31", ["-1", "-10", "-20"]),
    ):
        report = downloaded.ofx(
            ofx_statement([("20260105", amount, "F1", "Corner Shop"), STATEMENT[1]]), ids="stable"
        )
        assert "of its own" in report.remarks[0]
        assert sorted(amounts(downloaded)) == expected
        downloaded.audit()
    for _ in range(3):
        downloaded.undo()
    assert downloaded.everything() == before


def test_a_removed_split_does_not_come_back(downloaded):
    before = downloaded.everything()
    edited(downloaded, remove_records, [row["id"] for row in parts(downloaded)])
    assert downloaded.ofx(ofx_statement(STATEMENT)).created == 0
    assert units("-30") not in [row["amount"] for row in downloaded.rows(RECORDS)]
    downloaded.undo(3)
    assert downloaded.everything() == before


def test_undo_of_the_import_keeps_a_split_whole(downloaded):
    with pytest.raises(ChangeRefused, match=r"entry 2"):
        downloaded.undo(1)
    one = parts(downloaded)[0]
    edited(downloaded, change_records, [one["id"]], {"note": "later"})
    before = downloaded.everything()
    downloaded.undo(1, keep_changed=True)
    assert sorted(amounts(downloaded)) == ["-10", "-20"]
    downloaded.audit()
    downloaded.undo()
    downloaded.undo()
    assert downloaded.rows(RECORDS) == downloaded.rows(SPLITS) == []
    assert before["splits"]


# -- the native format


def test_a_dump_has_wholes_and_parts(books, new_person):
    split(books, part(-20), part(-10))
    dump, other = books.dump(), new_person()
    other.file(dump)
    assert other.dump() == dump
    other.audit()
    before = books.snapshot()
    books.file(dump)
    assert books.snapshot() == before


def test_a_dump_replaces_the_record_by_its_parts(books, new_person):
    other = new_person()
    other.native(*BASE, RECEIPT)
    split(books, part(-20), part(-10))
    other.file(books.dump())
    assert amounts(other) == ["-20", "-10"]
    other.audit()
    other.undo()
    assert other.balance() == "70"
    assert other.rows(SPLITS) == parts(other) == []


def test_a_dump_replaces_half_of_a_transfer_and_frees_the_other_half(books, new_person):
    other = new_person()
    other.native(*BASE, RECEIPT, record(101, accountId=an_id(2), amount=30))
    edited(other, link_records, an_id(100), an_id(101))
    split(books, part(-20), part(-10))
    other.file(books.dump())
    assert [row["transferId"] for row in other.rows(RECORDS)] == [None] * 3
    other.audit()
    other.undo()
    assert len({row["transferId"] for row in other.rows(RECORDS)} - {None}) == 1


def test_a_split_cannot_have_the_source_id_of_another_record(books, new_person):
    split(books, part(-20), part(-10))
    other = new_person()
    other.native(*BASE, {**RECEIPT, "id": an_id(5)})
    before = other.snapshot()
    with pytest.raises(ChangeRefused, match="belongs to"):
        other.file(books.dump())
    assert other.snapshot() == before


def test_a_native_record_matches_the_whole(books):
    split(books, part(-20), part(-10))
    assert books.native(RECEIPT).unchanged == 1
    books.native({**RECEIPT, "amount": -32})
    assert sorted(amounts(books)) == ["-10", "-2", "-20"]
    assert len(books.rows(RECORDS)) == 3
    books.audit()
    without_id = {name: value for name, value in RECEIPT.items() if name != "id"}
    books.native({**without_id, "amount": -30})
    assert sorted(amounts(books)) == ["-10", "-20"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (record(5, splitId=an_id(6)), "is not the id of any split record"),
        (record(5, splitId=an_id(100), sourceId="x"), "cannot have a sourceId"),
        (record(5, splitId=an_id(100), transferId=an_id(8)), "cannot have a transferId"),
        (record(5, splitId=an_id(100)), "would add up to -31.5"),
        ({**RECEIPT, "id": an_id(5)}, "belongs to the split record"),
        (document("SplitRecord", 7), "name"),
        ({**RECEIPT, "reserved_model_type": "SplitRecord"}, "is not a field of SplitRecord"),
    ],
)
def test_native_files_that_break_a_split_are_refused(books, row, reason):
    split(books, part(-20), part(-10))
    before = books.snapshot()
    with pytest.raises(ChangeRefused, match=reason):
        books.native(row)
    assert books.snapshot() == before
