"""Following a book: the file is the truth for everything of its source."""

from decimal import Decimal
from typing import Any

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.dump import count_dumped
from finance_api.ledger.edits.objects import add_object, remove_object, set_object
from finance_api.ledger.edits.records import (
    add_assigned,
    change_records,
    remove_records,
    set_assigned,
)
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.ledger.edits.transfers import link_records
from finance_api.ledger.orders import ImportReport
from finance_api.questions.saved import add_question
from finance_api.resources import ACCOUNTS, CATEGORIES, GOALS, LABELS, RECORDS, SPLITS
from finance_api.resources.field import Resource
from finance_api.values.ids import derived_id
from support.books import BOOKS, import_book
from support.edits import edited
from support.ledger import Person
from support.service import native_line

BOOK = "ledger:home"


def uid(name: str) -> str:
    return derived_id("8f0c4a5e-6f0b-5d0e-9b0a-3b1f5c7d2e10", BOOK, name)


def row(model_type: str, source_id: str, /, **values: Any) -> dict[str, Any]:
    return {
        "reserved_model_type": model_type,
        "id": uid(source_id),
        "source": BOOK,
        "sourceId": source_id,
        **values,
    }


def giro(**values: Any) -> dict[str, Any]:
    return row("Account", "giro", **{"name": "Giro", "currencyCode": "EUR", **values})


def category(name: str, **values: Any) -> dict[str, Any]:
    return row("Category", name, **{"name": name.title(), "kind": "expense", **values})


def payment(name: str, amount: str = "-5", **values: Any) -> dict[str, Any]:
    given = {"accountId": uid("giro"), "recordDate": "2026-01-15", "payee": name, **values}
    return row("Record", name, amount=Decimal(amount), **given)


def follow(person: Person, *rows: dict[str, Any], **options: Any) -> ImportReport:
    return person.file("".join(map(native_line, rows)), follow=True, **options)


def names(person: Person, resource: Resource = RECORDS) -> list[str]:
    return sorted(str(each["sourceId"]) for each in person.rows(resource))


def changed(person: Person, since: int) -> set[str]:
    return {each.row_id for each in person.changes(since)}


CAR = {"name": "Car", "targetAmount": Decimal(900), "currencyCode": "EUR"}
START = (giro(), category("food"), payment("a"), payment("b"), payment("c"))


def test_what_changed_in_the_book_changes_here_and_nothing_else(person):
    follow(person, *START)
    before = person.revision
    follow(person, giro(), category("food"), payment("a"), payment("b", "-7"), payment("d"))
    assert names(person) == ["a", "b", "d"]
    assert person.row(RECORDS, uid("b"))["amount"] == -70_000
    assert changed(person, before) == {uid("giro"), uid("b"), uid("c"), uid("d")}
    assert person.revision == before + 1
    assert (RECORDS, uid("c"), before + 1) in person.deleted()
    person.audit()


def test_a_second_time_changes_nothing_on_whatever_day(person):
    follow(person, *START)
    before, entries = person.snapshot(), len(person.history())
    person.clock.advance(400 * 86_400)
    report = follow(person, *START)
    assert person.snapshot() == before
    assert len(person.history()) == entries
    assert (report.counts["unchanged"], report.changed) == (5, False)


def test_objects_of_other_sources_and_ones_own_stay(person):
    other = {**giro(), "id": uid("other"), "source": "csv", "sourceId": "x", "name": "Other"}
    person.native(other)
    follow(person, *START)
    edited(person, add_assigned, {"account": "Giro", "amount": "-1", "recordDate": "2026-01-01"})
    follow(person, giro())
    assert [each["sourceId"] for each in person.rows(RECORDS)] == [None]
    assert len(person.rows(ACCOUNTS)) == 2
    person.audit()


# -- what was changed here


def remarks(report: ImportReport) -> str:
    return "; ".join(map(str, report.remarks))


