"""Files without a profile: what the importer decides itself, and what it asks."""

import random
from datetime import date, timedelta

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.csv_files import answers, read

GIVEN = {"account": "X", "currency": "EUR"}


def rows(text, **options):
    """Return day and amount of each record, and the closing balance."""
    (found,) = read(text, **(GIVEN | options))
    closing = found.statement.closing
    records = [f"{date_text(e.date)} {decimal_text(e.amount)}" for e in found.entries]
    return records, closing and decimal_text(closing.amount)


def refusal(text, **options):
    with pytest.raises(ImportRefused) as refused:
        read(text, **(GIVEN | options))
    return refused.value


END_ROWS = "2026-01-02,a,-3.00\n2026-01-20,b,4.00\n"


@pytest.mark.parametrize(
    "first, last", [("Opening balance", "Closing balance"), ("Saldovortrag 01.01.", "Endsaldo"),
                    ("Solde initial au 01/01", "Solde final"), ("Saldo anterior", "Saldo final")],
)  # fmt: skip
def test_rows_that_state_a_balance_are_reconciled_and_named(first, last):
    text = f"Date,Text,Amount\n2026-01-01,{first},100.00\n{END_ROWS}2026-01-31,{last},101.00\n"
    assert rows(text) == (["2026-01-02 -3", "2026-01-20 4"], "101")
    assert read(text, **GIVEN)[0].statement.skipped == {first: 1, last: 1}
    refused = refusal(text.replace("101.00", "111.00"))
    assert refused.line == 5 and "closing balance" in refused.reason


def test_a_row_that_may_be_a_total_is_asked_about():
    text = f"Date,Text,Amount\n{END_ROWS}2026-01-31,Total,2.00\n"
    refused = refusal(text)
    assert refused.line == 4
    assert answers(refused) == ["--leave-out Text=Total", "--leave-out Text="]
    assert rows(text, leave_out=["Text=Total"])[0] == ["2026-01-02 -3", "2026-01-20 4"]
    assert len(rows(text, leave_out=["Text="])[0]) == 3
    # Without a date the row is not a transaction.
    assert len(rows(f"Date,Text,Amount\n{END_ROWS},Total,1.00\n")[0]) == 2


UNSIGNED = (
    "Date,Text,Amount,Balance\n2026-01-02,a,3.00,97.00\n"
    "2026-01-20,b,4.00,101.00\n2026-01-21,c,1.00,100.00\n"
)


@pytest.mark.parametrize("step", [1, -1])
def test_balances_say_which_way_unsigned_amounts_go(step):
    heading, *lines = UNSIGNED.splitlines()
    text = "\n".join([heading, *lines[::step]]) + "\n"
    refused = refusal(text)
    assert refused.line == (2 if step > 0 else 4)
    assert answers(refused) == ["--positive in", "--positive out"]
    expected = ["2026-01-02 -3", "2026-01-20 4", "2026-01-21 -1"]
    assert rows(text, positive="out") == (expected[::step], "100")
    known = text.replace(heading, heading + "\n2026-01-01,Opening balance,,100.00")
    if step > 0:
        assert rows(known) == (expected, "100")


def test_a_balance_that_does_not_fit_is_named_with_its_line():
    text = (
        "Date,Text,Amount,Balance\n2026-01-02,a,-3.00,97.00\n"
        "2026-01-20,b,4.00,111.00\n2026-01-21,c,-1.00,110.00\n"
    )
    refused = refusal(text)
    assert refused.line == 3 and "should be 101" in refused.reason
    assert answers(refused) == ["--ignore Balance"]
    assert rows(text, ignore=["Balance"])[1] is None


def test_balances_decide_between_day_and_month():
    text = (
        "Date,Text,Amount,Balance\n02/03/2026,a,-3.00,97.00\n"
        "05/02/2026,b,4.00,100.00\n01/02/2026,c,-2.00,96.00\n"
    )
    assert rows(text)[0] == ["2026-03-02 -3", "2026-02-05 4", "2026-02-01 -2"]


def test_the_amount_in_the_currency_of_the_account_counts():
    text = (
        "Date,Text,Amount,Currency,Amount EUR\n2026-01-02,a,-5.00,EUR,-5.00\n"
        "2026-01-03,b,-20.00,USD,-18.10\n2026-01-05,c,100.00,EUR,100.00\n"
    )
    (found,) = read(text, **GIVEN)
    book = found.entries[1]
    assert (book.amount, book.original_amount, book.original_currency) == (
        -181_000,
        -200_000,
        "USD",
    )


