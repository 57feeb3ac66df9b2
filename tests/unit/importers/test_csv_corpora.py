"""Real files, read where they lie; left out where they are missing."""

import json
import os
from pathlib import Path

import pytest

from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.csv.table import read_rows
from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from support.csv_files import read as read_file

REPOSITORY = Path(__file__).parents[3]
CORPORA = Path(os.environ.get("FINANCE_TEST_CORPORA", REPOSITORY.parent / "shared" / "corpora"))
STATEMENTS = CORPORA / "statements"
SPECTRUM = CORPORA / "csv" / "max-mapper__csv-spectrum"

pytestmark = pytest.mark.skipif(not STATEMENTS.is_dir(), reason="the corpora are not here")

FILES = sorted(str(path.relative_to(STATEMENTS)) for path in STATEMENTS.glob("**/*.csv"))
OCA = "OCA__bank-statement-import/account_statement_import_sheet_file/tests/fixtures/"
CSV2OFX = "reubano__csv2ofx/test/"
PARSER = "sebastienrousseau__bankstatementparser/"
HLEDGER = "simonmichael__hledger/"


def read(name, **options):
    return read_file((STATEMENTS / name).read_bytes(), **({"no_text": True} | options))


def totals(statements):
    return {
        s.account.name: (len(s.entries), decimal_text(sum(e.amount for e in s.entries)))
        for s in statements
    }


@pytest.mark.parametrize("account", [None, "Main"])
@pytest.mark.parametrize("name", FILES)
def test_file_is_read_or_refused_with_a_reason(name, account):
    try:
        statements = read(name, account=account)
    except ImportRefused as refused:
        assert refused.reason.strip()
    else:
        assert statements