def test_what_was_changed_here_alone_stays(person):
    follow(person, *START)
    edited(person, change_records, [uid("a")], {"note": "mine"})
    edited(person, set_object, CATEGORIES, "Food", {"name": "Eating"})
    edited(person, remove_records, [uid("b")])
    before = person.snapshot()
    report = follow(person, *START)
    assert person.snapshot() == before
    assert not remarks(report)
    follow(person, *START, payment("d"))
    assert person.row(RECORDS, uid("a"))["note"] == "mine"
    assert person.row(CATEGORIES, uid("food"))["name"] == "Eating"
    assert names(person) == ["a", "c", "d"]
    person.audit()


def test_what_changed_in_both_stays_as_it_is_here_and_is_named_once(person):
    follow(person, *START)
    edited(person, change_records, [uid("a")], {"note": "mine"})
    edited(person, remove_records, [uid("b")])
    new = (giro(), category("food"), payment("a", "-6"), payment("b", "-6"), payment("c", "-6"))
    before = person.revision
    report = follow(person, *new)
    assert remarks(report) == (
        "objects changed both here and in the book, which stay as they are here: 2 "
        "('2026-01-15 a -5 EUR', '2026-01-15 b -5 EUR')"
    )
    assert changed(person, before) == {uid("giro"), uid("c")}
    assert person.row(RECORDS, uid("a"))["amount"] == -50_000
    before = person.snapshot()
    assert not remarks(follow(person, *new))
    assert person.snapshot() == before
    person.audit()


def test_a_transfer_of_which_one_half_was_changed_here_stays_whole(person):
    there = {"accountId": uid("cash"), **PAIR}
    follow(person, giro(), CASH, payment("out", "-5", **PAIR), payment("in", "5", **there))
    edited(person, change_records, [uid("out")], {"note": "mine"})
    follow(person, giro(), CASH, payment("out", "-6", **PAIR), payment("in", "6", **there))
    assert {each["amount"] for each in person.rows(RECORDS)} == {-50_000, 50_000}


CASH = row("Account", "cash", name="Cash", currencyCode="EUR")
PAIR = {"transferId": uid("t")}


def test_a_transfer_with_another_second_half_stays_a_transfer(person):
    there = {"accountId": uid("cash"), **PAIR}
    follow(person, giro(), CASH, payment("out", "-5", **PAIR), payment("in", "5", **there))
    follow(person, giro(), CASH, payment("out", "-5", **PAIR), payment("again", "5", **there))
    assert names(person) == ["again", "out"]
    assert {each["transferId"] for each in person.rows(RECORDS)} == {uid("t")}
    follow(person, giro(), CASH, payment("out", "-5", **PAIR))
    assert person.only(RECORDS)["transferId"] is None


def test_a_transfer_with_an_account_that_was_deleted_here_is_a_payment(person):
    follow(person, giro(), CASH)
    edited(person, remove_object, ACCOUNTS, "Cash")
    there = {"accountId": uid("cash"), **PAIR}
    new = giro(), CASH, payment("out", "-5", **PAIR), payment("in", "5", **there)
    follow(person, *new)
    assert person.only(RECORDS)["sourceId"] == "out"
    assert person.only(RECORDS)["transferId"] is None
    before, entries = person.snapshot(), len(person.history())
    follow(person, *new)
    assert (person.snapshot(), len(person.history())) == (before, entries)


def test_half_of_a_transfer_whose_other_half_is_linked_here_is_a_payment(person):
    follow(person, giro(), CASH, payment("out"))
    own = {**giro(), "id": uid("own"), "source": None, "sourceId": None, "name": "Own"}
    other = {**payment("other", "5", accountId=uid("own")), "source": None, "sourceId": None}
    person.native(own, other)
    edited(person, link_records, uid("out"), uid("other"))
    there = {"accountId": uid("cash"), **PAIR}
    new = giro(), CASH, payment("out", "-5", **PAIR), payment("in", "5", **there)
    follow(person, *new)
    assert person.row(RECORDS, uid("in"))["transferId"] is None
    assert person.row(RECORDS, uid("out"))["transferId"] not in (None, uid("t"))
    before, entries = person.snapshot(), len(person.history())
    follow(person, *new)
    assert (person.snapshot(), len(person.history())) == (before, entries)