@pytest.mark.parametrize("heading", ["Amount USD", "Betrag in USD", "Amount (US$)", "amount_usd"])
def test_a_heading_states_the_currency(heading):
    text = f"Date,Text,{heading}\n{END_ROWS}"
    assert read(text, account="X")[0].account.currency == "USD"
    assert "states USD, but --currency says EUR" in refusal(text).reason


def test_a_line_above_the_headings_states_the_currency():
    text = f"Account,1\nCurrency,USD\n\nDate,Text,Amount\n{END_ROWS}"
    assert read(text, account="X")[0].account.currency == "USD"
    assert "have 'USD', but --currency says EUR" in refusal(text).reason


@pytest.mark.parametrize("heading", ["Fee", "Tip", "Charge", "Gebühr", "Frais"])
def test_a_fee_in_a_column_of_its_own_is_asked_about(heading):
    text = f"Date,Text,Amount,{heading}\n2026-01-02,a,-3.00,0.50\n2026-01-20,b,4.00,0\n"
    assert answers(refusal(text)) == [f"--fee {heading}=unsigned", f"--ignore {heading}"]
    assert rows(text, fee=[f"{heading}=unsigned"])[0][:2] == ["2026-01-02 -3", "2026-01-02 -0.5"]
    both = [f"{heading}=unsigned", f"{heading}=signed"]
    assert f"'{heading}' is given twice" in refusal(text, fee=both).reason


def test_hundredths_are_asked_about():
    text = "Date,Text,Amount (cents)\n2026-01-02,a,-350\n"
    assert answers(refusal(text)) == ["--units minor", "--units major"]
    assert rows(text, units="minor")[0] == ["2026-01-02 -3.5"]
    assert rows(text, units="major")[0] == ["2026-01-02 -350"]


def test_two_accounts_in_a_column_are_two_or_asked_about():
    text = (
        "Konto,Date,Text,Amount\nDE02120300000000202051,2026-01-02,a,-3\n"
        "DE02500105170137075030,2026-01-03,b,4\n"
    )
    assert len(read(text, currency="EUR")) == 2
    assert answers(refusal(text)) == [
        "--map accountNumber=Konto ---account",
        "--map counterpartyAccount=Konto",
    ]


