"""Damaged CSV files give entries, or a refusal with a reason. Files cut off keep their start."""

from collections.abc import Callable

import pytest

from finance_api.importers.interface import Entry, ImportRefused
from support.csv_files import read
from support.damaging import check_refusal, mutations
from support.nightly import count

#: With a profile, with a balance, and with what a person says of it: the file, and the options.
FILES = {
    "profile": (
        "account;category;currency;amount;ref_currency_amount;type;payment_type;note;date;"
        "transfer;payee;labels\n"
        "Purse;Groceries;EUR;12.40;12.40;Expense;Cash;weekly shop;2026-03-04T17:20:11.000Z;"
        "false;Corner Market;food, home\n"
        "Card;Salary;USD;1000.00;920.00;Income;Cash;;2026-03-05T08:00:00.000Z;false;Employer;\n"
        'Purse;Fun;EUR;7.00;7.00;Expense;Cash;"two\nlines";2026-03-06T08:00:00.000Z;false;;\n',
        {},
    ),
    "balance": (
        '"Date","Status","Type","CheckNumber","Description","Withdrawal","Deposit",'
        '"RunningBalance"\n'
        '"03/17/2026","Posted","DEPOSIT","","Mobile Banking","","$20.00","$878.47"\n'
        '"03/14/2026","Posted","ATM","","Corner Market","$103.00","","$858.47"\n'
        '"03/09/2026","Posted","CHECK","558","Check Paid","$1,075.00","","$961.47"\n',
        {"account": "A"},
    ),
    "options": (
        "Umsätze;Giro\n\nTag;Name;Text;Soll;Haben\n31.12.2025;Stadtwerke;Abschlag;89,50;\n"
        "02.01.2026;Müller GmbH;Gehalt;;2.815,00\n05.01.2026;Bäcker;;4,20;\n",
        {
            "account": "A",
            "currency": "EUR",
            "debit": "Soll",
            "credit": "Haben",
            "columns": {"recordDate": "Tag", "payee": "Name", "note": "Text"},
        },
    ),
}
PIECES = (b";", b",", b"\n", b"\r", b'""', b"=1", b"1.234", b"1,5", b"$", b"USD", b"pending", b"(")

pytestmark = pytest.mark.nightly
files = pytest.mark.parametrize(("text", "options"), FILES.values(), ids=FILES)


def the_entries(data: bytes, options: dict[str, object]) -> list[Entry] | None:
    """None for a refusal."""
    try:
        return [entry for found in read(data, **options) for entry in found.entries]
    except ImportRefused as refused:
        check_refusal(refused)
        return None


@files
def test_mutations_are_read_or_refused(
    text: str, options: dict[str, object], figures: Callable[[str], None]
) -> None:
    changed = mutations(text.encode(), count(40, 10_000), PIECES)
    outcomes = [the_entries(data, options) for data in changed]
    read_right = sum(outcome is not None for outcome in outcomes)
    assert 0 < read_right < len(outcomes)
    figures(f"{read_right} read, {len(outcomes) - read_right} refused")


@files
def test_file_that_is_cut_off_gives_its_beginning_or_nothing(
    text: str, options: dict[str, object]
) -> None:
    data = text.encode()
    whole = the_entries(data, options)
    assert whole
    for length in range(len(data)):
        found = the_entries(data[:length], options)
        # A last line that was cut off cannot be told from a shorter one.
        if found:
            assert found[:-1] == whole[: len(found) - 1]