def test_a_banks_balance_counts_although_the_book_renames_the_account(person):
    opened = giro(initialBalance=5)
    follow(person, opened, payment("a"))
    person.csv("Date,Amount,Balance\n2026-02-01,-1.00,89.00\n", account="Giro", currency="EUR")
    renamed = {**opened, "name": "Main"}
    follow(person, renamed, payment("a"))
    assert person.row(ACCOUNTS, uid("giro"))["balance"] == 890_000
    follow(person, {**renamed, "initialBalance": 7}, payment("a"))
    assert person.row(ACCOUNTS, uid("giro"))["balance"] == 10_000


def test_a_category_deleted_here_stays_deleted_until_something_new_uses_it(person):
    follow(person, *START)
    edited(person, remove_object, CATEGORIES, "Food")
    follow(person, *START, payment("d"))
    assert not person.rows(CATEGORIES)
    follow(person, *START, payment("d"), payment("e", categoryId=uid("food")))
    assert names(person, CATEGORIES) == ["food"]


def test_a_category_deleted_after_an_import_without_following_stays_deleted(person):
    book = (BOOKS / "actual-household.zip").read_bytes()
    import_book(person, book)
    edited(person, remove_object, CATEGORIES, "Starting Balances")
    import_book(person, book, follow=True)
    assert "Starting Balances" not in {row["name"] for row in person.rows(CATEGORIES)}


@pytest.mark.parametrize("restores", [1, 2])
@pytest.mark.parametrize("is_followed_between", [False, True])
def test_what_was_deleted_here_stays_deleted_after_a_restore(
    person, new_person, restores, is_followed_between
):
    book = (*START, row("Label", "home", name="Home"), row("Goal", "car", **CAR))
    follow(person, *book)
    for resource, name in ((CATEGORIES, "Food"), (LABELS, "Home"), (GOALS, "Car")):
        edited(person, remove_object, resource, name)
    before = person
    for _ in range(restores):
        if is_followed_between:
            follow(before, *book)
        restored = new_person()
        restored.file(before.dump())
        assert restored.dump() == before.dump()
        assert restored.look(lambda s, user=restored.user: count_dumped(s, user.id)) == len(
            before.dump().splitlines()
        )
        before = restored
    snapshot = restored.snapshot()[1]
    follow(restored, *book)
    assert restored.snapshot()[1] == snapshot
    follow(restored, *book, payment("d", categoryId=uid("food")))
    assert (names(restored, CATEGORIES), names(restored, GOALS)) == (["food"], [])
    restored.audit()


def test_an_account_of_a_book_without_ids_stays_deleted_after_a_restore(person, new_person):
    book = (BOOKS / "actual-household.zip").read_bytes()
    import_book(person, book, follow=True)
    gone = person.rows(ACCOUNTS)[0]["name"]
    edited(person, remove_object, ACCOUNTS, gone, with_records=True)
    edited(person, remove_object, CATEGORIES, "Starting Balances")
    restored = new_person()
    restored.file(person.dump())
    import_book(restored, book, follow=True)
    assert gone not in {row["name"] for row in restored.rows(ACCOUNTS)}
    assert "Starting Balances" not in {row["name"] for row in restored.rows(CATEGORIES)}
    restored.audit()


def test_a_dump_that_is_imported_twice_notes_nothing_twice(person, new_person):
    follow(person, *START)
    edited(person, remove_object, CATEGORIES, "Food")
    restored = new_person()
    for _ in range(2):
        restored.file(person.dump())
    assert len(restored.history()) == 1


def test_what_was_deleted_needs_its_source(person):
    line = {"reserved_model_type": "Category", "sourceId": "food", "bookState": "deleted"}
    person.native({**line, "source": BOOK})
    assert not person.rows(CATEGORIES)
    with pytest.raises(ImportRefused, match="Category needs sourceId"):
        person.native({**line, "source": BOOK, "sourceId": None, "id": uid("food")})


