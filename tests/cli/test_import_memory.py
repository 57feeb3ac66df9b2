"""Imports need memory by the row, and little of it; a ZIP bomb is refused."""

import io
import re
import subprocess
import sys
import zipfile

import pytest

from support.bank_files import camt, camt_entry, camt_part, camt_statement, mt940_entry
from support.nightly import count
from support.sheets import xlsx

MB = 1_000_000
MAX_PEAK_BYTES = 300 * MB
#: When the file is imported again, and each entry is compared with its record.
MAX_AGAIN_BYTES = 400 * MB
#: Files with more entries may take more memory, in proportion.
ENTRIES = 300_000
#: Runs the command and prints its peak memory, from the kernel's figure for this process alone: the
#: figure of `wait4` would begin with the parent's.
PROGRAM = """
import atexit, re, sys
from finance_api.cli import run
def say():
    kibibytes = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]
    print("peak", int(kibibytes) * 1024, file=sys.stderr)
atexit.register(say)
run()
"""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux"),
]


def row_of_csv(number):
    """A row in the layout of Wallet, which has a profile: 100 rows a day, in turn income and
    expense.
    """
    word = "Expense" if number % 2 else "Income"
    return (
        f"Purse;Groceries {number % 40};EUR;12.40;12.40;{word};Cash;bought on the market, {number};"
        f"{day(number)}T17:20:11.000Z;false;Corner Market {number % 500};home, week\n"
    )


def entry_of_camt(number):
    note = f"Invoice {number} of the year, customer {number % 977}, " + "as agreed " * 12
    part = camt_part(name=f"Corner Market {number % 500}", note=note, ref=f"T{number}")
    return camt_entry(
        day(number), "-1.00" if number % 2 else "1.00", ref=f"R{number}", details=part
    )


def entry_of_mt940(number):
    details = f"166?00PAYMENT?20EREF+E{number}?21SVWZ+Invoice {number} of the year?22 for"
    details += f" customer {number % 977}?31DE75512108001245126199?32Corner Market {number % 500}"
    return mt940_entry(
        day(number), "-1.00" if number % 2 else "1.00", ref=f"R{number}", details=details
    )


def day(number):
    days = number // 1_000
    return f"{2000 + days // 336}-{days // 28 % 12 + 1:02}-{days % 28 + 1:02}"


HEADINGS = (
    "account;category;currency;amount;ref_currency_amount;type;payment_type;note;date;transfer;"
    "payee;labels\n"
)
_CAMT_BEGIN, _CAMT_END = camt(camt_statement(["\0"])).split("\0")
_MT940 = ":20:START\n:25:12030000/100\n:28C:1/1\n:60F:C000101EUR0,\n", ":62F:C000101EUR0,\n-\n"
#: Name -> bytes of the file at night, its beginning, a function for each entry, its end.
FILES = {
    "csv": (200 * MB, HEADINGS, row_of_csv, ""),
    "camt": (100 * MB, _CAMT_BEGIN, entry_of_camt, _CAMT_END),
    "mt940": (100 * MB, _MT940[0], entry_of_mt940, _MT940[1]),
}


def write(path, size, begin, entry, end):
    """The number of entries, which is even."""
    number = written = 0
    with path.open("w") as file:
        file.write(begin)
        while written < size or number % 2:
            written += file.write(entry(number))
            number += 1
        file.write(end)
    return number


def run_measured(command, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=command.directory,
        env=command.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    said, peak = re.fullmatch(r"(.*)peak (\d+)\n", done.stderr, re.DOTALL).groups()
    return done.returncode, done.stdout + said, int(peak)


@pytest.mark.parametrize("name", FILES)
def test_a_large_file_is_imported_in_little_memory(command, anna, figures, name):
    path = command.directory / f"large.{name}"
    entries = write(path, count(MB // 4, FILES[name][0]), *FILES[name][1:])
    code, said, peak = run_measured(command, "import", anna, str(path))
    assert code == 0, said
    assert f": {entries} created, 0 updated, 0 unchanged" in said
    code, said, again = run_measured(command, "import", anna, str(path))
    path.unlink()
    assert code == 0, said
    assert f": 0 created, 0 updated, {entries} unchanged" in said
    figures(f"{entries} entries, peak {peak // MB} MB, again {again // MB} MB")
    assert peak <= MAX_PEAK_BYTES * max(1, entries / ENTRIES)
    assert again <= MAX_AGAIN_BYTES * max(1, entries / ENTRIES)


def test_a_zip_bomb_under_the_name_of_a_spreadsheet_is_refused(command, anna, figures):
    stream = io.BytesIO(xlsx([["Date", "Amount"], ["2026-01-05", -1]]))
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count(2, 100)):
            archive.writestr(f"xl/worksheets/sheet{number + 2}.xml", b" " * 60 * MB)
    path = command.file("bomb.xlsx", stream.getvalue())
    code, said, peak = run_measured(command, "import", anna, path, "--account", "A")
    assert code == 1 and "at most 100 MB are allowed" in said
    figures(f"{len(stream.getvalue()) // 1000} KB, peak {peak // MB} MB")
    assert peak <= MAX_PEAK_BYTES
