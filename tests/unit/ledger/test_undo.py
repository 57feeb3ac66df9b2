"""Undoing imports and edits: what prevents an undo, and how it affects other data."""

from itertools import permutations

import pytest

from finance_api.importers.interface import ChangeRefused, Entry, Statement, StatementAccount
from finance_api.ledger.balances import settle_balances
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.objects import remove_object, set_object
from finance_api.ledger.edits.rules import APPLY, add_rule, apply_rules
from finance_api.ledger.undo import undo
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.values.time import DAY_SECONDS
from support.ledger import account, an_id, document, record
from support.statements import Reader, statement


def edit_record(person, row, **values):
    """Edit a record manually."""
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="records edit") as session:
        after = {**row, **values}
        session.write(RECORDS, [(row, after)])
        session.close(new_revision=True)


def remove_record(person, row):
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="records remove") as session:
        session.write(RECORDS, [(row, None)])
        settle_balances(session)
        session.close(new_revision=True)


def refusal(person, number, **options):
    before = person.everything(), person.revision
    with pytest.raises(ChangeRefused) as refused:
        person.undo(number, **options)
    assert (person.everything(), person.revision) == before
    return str(refused.value)


def test_a_later_import_of_the_same_days_stands_in_the_way(person):
    person.statement(statement((5, -5), (9, -1), name="Giro"))
    person.statement(statement((9, -2), (12, -3)))
    person.statement(statement((13, -2)))
    text = refusal(person, 1)
    assert "entry 2 (import) covers the same days of Giro" in text
    assert "entry 3" not in text
    assert "--keep-changed" not in text
    assert refusal(person, 1, keep_changed=True) == text
    assert person.undo(1, with_later=True).entries == [2, 1]
    # The account stays, because the third import's records need it.
    assert [row["amount"] for row in person.rows(RECORDS)] == [-2]
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:1",)
    person.audit()
    person.undo(3)
    assert person.rows(RECORDS) == []


def test_what_a_hand_changed_is_listed_and_can_be_kept(person):
    person.statement(statement((5, -50_000), (9, -10_000)))
    first, second = sorted(person.rows(RECORDS), key=lambda row: row["recordDate"])
    edit_record(person, first, payee="Baker", setByHand=("payee",))
    with pytest.raises(ChangeRefused) as refused:
        person.undo(1)
    assert "entry 2 (records edit) changed the record 1970-01-06 Baker" in refused.value.reason
    assert refused.value.ways == ("with_later", "keep_changed")
    report = person.undo(1, keep_changed=True)
    assert (report.entries, report.kept, report.removed["records"]) == ([1], 1, 1)
    assert person.only(RECORDS)["payee"] == "Baker"
    assert person.only(ACCOUNTS)["recordCount"] == 1
    person.audit()
    # One record is found again; the other one is new.
    report = person.statement(statement((5, -50_000), (9, -10_000)))
    assert (report.created, report.unchanged + report.updated) == (1, 1)
    assert {row["id"] for row in person.rows(RECORDS)} == {first["id"], second["id"]}


def test_a_record_that_a_hand_removed_stands_in_the_way_too(person):
    person.native(account(), record(9), record(10))
    remove_record(person, person.row(RECORDS, 9))
    assert "changed the record 2026-01-31 - -1.5 EUR (no longer exists)" in refusal(person, 1)
    person.undo(1, with_later=True)
    assert person.rows(RECORDS) == []
    assert [e.undone_at is not None for e in person.history()] == [True, True]


def test_a_removed_record_that_came_again_stands_in_the_way(person):
    person.native(account(), record(9))
    remove_record(person, person.row(RECORDS, 9))
    person.native(record(9))
    assert "entry 3 (import) added the record 2026-01-31 - -1.5 EUR again" in refusal(person, 2)
    assert person.undo(2, with_later=True).entries == [3, 2]
    assert person.row(RECORDS, 9)["importId"] == 1
    person.audit()


def test_what_later_rows_refer_to_stays_and_is_named(person):
    person.native(account(), document("Category", 2, name="Food"), document("Label", 3, name="x"))
    person.native(record(9, categoryId=an_id(2)))
    report = person.undo(1)
    assert sorted(report.used) == ["Food", "account 1"]
    assert person.rows(LABELS) == []
    person.audit()
    # They now belong to the second import, and are removed with it.
    person.undo(2)
    assert person.rows(CATEGORIES) == person.rows(ACCOUNTS) == []


