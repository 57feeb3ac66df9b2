"""OFX, camt and MT940 files of banks and other projects, which are not in this repository.

Days, amounts and balances are compared with those that a second parser finds
(`support.independent`).
"""

import re

import pytest

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.bank_files import read_bank_file
from support.corpora import STATEMENTS
from support.independent import read_camt, read_mt940, search_ofx
from support.ofx import read_ofx

READERS = {
    "ofx": (read_ofx, search_ofx),
    "camt": (read_bank_file, read_camt),
    "mt940": (read_bank_file, read_mt940),
}


def found_files() -> dict[str, str]:
    """Return the files that are OFX, camt or MT940 by their content -> their format."""
    found = {}
    for path in sorted(STATEMENTS.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                try:
                    format_name = detect_format(stream).name
                except ImportRefused:
                    continue
            if format_name in READERS:
                found[path.relative_to(STATEMENTS).as_posix()] = format_name
    return found


FILES = found_files()
_OCA = "OCA__bank-statement-import/account_statement_import_ofx/tests/test_ofx_file"
_SUM = "make {}, but the closing balance is {}"
_NO_END = "has no end: it is cut off"
#: File -> words of the reason for the refusal.
REFUSED = {
    "WoLpH__mt940/betterplace/currency_in_25.sta": _NO_END,
    "WoLpH__mt940/betterplace/empty_line.sta": _NO_END,
    "WoLpH__mt940/cmxl/account_balance_debit.sta": _NO_END,
    "WoLpH__mt940/cmxl/account_identification_iban.sta": _NO_END,
    "WoLpH__mt940/cmxl/account_identification_legacy.sta": _NO_END,
    "WoLpH__mt940/cmxl/reference.sta": _NO_END,
    "WoLpH__mt940/cmxl/statement_number.sta": "contains no transaction and no balance",
    "WoLpH__mt940/jejik/abnamro.sta": _SUM.format("2914.84", "876.84"),
    "WoLpH__mt940/jejik/knab.sta": _SUM.format("-3701.02", "798.98"),
    "WoLpH__mt940/jejik/triodos.sta": _SUM.format("4259.39", "4370.79"),
    "WoLpH__mt940/self-provided/details_60-63.sta": _SUM.format("12111.97", "12345.98"),
    "WoLpH__mt940/self-provided/empty_non_swift.sta": "contains no transaction and no balance",
    "WoLpH__mt940/self-provided/gv_codes.sta": _NO_END,
    "WoLpH__mt940/self-provided/whitespace.sta": _SUM.format("12111.97", "12345.98"),
    "genkgo__camt/camt053.v2.five.decimals.xml": _SUM.format("27", "27.05"),
    "genkgo__camt/camt053.v2.wrong.xml": "contains no statement",
    "genkgo__camt/camt053.v4.xml": "in different currencies: EUR, SEK",
    "genkgo__camt/camt053.v8.xml": "in different currencies: EUR, SEK",
    "genkgo__camt/camt054.v8-with-UETR.xml": "has neither a booking date nor a value date",
    "genkgo__camt/camt054.v8-with-financial-institution.xml": "has neither a booking date",
    "viafintech__camt_parser/052/valid_namespace.xml": "contains no statement",
    "viafintech__camt_parser/053/valid_example_v8.xml": "is in EUR, but the account is in CHF",
    "viafintech__camt_parser/053/valid_example_with_debit.xml": _SUM.format("-43.06", "23.06"),
    "viafintech__camt_parser/053/valid_example_with_instdamt.xml": _SUM.format("4600", "4500"),
    # The second transaction's date is commented out.
    f"{_OCA}/test_ofx_wrong.ofx": "has no <DTPOSTED>",
    "csingley__ofxtools/profrs.ofx": "error 15500: 'Signon invalid'",
    "jseutter__ofxparse/account_listing_aggregation.ofx": "contains no statement",
    "jseutter__ofxparse/bank_small.ofx": "contains no statement",
    "jseutter__ofxparse/error_message.ofx": "error 2000: 'General Server Error'",
    "jseutter__ofxparse/fail_nice/date_missing.ofx": "has no <DTPOSTED>",
    # US dollars, not converted, on an account in Canadian dollars.
    "jseutter__ofxparse/investment_medium.ofx": "the account is in CAD",
    "libofx__libofx/failing-ofx-file2.xml": "contains no statement",
    "libofx__libofx/null-ptr-deref-1.ofx": "ends inside <STMTTRN>",
    # Transfer orders only.
    "reubano__csv2ofx/converted/default_w_splits.ofx": "contains no statement",
    "reubano__csv2ofx/example/transfer_example.ofx": "contains no statement",
}
IMPORTED = [name for name in FILES if name not in REFUSED]

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")


def test_the_files_are_found_by_their_content() -> None:
    assert set(REFUSED) <= set(FILES)
    formats = list(FILES.values())
    assert [formats.count(name) for name in READERS] == [50, 24, 24]


@pytest.mark.parametrize("name", IMPORTED)
def test_file_gives_the_days_amounts_and_balances_that_another_reading_finds(name: str) -> None:
    data = (STATEMENTS / name).read_bytes()
    read, read_again = READERS[FILES[name]]
    wholes, independent = read(data), read_again(data)
    entries = [entry for whole in wholes for entry in whole.entries]
    if any(entry.batch for entry in entries):
        # The second parser reads a batch as one entry.
        assert sum(entry.amount for entry in entries) == sum(a for _, a in independent.entries)
        assert {date_text(e.date) for e in entries} == {day for day, _ in independent.entries}
    else:
        days = [date_text(entry.date) for entry in entries]
        if FILES[name] == "mt940":
            days = [day[5:] for day in days]
        assert [(day, e.amount) for day, e in zip(days, entries, strict=True)] == (
            independent.entries
        )
    if FILES[name] == "ofx":
        tags = re.findall(rb"<(?:STMTRS|CCSTMTRS|INVSTMTRS)>", data.upper())
        assert len(wholes) == len(tags)
        return
    openings = {whole.statement.opening.amount for whole in wholes if whole.statement.opening}
    closings = {whole.statement.closing.amount for whole in wholes if whole.statement.closing}
    for opening, _ in independent.balances[:1]:
        assert opening in openings
    for _, closing in independent.balances[-1:]:
        assert closing in closings


@pytest.mark.parametrize("name", REFUSED)
def test_file_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        READERS[FILES[name]][0]((STATEMENTS / name).read_bytes())
    assert REFUSED[name] in refused.value.reason
