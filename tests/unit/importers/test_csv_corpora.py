"""Real files from outside this repository. Missing files are skipped."""

import json
import shlex

import pytest

from finance_api.importers.csv.table import read_rows
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import ImportRefused
from support.corpora import CORPORA, STATEMENTS
from support.csv_files import options_in, records
from support.csv_files import read as read_file

SPECTRUM = CORPORA / "csv" / "max-mapper__csv-spectrum"

pytestmark = pytest.mark.skipif(not STATEMENTS.is_dir(), reason="the corpora are not here")

OCA = "OCA__bank-statement-import/account_statement_import_sheet_file/tests/fixtures/"
CSV2OFX = "reubano__csv2ofx/test/"
PARSER = "sebastienrousseau__bankstatementparser/"
HLEDGER = "simonmichael__hledger/"


def options_of(line):
    return options_in(["me@example.com", "f.csv", *shlex.split(line)])[1]


def read(name, options):
    return read_file((STATEMENTS / name).read_bytes(), **({"no_text": True} | options))


# The expected values are from the files, by hand. Files without options here need none.
@pytest.mark.parametrize(
    "name, profile, options, expected",
    [
        (
            "egh__ledger-autosync/paypal.csv",
            "paypal",
            "--account X --date-format MM/DD/YYYY",
            {
                "X": [
                    "2016-06-04 -20 | Jane Doe | Recurring Payment Sent My Friend | - id=XYZ1",
                    "2016-06-04 1120 | Debit Card | Charge From Debit Card | - id=XYZ2",
                ]
            },
        ),
        (
            "egh__ledger-autosync/paypal_alternate.csv",
            "paypal-2016",
            "--account X",
            {
                "X": [
                    "2016-12-31 -12.34 | Some User | Payment Sent | -",
                    "2016-12-31 12.34 | Bank Account | Add Funds from a Bank Account | -",
                ]
            },
        ),
        (
            "egh__ledger-autosync/venmo.csv",
            "venmo",
            "--account X",
            {
                "X": [
                    "2020-01-01 73.01 | Friend A | foobar charge positive | - id=1",
                    "2020-01-02 50.03 | Friend B | foobar payment positive | - id=2",
                    "2020-01-03 -12.01 | Friend A | foobar payment negative | - id=3",
                    "2020-01-04 -35.02 | Friend B | foobar charge negative | - id=4",
                ]
            },
        ),
        (
            CSV2OFX + "n26-fr.csv",
            "n26-2024",
            "",
            {
                "N26 Coffre fort": [
                    "2020-03-07 328 | Compte courant | Credit Transfer | - "
                    "other=DE27100110000000000000",
                    "2020-03-07 -328 | Compte courant | Debit Transfer | - "
                    "other=DE27100110000000000000",
                ]
            },
        ),
        (
            CSV2OFX + "payoneer.csv",
            "payoneer",
            "--account X --date-format DD/MM/YYYY",
            {
                "X": [
                    "2021-03-05 -100 | payee | Transaction description "
                    "Payoneer additional description | - id=123",
                    "2021-03-05 120 | payer | Transaction description "
                    "Payoneer additional description | - id=1234",
                ]
            },
        ),
        (
            HLEDGER + "examples/csv/other/stripe.csv",
            "stripe",
            "--account X",
            {
                "X": [
                    "2020-01-23 12 | - | charge | - id=txn_14G11HjubSIHf9IKrvJdwN value=2020-01-27",
                    "2020-01-23 -0.77 | - | refund REFUND FOR PAYMENT | - "
                    "id=txn_14G11HjHgubIH9ZvbPgYO7 value=2020-01-27",
                ]
            },
        ),
        (
            HLEDGER + "examples/csv/apps/monefy.csv",
            "monefy",
            "--date-format DD/MM/YYYY",
            {
                "Cash": [
                    "2021-12-06 -55 | - | fbbd | Bills",
                    "2021-12-06 -25 | - | - | Clothes",
                    "2021-12-06 1280.8 | - | salary | Salary",
                    "2021-12-06 -200 | To 'Payment card' | - | -",
                ],
                "Payment card": [
                    "2021-12-06 -180 | - | - | Car",
                    "2021-12-06 4884 | - | geehh | Savings",
                    "2021-12-06 -12 | - | gift | Gifts",
                    "2021-12-06 200 | From 'Cash' | - | -",
                ],
            },
        ),
        (
            CSV2OFX + "gls.csv",
            "gls",
            "",
            {
                "1234567890": [
                    "2017-10-10 -98.76 | Drillisch Online AG | SEPA-Basislastschrift "
                    "B4658645 U123456789 B123456 987 SIMply Rechnung | - value=2017-10-10"
                ]
            },
        ),
        (
            CSV2OFX + "schwab-checking.csv",
            "schwab-checking",
            "--account X",
            {
                "X": [
                    "2022-08-17 20 | Deposit Mobile Banking | DEPOSIT | -",
                    "2022-08-14 -103 | BMO HARRIS BANK | ATM | -",
                    "2022-08-09 -75 | Check Paid #558 | CHECK | - reference=558",
                    "2022-08-04 -57.27 | PAYPAL INST XFER 220803~ Tran: ACHDW | ACH | -",
                ]
            },
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_records_of_a_real_file_with_its_profile(name, profile, options, expected):
    assert records((STATEMENTS / name).read_bytes(), profile, **options_of(options)) == expected


@pytest.mark.parametrize(
    "name, options, line, named",
    [
        (
            OCA + "meta_data_separated_credit_debit.csv",
            "--debit Debit --credit Credit --account X",
            6,
            "DD/MM/YY",
        ),
        (
            OCA + "meta_data_separated_credit_debit.csv",
            "--debit Debit --credit Credit --account X --date-format DD/MM/YY",
            10,
            "Balance at start of period",
        ),
        (
            CSV2OFX + "payoneer.csv",
            "--map date=1 --debit 'Debit Amount' --credit 'Credit Amount' --account X",
            2,
            "--date-format",
        ),
        (CSV2OFX + "default.csv", "--account X --positive out", 8, "--account"),
        (PARSER + "golden/csv_garbled_amount.csv", "--account X", 3, "12..34"),
        (OCA + "multi_currency.csv", "--account X --currency EUR", 2, "USD"),
        (
            HLEDGER + "hledger/test/errors/csvamountonenonzero.csv",
            "--map date=1 --debit 2 --credit 3 --no-header --skip-rows 2 --account X",
            5,
            "both",
        ),
        (
            "egh__ledger-autosync/venmo.csv",
            "--map date=Datetime --map 'amount=Amount (total)' --account X",
            8,
            "the date is empty",
        ),
    ],
)
def test_what_a_real_file_does_not_decide_is_refused(name, options, line, named):
    with pytest.raises(ImportRefused) as refused:
        read(name, options_of(options))
    assert refused.value.line == line
    assert named in refused.value.reason


@pytest.mark.parametrize("path", sorted(SPECTRUM.glob("csvs/*.csv")), ids=lambda path: path.stem)
def test_rows_of_csv_spectrum_are_its_json(path):
    expected = json.loads((SPECTRUM / "json" / f"{path.stem}.json").read_text("utf-8"))
    with path.open("rb") as stream:
        rows = list(read_rows(TextFile(stream, "utf-8").lines(), ","))
    (_, headings), *rows = rows
    assert [dict(zip(headings, cells, strict=True)) for _, cells in rows] == expected
