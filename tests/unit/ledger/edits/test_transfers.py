"""Transfers between a user's accounts are found, linked and unlinked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits import transfer_pairs
from finance_api.ledger.edits.rules import apply_rules
from finance_api.ledger.edits.transfer_pairs import find_pairs
from finance_api.ledger.edits.transfers import (
    find_transfers,
    link_by_number,
    link_records,
    list_candidates,
    unlink_records,
)
from finance_api.ledger.session import UserRows
from finance_api.planning.tracking import tracked_budgets
from finance_api.resources import BUDGETS, RECORDS
from finance_api.values.time import parse_date
from support.edits import edited
from support.ledger import Person, account, an_id, document, record
from support.nightly import count

A, B, C, USD = (an_id(n) for n in (1, 2, 3, 4))
ACCOUNTS = [
    account(1, name="A", bankAccountNumber="DE02 1203 aa"),
    account(2, name="B", bankAccountNumber="DE99"),
    account(3, name="C"),
    account(4, name="USD", currencyCode="USD"),
]


def move(number, account_id, amount, day, other=None, **values):
    return record(
        number,
        accountId=account_id,
        amount=amount,
        recordDate=f"2026-01-{day:02d}",
        counterpartyAccount=other,
        **values,
    )


def found(person, *rows, **options):
    """Return the pairs as numbers of records, with whether an account number decided."""
    person.native(*ACCOUNTS, *rows)
    with changing(person.backend, person.user.email, 0, action="x", dry_run=True) as session:
        pairs = find_pairs(session, **options)
    return {(int(p.first_id[:8], 16), int(p.second_id[:8], 16), p.by_number) for p in pairs}


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ([move(10, A, -5, 1), move(11, B, 5, 4)], {(10, 11, False)}),
        ([move(10, A, 5, 1), move(11, B, -5, 4)], {(11, 10, False)}),
        ([move(10, A, -5, 1), move(11, B, 5, 5)], set()),
        ([move(10, A, -5, 1), move(11, A, 5, 1)], set()),
        ([move(10, A, -5, 1), move(11, B, 5.01, 1)], set()),
        ([move(10, A, -5, 1), move(11, USD, 5, 1)], set()),
        ([move(10, A, -5, 1), move(11, B, 5, 1, recordState="void")], set()),
        ([move(10, A, -5, 1), move(11, B, 5, 1, transferId=an_id(9))], set()),
        ([move(10, A, -5, 1), move(11, B, 5, 1, setByHand=["transferId"])], set()),
        ([move(10, A, 0, 1), move(11, B, 0, 1)], set()),
        # Several records could be the other half.
        ([move(10, A, -5, 1), move(11, B, 5, 1), move(12, C, 5, 2)], set()),
        ([move(10, A, -5, 1), move(11, B, 5, 1), move(12, B, 5, 3)], set()),
        ([move(10, A, -5, 1), move(11, C, -5, 2), move(12, B, 5, 3)], set()),
        # A record fits only one other, which fits two.
        ([move(10, A, -5, 1), move(11, B, 5, 4), move(12, A, -5, 7)], set()),
        # An account number decides.
        ([move(10, A, -5, 1, "de 99"), move(11, B, 5, 1), move(12, C, 5, 1)], {(10, 11, True)}),
        (
            [move(10, A, -5, 1), move(11, B, 5, 2, "DE021203AA"), move(12, C, -5, 2)],
            {(10, 11, True)},
        ),
        # The account number is somebody else's: a purchase, and income.
        ([move(10, A, -5, 1, "FR1"), move(11, B, 5, 1)], set()),
        ([move(10, A, -5, 1, "FR1"), move(11, C, 5, 1)], {(10, 11, False)}),
        ([move(10, A, -5, 1), move(11, B, 5, 1, "FR1")], set()),
        # Another bank may write only the end of an IBAN.
        ([move(10, A, -5, 1, "XX0DE99"), move(11, B, 5, 1)], {(10, 11, False)}),
        # The record names B, so it is paired with no other account.
        ([move(10, A, -5, 1, "DE99"), move(11, C, 5, 1)], set()),
        # The same amount every day: paired in order; if one is left over, none is paired.
        (
            [
                *(move(10 + day, A, -5, day, "DE99") for day in range(1, 4)),
                *(move(20 + day, B, 5, day + 1) for day in range(1, 4)),
            ],
            {(11, 21, True), (12, 22, True), (13, 23, True)},
        ),
        ([move(10, A, -5, 1, "DE99"), move(11, B, 5, 1), move(12, B, 5, 2)], set()),
        # A record that also names this account comes before one that names none.
        (
            [move(10, A, -5, 1, "DE99"), move(11, B, 5, 2, "de021203aa"), move(12, B, 5, 1)],
            {(10, 11, True)},
        ),
        # After the pairs by number, the remaining pair is unique.
        (
            [
                move(10, A, -5, 1, "DE99"),
                move(11, B, 5, 1, "DE021203AA"),
                move(12, A, -5, 1),
                move(13, C, 5, 1),
            ],
            {(10, 11, True), (12, 13, False)},
        ),
    ],
)
def test_pairs_are_unique_or_named(person, rows, pairs):
    assert found(person, *rows) == pairs
    assert found(person, by_number_only=True) == {pair for pair in pairs if pair[2]}


def test_what_is_listed_is_linked_and_left_out_then(person):
    assert found(person, move(10, A, -5, 1), move(11, B, 5, 2), move(12, A, -7, 1))
    before = person.snapshot()
    report = edited(person, find_transfers)
    assert [(p.out["id"], p.into["id"]) for p in report.proposals] == [(an_id(10), an_id(11))]
    assert person.snapshot() == before
    edited(person, find_transfers, link=True)
    one, other, third = person.rows(RECORDS)
    assert one["transferId"] == other["transferId"] is not None
    assert (one["setByHand"], third["transferId"]) == (("transferId",), None)
    assert edited(person, find_transfers, link=True).proposals == []
    assert len(person.history()) == 2


def test_any_two_are_linked_across_currencies_and_unlinked_for_good(person):
    found(person, move(10, A, -5, 1), move(11, USD, 6, 20), move(12, B, 5, 1))
    edited(person, link_records, an_id(10), an_id(11).upper())
    assert person.row(RECORDS, 10)["transferId"] == person.row(RECORDS, 11)["transferId"]
    edited(person, unlink_records, [an_id(11)])
    assert {row["transferId"] for row in person.rows(RECORDS)} == {None}
    assert edited(person, find_transfers).proposals == []
    edited(person, link_records, an_id(10), an_id(12))
    edited(person, unlink_records, [an_id(10), an_id(12)])


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((an_id(10), an_id(10)), "both ids are the same"),
        ((an_id(10), an_id(99)), f"no record has the id {an_id(99)}"),
        ((an_id(10), "x"), "no record has the id x"),
        ((an_id(10), an_id(11)), "both records belong to the account A"),
        ((an_id(10), an_id(12)), "money goes out in both records"),
        ((an_id(10), an_id(13)), "is void"),
        ((an_id(10), an_id(14)), "already belongs to a transfer"),
    ],
)
def test_what_is_no_transfer_is_refused(person, ids, said):
    found(
        person,
        move(10, A, -5, 1),
        move(11, A, 5, 1),
        move(12, B, -5, 1),
        move(13, B, 5, 1, recordState="void"),
        move(14, B, 5, 1, transferId=an_id(9)),
    )
    with pytest.raises(ChangeRefused, match=said):
        edited(person, link_records, *ids)
    with pytest.raises(ChangeRefused, match="does not belong to a transfer"):
        edited(person, unlink_records, [an_id(10)])


def test_import_links_by_number_within_its_own_change(person):
    found(person, move(10, A, -5, 1, "DE99"), move(12, A, -7, 1), move(13, C, 7, 1))

    def imported(session):
        stored = session.storage.data.get_rows(person.user.id, RECORDS, [an_id(10)])[an_id(10)]
        new = {**stored, "id": an_id(11), "accountId": B, "amount": 50_000, "sourceId": None}
        new |= {"importId": session.number, "accountName": "B", "counterpartyAccount": None}
        session.storage.data.put_rows(person.user.id, RECORDS, new=[new], changed=[])
        account_b = session.accounts.rows[B]
        told = {"balance": 50_000, "recordCount": 1, "lastRecordDate": new["recordDate"]}
        session.accounts.put({**account_b, **told})
        assert link_by_number(session) == 1
        session.close(new_revision=True)

    with changing(person.backend, person.user.email, 0, action="import") as session:
        imported(session)
    person.audit()
    rows = {row["id"]: row for row in person.rows(RECORDS)}
    assert rows[an_id(10)]["transferId"] == rows[an_id(11)]["transferId"] is not None
    assert rows[an_id(10)]["setByHand"] == rows[an_id(11)]["setByHand"] == ()
    assert rows[an_id(12)]["transferId"] is None
    number = person.history()[-1].number
    images = person.look(lambda s: s.ledger.scan_before(person.user.id, number, limit=9))
    assert {image.row_id for image in images if image.resource is RECORDS} == {an_id(10)}


def test_budgets_leave_transfers_out_at_once(person):
    person.native(document("Budget", 70, currencyCode="EUR", limitAmount=100))
    found(person, move(10, A, -5, 1), move(11, B, 5, 2), move(12, A, -7, 1))

    def spent():
        rows = person.rows(BUDGETS)
        today = parse_date("2026-01-10")
        (row,) = person.look(lambda s: tracked_budgets(s, person.user.id, today, rows))
        return row["spent"], row["recordCount"]

    assert spent() == (120_000, 2)
    edited(person, find_transfers, link=True)
    assert spent() == (70_000, 1)
    edited(person, unlink_records, [an_id(10)])
    assert spent() == (120_000, 2)
    edited(person, link_records, an_id(11), an_id(12))
    assert spent() == (50_000, 1)


def test_rules_are_for_transfers_too(person):
    person.native(document("Category", 60, name="Moved"))
    person.native(document("RecordRule", 61, keywords=["own"], categoryId=an_id(60)))
    found(person, move(10, A, -5, 1, payee="own"), move(11, B, 5, 2, payee="own"))
    edited(person, find_transfers, link=True)
    assert edited(person, apply_rules).updated == 2


def _naive(rows):
    """Return the pairs without account numbers, by comparing all records with each other."""
    fits = {
        (out["id"], into["id"])
        for out in rows
        for into in rows
        if out["amount"] < 0
        and into["amount"] == -out["amount"]
        and out["accountId"] != into["accountId"]
        and abs(out["day"] - into["day"]) <= 3
    }
    return {
        (a, b)
        for a, b in fits
        if sum(x == a for x, _ in fits) == 1 and sum(y == b for _, y in fits) == 1
    }


@settings(max_examples=count(25, 500))
@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, C]), st.sampled_from([-2, -1, 1, 2]), st.integers(1, 12)),
        max_size=14,
    )
)
def test_unique_pairs_are_those_of_a_look_at_each_two(backends, moves):
    person = Person(backends("memory"))
    rows = [
        {"id": an_id(10 + n), "accountId": a, "amount": amount, "day": day}
        for n, (a, amount, day) in enumerate(moves)
    ]
    pairs = found(
        person, *(move(10 + n, a, amount, day) for n, (a, amount, day) in enumerate(moves))
    )
    assert {(an_id(o), an_id(i)) for o, i, _ in pairs} == _naive(rows)


@pytest.mark.parametrize("other", [None, "DE99"], ids=["unnamed", "named"])
def test_alike_records_are_not_compared_each_with_each(person, monkeypatch, other):
    looks = 0

    def counting(one, side, real=transfer_pairs._fit):
        nonlocal looks
        looks += 1
        return real(one, side)

    monkeypatch.setattr(transfer_pairs, "_fit", counting)
    days = range(1, 4)
    rows = [
        *(move(n, A, -5, days[n % 3], other) for n in range(1_000, 1_501)),
        *(move(n, B, 5, days[n % 3]) for n in range(4_000, 4_500)),
    ]
    assert found(person, *rows) == set()
    assert 0 < looks < 20 * len(rows)


@pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
def test_candidates_are_chosen_before_their_whole_rows_are_read(backends, storage, monkeypatch):
    person = Person(backends(storage))
    rows = [move(n, B, 4 + n % 3, 1 + n % 9) for n in range(100, 200)]
    void = move(200, B, 5, 5, recordState="void")
    person.native(*ACCOUNTS, move(10, A, -5, 5), *rows, void, move(11, A, 5, 5), move(12, B, -5, 5))
    person.native(move(300, USD, 7, 5))
    (row,) = (row for row in person.rows(RECORDS) if row["id"] == an_id(10))

    def choose(limit):
        return person.look(
            lambda storage: list_candidates(UserRows(storage, person.user), row, limit=limit)
        )

    def rank(other):
        is_euro = other["currencyCode"] == "EUR"
        is_equal = is_euro and other["amount"] == -row["amount"]
        distance = abs(other["recordDate"] - row["recordDate"])
        return not is_equal, is_euro, distance, other["id"]

    fitting = [
        other
        for other in person.rows(RECORDS)
        if other["accountId"] != A and other["amount"] > 0 and other["recordState"] != "void"
    ]
    assert choose(200) == sorted(fitting, key=rank)
    whole, get = [], UserRows.get_rows

    def noted(rows, resource, ids):
        whole.extend(ids)
        return get(rows, resource, ids)

    monkeypatch.setattr(UserRows, "get_rows", noted)
    monkeypatch.delattr(UserRows, "pages")
    assert choose(20) == sorted(fitting, key=rank)[:20]
    assert len(whole) == 20


def test_unlinking_reads_only_the_halves_of_the_transfer(person, monkeypatch):
    person.native(*ACCOUNTS, *(move(n, A, -n, 5) for n in (10, 11)))
    person.native(*(move(n + 10, B, n, 5) for n in (10, 11)))
    for number in (10, 11):
        edited(person, lambda s, n=number: link_records(s, an_id(n), an_id(n + 10)))
    read, pages = [], UserRows.pages

    def noted(rows, *arguments, **options):
        for page in pages(rows, *arguments, **options):
            read.extend(page)
            yield page

    monkeypatch.setattr(UserRows, "pages", noted)
    edited(person, lambda s: unlink_records(s, [an_id(10)]))
    assert sorted(row["id"] for row in read) == [an_id(10), an_id(20)]
    transfers = {row["id"]: row["transferId"] is not None for row in person.rows(RECORDS)}
    assert transfers == {an_id(n): n in (11, 21) for n in (10, 11, 20, 21)}
    person.audit()


def test_looking_for_transfers_reads_no_record_whose_opposite_amount_no_other_account_has(
    person, monkeypatch
):
    person.native(*ACCOUNTS, move(10, A, -5, 5), move(11, A, 5, 5), move(12, B, 5, 5))
    read, get = [], UserRows.get_rows

    def noted(rows, resource, ids):
        read.extend(ids)
        return get(rows, resource, ids)

    monkeypatch.setattr(UserRows, "get_rows", noted)
    pairs = person.look(lambda storage: find_pairs(UserRows(storage, person.user)))
    assert [pair.ids for pair in pairs] == [(an_id(10), an_id(12))]
    assert sorted(read) == [an_id(10), an_id(12)]
