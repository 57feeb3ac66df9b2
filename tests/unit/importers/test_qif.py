"""QIF: what each field becomes, and what is refused."""

import io
import json
from decimal import Decimal
from pathlib import Path

import pytest

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import Entry, ImportRefused
from finance_api.values.number import decimal_text, to_units
from finance_api.values.time import date_text
from support.corpora import STATEMENTS
from support.csv_files import answers
from support.qif import Whole, read_qif, simply_read

SAMPLES = Path(__file__).parents[2] / "samples" / "qif"


def transaction(*lines: str) -> str:
    return "\n".join((*lines, "^", ""))


def bank(*transactions: str) -> str:
    return "!Type:Bank\n" + "".join(transactions)


def the_entries(data: str | bytes, **options: str) -> list[Entry]:
    (whole,) = read_qif(data, **{"account": "A", **options})
    return whole.entries


def refusal(data: str | bytes, **options: str) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read_qif(data, **{"account": "A", **options})
    return refused.value


# -- the samples


def as_json(whole: Whole) -> dict:
    statement = whole.statement
    return {
        "account": statement.account.name,
        "type": statement.account.account_type,
        **({"initial": decimal_text(statement.initial)} if statement.initial else {}),
        "skipped": dict(statement.skipped),
        "remarks": statement.remarks,
        "entries": [entry_as_json(entry) for entry in whole.entries],
    }


def entry_as_json(entry: Entry) -> dict:
    values = {
        **entry._asdict(),
        "date": date_text(entry.date),
        "amount": decimal_text(entry.amount),
        "labels": list(entry.labels),
        "batch": None,
    }
    return {name: value for name, value in values.items() if value}


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.qif")), ids=lambda path: path.stem)
def test_sample_gives_what_stands_beside_it(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    data = path.read_bytes()
    assert [as_json(s) for s in read_qif(data, **expected["options"])] == expected["statements"]
    assert detect_format(io.BytesIO(data)).name == "qif"


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n\n"])
def test_line_ends_and_unicode_change_nothing(codec: str, line_end: str) -> None:
    def found(data: bytes) -> list[Entry]:
        return [entry._replace(line=0) for entry in the_entries(data)]

    plain = (SAMPLES / "bank.qif").read_text("utf-8")
    data = plain.replace("\n", line_end).encode(codec)
    assert detect_format(io.BytesIO(data)).name == "qif"
    assert found(data) == found(plain.encode())


def test_another_encoding_is_found_or_asked_for() -> None:
    plain = (SAMPLES / "bank.qif").read_text("utf-8")
    assert the_entries(plain.encode("cp1252")) == the_entries(plain)
    plain = "!Type:Bank\nD2026-03-14\nT-1.00\nPPeña\n^\n"
    data = plain.encode("cp1252")
    asked = answers(refusal(data))
    assert "--encoding cp1252 --currency CODE" in asked and len(asked) > 1
    assert the_entries(data, encoding="cp1252") == the_entries(plain)


# -- dates and amounts


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("1/13'26", "2026-01-13"),
        ("1/13' 6", "2006-01-13"),
        ("1/13'2026", "2026-01-13"),
        ("01/13/26", "2026-01-13"),
        ("1/13/99", "1999-01-13"),
        ("13/ 1/2026", "2026-01-13"),
        ("13.1.26", "2026-01-13"),
        ("2026-01-13", "2026-01-13"),
        ("20260113", "2026-01-13"),
        ("13 Jan 2026", "2026-01-13"),
    ],
)
def test_dates_are_read_in_the_forms_of_programs(written: str, day: str) -> None:
    (entry,) = the_entries(bank(transaction(f"D{written}", "T1.00")))
    assert date_text(entry.date) == day


def test_order_of_day_and_month_is_decided_for_the_whole_file() -> None:
    text = bank(transaction("D2/1'26", "T1.00"), transaction("D2/13'26", "T1.00"))
    assert [date_text(entry.date) for entry in the_entries(text)] == ["2026-02-01", "2026-02-13"]


def test_open_order_of_day_and_month_is_asked_for_with_all_else() -> None:
    text = bank(transaction("D2/1'26", "T1,234"))
    with pytest.raises(ImportRefused) as refused:
        read_qif(text)
    assert answers(refused.value) == [
        f"--account NAME --date-format {form} --decimal {mark} --currency CODE"
        for form in ("DD/MM/YY", "MM/DD/YY")
        for mark in ".,"
    ]
    for form, day in (("MM/DD/YY", "2026-02-01"), ("DD/MM'YY", "2026-01-02")):
        (entry,) = the_entries(text, date_format=form, decimal=".")
        assert (date_text(entry.date), entry.amount) == (day, 12_340_000)


