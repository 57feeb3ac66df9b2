"""Every file of banks, apps and other projects is imported right, or refused with advice.

Each file is imported into a new storage. The expected values come from a second parser
(`support.independent`), or were taken from the files by hand and with awk.
"""

import io
import re

import pytest

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.any_file import import_any, imported_once, options_of
from support.corpora import STATEMENTS
from support.damaging import check_refusal
from support.independent import Independent, read_camt, read_mt940, search_ofx
from support.ledger import Person

#: Layouts without data, which another test covers.
_LAYOUTS = "firefly-iii__import-configurations"
_OTHER_READINGS = {"camt": read_camt, "mt940": read_mt940, "ofx": search_ofx}


def found_files() -> dict[str, str]:
    """Return each file with its format, or with the refusal by its first bytes."""
    found = {}
    for path in sorted(STATEMENTS.rglob("*")):
        name = path.relative_to(STATEMENTS).as_posix()
        if path.is_file() and "LICENSE" not in name and not name.startswith(_LAYOUTS):
            try:
                found[name] = detect_format(io.BytesIO(path.read_bytes())).name
            except ImportRefused as refused:
                found[name] = refused.reason
    return found


FILES = found_files()
OCA = "OCA__bank-statement-import/account_statement_import_sheet_file/tests/fixtures/"
TRADES = "beancount__beangulp/examples/"
CSV2OFX = "reubano__csv2ofx/"
PARSER = "sebastienrousseau__bankstatementparser/"
HLEDGER = "simonmichael__hledger/"
QUIFFEN = "isaacharrisholt__quiffen/"
_LABELS = {"account": "A", "columns": {"payee": "Partner Name", "note": "Label"}}
_TRADE = {"account": "A", "currency": "USD", "columns": {"note": "DESCRIPTION"}, "positive": "in"}
_SIDES = {"debit": "Debit", "credit": "Credit", "account": "A"}
_SAMPLE = {"account": "A", "columns": {"note": "Remarque", "amount": "Montant"}, "currency": "EUR"}
_SCHWAB = "4 | 20 | -235.27 | 2022-08-04 | 2022-08-17 | 878.47"
_SCHWAB_DAY = _SCHWAB.replace("2022-08-04", "2022-08-17")
_EUROPEAN = "3 | 3500 | -1239.06 | 2026-04-02 | 2026-04-09 | -"
#: For files without a second parser: options, and number, money in, money out, first and last day,
#: and the bank's balance.
EXPECTED = {
    OCA + "balance.csv": (
        {**_LABELS, "currency": "EUR", "date_format": "MM/DD/YYYY", "balance": "Balance"},
        "2 | 1533.5 | -33.5 | 2018-12-15 | 2018-12-15 | 1510",
    ),
    OCA + "debit_credit.csv": (
        {**_LABELS, "currency": "EUR", "sign": "D/C", "balance": "Balance"},
        "2 | 1533.5 | -33.5 | 2018-12-15 | 2018-12-15 | 1510",
    ),
    # Files of rules' errors: their rows are amounts all the same.
    **{
        f"simonmichael__hledger/hledger/test/errors/csv{name}.csv": (
            {"account": "A", "currency": "EUR", "positive": "in"},
            "1 | 1 | 0 | 2022-01-01 | 2022-01-01 | -",
        )
        for name in ("balancetypeparse", "decimalmarkparse")
    },
    "simonmichael__hledger/hledger/test/errors/csvamountonenonzero.csv": (
        {
            "account": "A",
            "currency": "EUR",
            "positive": "in",
            "columns": {"amount": ("2",)},
            "ignore": ["3"],
        },
        "3 | 3 | 0 | 2022-01-01 | 2022-01-03 | -",
    ),
    OCA + "empty_statement_en.xlsx": ({"account": "A", "currency": "EUR"}, "0 | 0 | 0 | - | - | -"),
    **{
        OCA + f"meta_data_separated_credit_debit.{kind}": (
            {
                **_SIDES,
                "currency": "EUR",
                "skip_last": 1,
                "date_format": "DD/MM/YY",
                "columns": {"note": "Label", "id": "Operation Number"},
            },
            "4 | 1300 | -230.68 | 2020-04-01 | 2020-04-02 | -",
        )
        for kind in ("csv", "xlsx")
    },
    OCA + "multi_currency.csv": (_LABELS, "2 | 1525 | -33.5 | 2018-12-15 | 2018-12-15 | -"),
    OCA + "original_currency.csv": (
        {**_LABELS, "positive": "in", "ignore": ["Amount Currency"]},
        "1 | 1525 | 0 | 2018-12-15 | 2018-12-15 | -",
    ),
    OCA + "sample_statement_credit_card_inverse_sign_en.csv": (
        {**_LABELS, "positive": "out", "ignore": ["Amount Currency"]},
        "2 | 1525 | -33.5 | 2018-12-15 | 2018-12-15 | -",
    ),
    OCA + "sample_statement_en.csv": (
        {**_LABELS, "ignore": ["Amount Currency"]},
        "2 | 1525 | -33.5 | 2018-12-15 | 2018-12-15 | -",
    ),
    TRADES + "Downloads/UTrade20160215.csv": (
        _TRADE,
        "12 | 7744.72 | -4155.77 | 2015-11-17 | 2016-02-07 | 4665.89",
    ),
    **{
        TRADES + name: (_TRADE, "14 | 10029.38 | -12032.98 | 2014-11-27 | 2015-02-22 | 1432.4")
        for name in (
            "documents/Assets/US/UTrade/2015-02-25.utrade.UTrade20150225.csv",
            "tests/utrade/UTrade20150225.csv",
        )
    },
    TRADES + "documents/Assets/US/UTrade/2015-05-05.utrade.UTrade20150505.csv": (
        _TRADE,
        "11 | 13993.91 | -14518 | 2015-02-06 | 2015-04-14 | 856.97",
    ),
    TRADES + "documents/Assets/US/UTrade/2015-09-24.utrade.UTrade20150924.csv": (
        _TRADE,
        "9 | 96.34 | -6531.6 | 2015-06-29 | 2015-09-19 | 1029.38",
    ),
    TRADES + "tests/utrade/UTrade20140713.csv": (
        _TRADE,
        "14 | 7261.07 | -33897.32 | 2014-04-14 | 2014-07-12 | 3963.83",
    ),
    TRADES + "tests/utrade/UTrade20150720.csv": (
        _TRADE,
        "12 | 10660.93 | -10548.87 | 2015-05-17 | 2015-07-19 | 969.03",
    ),
    "egh__ledger-autosync/amazon.csv": (
        {
            "account": "A",
            "positive": "out",
            "columns": {"recordDate": "Order Date", "amount": "Item Total", "note": "Title"},
            "ignore": [
                *("List Price Per Unit", "Purchase Price Per Unit"),
                *("Item Subtotal", "Item Subtotal Tax"),
            ],
        },
        "1 | 0 | -21.9 | 2016-01-29 | 2016-01-29 | -",
    ),
    "egh__ledger-autosync/paypal.csv": (
        {"account": "A", "date_format": "MM/DD/YYYY"},
        "2 | 1120 | -20 | 2016-06-04 | 2016-06-04 | 0",
    ),
    "egh__ledger-autosync/paypal_alternate.csv": (
        {"account": "A", "currency": "USD"},
        "2 | 12.34 | -12.34 | 2016-12-31 | 2016-12-31 | -",
    ),
    "egh__ledger-autosync/venmo.csv": (
        {"account": "A"},
        "4 | 123.04 | -47.03 | 2020-01-01 | 2020-01-04 | -",
    ),
    CSV2OFX + "test/default.csv": (
        {"positive": "in", "columns": {"note": "Description"}, "currency": "EUR"},
        "8 | 465000 | 0 | 2015-02-08 | 2015-03-25 | -",
    ),
    CSV2OFX + "test/gls.csv": ({}, "1 | 0 | -98.76 | 2017-10-10 | 2017-10-10 | 1234.56"),
    CSV2OFX + "test/ingesp.csv": (
        # Its balances fit no order of its rows.
        {"account": "A", "ignore": ["balance"]},
        "10 | 1901 | -1550.79 | 2022-03-24 | 2022-12-31 | -",
    ),
    CSV2OFX + "test/n26-fr.csv": ({}, "2 | 328 | -328 | 2020-03-07 | 2020-03-07 | -"),
    CSV2OFX + "test/outbank.csv": ({}, "4 | 100 | -135.89 | 2019-01-05 | 2019-02-20 | -"),
    CSV2OFX + "test/payoneer.csv": (
        {"account": "A", "date_format": "DD/MM/YYYY"},
        "2 | 120 | -100 | 2021-03-05 | 2021-03-05 | 200",
    ),
    CSV2OFX + "test/schwab-checking.csv": ({"account": "A"}, _SCHWAB),
    **{
        CSV2OFX + f"test/schwab-checking-baltest-case{case}.csv": ({"account": "A"}, said)
        for case, said in [(1, _SCHWAB), (3, _SCHWAB), (4, _SCHWAB)]
        + [(5, _SCHWAB_DAY), (6, _SCHWAB_DAY)]
        + [(7, "2 | 20 | -20 | 2022-08-17 | 2022-08-17 | -")]
    },
    # Its balances fit no order of its rows.
    CSV2OFX + "test/schwab-checking-baltest-case2.csv": (
        {"account": "A", "ignore": ["RunningBalance"]},
        "4 | 20 | -235.27 | 2022-08-04 | 2022-08-17 | -",
    ),
    CSV2OFX + "test/xero.csv": (
        {
            "currency": "EUR",
            "columns": {
                "recordDate": "JournalDate",
                "amount": "NetAmount",
                "note": "Description",
                "account": ["AccountName"],
            },
            "only": ["AccountName=Cash", "AccountName=Checking"],
            "positive": "in",
        },
        "8 | 531000 | -209000 | 2015-01-23 | 2015-02-14 | -",
    ),
    **{
        CSV2OFX + f"converted/{name}.qif": (
            {"currency": "EUR"},
            "8 | 465000 | 0 | 2015-02-08 | 2015-03-25 | -",
        )
        for name in ("default", "default_w_splits")
    },
    CSV2OFX + "converted/xero.qif": (
        {"currency": "EUR"},
        "6 | 149000 | -382000 | 2015-01-23 | 2015-02-14 | -",
    ),
    QUIFFEN + "test.qif": ({"currency": "GBP"}, "10 | 114.5 | -150 | 2020-02-10 | 2020-02-14 | -"),
    QUIFFEN + "test_circular_reference.qif": (
        {"account": "A", "currency": "GBP"},
        "2 | 0 | -14.59 | 2021-08-27 | 2021-08-27 | -",
    ),
    QUIFFEN + "test_split.qif": (
        {"account": "A", "currency": "GBP"},
        "2 | 0 | -10 | 2000-01-01 | 2000-01-01 | -",
    ),
    PARSER + "golden/csv_european_decimals.csv": (
        {
            "columns": {
                "recordDate": "Buchungstag",
                "amount": "Betrag",
                "account": "IBAN",
                "currency": "CCY",
                "note": "Verwendungszweck",
            }
        },
        _EUROPEAN,
    ),
    PARSER + "golden/csv_french_headers.csv": (
        {
            "columns": {"recordDate": "Date opération", "note": "Libellé"},
            "debit": "Débit",
            "credit": "Crédit",
            "account": "A",
        },
        _EUROPEAN,
    ),
    PARSER + "sample_split_amounts.csv": (
        {
            **_SIDES,
            "columns": {"recordDate": "Booking Date", "note": "Details", "currency": "CCY"},
            "balance": "Running Balance",
        },
        "2 | 1250.5 | -200.25 | 2026-03-20 | 2026-03-21 | 2050.25",
    ),
    PARSER + "sample_statement.csv": (
        {"columns": {"note": "Description"}, "balance": "Balance"},
        "2 | 2500 | -1200 | 2026-03-20 | 2026-03-21 | 3800",
    ),
    HLEDGER + "examples/csv/apps/monefy.csv": (
        {"date_format": "DD/MM/YYYY"},
        "8 | 6364.8 | -472 | 2021-12-06 | 2021-12-06 | -",
    ),
    HLEDGER + "examples/csv/other/stripe.csv": (
        {"account": "A"},
        "2 | 12 | -0.77 | 2020-01-23 | 2020-01-23 | -",
    ),
    **{
        HLEDGER + f"examples/sample.fr.{encoding}.csv": (
            {**_SAMPLE, **({} if encoding == "utf8" else {"encoding": "cp1252"})},
            "3 | 50 | -30 | 2012-03-22 | 2012-03-24 | -",
        )
        for encoding in ("cp1252", "iso88591", "utf8")
    },
    HLEDGER + "examples/sample.journal.csv": (
        {
            "columns": {"note": "description", "account": ["account"]},
            "currency": "USD",
            "ignore": ["status"],
            "only": [
                *("account=assets:bank:checking", "account=assets:bank:saving"),
                *("account=assets:cash", "account=liabilities:debts"),
            ],
            "positive": "in",
        },
        "7 | 4 | -4 | 2008-01-01 | 2008-12-31 | -",
    ),
}
_ANOTHER = "download the file again, or in another format"
_DAMAGED = "download it again"
_SUM = "make {}, but the closing balance is {}: .* download the statement again"
_NOTHING = "contains no transaction and no balance: download another period"
_ERRORS = HLEDGER + "hledger/test/errors/csv"
_NO_CSV = "not in a known format, .* with --delimiter"
_OFX = "OCA__bank-statement-import/account_statement_import_ofx/tests/test_ofx_file/"
_OTHER_FORMAT = "download the transactions of an account, or another format"
#: A pattern for the message about every other file, with any options.
REFUSED = {
    _OFX + "test_ofx_wrong.ofx": f"line 42: .*; {_ANOTHER}",
    OCA + "sample_statement_en_empty_values.xlsx": "no column is the amount; say which one is",
    **{
        f"WoLpH__mt940/{name}.sta": f"no end: it is cut off or damaged; {_DAMAGED}"
        for name in (
            *("betterplace/currency_in_25", "betterplace/empty_line", "cmxl/reference"),
            *("cmxl/account_balance_debit", "cmxl/account_identification_iban"),
            *("cmxl/account_identification_legacy", "self-provided/gv_codes"),
        )
    },
    "WoLpH__mt940/cmxl/statement_number.sta": _NOTHING,
    "WoLpH__mt940/self-provided/empty_non_swift.sta": _NOTHING,
    "WoLpH__mt940/self-provided/invalid_statement.sta": _NO_CSV,
    "WoLpH__mt940/jejik/abnamro.sta": _SUM.format("2914.84", "876.84"),
    "WoLpH__mt940/jejik/knab.sta": _SUM.format("-3701.02", "798.98"),
    "WoLpH__mt940/jejik/triodos.sta": _SUM.format("4259.39", "4370.79"),
    "WoLpH__mt940/self-provided/details_60-63.sta": _SUM.format("12111.97", "12345.98"),
    "WoLpH__mt940/self-provided/whitespace.sta": _SUM.format("12111.97", "12345.98"),
    "csingley__ofxtools/profrs.ofx": f"error 15500: 'Signon invalid'; {_DAMAGED}",
    "genkgo__camt/camt053.v2.five.decimals.xml": _SUM.format("27", "27.05"),
    "genkgo__camt/camt053.v2.wrong.xml": "contains no statement: download another period",
    "genkgo__camt/camt053.v4.xml": f"in different currencies: EUR, SEK; {_DAMAGED}",
    "genkgo__camt/camt053.v8.xml": f"in different currencies: EUR, SEK; {_DAMAGED}",
    "genkgo__camt/camt054.v8-with-UETR.xml": f"nor a value date; {_ANOTHER}",
    "genkgo__camt/camt054.v8-with-financial-institution.xml": f"nor a value date; {_ANOTHER}",
    QUIFFEN + "empty.qif": "the file is empty; there is nothing to import",
    QUIFFEN + "test_category_inherit.qif": r"categories \(2\), .* export the transactions",
    QUIFFEN + "test_option_autoswitch.qif": "no transactions of an account; export the",
    QUIFFEN + "test_unknown_account_type.qif": "of investments .* export the transactions",
    "jseutter__ofxparse/account_listing_aggregation.ofx": _OTHER_FORMAT,
    "jseutter__ofxparse/bank_small.ofx": _OTHER_FORMAT,
    "jseutter__ofxparse/error_message.ofx": f"error 2000: 'General Server Error'; {_DAMAGED}",
    "jseutter__ofxparse/fail_nice/date_missing.ofx": f"line 33: .*; {_ANOTHER}",
    "jseutter__ofxparse/investment_medium.ofx": f"the account is in CAD; {_ANOTHER}",
    "libofx__libofx/failing-ofx-file1.xml": _NO_CSV,
    "libofx__libofx/failing-ofx-file2.xml": _OTHER_FORMAT,
    "libofx__libofx/null-ptr-deref-1.ofx": "ends inside <STMTTRN>, .*download it again",
    CSV2OFX + "converted/default_w_splits.ofx": _OTHER_FORMAT,
    CSV2OFX + "example/transfer_example.ofx": _OTHER_FORMAT,
    PARSER + "eval/european_format.json": "a JSON file: .* statements come in other formats",
    PARSER + "golden/csv_garbled_amount.csv": r"line 3: '12\.\.34' is not an amount",
    PARSER + "invalid.xml": "download the statement as camt, OFX or CSV",
    HLEDGER + "examples/csv/ccexchanges/coinbase2.csv": "import the statement of the bank account",
    HLEDGER + "examples/csv/cctax/rotki/_address_book_entries.csv": "no column is the date; say",
    HLEDGER + "examples/csv/cctax/rotki/_blockchain-accounts.csv": "no column is the date; say",
    HLEDGER + "examples/csv/sample.ssv": "no column is the date; say",
    HLEDGER + "examples/self-tracking/a.tsv": "no column is the date; say",
    _ERRORS + "noinclude.csv": "the file is empty; there is nothing to import",
    **{
        f"{_ERRORS}{name}.csv": _NO_CSV
        for name in (
            *("balanceparse", "dateformat", "ifblocknonempty", "iftablevaluecount", "twofields"),
        )
    },
    # It was shortened by hand.
    "WoLpH__mt940/self-provided/mt942.sta": (
        "states 1 outgoing entry with a sum of 2.3, but it has 1 outgoing entry with a sum of 0.42"
    ),
    "viafintech__camt_parser/052/valid_namespace.xml": "no statement: download another period",
    "viafintech__camt_parser/053/valid_example_v8.xml": f"account is in CHF; {_ANOTHER}",
    "viafintech__camt_parser/053/valid_example_with_debit.xml": _SUM.format("-43.06", "23.06"),
    "viafintech__camt_parser/053/valid_example_with_instdamt.xml": _SUM.format("4600", "4500"),
}
#: The number by which payments exceed entries in files with batches.
BATCHES = {
    "OCA__bank-statement-import/account_statement_import_camt/test_files/test-camt053-txdtls": 1,
    "viafintech__camt_parser/053/valid_example.xml": 1,
}
IMPORTED = [name for name in FILES if name not in REFUSED]
#: Options for files that do not contain their account and currency.
_NAMELESS = {"account": "A", "currency": "EUR"}
NAMELESS = ("WoLpH__mt940/cmxl/statement_line.sta", "libofx__libofx/heap-buffer-overflow-1.ofx")

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")


