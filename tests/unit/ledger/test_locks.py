"""The writers' lock is not held while a file is read."""

import io

import pytest

from finance_api.importers.csv import CsvImporter, Layout
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import ACCOUNTS, RECORDS
from support.ledger import account, an_id, ofx_file, ofx_statement, record
from support.service import native_line

CSV = "date,amount,account,currency,payee\n2026-01-01,-5,Giro,EUR,Shop\n"
FILES = {
    "native": ("".join(map(native_line, [account(), record(9)])), None),
    "ofx": (ofx_file(ofx_statement([("20260101", "-1", "1", "Shop")])), OfxImporter()),
    "csv": (CSV, CsvImporter(Layout())),
}


class Watched(io.BytesIO):
    """Calls ``note`` each time it is read."""

    def read(self, *size):
        self.note()
        return super().read(*size)

    def readline(self, *size):
        self.note()
        return super().readline(*size)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_before_others_are_made_to_wait(person, kind, monkeypatch):
    data, importer = FILES[kind]
    done, write = [], person.backend.write
    monkeypatch.setattr(
        person.backend, "write", lambda *a, **k: done.append("written") or write(*a, **k)
    )
    stream = Watched(data.encode() if isinstance(data, str) else data)
    stream.note = lambda: done.append("read")
    import_file(
        person.backend,
        ImportOrder(person.user.email, stream, importer, now=person.clock.now()),
    )
    assert done[0] == "read"
    assert "read" not in done[done.index("written") :]
    assert len(person.rows(RECORDS)) == 1


def test_statements_are_read_again_if_their_account_was_changed_meanwhile(person):
    """Guard: `are_as_read_for`. Without it the entry of the file is there twice in the end.

    A row's source id is made from the first name of the account that it goes to.
    """
    person.csv(CSV.replace("Giro", "Old"))
    (old,) = person.rows(ACCOUNTS)

    class Meanwhile(CsvImporter):
        """While it reads, another import gives the account the name that the file has."""

        def read(self, stream, known_accounts):
            found = super().read(stream, known_accounts)
            if person.rows(ACCOUNTS)[0]["name"] == "Old":
                person.native(account(id=old["id"], name="Giro", source="csv", sourceId="Old"))
            return found

    report = person.file(CSV, Meanwhile(Layout()))
    assert (report.created, report.unchanged) == (0, 1)
    assert len(person.rows(RECORDS)) == 1


def test_lists_of_a_native_file_are_read_as_they_were_written(person):
    labels = [{"reserved_model_type": "Label", "id": an_id(n), "name": f"l{n}"} for n in (3, 4)]
    row = record(9, labelIds=[an_id(4), an_id(3)], note='ß "\\\u2028')
    person.native(account(), *labels, row)
    assert person.row(RECORDS, 9)["labelIds"] == (an_id(4), an_id(3))
    assert person.native(row).unchanged == 1