@pytest.mark.parametrize(("order", "day"), [("MDY", "2026-03-07"), ("dmy", "2026-07-03")])
def test_a_stated_order_of_day_and_month_decides_what_dates_leave_open(order, day) -> None:
    data = f"!Option:{order}\n" + bank(transaction("D03/07/2026", "T-1"))
    assert [date_text(entry.date) for entry in the_entries(data)] == [day]
    given = the_entries(data, date_format="DD/MM/YYYY")
    assert date_text(given[0].date) == "2026-07-03"
    both = "!Option:MDY\n!Option:DMY\n" + bank(transaction("D03/07/2026", "T-1"))
    assert "--date-format" in refusal(both).reason
    proved = f"!Option:{order}\n" + bank(transaction("D27/07/2026", "T-1"))
    assert date_text(the_entries(proved)[0].date) == "2026-07-27"


def test_dates_of_two_orders_are_refused() -> None:
    text = bank(transaction("D2/13'26", "T1.00"), transaction("D13/2'26", "T1.00"))
    assert "not a date in the form of the rows above" in refusal(text).reason


def test_amounts_that_differ_are_refused_with_both() -> None:
    text = bank(transaction("D2/13'26", "U-10.00", "T-11.00"))
    assert "-11 in T but -10 in U" in refusal(text).reason
    (entry,) = the_entries(bank(transaction("D2/13'26", "U-10.00")))
    assert entry.amount == -100_000


def test_currency_beside_amounts_is_the_accounts() -> None:
    (whole,) = read_qif(bank(transaction("D2/13'26", "T€10.00")), account="A")
    assert whole.statement.account.currency == "EUR"
    assert whole.statement.possible_currencies == ("EUR",)
    two = bank(transaction("D2/13'26", "T€10.00"), transaction("D2/13'26", "T£10.00"))
    assert "one currency" in refusal(two).reason


# -- splits


def test_splits_that_do_not_sum_are_refused_with_both_numbers() -> None:
    text = bank(transaction("D2/13'26", "T-10.00", "SA", "$-9.00", "SB", "$-0.99"))
    assert "splits add up to -9.99, but the transaction's amount is -10" in refusal(text).reason
    assert refusal(text).line == 3


def test_splits_of_a_transaction_are_parts_of_its_entry() -> None:
    one = transaction("D2/13'26", "T-10.00", "MBoth", "SA/x", "$-9.00", "SB", "EOne", "$-1.00")
    alone = transaction("D2/13'26", "T-10.00", "SA", "$-10.00")
    split, single = the_entries(bank(one, alone))
    parts = ((-90_000, "Both", "A", ("x",)), (-10_000, "Both One", "B", ()))
    assert (split.amount, split.note, split.category, split.parts) == (
        -100_000,
        "Both",
        None,
        parts,
    )
    assert (single.amount, single.category, single.parts) == (-100_000, "A", ())


def test_blank_lines_between_splits_are_no_parts() -> None:
    blank = ("S", "$0.00"), ("S", "E", "$"), ("S",), ("S", "$0", "%0%")
    for lines in blank:
        (entry,) = the_entries(
            bank(transaction("D2/13'26", "T-3.00", "SA", "$-1.00", *lines, "SB", "$-2.00", *lines))
        )
        assert [part[0] for part in entry.parts] == [-10_000, -20_000]
    # Nothing but blank lines: the transaction is not split.
    (entry,) = the_entries(bank(transaction("D2/13'26", "T-3.00", "LFood", "S", "$0.00")))
    assert (entry.amount, entry.category, entry.parts) == (-30_000, "Food", ())
    # A part of 0 with a category is a part.
    (entry,) = the_entries(
        bank(transaction("D2/13'26", "T-3.00", "SA", "$-3.00", "SFree", "$0.00"))
    )
    assert len(entry.parts) == 2


def test_splits_with_a_transfer_are_an_entry_each() -> None:
    one = transaction("D2/13'26", "T-10.00", "S[Savings]", "$-9.00", "SB", "$-1.00")
    alone = transaction("D2/13'26", "T-10.00", "SA", "$-10.00")
    batches = [entry.batch for entry in the_entries(bank(one, one, alone))]
    assert batches[0] == batches[1] != batches[2] == batches[3]
    assert batches[4] is None


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["$-10.00"], "does not belong to a split"),
        (["SA", "SB", "$-10.00"], "split has no amount"),
        (["SA", "$"], "split has no amount"),
        (["SA", "$-5.00", "$-5.00"], "does not belong to a split"),
    ],
)
def test_split_without_its_fields_is_refused(lines: list[str], words: str) -> None:
    text = bank(transaction("D2/13'26", "T-10.00", *lines))
    assert words in refusal(text).reason