def test_what_an_edit_has_come_to_need_goes_with_the_edit(person):
    person.native(account(), record(9))
    person.native(document("Category", 2, name="Food"), document("Label", 3, name="x"))
    person.native(document("Budget", 4, categoryIds=[an_id(2)]))
    edit_record(person, person.row(RECORDS, 9), labelIds=(an_id(3),), setByHand=("labelIds",))
    assert sorted(person.undo(2).used) == ["Food", "x"]
    before = person.everything()
    person.native(record(10, categoryId=an_id(2)))
    person.undo()
    assert person.everything() == before
    person.undo(3)
    assert person.rows(CATEGORIES) == []
    assert len(person.rows(LABELS)) == 1
    person.undo(4)
    assert person.rows(LABELS) == []
    person.audit()


def test_what_comes_back_with_an_edit_keeps_what_it_needs_as_its_own(person):
    person.native(account())
    person.native(record(9))
    remove_record(person, person.row(RECORDS, 9))
    assert person.undo(1).used == ["account 1"]
    person.undo(3)
    assert person.row(RECORDS, 9)["accountName"] == "account 1"
    person.undo(2)
    assert person.rows(ACCOUNTS) == []


def numbered(number, day, key="1"):
    """Make a statement of one record that states the account's number."""
    told = Statement(StatementAccount(key, "Giro", currency="EUR", number=number))
    entry = Entry(1, day * DAY_SECONDS, -5, bank_id=str(day))
    return Reader("made", (told, [entry]))


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("order", list(permutations([1, 2, 3])), ids=str)
def test_the_number_of_an_account_is_what_statements_that_stay_say(new_person, made, order):
    """Undoes in any order. None: a statement without a number."""
    for numbers in ((None, "100", "200"), ("100", None, "200"), ("100", "200", None)):
        person = new_person()
        if not made:
            person.native(account(1, name="Giro"))
        first = len(person.history()) + 1
        for day, number in enumerate(numbers):
            name = None if made else "Giro"
            person.statement(numbered(number, day), account_name=name)
        left = list(numbers)
        for place in order:
            person.undo(first + place - 1)
            left[place - 1] = None
            expected = next((number for number in left if number), None)
            for row in person.rows(ACCOUNTS):
                assert row["bankAccountNumber"] == expected, (numbers, order, place)
        assert len(person.rows(ACCOUNTS)) == (not made)


def test_a_number_that_a_hand_set_since_stays(person):
    person.native(account(1, name="Giro"))
    person.statement(numbered("100", 1), account_name="Giro")
    with changing(person.backend, person.user.email, person.clock.now(), action="edit") as session:
        set_object(session, ACCOUNTS, "Giro", {"bankAccountNumber": "X"})
    person.undo(2, keep_changed=True)
    assert person.only(ACCOUNTS)["bankAccountNumber"] == "X"


def test_what_a_rule_changed_is_no_hand_s(person):
    person.native(account(), record(9, payee="Shop"), record(10))
    person.native(document("Category", 2, name="Food"))
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="rules add") as session:
        add_rule(session, ["shop"], category="Food")
    with changing(person.backend, person.user.email, now, action=APPLY) as session:
        apply_rules(session)
    assert person.row(RECORDS, 9)["category"] == "Food"
    text = refusal(person, 1, keep_changed=True)
    assert "entry 4 (rules apply) changed the record" in text
    assert "--keep-changed" not in text
    edit_record(person, person.row(RECORDS, 10), payee="Mine", setByHand=("payee",))
    report = person.undo(1, with_later=True, keep_changed=True)
    assert (report.entries, report.kept) == ([4, 1], 1)
    assert person.only(RECORDS)["payee"] == "Mine"
    person.audit()


def test_what_an_edit_removed_stays_away_when_the_import_that_made_it_went_first(person):
    person.native(account(), document("Label", 2, name="x"), record(9, labelIds=[an_id(2)]))
    remove_record(person, person.row(RECORDS, 9))
    assert person.undo(1, keep_changed=True).used == []
    person.undo(2)
    assert not any(person.everything().values())


def test_what_a_later_undo_brings_back_still_has_its_account(person):
    person.native(account(), document("Label", 2, name="x"))
    person.native(record(9, labelIds=[an_id(2)]))
    remove_record(person, person.row(RECORDS, 9))
    assert sorted(person.undo(1).used) == ["account 1", "x"]
    person.undo(3)
    assert person.row(RECORDS, 9)["labels"] == ("x",)
    person.audit()
    person.undo(2)
    assert not any(person.everything().values())