@pytest.mark.parametrize(
    "text, line, named",
    [
        ('Date,Text,Amount\n2026-01-02,"a,-3.00\n2026-01-03,b",-2.00\n', 2, "quote"),
        ("Date,Text,Amount\n2026-01-02,a,-12,50\n2026-01-04,c,1.00\n", 2, "more|cells"),
        ("Date,Text,Amount,\n2026-01-02,a,-12,50\n2026-01-04,c,1.00,\n", 2, "cells"),
        ("Date,Text,Amount\n2026-01-02,a,-3\n0202-01-04,c,1\n", 3, "the year 0202"),
        ("Date,Text,Amount\n30.12.,a,-3\n", 2, "has no year"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_its_line(text, line, named):
    refused = refusal(text)
    assert refused.line == line and any(part in refused.reason for part in named.split("|"))


def test_each_of_several_dates_is_offered():
    text = "Due date,Paid on,Text,Amount\n2026-01-01,2026-01-03,a,-3.00\n"
    assert answers(refusal(text)) == ["--map recordDate=Due date", "--map recordDate=Paid on"]


def test_each_of_several_amounts_is_offered_the_named_ones_first():
    text = "Date,Text,Thing,Amount 1,Amount 2\n2026-01-01,a,-1.00,-2.00,-3.00\n"
    text += "2026-01-02,b,4.00,-5.00,6.00\n"
    offered = [each.removeprefix("--map amount=") for each in answers(refusal(text))]
    assert offered == ["Amount 1", "Amount 2", "Thing"]


def test_a_column_that_may_be_the_missing_amount_or_date_is_offered():
    text = "Date,Text,Points\n2026-01-01,a,-3.50\n2026-01-02,b,4.00\n"
    assert answers(refusal(text)) == ["--map amount=Points"]
    assert rows(text, columns={"amount": "Points"})[0] == ["2026-01-01 -3.5", "2026-01-02 4"]
    assert answers(refusal(text, ignore=("Points",))) == []
    text = "When,Text,Amount\n,b,4.00\nnever,c,1.00\n2026-01-01,a,-3.50\n"
    assert answers(refusal(text)) == ["--map recordDate=When"]


def test_days_of_excel_and_days_without_a_year_are_read():
    assert rows("Date,Text,Amount\n46023,a,-3\n46024.5,b,4\n")[0] == [
        "2026-01-01 -3",
        "2026-01-02 4",
    ]
    period = "Statement;01.12.2025 - 31.01.2026\nDate;Text;Amount\n30.12.;a;-3\n05.01.;b;4\n"
    assert rows(period)[0] == ["2025-12-30 -3", "2026-01-05 4"]
    bare = "Date;Text;Amount\n30.12.;a;-3\n05.01.;b;4\n"
    form = "DD.MM. 2025-12-01..2026-01-31"
    assert rows(bare, date_format=form)[0] == ["2025-12-30 -3", "2026-01-05 4"]


@pytest.mark.parametrize("form", ["{:%d/%m}", "'{:%d/%m}", "{:%d-%b}", "{:%d.%m.}"])
@pytest.mark.parametrize("seed", range(3))
def test_the_stated_period_tells_the_year_also_above_a_footer(form, seed):
    pick, day, balance, lines = random.Random(seed), date(2026, 3, 1), 900_000, []
    while day < date(2026, 3, 31):
        ways = (-1, 1)[len(lines) :][:1] or (-1, -1, 1)
        cents = pick.choice(ways) * pick.randint(1, 90_000)
        balance += cents
        way, shown = "CR" if cents > 0 else "DB", f"{abs(cents) / 100:.2f}"
        lines.append(f"{form.format(day)},Shop,{shown},{way},{balance / 100:.2f}")
        day += timedelta(days=pick.randint(1, 9))
    text = "Nama : BUDI\nPeriode : 01/03/2026 - 31/03/2026\n\n"
    text += "\n".join(("Tanggal Transaksi,Keterangan,Jumlah,,Saldo", *lines))
    text += f"\nSaldo Awal,:,9000.00,,\nSaldo Akhir,:,{balance / 100:.2f},,\n"
    found, closing = rows(text, currency="IDR")
    assert found[0].startswith("2026-03-01 ") and len(found) == len(lines)
    assert closing == decimal_text(balance * 100)


@pytest.mark.parametrize(
    "day",
    "31 März 2026|31 mars 2026|31 marzo 2026|31 maart 2026|31 março 2026|31 marca 2026|"
    "31. března 2026|31 Mrz 2026|31 mrt. 2026|31 de marzo de 2026".split("|"),
)
def test_months_are_read_in_many_languages(day):
    assert rows(f"Date,Text,Amount\n{day},a,-3\n")[0] == ["2026-03-31 -3"]


def test_every_column_that_is_not_read_is_named_once():
    text = (
        "Date,Text,Amount,Branch,Terminal,Rate\n2026-01-02,a,-3,Main Street,T1,1.5\n"
        "2026-01-03,b,4,,,\n"
    )
    remarks = read(text, **GIVEN)[0].statement.remarks
    assert [r for r in remarks if r.startswith("not imported")] == [
        "not imported: Branch, Terminal, Rate"
    ]


def test_columns_that_say_the_same_once_more_are_not_asked_about():
    text = "Date;Text;Debit;Credit;Amount\n2026-01-02;a;5.00;;-5.00\n2026-01-03;b;;7.00;7.00\n"
    assert rows(text)[0] == ["2026-01-02 -5", "2026-01-03 7"]
    assert "in 'Debit' and 'Credit'" in refusal(text.replace(";7.00;7", ";8.00;7")).reason


@pytest.mark.parametrize("balance", ["", ",Rest"])
def test_columns_that_take_turns_are_out_and_in_if_a_balance_runs_by_them(balance):
    text = (
        f"Date,Text,Foo,Bar{balance}\n2026-01-02,a,3.00,,97.00\n2026-01-03,b,,4.00,101.00\n"
        "2026-01-20,c,1.00,,100.00\n"
    )
    if balance:
        assert rows(text) == (["2026-01-02 -3", "2026-01-03 4", "2026-01-20 -1"], "100")
    else:
        text = "\n".join(
            line.rpartition(",")[0] if line[:1] == "2" else line for line in text.splitlines()
        )
        assert answers(refusal(text)) == [
            f"--debit {one} --credit {other} ---positive ---invert"
            for one, other in (("Foo", "Bar"), ("Bar", "Foo"))
        ]


def test_the_partner_of_a_side_is_the_column_with_money_where_it_has_none():
    text = "Date,Text,Withdrawal,Foo\n2026-01-02,a,3.00,\n2026-01-20,b,,4.00\n"
    assert rows(text)[0] == ["2026-01-02 -3", "2026-01-20 4"]


def test_amounts_of_which_most_are_positive_are_asked_about():
    lines = [f"2026-01-{day},Shop {day},{day}.50" for day in range(13, 20)]
    text = "\n".join(["Date,Text,Amount", *lines, "2026-01-20,Thank you,-100.00"])
    refused = refusal(text)
    assert answers(refused) == ["--positive out", "--positive in"]
    assert rows(text, positive="out")[0][0] == "2026-01-13 -13.5"
    # Words, or the balances, show that the money came in.
    lines = [f"{line},Credit" for line in lines]
    assert rows("\n".join(["Date,Text,Amount,Type", *lines, "2026-01-20,x,-9.00,Debit"]))


@pytest.mark.parametrize("rest", ["A", "A,"])
def test_decimals_that_an_unquoted_comma_cut_off_are_refused(rest):
    text = f"Date,Amount,Payee,Note\n2026-01-05,-12,50,{rest}\n2026-01-20,4,00,{rest}\n"
    assert "a comma may have split" in refusal(text).reason


@pytest.mark.parametrize("heading", ["Kontoname", "Account name", "Sort code / Account"])
def test_names_of_several_accounts_are_asked_about(heading):
    text = f"Date,Text,Amount,{heading}\n2026-01-05,a,-3,10020030\n2026-01-20,b,4,40050060\n"
    assert "has several accounts" in refusal(text).reason


def test_a_symbol_in_the_heading_that_the_currency_cannot_be_is_refused():
    text = f"Date,Text,Amount ($)\n{END_ROWS}"
    assert "--currency says EUR" in refusal(text).reason
    assert rows(text, currency="CAD")


@pytest.mark.parametrize("first, second", [("IBAN", "Kontonummer"), ("Kontonummer", "IBAN")])
def test_numbers_beside_the_number_of_the_account_are_those_of_the_other_side(first, second):
    own, others = "DE02120300000000202051", ("AT611904300234573201", "CH9300762011623852957")
    cells = [(own, each) if second == "IBAN" else (each, own) for each in others]
    text = f"Date,Text,Amount,{first},{second}\n" + "".join(
        f"2026-01-2{day},a,-{day},{one},{other}\n" for day, (one, other) in enumerate(cells, 1)
    )
    (found,) = read(text, **GIVEN)
    assert found.account.number == own
    assert [entry.counterparty_account for entry in found.entries] == [*others]


def test_every_text_column_with_a_known_heading_is_kept():
    text = (
        "Date;Description;Concepto ampliado;Auftraggeber;Empfänger;Amount\n"
        "2026-01-02;a;b;Me;Shop;-3.00\n2026-01-20;c;d;Me;Bank;4.00\n"
    )
    assert [f"{e.payee}|{e.note}" for e in read(text, **GIVEN)[0].entries] == [
        "Shop|a b",
        "Bank|c d",
    ]


def test_a_balance_above_the_headings_that_the_rows_do_not_lead_to_is_the_closing_one():
    text = (
        "Kontostand vom 31.01.2026:;5.000,00 EUR\n\nDatum;Text;Betrag;Saldo\n"
        "05.01.2026;a;-12,50;987,50\n20.01.2026;b;-7,25;980,25\n"
    )
    (found,) = read(text, **GIVEN)
    assert (found.statement.opening.amount, found.statement.closing.amount) == (
        10_000_000,
        50_000_000,
    )


@pytest.mark.parametrize(
    "day",
    "Mo, 31.08.2026|Monday, 31 August 2026|31. 8. 2026|2026.08.31.|31AUG2026|2026. augusztus 31.|"
    "31. elokuuta 2026|31 Ağustos 2026|lundi 31 août 2026".split("|"),
)
def test_dates_with_the_day_of_the_week_or_spaces_are_read(day):
    assert rows(f"Date;Text;Amount\n{day};a;-3\n")[0] == ["2026-08-31 -3"]


def test_a_card_of_three_rows_without_a_balance_is_asked_about():
    text = "Date,Text,Amount\n2026-01-02,a,20\n2026-01-03,b,30\n2026-01-04,Payment,-50\n"
    assert answers(refusal(text, **GIVEN)) == ["--positive out", "--positive in"]
    (found,) = read(text, **GIVEN, positive="out")
    assert [entry.amount for entry in found.entries] == [-200_000, -300_000, 500_000]
    assert len(read(text.replace("30", "-30"), **GIVEN)[0].entries) == 3


@pytest.mark.parametrize("first, last", [("B/F", "C/F"), ("b.f.", "C F"), ("BAL B/FWD", "C/D")])
def test_what_is_carried_forward_is_a_balance(first, last):
    text = f"Date,Text,Amount,Balance\n,{first},,100\n2026-01-02,a,-3,97\n,{last},,97\n"
    (found,) = read(text, **GIVEN)
    assert found.statement.skipped == {first: 1, last: 1} and len(found.entries) == 1
    assert refusal(text.replace(",,97\n", ",,98\n"), **GIVEN).line == 4


def test_a_payee_may_have_the_letters_of_a_balance():
    text = "Date,Text,Amount\n2026-01-02,CF,-7\n2026-01-03,a,-3\n"
    assert answers(refusal(text, **GIVEN)) == ["--leave-out Text=CF", "--leave-out Text="]
    assert len(read(text, **GIVEN, leave_out=("Text=",))[0].entries) == 2
    stated = "Date,Text,Amount,Balance\n2026-01-01,B/F,,100\n2026-01-02,a,-3,97\n"
    assert len(read(stated, **GIVEN)[0].entries) == 1


def test_a_dated_sum_of_the_page_before_is_asked_about():
    text = "Datum;Text;Betrag\n02.01.2026;Übertrag;-7,50\n14.01.2026;a;-3,00\n"
    assert answers(refusal(text, **GIVEN)) == ["--leave-out Text=Übertrag", "--leave-out Text="]
    assert len(read(text, **GIVEN, leave_out=("Text=Übertrag",))[0].entries) == 1


@pytest.mark.parametrize("line", ["Saldo;1.087,60;EUR", "Kontostand: 1.087,60 EUR", "Giro;EUR"])
def test_another_currency_above_the_headings_is_asked_about(line):
    text = f"{line}\n\nDatum;Text;Betrag\n02.01.2026;b;-7,50\n14.01.2026;a;-3,00\n"
    given = {"account": "A", "currency": "USD"}
    assert answers(refusal(text, **given)) == ["--currency EUR", "--map currency="]
    (found,) = read(text, **given, columns={"currency": ""})
    assert found.account.currency == "USD"
    assert read(text, account="A", currency="EUR")[0].account.currency == "EUR"


def test_each_of_many_unknown_words_of_a_status_is_offered():
    rows = "".join(f"2026-01-0{n},a,-{n},Word{n}\n" for n in range(1, 6))
    text = f"Date,Text,Amount,Status\n{rows}"
    offered = answers(refusal(text, **GIVEN))
    only = [f"--only Status=Word{n}" for n in range(1, 6)]
    assert len(offered) == 11 and offered[0] == " ".join(only)
    assert " ".join(only[1:]) in offered and only[4] in offered


def test_words_with_the_signs_of_the_option_have_a_command():
    text = 'date,amount,Type\n2026-01-01,5,"Out, card"\n2026-01-02,7,In|bank\n'
    offered = answers(refusal(text, **GIVEN))
    assert r"--sign Type=Out\, card|In\|bank" in offered
    (found,) = read(text, **GIVEN, sign=r"Type=Out\, card|In\|bank")
    assert [entry.amount for entry in found.entries] == [-50_000, 70_000]


@pytest.mark.parametrize("heading", ["Nimi", "NIMI", "Name"])
def test_a_name_is_the_payee_in_finnish_too(heading):
    text = f"Kirjauspäivä;Määrä;{heading};Otsikko\n2026/03/23;-52,54;K-Market;Ostos\n"
    ((entry,),) = (each.entries for each in read(text, **GIVEN))
    assert entry.payee == "K-Market"


@pytest.mark.parametrize("seed", range(5))
def test_no_row_loses_its_only_text(seed):
    pick, balance, lines = random.Random(seed), 800_000, []
    kinds = {"Buy": -1, "Sell": 1, "Dividend": 1, "Deposit": 1, "Withdrawal": -1}
    for n in range(pick.randint(8, 20)):
        kind = (*kinds, pick.choice([*kinds]))[min(n, 5)]
        cents = kinds[kind] * pick.randint(1, 9_000)
        balance += cents
        symbol = "" if kind in ("Deposit", "Withdrawal") else pick.choice(("VTI", "BND"))
        lines.append(f"2026-03-{n + 1:02},{kind},{symbol},{cents / 100:.2f},{balance / 100:.2f}")
    text = "\n".join(("Date,Action,Symbol,Amount,Cash Balance", *lines)) + "\n"
    (found,) = read(text, **GIVEN)
    texts = [" ".join(filter(None, (entry.payee, entry.note))) for entry in found.entries]
    assert texts == [" ".join(filter(None, line.split(",")[1:3])) for line in lines]