# -- accounts


def test_account_without_a_name_is_asked_for() -> None:
    with pytest.raises(ImportRefused, match="give --account NAME"):
        read_qif(bank(transaction("D2/13'26", "T1.00")))


def opening(name: str, amount: str = "1.00") -> str:
    return transaction("D2/13'26", f"T{amount}", "POpening Balance", f"L[{name}]")


def test_opening_balance_names_its_account_and_is_no_movement() -> None:
    (whole,) = read_qif(bank(opening("Giro"), opening("Other", "2.00")))
    assert whole.statement.account.name == "Giro"
    assert whole.statement.initial == 10_000
    # Another account's opening balance is money from there.
    (other,) = whole.entries
    assert (other.payment_type, other.counterparty_account) == ("transfer", "Other")


@pytest.mark.parametrize("accounts", ["", "!Account\nNA\nTBank\n^\n"])
def test_opening_balance_may_come_last(accounts: str) -> None:
    (whole,) = read_qif(
        accounts + bank(transaction("D2/13'26", "T5.00"), opening("A")), account="A"
    )
    assert [entry.amount for entry in whole.entries] == [50_000]
    assert whole.statement.initial == 10_000


def test_opening_balance_of_zero_changes_no_initial_balance() -> None:
    (whole,) = read_qif(bank(opening("A", "0.00")))
    assert (whole.entries, whole.statement.initial) == ([], None)


def test_opening_balances_say_which_listed_accounts_registers_follow() -> None:
    listed = "!Account\nNA\n$7.00\n^\nNB\n^\n"
    registers = bank(opening("B", "4.00"), transaction("D2/14'26", "T-1.00")), bank(opening("A"))
    found = read_qif(listed + "".join(registers))
    assert [(w.account.name, w.statement.initial, len(w.entries)) for w in found] == [
        ("B", 40_000, 1),
        ("A", 10_000, 0),
    ]
    assert found[0].statement.remarks == ["fields that are not imported: '$ of an account'"]
    assert "2 accounts are listed" in refusal(listed + bank(opening("C"))).reason


def test_several_registers_of_one_account_are_one_statement() -> None:
    register = "!Account\nNA\nTBank\n^\n" + bank(transaction("D2/13'26", "T1.00"))
    other = register.replace("NA", "NB").replace("Bank", "Oth L")
    first, second = read_qif(register + other + register)
    assert (len(first.entries), len(second.entries)) == (2, 1)
    assert second.statement.account.account_type == "Loan"


def test_list_of_accounts_does_not_say_whose_transactions_follow() -> None:
    text = "!Account\nNA\n^\nNB\n^\n" + bank(transaction("D2/13'26", "T1.00"))
    assert "2 accounts are listed" in refusal(text).reason


def test_accounts_with_and_without_a_name_are_refused() -> None:
    one = bank(transaction("D2/13'26", "T1.00"))
    text = one + "!Account\nNB\n^\n" + one
    assert "name their account, but this one" in refusal(text).reason
    assert refusal(text).line == 2


def test_register_without_transactions_is_a_statement() -> None:
    (whole,) = read_qif("!Type:Cash\n", account="A")
    assert (whole.entries, whole.statement.account.account_type) == ([], "Cash")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!Type:Cat\nNFood\n^\n", "categories (1), which are not imported"),
        (
            "!Type:Invst\nD1/1'26\nNBuy\n^\n",
            "transactions of investments (1), which are not imported",
        ),
        ("!Account\nNA\n^\n", "no transactions of an account"),
        ("!Type:Stocks\n", "'!Type:Stocks' is an unknown section"),
        ("!Bank\n", "'!Bank' is an unknown section"),
    ],
)
def test_file_without_a_register_is_refused(text: str, words: str) -> None:
    assert words in refusal(text).reason


# -- damaged files


def test_transaction_without_its_end_is_refused() -> None:
    text = bank(transaction("D2/13'26", "T1.00"), "D2/14'26\nT2.00\n")
    assert "no closing line with ^ at the end of the file" in refusal(text).reason
    assert "before line 7" in refusal(text + "!Type:Cash\n").reason


