"""Balances that a CSV file states beside its rows are used, and checked against the rows."""

import random

import pytest

from finance_api.importers.clauses import Topic
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.csv_files import read, refusal

ROWS = "Date,Payee,Amount\n2026-01-02,Baker,-12.50\n2026-01-09,Wages,300.00\n2026-01-12,Grocer,-8\n"
GERMAN = "Datum;Empfänger;Betrag\n02.01.2026;Bäcker;-12,50\n09.01.2026;Lohn;292,00\n"
#: The first day before the rows of ROWS and GERMAN.
BEFORE = "2026-01-01"


def ends(text, **options):
    """Return the opening and the closing balance with their days, and the remarks."""
    (found,) = read(text, **{"account": "A", "currency": "EUR", **options})
    assert len(found.entries) in (2, 3)
    shown = [
        each and f"{date_text(each.date)} {decimal_text(each.amount)}"
        for each in (found.statement.opening, found.statement.closing)
    ]
    return *shown, " ".join(found.statement.remarks)


BOTH = f"{BEFORE} 1000", "2026-01-12 1279.5"


@pytest.mark.parametrize(
    "above",
    [
        "Opening balance,1000.00\nClosing balance,1279.50\n",
        "openingBalance,1000.00\nclosingBalance,1279.50\n",
        "Anfangssaldo,1000.00\nEndsaldo,1279.50\n",
        "Počáteční stav,1000.00\nKonečný stav,1279.50\n",
        "Solde initial,1000.00,EUR\nSolde final,1279.50,EUR\n",
        "Saldo inicial:,1000.00,Saldo final:,1279.50\n",
        "Saldo początkowe,2026-01-01,1000.00\nSaldo końcowe,2026-01-12,1279.50\n",
        "Opening balance,1000.00,\nAccount holder,Anna,\n",
        "Beginsaldo: 1000.00\n",
        '"Opening Ledger Balance",,"1000.00",\n',
    ],
)
def test_a_balance_above_the_headings_is_used_in_any_language(above):
    assert ends(above + "\n" + ROWS)[:2] == BOTH


@pytest.mark.parametrize("label", ["Solde au", "Ledger balance at", "Kontostand vom", "Saldo per"])
def test_a_balance_of_the_last_day_or_a_later_one_is_the_closing_balance(label):
    text = f"{label} 14.01.2026;1.279,50 EUR\n\n" + GERMAN
    assert ends(text)[1] == "2026-01-14 1279.5"


@pytest.mark.parametrize(
    "line",
    [
        "Solde au 14/01/2026 1 279,50 €",
        "Saldo per 14.01.2026 EUR 1.279,50",
        "Kontostand am 14.01.2026: 1.279,50",
        "Konto DE02;Saldo al 14/01/2026   1279,50 EUR;",
    ],
)
def test_day_and_amount_of_a_balance_may_stand_in_one_cell(line):
    assert ends(f"{line}\n\n" + GERMAN)[1] == "2026-01-14 1279.5"
    # Without an amount behind the day, or with a word there, nothing is stated.
    assert ends(f"{line.split('14')[0]}14.01.2026 Seite 3\n\n" + GERMAN)[1] is None


@pytest.mark.parametrize("heading", ["saldos (R$)", "Balances", "Saldo"])
def test_balances_stand_in_their_column_only_in_the_rows_that_state_them(heading):
    text = f"data;lançamento;valor (R$);{heading}\n25/03/2026;SALDO ANTERIOR;;1.000,00\n"
    text += "25/03/2026;Padaria;-12,50;\n25/03/2026;SALDO DO DIA;;987,50\n"
    text += "26/03/2026;Salário;300,00;\n26/03/2026;SALDO DO DIA;;1.287,50\n"
    assert ends(text, currency="BRL")[:2] == ("2026-03-24 1000", "2026-03-26 1287.5")