def test_an_account_deleted_here_with_its_records_stays_deleted(person):
    follow(person, *START)
    edited(person, remove_object, ACCOUNTS, "Giro", with_records=True)
    before = person.snapshot()
    follow(person, *START)
    follow(person, *START, payment("d"))
    assert person.snapshot()[1] == before[1]
    assert not person.rows(RECORDS)


def test_an_account_deleted_here_stays_deleted_after_the_time_for_undo(person):
    follow(person, *START)
    edited(person, remove_object, ACCOUNTS, "Giro", with_records=True)
    follow(person, *START)
    entries = len(person.history())
    follow(person, *START)
    assert len(person.history()) == entries
    person.clock.advance(500 * 86_400)
    edited(person, add_object, LABELS, {"name": "New"})
    assert person.history()[1].pruned
    follow(person, *START)
    assert not person.rows(RECORDS)


def test_a_category_deleted_here_stays_deleted_if_the_book_rests_longer_than_undo(person):
    follow(person, *START)
    edited(person, remove_object, CATEGORIES, "Food")
    person.clock.advance(500 * 86_400)
    edited(person, add_object, LABELS, {"name": "New"})
    assert person.history()[1].pruned
    follow(person, *START, payment("d"))
    assert not person.rows(CATEGORIES)


def test_a_category_that_came_back_after_its_deletion_here_comes_back_again(person):
    follow(person, *START)
    edited(person, remove_object, CATEGORIES, "Food")
    using = payment("e", categoryId=uid("food"))
    follow(person, *START, using)
    follow(person, giro(), payment("a"))
    assert not person.rows(CATEGORIES)
    follow(person, *START)
    assert names(person, CATEGORIES) == ["food"]


def test_an_import_that_would_replace_what_was_changed_here_asks_to_follow(person):
    plain = "".join(map(native_line, START))
    person.file(plain)
    follow(person, *START)
    edited(person, change_records, [uid("a")], {"note": "mine"})
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refusal:
        person.file(plain)
    (question,) = refusal.value.questions
    assert [choice.changes for choice in question.choices] == [{"follow": True}]
    assert person.snapshot() == before


# -- what the book has lost


def test_what_is_used_here_is_archived_and_named_once_when_the_book_loses_it(person):
    follow(
        person, *START, category("used"), category("asked"), category("parent"), category("gone")
    )
    edited(person, change_records, [uid("a")], {"categoryId": uid("used")})
    edited(person, add_object, CATEGORIES, {"name": "Mine", "parent": "Parent"})
    report = follow(person, *START)
    assert "archived because your own data uses them: 2 ('category Parent', 'category Used')" in (
        remarks(report)
    )
    kept = {each["name"]: each["archived"] for each in person.rows(CATEGORIES)}
    assert kept == {"Food": False, "Mine": False, "Parent": True, "Used": True}
    before = person.snapshot()
    assert not remarks(follow(person, *START))
    assert person.snapshot() == before
    follow(person, *START, category("used"))
    assert person.row(CATEGORIES, uid("used"))["archived"] is False
    person.audit()


def test_what_a_saved_question_asks_for_is_archived(person):
    follow(person, *START, row("Label", "holiday", name="Holiday"), category("gone"))
    address = "/v1/api/records?labels=eq.Holiday"
    person.change(lambda s: add_question(s, person.user, name="Q", address=address, now=1))
    follow(person, *START)
    assert names(person, LABELS) == ["holiday"]
    assert names(person, CATEGORIES) == ["food"]


def test_an_edited_record_goes_and_is_counted_when_the_book_loses_it(person):
    follow(person, *START)
    edited(person, change_records, [uid("a")], {"note": "mine"})
    report = follow(person, giro(), category("food"), payment("b"))
    assert "changed here, and are gone because the book has lost them: 1" in remarks(report)
    assert report.counts["removed"] == 2
    assert names(person) == ["b"]