def test_lost_end_between_two_transactions_is_noticed() -> None:
    text = bank("D2/13'26\nT1.00\n", transaction("D2/14'26", "T2.00"))
    assert "a line with ^ is missing" in refusal(text).reason
    assert refusal(text).line == 4


@pytest.mark.parametrize(
    ("lines", "words"), [(["T1.00"], "no date"), (["D2/13'26", "T"], "no amount")]
)
def test_transaction_without_date_or_amount_is_refused(lines: list[str], words: str) -> None:
    assert words in refusal(bank(transaction(*lines))).reason


def test_fields_that_become_nothing_are_named() -> None:
    text = bank(transaction("D2/13'26", "T1.00", "A1 Main Street", "Zx", "SA", "D2/1'26", "$1.00"))
    (whole,) = read_qif(text, account="A")
    assert whole.statement.remarks == ["fields that are not imported: 'A', 'D of a split', 'Z'"]


# -- files of other projects, compared with the results of a simple second reader

FILES = {
    path.relative_to(STATEMENTS).as_posix(): path for path in sorted(STATEMENTS.rglob("*.qif"))
}
#: file -> accounts.
IMPORTED = {
    "isaacharrisholt__quiffen/test.qif": ["TestExport"],
    "isaacharrisholt__quiffen/test_circular_reference.qif": [None],
    "isaacharrisholt__quiffen/test_split.qif": [None],
    "reubano__csv2ofx/converted/default.qif": ["Cash", "Checking"],
    "reubano__csv2ofx/converted/default_w_splits.qif": ["Cash", "Checking"],
    "reubano__csv2ofx/converted/xero.qif": ["Income", "Cash", "Checking"],
}
REFUSED = {
    "isaacharrisholt__quiffen/empty.qif": "no transactions",
    "isaacharrisholt__quiffen/test_category_inherit.qif": "categories \\(2\\), which are not",
    "isaacharrisholt__quiffen/test_option_autoswitch.qif": "no transactions",
    "isaacharrisholt__quiffen/test_unknown_account_type.qif": "transactions of investments",
}

needs_corpus = pytest.mark.skipif(not FILES, reason="the corpus is not there")


@needs_corpus
def test_every_file_of_the_corpus_has_an_expectation() -> None:
    assert sorted(FILES) == sorted([*IMPORTED, *REFUSED])


@needs_corpus
@pytest.mark.parametrize("name", IMPORTED)
def test_file_gives_the_amounts_that_a_simple_reader_finds(name: str) -> None:
    statements = read_qif(FILES[name].read_bytes(), account="A")
    assert [s.statement.account.name for s in statements] == IMPORTED[name]
    entries = [entry for whole in statements for entry in whole.entries]
    initial = [whole.statement.initial for whole in statements if whole.statement.initial]
    found = initial + [a for e in entries for a in ([part[0] for part in e.parts] or [e.amount])]
    expected = [
        to_units(Decimal(amount.replace(",", "")))
        for _, amounts in simply_read(FILES[name].read_text("utf-8"))
        for amount in amounts
    ]
    # An opening balance of 0 is in neither.
    assert sorted(filter(None, found)) == sorted(filter(None, expected))
    assert expected


@needs_corpus
@pytest.mark.parametrize("name", REFUSED)
def test_file_without_transactions_is_refused_with_what_it_has(name: str) -> None:
    with pytest.raises(ImportRefused, match=REFUSED[name]):
        read_qif(FILES[name].read_bytes(), account="A")


CARD = "!Type:CCard\n"


@pytest.mark.parametrize(
    "paid", [[], [("D2026-03-14", "T-100.00", "PPAYMENT - THANK YOU")]], ids=["no", "one"]
)
def test_a_card_with_a_minus_only_beside_payments_is_asked_about(paid):
    rows = [("D2026-03-13", "T12.50", "PHill Grocers"), *paid]
    text = CARD + "".join(transaction(*row) for row in rows)
    assert answers(refusal(text, currency="EUR")) == ["--positive out", "--positive in"]
    amounts = [entry.amount for entry in the_entries(text, positive="out")]
    assert amounts == [-125_000, *(1_000_000 for _ in paid)]


def test_a_card_with_purchases_that_have_a_minus_is_not_asked_about():
    payment = transaction("D2026-03-14", "T100.00", "PPAYMENT - THANK YOU")
    purchase = transaction("D2026-03-13", "T-12.50", "PHill Grocers")
    refund = transaction("D2026-03-13", "T5.00", "PHill Grocers")
    for text in (payment, payment + purchase, payment + purchase + refund):
        assert the_entries(CARD + text)
