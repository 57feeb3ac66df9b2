"""Real files with no option, one option, or a wrong one: never a wrong sum silently."""

import csv
import io
import re
import shlex
from collections import Counter

import pytest

from finance_api.cli.import_texts import PLACEHOLDERS
from finance_api.cli.importing import commands_to_copy
from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.interface import Choice, ImportRefused
from support.corpora import STATEMENTS
from support.csv_files import options_in
from support.nightly import count

CODE = PLACEHOLDERS["currency"]

pytestmark = pytest.mark.skipif(not STATEMENTS.is_dir(), reason="the corpora are not here")

FILES = sorted(str(path.relative_to(STATEMENTS)) for path in STATEMENTS.glob("**/*.csv"))
GIVEN = ["me@example.com", "f.csv"]


def run(data, words):
    """Return the sums by currency or the refusal, and the commands that it shows."""
    context, options = options_in(words)
    importer = CsvImporter(Mapping(**options))
    sums = Counter()
    try:
        for statement, entry in importer.read(io.BytesIO(data)):
            if entry is not None:
                sums[statement.account.currency] += entry.amount
    except ImportRefused as refused:
        assert refused.reason.strip()
        commands = commands_to_copy(context, *GIVEN, refused.answers)
        # People choose by meaning, so each of several commands has a different one.
        meanings = {command.meaning for command in commands}
        assert len(commands) == 1 or ("" not in meanings and len(meanings) == len(commands))
        such_as = re.search("--currency, such as ([A-Z]{3})", refused.reason)
        code = such_as[1] if such_as else "EUR"
        return refused, [
            [code if word == CODE else word for word in shlex.split(command)[2:]]
            for command in (command.line for command in commands)
        ]
    return sums, []


def outcomes(data, words, messages):
    """Yield the outcomes of following shown commands, up to ``messages`` in a row. Each comes with
    whether the person had to choose.
    """
    outcome, commands = run(data, words)
    if not commands or not messages:
        yield outcome, False
        return
    for command in commands:
        for end, chosen in outcomes(data, command, messages - 1):
            yield end, chosen or len(commands) > 1


def units(text):
    """Parse an amount as these files have it, with a point."""
    number = re.sub(r"[^0-9.\-]", "", text)
    return round(float(number) * 10_000) if number else 0


def european(text):
    return units(text.replace(".", "").replace(",", "."))


def independent(
    name,
    column,
    *,
    delimiter=",",
    encoding="utf-8",
    read=units,
    less=None,
    skip=0,
    without=("", None),
):
    """Return the sum of a column, minus that of another, read by the csv module alone.

    without: a column and its value in rows that do not count.
    """
    lines = (STATEMENTS / name).read_text(encoding).splitlines()[skip:]
    total = 0
    for row in csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True):
        if row.get(without[0]) == without[1] and without[0]:
            continue
        total += read(row[column] or "") - (abs(read(row[less] or "")) if less else 0)
    return total


