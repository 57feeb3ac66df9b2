"""Damaged camt and MT940 files: read as another reading reads them, or refused; never an error."""

from collections import Counter

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.bank_files import SAMPLE_FILES, is_camt, read_bank_file
from support.damaging import mutations
from support.independent import read_camt, read_mt940
from support.nightly import count

_MAX_BYTES = 4_096
#: Of each format. The large ones are truncated everywhere at night only.
FORMATS = {
    name: [path.read_bytes() for path in SAMPLE_FILES if path.parent.name == name]
    for name in ("camt", "mt940")
}
SMALL = {name: [d for d in files if len(d) <= _MAX_BYTES] for name, files in FORMATS.items()}
FRAGMENTS = {
    "camt": [
        *b"<Ntry> </Ntry> <Stmt> </Stmt> <Sts>PDNG</Sts> <TxDtls> </TxDtls> <!-- --> ]]>".split(),
        *b"<![CDATA[ &#0; &amp; &x; xmlns=' DBIT CRDT ITBD EUX -1 1e9 true NOTPROVIDED".split(),
        *(b"<Amt Ccy='EUR'>1</Amt>", b"<!DOCTYPE a>", b"9" * 30, b"2026-02-30", b"\x81", b"\r\n"),
    ],
    "mt940": [
        *(b"\n:%s:" % tag for tag in b"61 86 60F 20 25 NS 13D".split()),
        *(b"\n:62F:C260227EUR1,", b"\n:34F:EUR0,", b"\n:90D:1EUR1,", b"\n-\n", b"9" * 20, b"\r"),
        *b"{4: -}{5:} RC D EC , . // NTRF ?20 ?32 /NAME/ SVWZ+ 260230".split(),
        *(b"\x81", b"\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", "٣".encode()),
    ],
}

pytestmark = pytest.mark.nightly


def is_right_or_refused(data: bytes) -> bool:
    """Whether it was read; then the entries are those that another reading finds."""
    try:
        wholes = read_bank_file(data)
    except ImportRefused as refused:
        assert len(refused.reason) > 15
        assert "unexpected" not in refused.reason.lower()
        return False
    entries = [entry for whole in wholes for entry in whole.entries]
    independent = read_camt(data) if is_camt(data) else read_mt940(data)
    assert sum(entry.amount for entry in entries) == sum(units for _, units in independent.entries)
    if not any(entry.batch for entry in entries):
        days = [date_text(entry.date) for entry in entries]
        if not is_camt(data):
            days = [day[5:] for day in days]
        found = Counter(zip(days, (entry.amount for entry in entries), strict=True))
        assert found == Counter(independent.entries)
    return True


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_file_is_read_right_or_refused(name: str) -> None:
    each = count(40, 10_000) // len(SMALL[name]) + 1
    outcomes = Counter(
        is_right_or_refused(data)
        for seed, original in enumerate(SMALL[name])
        for data in mutations(original, each, FRAGMENTS[name], seed)
    )
    # Neither everything nor nothing is refused.
    assert min(outcomes[True], outcomes[False]) > 0
    print(f"{name}: {outcomes[True]} read right, {outcomes[False]} refused")


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_cut_off_is_read_right_or_refused(name: str) -> None:
    by_size = sorted(FORMATS[name], key=len)
    for data in count(by_size[:1], by_size[-3:]):
        for length in range(0, len(data), count(5, 1)):
            begin = data[:length]
            is_read = is_right_or_refused(begin)
            if name == "camt":
                assert not is_read or begin.rstrip().endswith(b"Document>")


def test_a_message_that_is_cut_off_is_refused() -> None:
    """What is read of an MT940 file that was cut off are its first messages, whole."""
    (path,) = (path for path in SAMPLE_FILES if path.name == "german.sta")
    data = path.read_bytes()
    numbers = Counter()
    for length in range(0, len(data), count(5, 1)):
        try:
            wholes = read_bank_file(data[:length])
        except ImportRefused:
            continue
        numbers[sum(len(whole.entries) for whole in wholes)] += 1
    assert set(numbers) == {2, 4}
