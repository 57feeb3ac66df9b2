"""finance-api rates"""

import io
import json
import zipfile

import pytest

from support.ledger import account, record
from support.service import native_line

ECB = "Date,USD,JPY,CYP,\n2026-03-03,1.0842,160.12,N/A,\n2026-03-02,1.08,160,N/A,\n"
ROWS = "date,base,currency,rate\n2026-03-02,USD,AED,3.6725\n"
OF_ECB = [
    {"base": "EUR", "currency": code, "days": 2, "first": "2026-03-02", "last": "2026-03-03"}
    for code in ("JPY", "USD")
]


def listed(command):
    return json.loads(command.done("rates", "list", "--json"))


def test_both_forms_come_in_and_are_listed(command):
    assert listed(command) == []
    said = command.done("rates", "import", command.file("eurofxref-hist.csv", ECB)).decode()
    assert said.endswith(
        "eurofxref-hist.csv: 2 days are new, 0 changed, 0 unchanged; 3 currencies, 2026-03-02 to "
        "2026-03-03\n"
    )
    assert listed(command) == OF_ECB
    said = command.done("rates", "import", command.file("own.csv", ROWS)).decode()
    assert "0 days are new, 1 changed, 0 unchanged; 2 currencies, 2026-03-02 to" in said
    own = {"base": "USD", "currency": "AED", "days": 1}
    assert listed(command) == [*OF_ECB, {**own, "first": "2026-03-02", "last": "2026-03-02"}]
    assert command.done("rates", "list").decode() == (
        "BASE  CURRENCY  DAYS  FIRST       LAST\n"
        "EUR   JPY       2     2026-03-02  2026-03-03\n"
        "EUR   USD       2     2026-03-02  2026-03-03\n"
        "USD   AED       1     2026-03-02  2026-03-02\n"
    )


def test_a_zip_file_and_standard_input_do_as_well(command):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("eurofxref-hist.csv", ECB)
    for content in (stream.getvalue(), ECB.encode()):
        report = json.loads(command.done("rates", "import", "-", "--json", stdin=content))
        new = 2 if content != ECB.encode() else 0
        assert report == {
            "file": "-",
            "new": new,
            "changed": 0,
            "unchanged": 2 - new,
            "first": "2026-03-02",
            "last": "2026-03-03",
            "currencies": ["EUR", "JPY", "USD"],
            "revision": 1,
            "dryRun": False,
        }
    assert listed(command) == OF_ECB


def test_days_that_differ_are_replaced(command):
    command.done("rates", "import", "-", stdin=ECB.encode())
    other = ECB.replace("1.0842", "1.0843")
    dry = command.done("rates", "import", "-", "--dry-run", stdin=other.encode()).decode()
    said = command.done("rates", "import", "-", stdin=other.encode()).decode()
    sentence = "-: 0 days are new, 1 changed, 1 unchanged; 3 currencies, 2026-03-02 to 2026-03-03"
    assert (dry, said) == (f"{sentence} (dry run)\n", f"{sentence}\n")
    again = json.loads(command.done("rates", "import", "-", "--json", stdin=other.encode()))
    assert (again["changed"], again["revision"]) == (0, 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; there is nothing to import"),
        (ECB[:-10].encode(), "line 3: has 2 cells, but the heading has 5"),
        (ECB.replace("160,", "x,").encode(), "line 3: 'x' is not a decimal number such as -12.50"),
        (b"Date,USD\n2026-03-02,1.08\n2026-03-02,1.\xff\n", "is not UTF-8 text"),
        (b"PK\x03\x04 and so on", "the ZIP file cannot be unpacked: File is not a zip file"),
        (
            b"<html>",
            "line 1: is neither a file like eurofxref-hist.csv nor a CSV file with the columns",
        ),
    ],
)
def test_a_damaged_file_is_refused_in_one_line_and_nothing_is_stored(command, content, said):
    path = command.file("r.csv", content)
    message = command.refused("rates", "import", path)
    assert message.startswith(f"finance-api: {path}") and message.count("\n") == 1
    assert said in message
    assert listed(command) == []


def test_a_file_that_is_not_there_is_refused(command):
    assert "nothing.csv: cannot be read" in command.refused("rates", "import", "nothing.csv")


def test_the_memory_storage_keeps_no_rates(command):
    command.write({"finance_api.storage": "memory"})
    assert "memory storage" in command.refused("rates", "import", command.file("r.csv", ECB))
    assert listed(command) == []


def test_rates_are_in_a_backup_and_in_no_dump(command, anna):
    data = native_line(account(currencyCode="USD")) + native_line(record(9))
    command.done("import", anna, command.file("a.ndjson", data))
    before = command.done("dump", anna)
    command.done("rates", "import", "-", stdin=ECB.encode())
    assert command.done("dump", anna) == before
    command.done("backup", "b.db")
    command.done("rates", "import", "-", stdin=ROWS.encode())
    command.done("restore", "b.db", "--yes")
    assert listed(command) == OF_ECB
