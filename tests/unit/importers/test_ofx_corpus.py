"""OFX files of banks and other projects, which are not in this repository.

The expected counts and sums come from a text search for TRNAMT and TOTAL (less REINVEST and
INV401KBAL), not from the importer.
"""

from decimal import Decimal

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import to_units
from finance_api.values.time import date_text
from support.corpora import STATEMENTS
from support.independent import search_ofx
from support.ofx import looks_like_ofx, read_ofx

_BEANGULP = "beancount__beangulp/beangulp/file_type_testdata"
_OCA = "OCA__bank-statement-import/account_statement_import_ofx/tests/test_ofx_file"
_CSV2OFX = "reubano__csv2ofx/converted"
_SCHWAB = f"{_CSV2OFX}/schwab-checking"

#: file -> statements, entries, sum of their amounts.
IMPORTED = {
    f"{_OCA}/test_ofx_iban.ofx": (2, 4, "-360"),
    f"{_BEANGULP}/example.ofx": (1, 17, "-577.32"),
    f"{_BEANGULP}/example.qbo": (3, 23, "-691.81"),
    f"{_BEANGULP}/example.qfx": (1, 12, "-3543.80"),
    "csingley__ofxtools/br_nubank_cc.ofx": (1, 6, "-1280.91"),
    "csingley__ofxtools/stmtrs.ofx": (1, 2, "-500"),
    "egh__ledger-autosync/checking-payee-match.ofx": (1, 1, "-0.01"),
    "egh__ledger-autosync/checking.ofx": (1, 3, "-59.50"),
    "egh__ledger-autosync/comments.ofx": (1, 2, "123.45"),
    "egh__ledger-autosync/fidelity.ofx": (1, 17, "-10526.67"),
    "egh__ledger-autosync/fidelity_fee.ofx": (1, 5, "4064.78"),
    "egh__ledger-autosync/income.ofx": (1, 1, "1234.56"),
    "jseutter__ofxparse/checking.ofx": (1, 3, "-59.50"),
    "jseutter__ofxparse/fail_nice/empty_balance.ofx": (1, 1, "120"),
    "jseutter__ofxparse/fidelity.ofx": (1, 17, "-10526.67"),
    "jseutter__ofxparse/investment_401k.ofx": (1, 1, "-197.20"),
    "jseutter__ofxparse/multiple_accounts.ofx": (2, 0, "0"),
    "jseutter__ofxparse/multiple_accounts2.ofx": (2, 0, "0"),
    "jseutter__ofxparse/tiaacref.ofx": (1, 0, "0"),
    "libofx__libofx/another-example.xml": (1, 1, "2"),
    "libofx__libofx/example-listing1.xml": (1, 2, "209.95"),
    "libofx__libofx/heap-buffer-overflow-1.ofx": (1, 0, "0"),
    f"{_CSV2OFX}/default.ofx": (2, 8, "465000"),
    f"{_CSV2OFX}/gls.ofx": (1, 1, "-98.76"),
    f"{_CSV2OFX}/ingesp.ofx": (1, 10, "350.21"),
    f"{_CSV2OFX}/outbank.ofx": (1, 4, "-35.89"),
    f"{_CSV2OFX}/payoneer.ofx": (1, 2, "20"),
    f"{_SCHWAB}.ofx": (1, 4, "-215.27"),
    f"{_SCHWAB}-msmoney.ofx": (1, 4, "-215.27"),
    **{f"{_SCHWAB}-baltest-case{case}.ofx": (1, 4, "-215.27") for case in range(1, 7)},
    f"{_SCHWAB}-baltest-case7.ofx": (1, 2, "0"),
    "reubano__csv2ofx/example/transaction_example.ofx": (1, 1, "-80"),
    "sebastienrousseau__bankstatementparser/sample.ofx": (1, 2, "1170.25"),
    "sebastienrousseau__bankstatementparser/sample.qfx": (1, 1, "-15"),
}
#: file -> line of the fault, and words of the reason.
REFUSED = {
    # The second transaction's date is commented out.
    f"{_OCA}/test_ofx_wrong.ofx": (42, "has no <DTPOSTED>"),
    "csingley__ofxtools/profrs.ofx": (146, "error 15500: 'Signon invalid'"),
    "jseutter__ofxparse/account_listing_aggregation.ofx": (None, "contains no statement"),
    "jseutter__ofxparse/bank_small.ofx": (None, "contains no statement"),
    "jseutter__ofxparse/error_message.ofx": (22, "error 2000: 'General Server Error'"),
    "jseutter__ofxparse/fail_nice/date_missing.ofx": (33, "has no <DTPOSTED>"),
    # Dollars on an account in Canadian dollars, not converted.
    "jseutter__ofxparse/investment_medium.ofx": (51, "the account is in CAD"),
    "libofx__libofx/failing-ofx-file1.xml": (None, "not an OFX file"),
    "libofx__libofx/failing-ofx-file2.xml": (None, "contains no statement"),
    "libofx__libofx/null-ptr-deref-1.ofx": (7, "ends inside <STMTTRN>"),
    # Transfer orders only.
    f"{_CSV2OFX}/default_w_splits.ofx": (None, "contains no statement"),
    "reubano__csv2ofx/example/transfer_example.ofx": (None, "contains no statement"),
}

pytestmark = pytest.mark.skipif(not STATEMENTS.is_dir(), reason="the corpus is not there")


def corpus_files() -> list[str]:
    found = [path for suffix in ("ofx", "qfx", "qbo") for path in STATEMENTS.rglob(f"*.{suffix}")]
    found += (STATEMENTS / "libofx__libofx").glob("*.xml")
    return sorted(path.relative_to(STATEMENTS).as_posix() for path in found)


def test_every_file_of_the_corpus_has_an_expectation() -> None:
    assert corpus_files() == sorted([*IMPORTED, *REFUSED])


@pytest.mark.parametrize("name", IMPORTED)
def test_file_gives_the_entries_and_the_sum_that_stand_in_it(name: str) -> None:
    statements = read_ofx((STATEMENTS / name).read_bytes())
    entries = [entry for statement in statements for entry in statement.entries]
    count, number, total = IMPORTED[name]
    assert len(statements) == count
    assert len(entries) == number
    assert sum(entry.amount for entry in entries) == to_units(Decimal(total))


@pytest.mark.parametrize("name", IMPORTED)
def test_file_gives_the_days_and_amounts_that_a_search_finds(name: str) -> None:
    data = (STATEMENTS / name).read_bytes()
    entries = [entry for statement in read_ofx(data) for entry in statement.entries]
    assert [(date_text(entry.date), entry.amount) for entry in entries] == search_ofx(data).entries


@pytest.mark.parametrize("name", REFUSED)
def test_file_is_refused_with_its_fault_and_the_line(name: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_ofx((STATEMENTS / name).read_bytes())
    line, words = REFUSED[name]
    assert words in refused.value.reason
    assert refused.value.line == line


@pytest.mark.parametrize("name", [*IMPORTED, *REFUSED])
def test_file_is_recognised_by_its_beginning(name: str) -> None:
    head = (STATEMENTS / name).read_bytes()[:4096]
    assert looks_like_ofx(head) == (name != "libofx__libofx/failing-ofx-file1.xml")