# Counts and sums are worked out from the files by hand and with awk.
@pytest.mark.parametrize(
    "name, options, expected",
    [
        (OCA + "balance.csv", {"account": "X"}, {"X": (2, "1500")}),
        (
            "beancount__beangulp/examples/Downloads/UTrade20160215.csv",
            {"account": "X", "columns": {"id": "REF #"}},
            {"X": (12, "3588.95")},
        ),
        (
            "egh__ledger-autosync/paypal.csv",
            {"account": "X", "columns": {"amount": "Net"}, "date_format": "%m/%d/%Y"},
            {"X": (2, "1100")},
        ),
        (
            CSV2OFX + "schwab-checking.csv",
            {"account": "X", "debit": "Withdrawal", "credit": "Deposit"},
            {"X": (4, "-215.27")},
        ),
        (
            CSV2OFX + "gls.csv",
            {
                "columns": {
                    "date": "Buchungstag",
                    "amount": "Betrag",
                    "account": "Kontonummer",
                    "currency": "Währung",
                },
                "encoding": "cp1252",
            },
            {"1234567890": (1, "-98.76")},
        ),
        (
            CSV2OFX + "xero.csv",
            {"columns": {"date": "JournalDate", "amount": "NetAmount"}},
            {"Income": (5, "-322000"), "Cash": (7, "113000"), "Checking": (1, "209000")},
        ),
        (
            CSV2OFX + "outbank.csv",
            {"columns": {"payee": "Name"}, "account": "X"},
            {"X": (4, "-35.89")},
        ),
        (
            CSV2OFX + "ingesp.csv",
            {"columns": {"payee": "desc"}, "account": "X"},
            {"X": (10, "350.21")},
        ),
        (
            CSV2OFX + "payoneer.csv",
            {
                "columns": {"date": "Transaction Date", "id": "Transaction ID"},
                "debit": "Debit Amount",
                "credit": "Credit Amount",
                "date_format": "DD/MM/YYYY",
                "account": "X",
            },
            {"X": (2, "20")},
        ),
        (
            CSV2OFX + "n26-fr.csv",
            {
                "columns": {
                    "date": "Booking Date",
                    "amount": "Amount (EUR)",
                    "account": "Account Name",
                }
            },
            {"Coffre fort": (2, "0")},
        ),
        (
            PARSER + "golden/csv_european_decimals.csv",
            {
                "columns": {
                    "date": "Buchungstag",
                    "amount": "Betrag",
                    "account": "IBAN",
                    "currency": "CCY",
                }
            },
            {"DE89370400440532013000": (3, "2260.94")},
        ),
        (
            PARSER + "golden/csv_french_headers.csv",
            {
                "columns": {"date": "Date opération"},
                "debit": "Débit",
                "credit": "Crédit",
                "account": "X",
            },
            {"X": (3, "2260.94")},
        ),
        (
            HLEDGER + "examples/sample.fr.cp1252.csv",
            {"columns": {"amount": "Montant"}, "encoding": "cp1252", "account": "X"},
            {"X": (3, "20")},
        ),
        (
            HLEDGER + "examples/csv/apps/monefy.csv",
            {"columns": {"currency": "5"}, "date_format": "DD/MM/YYYY"},
            {"Cash": (4, "1000.8"), "Payment card": (4, "4892")},
        ),
        (
            HLEDGER + "examples/csv/other/stripe.csv",
            {"columns": {"date": "created_utc", "amount": "net"}, "account": "X"},
            {"X": (2, "11.23")},
        ),
        (
            OCA + "meta_data_separated_credit_debit.csv",
            {
                "columns": {"payee": "Label", "id": "Operation Number"},
                "debit": "Debit",
                "credit": "Credit",
                "skip_rows": 4,
                "skip_last": 1,
                "date_format": "DD/MM/YY",
                "account": "08088804068",
            },
            {"08088804068": (4, "1069.32")},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_count_and_sum_of_a_real_file(name, options, expected):
    assert totals(read(name, **options)) == expected


@pytest.mark.parametrize(
    "name, options, line, named",
    [
        (
            OCA + "meta_data_separated_credit_debit.csv",
            {"debit": "Debit", "credit": "Credit", "account": "X"},
            6,
            "DD/MM/YY",
        ),
        (
            OCA + "meta_data_separated_credit_debit.csv",
            {"debit": "Debit", "credit": "Credit", "account": "X", "date_format": "DD/MM/YY"},
            10,
            "Balance at start of period",
        ),
        (
            CSV2OFX + "payoneer.csv",
            {
                "columns": {"date": "1"},
                "debit": "Debit Amount",
                "credit": "Credit Amount",
                "account": "X",
            },
            2,
            "--date-format",
        ),
        (CSV2OFX + "default.csv", {"account": "X", "positive": "out"}, 8, "--account"),
        (CSV2OFX + "gls.csv", {"account": "X", "no_profile": True}, 1, "--encoding"),
        (PARSER + "golden/csv_garbled_amount.csv", {"account": "X"}, 3, "12..34"),
        (OCA + "multi_currency.csv", {"account": "X", "currency": "EUR"}, 2, "USD"),
        (
            HLEDGER + "hledger/test/errors/csvamountonenonzero.csv",
            {
                "columns": {"date": "1"},
                "debit": "2",
                "credit": "3",
                "header": False,
                "skip_rows": 2,
                "account": "X",
            },
            5,
            "both",
        ),
        (
            "egh__ledger-autosync/venmo.csv",
            {"columns": {"date": "Datetime", "amount": "Amount (total)"}, "account": "X"},
            2,
            "date is empty",
        ),
    ],
)
def test_what_a_real_file_does_not_decide_is_refused(name, options, line, named):
    with pytest.raises(ImportRefused) as refused:
        read(name, **options)
    assert refused.value.line == line
    assert named in refused.value.reason


@pytest.mark.parametrize("path", sorted(SPECTRUM.glob("csvs/*.csv")), ids=lambda path: path.stem)
def test_rows_of_csv_spectrum_are_its_json(path):
    expected = json.loads((SPECTRUM / "json" / f"{path.stem}.json").read_text("utf-8"))
    with path.open("rb") as stream:
        rows = list(read_rows(TextFile(stream, "utf-8").lines(), ","))
    (_, headings), *rows = rows
    assert [dict(zip(headings, cells, strict=True)) for _, cells in rows] == expected
