"""Cells and rows that hold no money: dashes for amounts, pending rows, notes below the rows,
and a balance in a last row without text.
"""

import pytest

from finance_api.importers.clauses import Topic
from support.csv_files import answers, read, refusal
from support.offered import GIVEN, ends

OPTIONS = {"account": "Giro", "currency": "EUR"}
ROWS = (
    "2026-03-02,Bakery,-12.50\n2026-03-05,Employer,900.00\n"
    "2026-03-14,Garage,-30.00\n2026-03-20,Cafe,-4.10\n"
)


def amounts(text, **options):
    return [
        entry.amount / 10_000
        for whole in read(text, **OPTIONS, **options)
        for entry in whole.entries
    ]


@pytest.mark.parametrize("missing", ["-", "--", "–", "N/A", " - "])
def test_a_dash_stands_in_place_of_a_missing_amount(missing):
    text = (
        "Date,Description,Paid out,Paid in,Balance\n"
        f"2026-03-02,Bakery,12.50,{missing},{missing}\n"
        f"2026-03-05,Employer,{missing},900.00,1887.50\n"
        f"2026-03-14,Garage,30.00,{missing},1857.50\n"
    )
    assert amounts(text) == [-12.5, 900, -30]


def test_a_dash_in_the_only_column_of_amounts_is_no_amount():
    text = "Date,Description,Amount\n" + ROWS + "2026-03-21,Kiosk,-\n"
    assert refusal(text, **OPTIONS).questions[0].fact.topic == Topic.AMOUNT_EMPTY


@pytest.mark.parametrize("day", ["PENDING - 2026-03-22", "2026-03-22 (pending)", "Pending"])
def test_rows_with_a_word_for_pending_beside_the_date_are_left_out(day):
    text = f"Date,Description,Amount\n{day},Kiosk,-9.50\n{ROWS}"
    (found,) = read(text, **OPTIONS)
    assert len(found.entries) == 4
    assert found.statement.skipped == {day: 1}


def test_rows_with_a_word_for_pending_in_place_of_their_id_are_left_out():
    rows = [f"{line},A{number}\n" for number, line in enumerate(ROWS.splitlines())]
    rows.append("2026-03-22,Kiosk,-9.50,PENDING\n")
    (found,) = read("date,note,amount,id\n" + "".join(rows), **OPTIONS)
    assert [entry.bank_id for entry in found.entries] == ["A0", "A1", "A2", "A3"]


def test_dates_with_months_or_times_are_not_pending():
    rows = "Mar 2 2026 09:00 PM,Bakery,-1.00\nMar 14 2026 10:00 AM,Cafe,-2.00\n"
    text = f"Date,Description,Amount\n{rows}"
    assert amounts(text) == [-1, -2]


NOTES = "\nThis statement needs no signature\nBank of the Lake; 1 Shore Road\n"


def test_several_rows_of_notes_below_the_rows_are_left_out():
    (found,) = read("Date,Description,Amount\n" + ROWS + NOTES, **OPTIONS)
    assert len(found.entries) == 4
    assert any("left out the last 2 rows, from 'This" in each for each in found.statement.remarks)


@pytest.mark.parametrize(
    "below",
    [
        "Cut 5",
        "Cut off\n900.00,Employer\n",
        "Cut\noff 5,2026-03-21\n",
        "Cut off\n2026-03-21;Kiosk;-5\n",
    ],
)
def test_rows_below_the_rows_that_may_be_cut_short_are_not_left_out_unasked(below):
    refusal("Date,Description,Amount\n" + ROWS + below, **OPTIONS)


HEADS = ("", "Date,Description,Amount\n")


@pytest.mark.parametrize("head", HEADS)
def test_a_last_row_without_text_may_be_a_balance(head):
    text = head + ROWS + "2026-03-21,,1853.40\n"
    refused = refusal(text, **OPTIONS)
    assert refused.questions[0].fact.topic == Topic.END_WITHOUT_TEXT
    name = "Description" if head else "2"
    assert answers(refused) == ["--skip-last 1", f"--leave-out {name}="]
    words = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
    assert [len(records) for records, _ in ends(text, words)] == [4, 5]


