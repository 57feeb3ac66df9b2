"""Balances stated in files: they determine the initial balance, and gaps are reported."""

from itertools import accumulate, pairwise, permutations

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.changing import changing
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person, account, an_id, ofx_file, ofx_statement, record, units
from support.nightly import count
from support.statements import statement

JANUARY = statement((5, -5), (31, -10), closing=(31, 85))
FEBRUARY = statement((36, -20), (60, -1), closing=(59, 65))


def bank(person):
    row = person.only(ACCOUNTS)
    day = row["bankBalanceDate"]
    return (
        row["initialBalance"],
        row["bankBalance"],
        None if day is None else day // DAY_SECONDS,
        row["unexplained"],
    )


def remarks(person):
    """Return the remarks that the next import would report."""
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit", dry_run=True) as session:
        return settle_bank_balances(session, list(session.accounts.rows))


def edit(person, **values):
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit") as session:
        (row,) = session.accounts.rows.values()
        session.accounts.put({**row, **values})
        settle_bank_balances(session, [row["id"]])
        settle_balances(session)
        session.close()


def test_the_newest_balance_decides_in_whatever_order_files_come(new_person):
    for files in permutations([JANUARY, FEBRUARY]):
        person = new_person()
        for file in files:
            person.statement(file)
        assert bank(person) == (100, 65, 59, 0)
        assert person.only(ACCOUNTS)["balance"] == 64
        before = person.snapshot()
        person.statement(files[0])
        assert person.snapshot() == before
        person.audit()


def test_what_is_missing_between_two_balances_is_reported_with_its_days(person):
    person.statement(JANUARY)
    person.statement(statement((36, -20), closing=(59, 40)))
    person.statement(statement((70, 3), closing=(70, 50)))
    assert bank(person) == (82, 50, 70, 25 + 7)
    name = person.only(ACCOUNTS)["name"]
    changed = "the bank's balance changed by"
    assert remarks(person) == [
        f"{name}: from 1970-02-01 to 1970-03-01 {changed} 0.0025 less than the records add up to",
        f"{name}: from 1970-03-01 to 1970-03-12 {changed} 0.0007 more than the records add up to",
    ]
    # The file in between explains the difference.
    person.statement(statement((40, -25)))
    person.statement(statement((65, 7)))
    assert (bank(person), remarks(person)) == ((100, 50, 70, 0), [])


def test_one_balance_of_a_day_for_other_records_of_that_day_does_not_match(person):
    person.statement(statement((3, -55), (4, -20), closing=(4, 100)))
    other = statement((4, -55), (4, -21), closing=(4, 100))
    person.statement(other)
    # The first file gives 175 as initial balance, and the newest balance decides.
    assert bank(person) == (100 + 55 + 55 + 21, 100, 4, 231 - 175)
    before = person.snapshot()
    person.statement(other)
    assert person.snapshot() == before
    person.audit()


def test_an_opening_balance_is_held_against_the_closing_one_before_it(person):
    person.statement(JANUARY)
    person.statement(statement((64, -1), opening=(63, 85), closing=(64, 84)))
    assert bank(person)[3] == 0
    person.statement(statement((95, -1), opening=(94, 80), closing=(95, 79)))
    assert bank(person) == (96, 79, 95, 4)
    assert "from 1970-03-06 to 1970-04-06" in remarks(person)[0]


def test_a_balance_covers_the_rows_of_its_day_that_its_file_holds(person):
    person.statement(statement((5, -5), (31, -10), closing=(31, 85)))
    # This file begins in the afternoon of that day.
    person.statement(statement((31, -7), (33, -1), closing=(33, 77)))
    assert bank(person) == (100, 77, 33, 0)


ROWS = [("01", -5), ("02", 10), ("05", -3), ("05", -4), ("05", 20), ("06", -1), ("08", -2)]


def part(begin, end):
    """Make a CSV file of some of the rows, with the balance after each."""
    balances = accumulate((amount for _, amount in ROWS), initial=100)
    told = zip(ROWS, list(balances)[1:], strict=True)
    lines = [f"2026-01-{day},{amount},p{amount},{after}\n" for (day, amount), after in told]
    return "date,amount,payee,balance\n" + "".join(lines[begin:end])