def test_every_file_has_an_expectation():
    assert set(REFUSED) | set(EXPECTED) <= set(FILES)
    assert not set(REFUSED) & set(EXPECTED)
    others = {FILES[name] for name in IMPORTED if name not in EXPECTED}
    assert others == set(_OTHER_READINGS)


def do_import(person, name, options):
    return import_any(person, (STATEMENTS / name).read_bytes(), options)


@pytest.mark.parametrize("name", IMPORTED)
def test_file_is_imported_right_and_once(name):
    options = EXPECTED[name][0] if name in EXPECTED else _NAMELESS if name in NAMELESS else {}
    person = Person(MemoryBackend())
    report = imported_once(person, (STATEMENTS / name).read_bytes(), options)
    check(person, report, name)


def check(person, report, name):
    """Check that days, amounts and balances are those of the second parser."""
    records = person.rows(RECORDS)
    assert report.created == len(records)
    amounts = [record["amount"] for record in records]
    money_in, money_out = (sum(a for a in amounts if a * s > 0) for s in (1, -1))
    assert money_in == sum(total.money_in for total in report.totals)
    assert money_out == sum(total.money_out for total in report.totals)
    days = sorted(date_text(record["recordDate"]) for record in records)
    told = {row["bankBalance"] for row in person.rows(ACCOUNTS)} - {None}
    if name in EXPECTED:
        (balance,) = map(decimal_text, told) if told else ("-",)
        first, last = (days[0], days[-1]) if days else ("-", "-")
        sums = f"{decimal_text(money_in)} | {decimal_text(money_out)}"
        found = f"{len(records)} | {sums} | {first} | {last} | {balance}"
        assert found == EXPECTED[name][1]
        return
    other: Independent = _OTHER_READINGS[FILES[name]]((STATEMENTS / name).read_bytes())
    # The second parser of MT940 gives days without a year.
    begin = 5 if FILES[name] == "mt940" else 0
    moved = sorted((date_text(row["recordDate"])[begin:], row["amount"]) for row in records)
    if name in BATCHES:
        assert len(moved) == len(other.entries) + BATCHES[name]
        assert sum(amounts) == sum(amount for _, amount in other.entries)
        assert {day for day, _ in moved} == {day for day, _ in other.entries}
    else:
        assert moved == sorted(other.entries)
    assert told <= {closing for _, closing in other.balances}
    # If the file has several accounts, only one has the last balance.
    assert not other.balances or other.balances[-1][1] in told