def test_a_first_row_without_text_and_headings_may_be_a_balance():
    text = "2026-03-01,,1000.00\n" + ROWS
    assert answers(refusal(text, **OPTIONS)) == ["--skip-rows 1", "--leave-out 2="]
    words = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
    assert [len(records) for records, _ in ends(text, words)] == [4, 5]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("place", [1, 2])
def test_rows_without_text_between_others_are_not_asked_about(head, place):
    rows = ROWS.splitlines(keepends=True)
    rows.insert(place, "2026-03-03,,5.00\n")
    assert len(amounts(head + "".join(rows))) == 5
    rows.append("2026-03-21,,7.00\n")
    assert len(amounts(head + "".join(rows))) == 6


def test_a_column_of_types_is_the_note_if_there_is_no_other_text():
    text = "Date,Type,Amount\n2026-03-02,Card purchase,-12.50\n2026-03-05,Salary,900.00\n"
    (found,) = read(text, **OPTIONS)
    assert [entry.note for entry in found.entries] == ["Card purchase", "Salary"]
    # A word that is one of a direction, too, is one of the texts.
    (found,) = read(text.replace("Salary", "Deposit") + "2026-03-06,Fee,-1.00\n", **OPTIONS)
    assert [entry.note for entry in found.entries] == ["Card purchase", "Deposit", "Fee"]


def test_the_account_of_the_other_party_is_no_account_of_ones_own():
    text = (
        "Date,Amount,Payee,This Party Account,Other Party Account\n"
        "2026-03-02,-12.50,Bakery,02-0100-0000000-000,01-0242-0000000-00\n"
        "2026-03-05,900.00,Employer,02-0100-0000000-000,03-1234-0000000-00\n"
    )
    (found,) = read(text, **OPTIONS)
    assert [entry.counterparty_account for entry in found.entries] == [
        "01-0242-0000000-00",
        "03-1234-0000000-00",
    ]


@pytest.mark.parametrize("head", ["Amount", "Debit,Credit"])
def test_rows_without_an_amount_can_be_left_out_by_their_kind(head):
    nothing = "," * head.count(",")
    money = [line.replace(",-", ",") for line in ROWS.splitlines()]
    rows = "\n".join(f"{line}{nothing}" for line in money) if nothing else ROWS.strip()
    text = (
        f"Date,Kind,Payee,{head}\n2026-03-01,Notice,New limit,{nothing}\n"
        + rows.replace(",Bakery", ",Card,Bakery").replace(",Employer", ",Pay,Employer")
        .replace(",Garage", ",Card,Garage").replace(",Cafe", ",Card,Cafe")
        + f"\n2026-03-22,Terms,New terms,{nothing}\n"
    )  # fmt: skip
    options = {} if nothing else {"positive": "in"}
    refused = refusal(text, **OPTIONS, **options)
    assert refused.line == 2
    assert answers(refused) == ["--leave-out Kind=Notice --leave-out Kind=Terms"]
    found = read(text, **OPTIONS, **options, leave_out=("Kind=Notice", "Kind=Terms"))
    assert len(found[0].entries) == 4


def test_neither_a_kind_that_rows_with_an_amount_have_nor_a_payee_is_offered():
    text = "Date,Kind,Payee,Amount\n2026-03-01,Card,Kiosk,\n2026-03-02,Card,Bakery,-12.50\n"
    text += "2026-03-03,Card,Garage,-3.00\n"
    assert answers(refusal(text, **OPTIONS)) == ["--leave-out Amount="]
    assert answers(refusal(text.replace("Payee", "Text"), **OPTIONS)) == ["--leave-out Amount="]