@pytest.mark.parametrize("seed", range(6))
def test_a_word_beside_a_balance_says_whether_it_is_negative(seed):
    pick, balance, lines = random.Random(seed), random.randint(0, 500), []
    words = pick.choice((("DR", "CR"), ("D", "C"), ("S", "H")))
    for n in range(pick.randint(5, 20)):
        cents = pick.choice((-1, 1)) * pick.randint(1, 90_000)
        balance += cents
        ways = [words[each > 0] for each in (cents, balance)]
        lines.append(
            f"2026-01-{n + 1:02},Shop {n},{abs(cents) / 100:.2f},{ways[0]},"
            f"{abs(balance) / 100:.2f},{ways[1]}"
        )
    turn = pick.choice((1, -1))
    text = "\n".join(["Date,Particulars,Amount,Dr/Cr,Balance,Cr/Dr", *lines[::turn]]) + "\n"
    (found,) = read(text, account="A", currency="INR")
    assert found.statement.closing.amount == balance * 100
    assert not any("not imported" in str(remark) for remark in found.statement.remarks)
    faulty = text.replace(lines[2], lines[2][: -len(words[0])] + words[lines[2].endswith(words[0])])
    assert refusal(faulty, currency="INR").questions[0].reason == Topic.MAYBE_BALANCE_JUMPS


@pytest.mark.parametrize("day", ["20260131", "31.01.2026", "2026-01-31"])
def test_the_day_of_a_balance_may_follow_it(day):
    text = f"Avail Bal : 500.00 as of {day}\nLedger Balance : 1279.50 as of {day}\n"
    assert ends(text + ROWS)[1] == "2026-01-31 1279.5"


def test_the_day_of_a_balance_may_stand_in_a_line_of_its_own():
    above = "Laatste saldo;1.279,50 EUR\nDatum/uur van het laatste saldo;14.01.2026 12:00:00\n\n"
    assert ends(above + GERMAN)[1] == "2026-01-14 1279.5"


@pytest.mark.parametrize("line", ["Datum;14.01.2026", "Datum Anfangssaldo;01.01.2026"])
def test_the_day_of_another_line_is_not_the_day_of_a_balance(line):
    assert ends(f"Saldo;1.279,50\n{line}\n\n" + GERMAN)[:2] == (None, None)


@pytest.mark.parametrize("line", ["Saldo;CHF 1.279,50", "Kontostand vom 14.01.2026:;1.279,50 CHF"])
def test_the_currency_beside_a_balance_is_the_currency_of_the_account(line):
    (found,) = read(f"{line}\n\n" + GERMAN, account="A")
    assert found.account.currency == "CHF"


def test_balances_in_two_currencies_state_no_currency():
    above = "Saldo;CHF 1.279,50\nSaldo;EUR 12,00\n\n"
    (found,) = read(above + GERMAN, account="A")
    assert found.account.currency is None


@pytest.mark.parametrize(
    "label", ["Ledger Balance", "Kontostand", "Solde", "Kontostand 05.01.2026"]
)
def test_a_balance_of_an_unclear_day_is_named_as_not_used(label):
    opening, closing, remarks = ends(f"{label},777.00,\n\n" + ROWS)
    assert (opening, closing) == (None, None)
    assert "no day is stated for '777.00': not used as a balance" in remarks


@pytest.mark.parametrize("label", ["Available balance", "Credit limit", "Total", "Kontonummer"])
def test_other_numbers_above_the_headings_are_no_balance(label):
    assert ends(f"{label},777.00\n\n" + ROWS)[:2] == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "Opening balance,1000.00\nClosing balance,1280.50\n\n" + ROWS,
        "Opening balance,1000.00\n\n" + ROWS + "Closing balance,1280.50\n",
        ROWS + "Opening balance,,1000.00\nClosing balance,,1280.50\n",
        "Date,Payee,Amount,Beginsaldo,Eindsaldo\n2026-01-02,Baker,-12.50,1000.00,1280.50\n"
        "2026-01-09,Wages,292.00,1000.00,1280.50\n",
        "Date,Payee,Debit,Credit\n2026-01-01,Balance brought forward,,1000.00\n"
        "2026-01-02,Baker,12.50,\n2026-01-09,Wages,,292.00\n"
        "2026-01-12,Balance carried forward,,1280.50\n",
    ],
)
def test_balances_that_do_not_fit_the_rows_are_refused_with_both_numbers(text):
    refused = refusal(text, currency="EUR")
    assert "1280.5" in refused.reason and "1279.5" in refused.reason


def test_a_closing_balance_above_the_headings_must_fit_the_balances_of_the_rows():
    rows = (
        "Date,Payee,Amount,Balance\n2026-01-02,Baker,-12.50,987.50\n2026-01-09,Wages,300,1287.5\n"
    )
    assert ends("Closing balance,1287.50\n" + rows)[1] == "2026-01-09 1287.5"
    refused = refusal("Closing balance,1288.50\n" + rows, currency="EUR")
    assert "1288.5" in refused.reason and "1287.5" in refused.reason