@pytest.mark.parametrize("name", [*REFUSED, *EXPECTED])
def test_refusal_says_what_to_do_and_nothing_is_stored(name):
    """Tests each file without options, and with the options that its refusal proposes."""
    said, imported, tried = [], 0, []
    open_options: list[dict] = [{}]
    while open_options:
        options = open_options.pop()
        tried.append(options)
        assert len(tried) < 50, tried
        person = Person(MemoryBackend())
        try:
            do_import(person, name, options)
        except ImportRefused as refused:
            check_refusal(refused)
            said.append(str(refused))
            assert person.snapshot() == (0, b"")
            proposed = [options_of(answer, options) for answer in refused.answers]
            open_options += [each for each in proposed if each not in tried]
        else:
            imported += 1
    if name in EXPECTED:
        assert imported, said
    else:
        assert not imported, tried
        assert any(re.search(REFUSED[name], text) for text in said), said


#: These contradict another file that is for the same account.
_CONTRADICTING = {f"{CSV2OFX}converted/schwab-checking-baltest-case{n}.ofx" for n in (5, 6, 7)}


def test_all_ofx_files_in_one_user_come_in_twice():
    person = Person(MemoryBackend())
    names = [name for name in IMPORTED if FILES[name] == "ofx" and name not in NAMELESS]
    for _ in range(2):
        before = person.snapshot()
        refused = set()
        for name in names:
            try:
                do_import(person, name, {})
            except ImportRefused as error:
                assert "contradicts the record" in str(error), name
                refused.add(name)
            person.audit()
        assert refused == _CONTRADICTING
    # Files of one bank may correct each other, but none makes a record again.
    assert person.dump().count(b'"Record"') == before[1].count(b'"Record"')