BOOKED = "Booking date,Value date,Payee,Amount,Balance\n"
PENDING = ",2026-03-22,Kiosk,-9.50,858.90\n"
NEWEST_FIRST = (
    "2026-03-21,2026-03-20,Cafe,-4.10,868.40\n2026-03-14,2026-03-14,Garage,-30.00,872.50\n"
    "2026-03-05,2026-03-05,Employer,900.00,902.50\n2026-03-02,2026-03-02,Bakery,-12.50,2.50\n"
)


def test_the_newest_rows_without_a_booking_day_are_pending():
    oldest_first = "".join(reversed(NEWEST_FIRST.splitlines(keepends=True)))
    for text in (PENDING + NEWEST_FIRST, oldest_first + PENDING):
        (found,) = read(BOOKED + text, **OPTIONS)
        assert len(found.entries) == 4
        assert found.statement.closing.amount == 8_684_000
        assert found.statement.skipped == {"without Booking date": 1}
        remark = f"1 row without a booking day, from line {2 if text[0] == ',' else 6} on"
        assert f"left out as pending: {remark}" in found.statement.remarks


def test_rows_without_a_booking_day_are_pending_only_if_their_other_day_is_the_newest():
    oldest_first = "".join(reversed(NEWEST_FIRST.splitlines(keepends=True)))
    one = NEWEST_FIRST.splitlines(keepends=True)[0]
    old = PENDING.replace("03-22", "02-22").replace(",858.90", ",")
    for text in (oldest_first + old, old + NEWEST_FIRST, one + old, old + one):
        assert answers(refusal(BOOKED + text, **OPTIONS)) == ["--map recordDate=Value date"]


def test_other_rows_without_a_booking_day_are_asked_about():
    first, *others = NEWEST_FIRST.splitlines(keepends=True)
    for text in (NEWEST_FIRST + PENDING, "".join([first, PENDING, *others])):
        refused = refusal(BOOKED + text.replace(",858.90", ","), **OPTIONS)
        assert answers(refused) == ["--map recordDate=Value date"]


@pytest.mark.parametrize("named", ["Settlement Date", "Clearing Date"])
def test_payments_without_the_day_of_securities_are_not_pending(named):
    text = f"Run Date,Action,Amount,{named}\n2026-03-15,Bought,-20.00,2026-03-17\n"
    text += "2026-03-16,Bought,-30.00,2026-03-18\n2026-03-20,Transfer,500.00,\n"
    assert answers(refusal(text, **OPTIONS)) == ["--map recordDate=Run Date"]
    text = text.replace(named, "Booking date").replace("2026-03-18", "")
    assert answers(refusal(text, **OPTIONS)) == ["--map recordDate=Run Date"]


