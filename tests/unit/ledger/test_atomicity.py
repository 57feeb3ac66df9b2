"""A file is stored whole or not at all, and nobody ever sees a part of one."""

import io
import threading

import pytest

from finance_api.importers.interface import ImportRefused, Statement, StatementAccount
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.errors import NotFound
from finance_api.values.number import decimal_text
from support.ledger import account, document, ofx_file, ofx_statement, record, units
from support.service import native_line

MANY = [account(), document("Label", 4), *(record(n, amount=1) for n in range(100, 2_600))]
LATER = [*(record(n, amount=2) for n in range(100, 2_600)), account(2)]


@pytest.mark.parametrize(
    "last", ["{", "{}\n", native_line(record(9, accountId="x")), native_line(record(9, amount="1"))]
)
def test_file_refused_at_its_last_line_stores_nothing(person, last):
    person.native(account(), record(100))
    before = person.snapshot()
    data = "".join(map(native_line, MANY)) + last
    with pytest.raises(ImportRefused) as refused:
        person.file(data)
    assert refused.value.line == len(MANY) + 1
    assert person.snapshot() == before


def test_statement_refused_at_its_end_stores_nothing(person):
    entries = [(f"20260{m}{d:02}", "-1", f"{m}{d}", "Shop") for m in (1, 2) for d in range(1, 28)]
    bad = ofx_file(
        ofx_statement(entries, balance=("5", "20260301")),
        ofx_statement([("20260101", "1,2,3", "x", "y")], number="200"),
    )
    with pytest.raises(ImportRefused):
        person.ofx(bad)
    assert person.snapshot() == (0, b"")
    assert person.rows(ACCOUNTS) == []


def test_reader_that_breaks_in_the_middle_stores_nothing(person):
    class Broken:
        source = "broken"

        def read(self, stream, *known):
            yield Statement(StatementAccount("a", "a", currency="EUR")), None
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError):
        person.file(b"", Broken())
    assert person.snapshot() == (0, b"")
    # The next import does not wait for it.
    person.native(account())


def test_unknown_user_is_an_error_and_the_next_import_goes_on(person):
    email, person.user = (
        person.user,
        person.user.__class__(0, person.user.uuid, "nobody@example.org", True, True, None, 0),
    )
    with pytest.raises(NotFound):
        person.native(account())
    person.user = email
    person.native(account())


def state_of(person):
    """Return revision, number of records, sum and balance, as one unit of work sees them."""

    def look(storage):
        rows = storage.data.scan_rows(person.user.id, RECORDS)
        accounts = storage.data.scan_rows(person.user.id, ACCOUNTS)
        revision = storage.data.get_state(person.user.id).revision
        total = sum(row["amount"] for row in rows)
        balance = sum(a["balance"] for a in accounts)
        return revision, len(rows), decimal_text(total), decimal_text(balance), len(accounts)

    return person.look(look)


def test_reader_sees_the_old_or_the_new_state_and_never_one_between(person):
    states = {(0, 0, "0", "0", 0)}
    seen = []
    over = threading.Event()

    def watch():
        while not over.is_set():
            seen.append(state_of(person))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for rows in (MANY, LATER):
            person.native(*rows)
            states.add(state_of(person))
    finally:
        over.set()
        watcher.join()
    assert len(states) == 3
    assert seen
    assert set(seen) <= states


def test_importers_of_one_file_at_once_give_one_set_of_records(person):
    data = "".join(map(native_line, MANY))
    start = threading.Barrier(4)
    reports, errors = [], []

    def work():
        try:
            start.wait()
            reports.append(person.file(data))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(report.created for report in reports) == [0, 0, 0, len(MANY)]
    assert person.revision == 1
    person.audit()


SHOP, BAR, INN = (
    ("20260101", "-1", "A", "Shop"),
    ("20260102", "-2", "B", "Bar"),
    ("20260103", "-3", "C", "Inn"),
)


# On the last try other imports wait, so at most two files can come in between.
@pytest.mark.parametrize("others", [[], [SHOP], [SHOP, INN]])
def test_import_starts_over_when_another_file_came_first(person, others):
    tries = []

    def others_come_first(session, report):
        tries.append(session)
        if len(tries) <= len(others):
            person.ofx(ofx_file(ofx_statement([others[len(tries) - 1]])))

    file = io.BytesIO(ofx_file(ofx_statement([SHOP, BAR])).encode())
    order = ImportOrder(person.user.email, file, OfxImporter(), now=person.clock.now())
    report = import_file(person.backend, order, begin=others_come_first)
    assert len(tries) == len(others) + 1
    assert report.created == (1 if SHOP in others else 2)
    amounts = sorted(units(amount) for _, amount, *_ in {SHOP, BAR, *others})
    assert sorted(row["amount"] for row in person.rows(RECORDS)) == amounts
    person.audit()


def test_importers_of_overlapping_files_give_the_result_of_some_order(new_person):
    def entries(first, last):
        return [(f"202601{d:02}", f"-{d}", f"F{d}", "Shop") for d in range(first, last)]

    files = [
        ofx_file(ofx_statement(entries(1, 15), balance=("100", "20260114"))),
        ofx_file(ofx_statement(entries(10, 25), balance=("50", "20260124"))),
        ofx_file(ofx_statement(entries(5, 28))),
    ]
    alone = new_person()
    for file in files:
        alone.ofx(file)
    person, other = new_person(), new_person()
    errors = []

    def work(of, file):
        try:
            of.ofx(file)
        except Exception as error:
            errors.append(error)

    threads = [
        threading.Thread(target=work, args=(p, file)) for p in (person, other) for file in files * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for one in (person, other):
        one.audit()
        assert len(one.rows(RECORDS)) == 27
        assert one.revision == 3
        assert [a["balance"] for a in one.rows(ACCOUNTS)] == [
            a["balance"] for a in alone.rows(ACCOUNTS)
        ]