def test_a_kept_record_goes_with_the_edit_that_kept_it(person):
    person.statement(statement((5, -50_000), (9, -10_000)))
    edit_record(person, person.rows(RECORDS)[0], payee="Baker", setByHand=("payee",))
    person.undo(1, keep_changed=True)
    # Other files have the record, too, so they prevent an undo.
    person.statement(statement((5, -50_000), (9, -10_000)))
    person.statement(statement((5, -50_000), (9, -10_000), (12, -20_000)))
    assert "entry 4 (import) covers the same days" in refusal(person, 2)
    assert person.undo(2, with_later=True).entries == [4, 3, 2]
    assert not any(person.everything().values())


def test_a_category_and_its_parts_go_together(person):
    parts = [document("Category", n, name="c", parentId=an_id(n - 1)) for n in (3, 4)]
    person.native(document("Category", 2, name="c"), *parts)
    person.undo()
    assert person.rows(CATEGORIES) == []


def test_something_that_was_taken_away_since_is_needed(person):
    person.native(account(), document("Category", 2, name="Food"), record(9, categoryId=an_id(2)))
    remove_record(person, person.row(RECORDS, 9))
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="remove") as session:
        session.categories.remove(an_id(2))
        session.close()
    assert "entry 3 (remove) removed the Category Food" in refusal(person, 2, keep_changed=True)
    person.undo(2, with_later=True)
    assert person.row(RECORDS, 9)["category"] == "Food"
    person.audit()


def test_no_category_comes_back_below_itself_or_too_deep(person):
    chain = [document("Category", n, name=f"c{n}", parentId=an_id(n - 1)) for n in range(2, 21)]
    person.native(document("Category", 1, name="c1"), *chain)
    person.native(document("Category", 20, name="c20"))
    person.native(document("Category", 1, name="c1", parentId=an_id(20)))
    assert "would make the category a part of itself" in refusal(person, 2)
    person.native(document("Category", 1, name="c1", parentId=None))
    person.native(document("Category", 30, name="c30", parentId=an_id(20)))
    assert "the category c30 would be on level 21" in refusal(person, 2)


def test_names_of_now_stand_on_what_comes_back(person):
    person.native(account(), document("Category", 2, name="Food"), record(9, categoryId=an_id(2)))
    person.native(record(9, payee="x"))
    person.native(document("Category", 2, name="Meals"))
    person.undo(2)
    assert person.row(RECORDS, 9)["category"] == "Meals"
    person.undo(3)
    assert person.row(RECORDS, 9)["category"] == "Food"
    person.audit()


def test_source_ids_that_rows_exchanged_come_back(person, monkeypatch):
    monkeypatch.setattr("finance_api.ledger.rows.BATCH", 1)
    labels = [document("Label", n, sourceId=f"s{n}") for n in (1, 2)]
    person.native(account(), *labels, *(record(n, sourceId=f"s{n}") for n in (9, 10)))
    before = person.everything()
    for kind, first, second in (("Label", 1, 2), ("Record", 9, 10)):
        make = record if kind == "Record" else lambda n, **v: document("Label", n, **v)
        person.native(make(first, sourceId="free"))
        person.native(make(second, sourceId=f"s{first}"), make(first, sourceId=f"s{second}"))
    for _ in range(4):
        person.undo()
    assert person.everything() == before


def edit_account(person, **values):
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="accounts set") as session:
        set_object(session, ACCOUNTS, an_id(1), values)


def test_an_initial_balance_that_was_set_goes_with_its_edit_if_the_account_stays(person):
    """The undo of the first import leaves the account to the edit, then to the statement."""
    person.native(account())
    edit_account(person, initialBalance="500")
    person.statement(statement((5, -50_000), closing=(9, 100_000)), account_name="account 1")
    person.undo(1, keep_changed=True)
    assert person.balance() == "495"
    assert person.undo(2).used == ["account 1"]
    assert person.only(ACCOUNTS)["setByHand"] == ()
    assert person.balance() == "10"
    person.undo(3)
    assert person.rows(ACCOUNTS) == []


def test_an_initial_balance_that_was_set_goes_with_its_edit_whatever_else_was_set(person):
    person.native(account())
    edit_account(person, initialBalance="500")
    edit_account(person, name="Mine")
    person.statement(statement((5, -50_000), closing=(9, 100_000)), account_name="Mine")
    person.undo(2, keep_changed=True)
    assert person.only(ACCOUNTS)["setByHand"] == ("name",)
    assert person.balance() == "10"