def test_the_date_is_in_one_column_whether_it_has_gaps_or_not():
    text = "Transaction Date,Clearing Date,Note,Amount\n2026-03-20,2026-03-22,Kiosk,-9.50\n"
    text += "2026-03-18,2026-03-20,Bakery,-2.00\n"
    days = [entry.date // 86_400 for entry in read(text, **OPTIONS)[0].entries]
    assert days == [20_534, 20_532]
    gap = text.replace("2026-03-22", "")
    assert answers(refusal(gap, **OPTIONS)) == ["--map recordDate=Transaction Date"]


def test_a_date_without_gaps_is_offered_where_another_has_one():
    text = "Date,Paid on,Note,Amount\n2026-03-02,2026-03-02,Bakery,-12.50\n"
    text += "2026-03-03,2026-03-05,Kiosk,-1.50\n,2026-03-06,Garage,-3.00\n"
    assert answers(refusal(text, **OPTIONS)) == ["--map recordDate=Paid on"]


def test_every_column_of_dates_is_offered_and_those_without_gaps_first():
    rows = "2026-03-01,,2026-03-03,a,-3.00\n2026-03-02,2026-03-05,2026-03-04,b,-4.00\n"
    text = "Due,Paid on,Value date,Text,Amount\n" + rows
    assert answers(refusal(text, **OPTIONS)) == [
        "--map recordDate=Due", "--map recordDate=Value date", "--map recordDate=Paid on"
    ]  # fmt: skip


def test_a_column_of_times_is_never_the_date():
    for times in ("08:35:18 21:02:00", "0:35 23:59", "083518 210200"):
        first, second = times.split()
        text = f"Transaction time,Day,Note,Amount\n{first},2026-03-02,Bakery,-12.50\n"
        text += f"{second},2026-03-03,Kiosk,-1.50\n"
        (found,) = read(text, **OPTIONS)
        days = [entry.date // 86_400 for entry in found.entries]
        assert days == [20_514, 20_515]


@pytest.mark.parametrize("shares", ["Quantity", "Anzahl"])
def test_price_and_value_of_shares_are_no_amount(shares):
    text = f"Date,Note,{shares},Price,Value,Amount\n2026-03-02,Buy,3,100.00,300.00,-301.50\n"
    text += "2026-03-03,Dividend,,,,1.50\n2026-03-04,Buy,1,110.00,110.00,-111.00\n"
    assert amounts(text) == [-301.5, 1.5, -111]
    assert refusal(text.replace(shares, "Lot"), **OPTIONS)


@pytest.mark.parametrize("shares", ["Units", "Anzahl"])
def test_a_value_of_shares_with_signs_is_offered_and_their_number_is_no_direction(shares):
    text = f"Date,Note,{shares},Amount,Value\n2026-03-02,Buy,3,12.50,-12.60\n"
    text += "2026-03-03,Sell,1,30.00,30.00\n2026-03-04,Buy,1,30.00,-30.10\n"
    offered = answers(refusal(text, **OPTIONS))
    assert "--positive in --map amount=Value --ignore Amount" in offered
    assert not any("--sign" in each for each in offered)


@pytest.mark.parametrize("letters", ["D C", "D K", "S H", "DR CR"])
def test_letters_behind_amounts_are_their_sides(letters):
    out, in_ = letters.split()
    text = f"Data;Histórico;Valor\n02/13/2026;Padaria;1.012,50 {out}\n02/14/2026;Loja;3,00 {in_}\n"
    assert amounts(text) == [-1012.5, 3]
    if out in "SH":
        alone = text.replace(f" {in_}", "")
        assert "is not an amount" in refusal(alone, **OPTIONS).reason


def test_a_letter_without_its_opposite_may_be_a_unit():
    for other in ("K", "H"):
        text = f"Date,Note,Amount\n2026-03-02,Bakery,12.50K\n2026-03-03,Kiosk,1.50{other}\n"
        assert "'12.50K' is not an amount" in refusal(text, **OPTIONS).reason


@pytest.mark.parametrize(
    "texts", ["12.50 USDC", "12.50 USDD", "12.50EURC", "€12.50 CADC", "5.00  D"]
)
def test_a_letter_of_a_currency_is_no_side(texts):
    text = f"Date,Note,Amount\n2026-03-02,Bakery,{texts}\n2026-03-03,Kiosk,{texts}\n"
    assert "is not an amount" in refusal(text, account="Giro").reason


@pytest.mark.parametrize("letter", ["D", "C"])
def test_letters_beside_amounts_with_a_minus_are_no_sides(letter):
    text = f"Date,Note,Amount\n2026-03-02,Bakery,-4.00\n2026-03-03,Kiosk,12.50 {letter}\n"
    assert f"'12.50 {letter}' is not an amount" in refusal(text, **OPTIONS).reason


@pytest.mark.parametrize("letter", "HKSDC")
def test_letters_behind_balances_and_original_amounts_refuse_nothing(letter):
    after = "102,50" if letter in "SD" else "97,50"
    text = f"Datum;Text;Betrag;Saldo\n2026-03-02;A;-12,50;100,00 {letter}\n"
    assert amounts(text + f"2026-03-03;B;-2,50;{after} {letter}\n") == [-12.5, -2.5]
    text = "Datum;Text;Betrag;Originalbetrag;Originalwährung\n"
    text += f"2026-03-02;A;-12,50;13,00 {letter};USD\n2026-03-03;B;-2,50;3,00 {letter};USD\n"
    assert amounts(text) == [-12.5, -2.5]