def test_balances_below_the_rows_are_used():
    assert ends(ROWS + "Opening balance,1000.00\nClosing balance,1279.50\n")[:2] == BOTH
    assert ends(GERMAN + "Endsaldo;;1.279,50\n")[1] == "2026-01-09 1279.5"


def test_columns_that_repeat_the_opening_and_the_closing_balance_are_used():
    text = (
        "Datum,Naam,Beginsaldo,Eindsaldo,Bedrag\n2026-01-02,Bakker,1000.00,1279.50,-12.50\n"
        "2026-01-12,Loon,1000.00,1279.50,292.00\n"
    )
    assert ends(text)[:2] == BOTH


def test_dated_rows_in_columns_of_debit_and_credit_state_the_balances():
    text = (
        "Date,Narrative,Debit,Credit\n2026-01-02,BALANCE BROUGHT FORWARD,,1000.00\n"
        "2026-01-02,BAKER,12.50,\n2026-01-12,WAGES,,292.00\n2026-01-12,CLOSING BALANCE,,1279.50\n"
    )
    assert ends(text)[:2] == BOTH


def test_an_overdraft_in_the_debit_column_is_negative():
    text = (
        "Date,Narrative,Debit,Credit\n2026-01-02,Opening balance,50.00,\n"
        "2026-01-02,BAKER,12.50,\n2026-01-12,WAGES,,10.00\n2026-01-12,Closing balance,52.50,\n"
    )
    assert ends(text)[:2] == (f"{BEFORE} -50", "2026-01-12 -52.5")


def test_balances_of_a_card_that_state_what_is_owed_are_negative():
    rows = "Date,Payee,Amount\n2026-01-02,Baker,12.50\n2026-01-09,Payment,-100.00\n"
    stated = "Opening balance,100.00\nClosing balance,12.50\n\n"
    assert ends(stated + rows, positive="out")[:2] == (f"{BEFORE} -100", "2026-01-09 -12.5")


def test_a_single_balance_of_a_card_whose_sign_is_unclear_is_named_as_not_used():
    rows = "Date,Payee,Amount\n2026-01-02,Baker,12.50\n2026-01-09,Payment,-100.00\n"
    opening, closing, remarks = ends("Closing balance,12.50\n\n" + rows, positive="out")
    assert (opening, closing) == (None, None) and "'12.50'" in remarks


def test_a_balance_in_another_currency_is_not_used():
    assert ends("Closing balance,1279.50 USD\n\n" + ROWS, columns={"currency": ""})[1] is None


def test_a_row_without_a_date_and_an_amount_states_the_balance_below_its_heading():
    head = "ID,Datetime,Note,Amount (total),Beginning Balance,Ending Balance\n"
    rows = "1,2026-10-03T12:11:10,Pizza,- $12.50,,\n2,2026-10-13T12:11:10,Rent,+ $300.00,,\n"
    ends = ",,,,$100.00,\n", ",,,,,$387.50\n"
    (found,) = read(head + rows.join(ends), account="A", currency="USD")
    assert [entry.amount for entry in found.entries] == [-125_000, 3_000_000]
    balances = found.statement.opening, found.statement.closing
    assert [balance.amount for balance in balances] == [1_000_000, 3_875_000]
    assert found.statement.skipped == {"Beginning Balance": 1, "Ending Balance": 1}
    wrong = head + rows.join(ends).replace("387.50", "390.00")
    assert "states the closing balance 390" in str(refusal(wrong, currency="USD"))
    assert "the date is empty" in str(refusal(f"{head}{rows},,Tip,- $1.00,,\n{rows}"))


def test_the_way_of_a_single_row_does_not_turn_the_stated_balances():
    rows = "Date,Payee,Amount,Balance\n2026-01-02,Shop,5,95\n2026-01-03,Wage,70,165\n"
    rows += "2026-01-04,Bar,3,162\n"
    assert ends("Closing balance,162\n\n" + rows, positive="out")[:2] == (
        f"{BEFORE} 100",
        "2026-01-04 162",
    )
    wrong = refusal("Closing balance,500\n\n" + rows, positive="out")
    assert "states the closing balance 500" in str(wrong)