def test_an_initial_balance_that_was_set_again_stays_set(person):
    person.native(account())
    edit_account(person, initialBalance="500")
    edit_account(person, initialBalance="600")
    person.undo(2, keep_changed=True)
    assert person.only(ACCOUNTS)["setByHand"] == ("initialBalance",)
    assert person.balance() == "600"
    person.undo(3)
    assert person.only(ACCOUNTS)["setByHand"] == ()
    assert person.balance() == "0"


def test_a_later_statement_does_not_hold_the_account_fast(person):
    person.statement(statement((5, -5), key="a", name="Giro"))
    person.native(account(1, id=person.only(ACCOUNTS)["id"], name="Bank"))
    person.statement(statement((9, -5), key="b"), account_name="Bank")
    person.undo(2)
    assert person.only(ACCOUNTS)["name"] == "Giro"
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:a", "made:b")
    person.undo(1)
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:b",)
    person.audit()


def test_an_account_that_comes_back_has_the_keys_of_statements_that_stay(person):
    person.native(account(1, name="Giro"))
    before = person.everything()
    for number in (1, 2):
        person.statement(statement((number, -5), key=str(number)), account_name="Giro")
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="accounts remove") as session:
        remove_object(session, ACCOUNTS, "Giro", with_records=True)
    person.undo(2, keep_changed=True)
    person.undo(4)
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:2",)
    person.undo(3)
    assert person.everything() == before


def test_files_that_went_to_a_wrong_account_leave_it_in_any_order(new_person):
    for order in ((3, 4), (4, 3)):
        person = new_person()
        person.native(account(1, name="Savings"))
        person.native(account(2, name="Checking"))
        person.statement(statement((5, -5)), account_name="Savings")
        person.statement(statement((9, -1)), account_name="Savings")
        for number in order:
            person.undo(number)
        assert [row["statementKeys"] for row in person.rows(ACCOUNTS)] == [(), ()]
        person.statement(statement((5, -5)), account_name="Checking")
        assert person.balance(2) == "-0.0005"
        person.audit()


def test_an_account_of_later_statements_stays_for_them_and_goes_with_them(person):
    person.native(account(1, name="Giro"))
    # A statement without records, with only a balance.
    person.statement(statement(closing=(31, 1234)), account_name="Giro")
    person.statement(statement((40, -1)))
    assert person.undo(1).used == ["Giro"]
    assert person.only(ACCOUNTS)["bankBalance"] == 1234
    person.undo(2)
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:1",)
    person.undo(3)
    assert person.rows(ACCOUNTS) == []


def test_an_account_that_came_again_is_not_of_the_statements_before(person):
    person.native(account(1, name="Giro"))
    person.statement(statement((5, -5)), account_name="Giro")
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit") as session:
        remove_object(session, ACCOUNTS, "Giro", with_records=True)
    before = person.everything()
    person.native(account(1, name="Giro"))
    person.undo()
    assert person.everything() == before


def test_a_change_that_nobody_is_shown_can_be_undone_too(person):
    person.native(account(1, name="1"))
    before = person.everything()
    person.statement(statement(), account_name="1")
    assert person.revision == 1
    assert person.only(ACCOUNTS)["statementKeys"] == ("made:1",)
    person.undo()
    assert person.everything() == before


def test_rows_that_go_are_deletions_of_the_new_revision(person):
    person.native(account(), record(9))
    person.undo()
    assert person.deleted() == {(ACCOUNTS, an_id(1), 2), (RECORDS, an_id(9), 2)}


def test_images_are_pruned_after_their_days(person):
    person.native(account(), record(9))
    remove_record(person, person.row(RECORDS, 9))
    person.clock.set("2030-01-01T00:00:00Z")
    person.native(record(10))
    assert [entry.pruned for entry in person.history()] == [True, True, False]
    assert "finance_api.imports.keep_days is 400" in refusal(person, 2)
    # An undo of earlier entries would need facts about later data, which are no longer stored.
    assert "too old to be undone" in refusal(person, 1)
    with changing(
        person.backend, person.user.email, person.clock.now() + 86_400 * 3, action=None, keep_days=1
    ) as session:
        undo(session, 3)
    assert {entry.pruned for entry in person.history()} == {True}