def test_a_record_that_was_moved_here_goes_with_the_books_record(person):
    other = {**giro(), "id": uid("other"), "source": None, "sourceId": None, "name": "Other"}
    person.native(other)
    follow(person, *START)
    edited(person, set_assigned, uid("a"), {"account": "Other"})
    assert len(person.rows(RECORDS)) == 3
    follow(person, giro(), category("food"), payment("b"))
    assert names(person) == ["b"]
    assert not person.rows(SPLITS)
    person.audit()


def test_a_record_that_was_moved_and_split_here_goes_with_its_parts(person):
    other = {**giro(), "id": uid("other"), "source": None, "sourceId": None, "name": "Other"}
    person.native(other)
    follow(person, *START)
    edited(person, set_assigned, uid("a"), {"account": "Other"})
    (moved,) = [row for row in person.rows(RECORDS) if row["sourceId"] is None]
    edited(person, split_record, moved["id"], [Part(-20_000), Part(-30_000)])
    follow(person, giro(), category("food"), payment("b"))
    assert names(person) == ["b"]
    person.audit()


# -- splits


def split(name: str, *amounts: str, **values: Any) -> list[dict[str, Any]]:
    total = str(sum(map(Decimal, amounts)))
    parts = [
        payment(f"{name}/{place}", amount, splitId=uid(name), **values)
        for place, amount in enumerate(amounts)
    ]
    for part in parts:
        del part["source"], part["sourceId"]
    return [{**payment(name, total), "reserved_model_type": "SplitRecord"}, *parts]


def contents(person: Person) -> list[tuple[Any, ...]]:
    return sorted(
        (each["id"], each["amount"], each["splitId"] or "") for each in person.rows(RECORDS)
    )


@pytest.mark.parametrize(
    "after",
    [
        split("s", "-1", "-2"),
        split("s", "-1", "-5"),
        split("s", "-1", "-5", "-6"),
        split("s", "-6"),
        [payment("s", "-3")],
        [payment("s/0", "-1"), payment("s/1", "-2")],
        split("other", "-1", "-2"),
        [],
    ],
    ids=["same", "amount", "more", "fewer", "joined", "apart", "another", "gone"],
)
def test_a_split_follows_as_one_object(new_person, after):
    person, fresh = new_person(), new_person()
    follow(person, giro(), *split("s", "-1", "-2"), confirm_smaller=True)
    start = person.dump()
    follow(person, giro(), *after, confirm_smaller=True)
    follow(fresh, giro(), *after)
    assert contents(person) == contents(fresh)
    person.audit()
    follow(person, giro(), *split("s", "-1", "-2"), confirm_smaller=True)
    assert len(contents(person)) == 2
    person.audit()
    while any(entry.undone_at is None for entry in person.history()[1:]):
        person.undo()
    assert person.dump() == start


def test_a_split_of_which_a_part_was_changed_here_stays_as_it_is(person):
    follow(person, giro(), *split("s", "-1", "-2"))
    edited(person, change_records, [uid("s/0")], {"note": "mine"})
    before = person.rows(RECORDS)
    report = follow(person, giro(), *split("s", "-1", "-5"))
    assert person.rows(RECORDS) == before
    assert "stay as they are here: 1 (" in remarks(report)


def test_a_record_that_was_split_here_stays_split(person):
    follow(person, *START)
    edited(person, split_record, uid("a"), [Part(-20_000), Part(-30_000)])
    before = person.snapshot()
    follow(person, *START)
    assert person.snapshot() == before
    follow(person, giro(), category("food"), payment("b"), payment("c"))
    assert names(person) == ["b", "c"]
    assert not person.rows(SPLITS)


# -- what may be a mistake


def refused(person: Person, *rows: dict[str, Any]) -> ImportRefused:
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refusal:
        follow(person, *rows)
    assert person.snapshot() == before
    return refusal.value


def asked(person: Person, *rows: dict[str, Any]) -> list[str]:
    return [question.reason for question in refused(person, *rows).questions]


def many(count: int, **values: Any) -> list[dict[str, Any]]:
    return [payment(f"p{number}", **values) for number in range(count)]