@pytest.mark.nightly
@pytest.mark.parametrize("cuts", [(3,), (4,), (3, 4), (3, 5), count((2, 3, 5), (2, 3, 4, 5))])
def test_files_that_begin_and_end_within_a_day_state_no_false_gap_in_any_order(cuts):
    parts = [part(*each) for each in pairwise((0, *cuts, len(ROWS)))]
    for ordered in permutations(parts):
        person = Person(MemoryBackend())
        for text in ordered:
            person.csv(text, account="Giro", currency="EUR", balance="balance", positive="in")
        row = person.only(ACCOUNTS)
        found = row["initialBalance"], row["balance"], row["unexplained"]
        assert found == (1_000_000, 1_150_000, 0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_is_missing_within_a_day_is_reported(order):
    person = Person(MemoryBackend())
    for number in order:
        text = (part(0, 3), part(4, 7))[number]
        person.csv(text, account="Giro", currency="EUR", balance="balance", positive="in")
    assert person.only(ACCOUNTS)["unexplained"] == 40_000
    person.csv(part(3, 4), account="Giro", currency="EUR", balance="balance", positive="in")
    assert person.only(ACCOUNTS)["unexplained"] == 0


def test_a_hand_set_initial_balance_stays_and_the_difference_counts(person):
    person.statement(JANUARY)
    edit(person, initialBalance=90, ownInitialBalance=None, setByHand=("initialBalance",))
    assert bank(person) == (90, 85, 31, 10)
    person.statement(FEBRUARY)
    assert bank(person) == (90, 65, 59, 10)
    assert "gives 0.01" in remarks(person)[-1]
    person.undo(2)
    assert bank(person) == (100, 65, 59, 0)


def test_what_it_was_before_the_first_balance_comes_back_in_any_order(new_person):
    for order in permutations([2, 3]):
        person = new_person()
        person.native(account(1, initialBalance=50))
        person.statement(JANUARY, account_name="account 1")
        person.statement(FEBRUARY, account_name="account 1")
        assert bank(person) == (100, 65, 59, 0)
        for number in order:
            person.undo(number)
            person.audit()
        assert bank(person) == (500_000, None, None, 0)


def test_a_native_file_says_itself_what_the_initial_balance_is(person):
    person.native(account(1, initialBalance=50))
    person.statement(JANUARY, account_name="account 1")
    dump = person.dump()
    # The same initial balance again does not count as set by the user.
    assert not person.file(dump).changed
    assert bank(person) == (100, 85, 31, 0)
    # A different one does: balances that banks stated before no longer count.
    rows = [account(1, initialBalance=70), record(9, recordDate="1970-01-03", amount=1)]
    person.native(*rows)
    assert bank(person) == (700_000, None, None, 0)
    assert not person.native(*rows).changed
    person.statement(FEBRUARY, account_name="account 1")
    assert bank(person)[1:] == (65, 59, 0)
    person.undo()
    person.undo()
    assert bank(person) == (100, 85, 31, 0)
    person.audit()


def test_a_native_file_with_other_records_keeps_its_initial_balance(person):
    person.native(account(1))
    person.statement(JANUARY, account_name="account 1")
    rows = [account(1, initialBalance=0.01), record(9, recordDate="1970-01-03", amount=1)]
    person.native(*rows)
    assert bank(person) == (100, None, None, 0)
    assert not person.native(*rows).changed


def test_an_account_of_several_bank_accounts_has_no_bank_balance(person):
    person.native(account(1, initialBalance=50))
    first = statement((5, -5), closing=(31, 85), key="a", source="ofx")
    other = statement((6, -5), closing=(32, 85), key="b", source="ofx")
    person.statement(first, account_name="account 1")
    assert bank(person)[1:] == (85, 31, 0)
    person.statement(other, account_name="account 1")
    assert bank(person) == (500_000, None, None, 0)
    person.undo()
    assert bank(person)[1:] == (85, 31, 0)


def test_void_records_and_records_that_move_are_followed(person):
    person.statement(JANUARY)
    (row, _) = sorted(person.rows(RECORDS), key=lambda r: r["recordDate"])
    void = record(9, accountId=row["accountId"], recordState="void", recordDate="1970-01-04")
    person.native(void)
    assert bank(person) == (100, 85, 31, 0)
    person.native({**void, "recordState": "cleared"})
    assert bank(person) == (100 + 15_000, 85, 31, 0)
    person.native({**void, "recordState": "cleared", "recordDate": "1970-03-04"})
    assert bank(person) == (100, 85, 31, 0)
    assert person.only(ACCOUNTS)["lastRecordDate"] == 62 * DAY_SECONDS
    person.native({**void, "recordDate": "1969-12-31T12:00:00Z"})
    assert person.only(ACCOUNTS)["lastRecordDate"] == 31 * DAY_SECONDS
    person.audit()


def test_hundreds_of_balances_need_one_sum(person, monkeypatch):
    for year in range(2):
        days = range(year * 300, year * 300 + 300, 3)
        for day in days[::10]:
            person.statement(statement((day, 1), closing=(day + 1, day // 30 + 1)))
    assert bank(person)[3] == 0
    calls = []
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit", dry_run=True) as session:
        sum_by = session.storage.data.sum_by
        monkeypatch.setattr(
            session.storage.data, "sum_by", lambda *a: calls.append(a) or sum_by(*a)
        )
        settle_bank_balances(session, list(session.accounts.rows))
    assert len(calls) == 1


def test_a_balance_far_out_of_range_is_refused(person):
    most = 2**63 - 1
    with pytest.raises(ImportRefused, match="out of range"):
        person.statement(statement((5, most), closing=(31, -most)))
    assert person.snapshot() == (0, b"")


def test_several_statements_of_one_account_in_a_file(person):
    later, earlier = (
        ofx_statement([("20260205", "-20", "F1", "Shop")], balance=("80", "20260228")),
        ofx_statement([("20260105", "-5", "J1", "Shop")], balance=("1", "20260131")),
    )
    person.ofx(ofx_file(later, earlier))
    assert bank(person)[:2] == (units("105"), units("80"))


def test_records_before_a_balance_that_come_later_keep_it(person):
    """They come from another statement, from another format, and as a correction."""
    person.statement(JANUARY)
    name = person.only(ACCOUNTS)["name"]
    person.statement(statement((3, -7), source="made"))
    assert bank(person) == (107, 85, 31, 0)
    person.csv("date,amount\n1970-01-02,-3\n1970-05-01,-4\n", account=name)
    assert bank(person) == (107 + 30_000, 85, 31, 0)
    assert person.only(ACCOUNTS)["balance"] == 85 - 40_000
    person.audit()


def test_a_record_at_the_end_of_the_balance_s_day_is_after_it(person):
    person.statement(JANUARY)
    values = {"accountId": person.only(ACCOUNTS)["id"], "amount": -1}
    person.native(record(9, recordDate="1970-02-01T23:59:59Z", **values))
    assert bank(person) == (100, 85, 31, 0)
    assert person.only(ACCOUNTS)["balance"] == 85 - 10_000


def test_a_balance_alone_is_kept(person):
    person.statement(statement(closing=(31, 1234)))
    assert bank(person) == (1234, 1234, 31, 0)
    assert person.revision == 1
    assert an_id(1) not in person.dump().decode()