OCA = "OCA__bank-statement-import/account_statement_import_sheet_file/tests/fixtures/"
CSV2OFX = "reubano__csv2ofx/test/"
PARSER = "sebastienrousseau__bankstatementparser/"
HLEDGER = "simonmichael__hledger/examples/"
UTRADE = "beancount__beangulp/examples/"
SCHWAB = {"column": "Deposit", "less": "Withdrawal"}
SEMICOLON = {"delimiter": ";", "read": european}
#: Files whose layout we know: how to read the sum of all currencies without the importer.
UNDERSTOOD = {
    OCA + "balance.csv": {"column": "Amount"},
    OCA + "multi_currency.csv": {"column": "Amount"},
    OCA + "sample_statement_en.csv": {"column": "Amount"},
    OCA + "sample_statement_credit_card_inverse_sign_en.csv": {"column": "Amount"},
    UTRADE + "Downloads/UTrade20160215.csv": {"column": "AMOUNT"},
    UTRADE + "tests/utrade/UTrade20150720.csv": {"column": "AMOUNT"},
    UTRADE + "tests/utrade/UTrade20150225.csv": {"column": "AMOUNT"},
    UTRADE + "tests/utrade/UTrade20140713.csv": {"column": "AMOUNT"},
    "egh__ledger-autosync/paypal.csv": {"column": "Net"},
    "egh__ledger-autosync/paypal_alternate.csv": {"column": "Amount"},
    CSV2OFX + "ingesp.csv": {"column": "amount"},
    CSV2OFX + "n26-fr.csv": {"column": "Amount (EUR)"},
    CSV2OFX + "xero.csv": {"column": "NetAmount", "without": ("AccountName", "Income")},
    CSV2OFX + "gls.csv": {"column": "Betrag", "encoding": "cp1252"} | SEMICOLON,
    CSV2OFX + "outbank.csv": {"column": "Amount"} | SEMICOLON,
    CSV2OFX + "payoneer.csv": {"column": "Credit Amount", "less": "Debit Amount"},
    PARSER + "sample_statement.csv": {"column": "Amount"},
    PARSER + "sample_split_amounts.csv": {"column": "Credit", "less": "Debit"} | SEMICOLON,
    PARSER + "golden/csv_french_headers.csv": {"column": "Crédit", "less": "Débit"} | SEMICOLON,
    PARSER + "golden/csv_european_decimals.csv": {"column": "Betrag"} | SEMICOLON,
    HLEDGER + "csv/apps/monefy.csv": {"column": "amount"},
    HLEDGER + "csv/other/stripe.csv": {"column": "net"},
    HLEDGER + "sample.fr.utf8.csv": {"column": "Montant"},
    HLEDGER + "sample.fr.cp1252.csv": {"column": "Montant", "encoding": "cp1252"},
    HLEDGER + "sample.journal.csv": {"column": "amount"},
    **{f"{CSV2OFX}schwab-checking{case}.csv": SCHWAB for case in ("", "-baltest-case1")},
    **{f"{CSV2OFX}schwab-checking-baltest-case{n}.csv": SCHWAB for n in range(2, 8)},
}
#: Options of careless people, one at a time, right or wrong.
ONE_OPTION = (
    [],
    ["--account", "Main"],
    ["--currency", "EUR"],
    ["--decimal", ","],
    ["--decimal", "."],
    ["--thousands", "."],
    ["--delimiter", ";"],
    ["--delimiter", ","],
    ["--date-format", "DD/MM/YYYY"],
    ["--date-format", "MM/DD/YYYY"],
    ["--encoding", "latin-1"],
    ["--encoding", "utf-16"],
    ["--no-text"],
    ["--skip-rows", "1"],
    ["--no-header"],
    ["--timezone", "Europe/Berlin"],
    ["--positive", "in"],
    ["--map", "amount=Amount"],
    ["--map", "recordDate=1"],
    ["--mixed-signs", "ignore"],
)


#: Files that are not statements, or have rows that nobody can read without knowing the bank.
AT_FAULT = (
    *("hledger/test/errors/", "rotki/", "coinbase2", "venmo", "csv_garbled_amount"),
    # Their balances fit no order of their rows.
    *("schwab-checking-baltest-case2", "ingesp"),
)
STATEMENTS_ALONE = [name for name in FILES if not any(part in name for part in AT_FAULT)]


def options_for(name):
    """Return no option and the others; by day every third of the others, in turn."""
    first, step = count((1 + FILES.index(name) % 3, 3), (1, 1))
    return (ONE_OPTION[0], *ONE_OPTION[first::step])


@pytest.mark.nightly
@pytest.mark.parametrize("name", STATEMENTS_ALONE)
def test_every_message_followed_to_the_letter_reads_the_file(name):
    data = (STATEMENTS / name).read_bytes()
    for option in options_for(name):
        if not run(data, [*GIVEN, *option])[1]:
            continue
        # A wrong option hides other questions, so there can be a second or third message.
        for outcome, _ in outcomes(data, [*GIVEN, *option], 3 if option else 1):
            assert not isinstance(outcome, ImportRefused), (option, str(outcome))


@pytest.mark.nightly
@pytest.mark.parametrize("name", UNDERSTOOD)
def test_no_option_and_no_wrong_one_ends_in_a_wrong_sum(name):
    """If the person has to choose, one of the commands is right."""
    data = (STATEMENTS / name).read_bytes()
    right = independent(name, **UNDERSTOOD[name])
    for option in options_for(name):
        found = [
            (outcome.total() == right, chosen)
            for outcome, chosen in outcomes(data, [*GIVEN, *option], 3)
            if not isinstance(outcome, ImportRefused)
        ]
        assert all(is_right or chosen for is_right, chosen in found), option
        assert not found or any(is_right for is_right, _ in found), option


def test_enough_files_are_read():
    assert len(UNDERSTOOD) >= 30


def test_a_command_is_quoted_for_the_shell():
    words = ["me@example.com", "a b.csv", *"--map payee=It's --positive in --only a=b".split()]
    context, _ = options_in(words)
    answers = [
        (Choice({"sign": "D/C type", "positive": None}, "the words say it"),),
        (Choice({"columns": {"payee": None}}),),
    ]
    command, other = commands_to_copy(context, "me@example.com", "a b.csv", answers)
    assert "payee" not in other.line
    assert (command.meaning, other.meaning) == ("the words say it", "")
    assert shlex.split(command.line) == [
        *("finance-api", "import", "me@example.com", "a b.csv", "--map", "payee=It's"),
        *("--only", "a=b", "--sign", "D/C type"),
    ]
    for name, written in (("-f.csv", "./-f.csv"), ("-", "-")):
        command, _ = commands_to_copy(context, "me@example.com", name, answers)
        assert shlex.split(command.line)[3] == written