def test_a_book_that_has_lost_more_than_a_third_and_20_records_asks(person):
    follow(person, giro(), *many(60))
    assert asked(person, giro(), *many(39)) == ["much_vanished"]
    follow(person, giro(), *many(40))
    follow(person, giro(), *many(10), confirm_smaller=True)
    assert len(person.rows(RECORDS)) == 10


def test_records_that_were_deleted_here_do_not_count_as_lost(person):
    follow(person, giro(), *many(60))
    edited(person, remove_records, [uid(f"p{number}") for number in range(30)])
    follow(person, giro(), *many(60)[30:])
    assert len(person.rows(RECORDS)) == 30
    assert not person.rows(SPLITS)


def test_a_book_that_has_lost_5_categories_of_less_than_15_asks(person):
    several = [category(f"c{number}") for number in range(12)]
    follow(person, giro(), *several)
    assert asked(person, giro(), *several[5:]) == ["much_vanished"]
    follow(person, giro(), *several[4:])


def test_a_book_in_which_everything_has_another_id_asks(person):
    follow(person, giro(), *many(30))
    renamed = [payment(f"x{number}") for number in range(30)]
    assert asked(person, giro(), *renamed) == ["much_vanished"]


def test_rows_without_ids_are_found_by_their_source(person):
    account, record = giro(), payment("a", accountId=uid("x"))
    person.native({**account, "id": uid("x")}, {**record, "id": uid("y")})
    before = person.snapshot()
    del account["id"], record["id"]
    follow(person, account, record)
    assert person.snapshot()[0] == before[0]
    follow(person, account)
    assert not person.rows(RECORDS)
    assert person.only(ACCOUNTS)["id"] == uid("x")


def test_an_older_copy_asks_and_a_mistyped_year_does_not_count(person):
    follow(person, giro(), payment("a", recordDate="2026-03-10"), payment("b"))
    far = payment("c", recordDate="2062-03-10")
    assert asked(person, giro(), payment("b"), far) == ["older_book"]
    follow(person, giro(), payment("a", recordDate="2026-02-10"), payment("b"), far)
    follow(person, giro(), payment("b"), far)
    assert names(person) == ["b", "c"]


def test_a_state_that_was_undone_is_not_followed_again(person):
    follow(person, *START)
    start = person.dump()
    new = (giro(), category("food"), payment("a", "-9"), payment("d"))
    follow(person, *new)
    person.undo()
    assert person.dump() == start
    assert "was undone (entry 2), and is not followed again" in str(refused(person, *new))
    follow(person, *new, payment("e"))
    assert names(person) == ["a", "d", "e"]


def test_after_an_undo_of_the_first_import_the_same_book_can_be_imported(person):
    follow(person, *START)
    person.undo()
    follow(person, *START)
    assert names(person) == ["a", "b", "c"]


def test_a_file_of_several_sources_or_none_is_not_followed(person):
    other = {**payment("z"), "source": "csv"}
    unnamed = {**payment("z"), "source": None, "sourceId": None}
    assert "the same source" in str(refused(person, giro(), other))
    assert "the same source" in str(refused(person, giro(), unnamed))


# -- whole books of other programs


@pytest.mark.parametrize(
    "name",
    [
        "actual-household.zip",
        "ynab-household.json",
        "gnucash-household.gnucash",
        "gnucash-mixed.gnucash",
        "gnucash-travel.gnucash",
    ],
)
def test_a_whole_book_is_followed_after_an_import_without(new_person, name):
    person, book = new_person(), (BOOKS / name).read_bytes()
    import_book(person, book)
    before = person.snapshot()
    edited(person, change_records, [person.rows(RECORDS)[0]["id"]], {"note": "mine"})
    report = import_book(person, book, follow=True)
    assert report.counts["created"] + report.counts["updated"] == 0
    assert person.rows(RECORDS)[0]["note"] == "mine"
    entries = person.snapshot(), len(person.history())
    import_book(person, book, follow=True)
    assert (person.snapshot(), len(person.history())) == entries
    person.undo()
    person.undo()
    assert person.snapshot()[1] == before[1]
