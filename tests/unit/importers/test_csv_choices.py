"""The first choice of each question is the likely one, and no choice stores what is no money."""

from collections import Counter

import pytest

from finance_api.importers.clauses import Topic
from finance_api.storage.memory import MemoryBackend
from support.csv_files import answers, read, refusal
from support.ledger import Person
from support.nightly import count
from support.open_files import OPEN, ends, make


def found(data, **options):
    """Return day, amount and texts of each entry."""
    (statement,) = read(data, account="A", **options)
    return [(e.date // 86_400 % 31, e.amount / 10_000, e.payee, e.note) for e in statement.entries]


def amounts(data, **options):
    return [row[1] for row in found(data, **options)]


#: A line without headings that states the account, its owner and balances; rows below it.
OWNER = '2720260331,2026-03-31,\'77 1090 0000 0000,A. OWNER,PLN,"900,00","1 844,00",3,\n'
ROWS = """31-03-2026,30-03-2026,Sklep,Kiosk,'12 1020,"-45,00","1 844,00",3,
20-03-2026,20-03-2026,Pensja,Firma,'44 1020,"2 000,00","1 889,00",2,
05-03-2026,05-03-2026,Czynsz,Dom,'55 1020,"-1 011,00","-111,00",1,
"""


def test_a_first_row_unlike_all_others_is_first_offered_to_be_left_out():
    refused = refusal(OWNER + ROWS, currency="PLN")
    assert refused.questions[0].reason == Topic.FIRST_IS_UNLIKE
    assert answers(refused) == ["--skip-rows 1", "--leave-out 2="]
    assert amounts(OWNER + ROWS, currency="PLN", skip_rows=1) == [-45, 2_000, -1_011]


def test_a_first_row_of_other_dates_is_no_record_unless_somebody_says_so():
    rows = "2026-03-{:02};Shop {};Kiosk;-{},50\n"
    text = "31.03.2026;100,00;Account 7;12,50\n" + "".join(rows.format(n, n, n) for n in (2, 3, 14))
    refused = refusal(text, currency="EUR")
    assert answers(refused)[0] == "--skip-rows 1"
    assert amounts(text, currency="EUR", skip_rows=1) == [-2.5, -3.5, -14.5]


def test_a_first_row_that_differs_in_one_text_leaves_nothing_to_ask():
    text = "2026-03-02;4711;-1,50\n2026-03-03;Kiosk;-2,50\n2026-03-14;Shop;-3,50\n"
    assert amounts(text, currency="EUR") == [-1.5, -2.5, -3.5]


SIDES = "Datum;Opis;Isplata;Uplata\n05.03.2026;Kiosk;45,00;0,00\n16.03.2026;Rad;0,00;1500,00\n"


def test_a_last_row_with_both_sides_is_offered_to_be_left_out():
    last = "31.03.2026;Xyz;45,00;1400,00\n"
    assert answers(refusal(SIDES + last, currency="EUR")) == ["--skip-last 1"]
    assert amounts(SIDES + last, currency="EUR", skip_last=1) == [-45, 1_500]
    refused = refusal(SIDES + last + "31.03.2026;Bar;5,00;\n", currency="EUR")
    assert not answers(refused) and refused.questions[0].reason == Topic.BOTH_SIDES


@pytest.mark.parametrize("codec", ["cp1252", "cp850", "mac-roman"])
@pytest.mark.parametrize(
    "headings", ["Fecha;Concepto;Importe", "Date;Libelle;Montant", "Datum;Text;Betrag"]
)
def test_headings_of_western_languages_say_the_encoding(codec, headings):
    text = f"{headings}\n05/03/2026;PEÑA;-25,50\n16/03/2026;NOMINA;1200,00\n"
    assert [row[3] for row in found(text.encode(codec), currency="EUR")] == ["PEÑA", "NOMINA"]


def test_numbers_of_kinds_beside_amounts_with_decimals_are_no_fees():
    text = "Datums;Summa;Tips\n2026-03-05;-25.50;20\n2026-03-06;1200.00;21\n"
    assert amounts(text, currency="EUR") == [-25.5, 1_200]
    with_decimals = text.replace(";2", ";2.")
    assert refusal(with_decimals, currency="EUR").questions[0].reason == Topic.MAYBE_FEES


DAYS = "Date;Text;Amount\n2026-03-02;Shop;-7,80\n2026-03-05;Rent;-719,33\n2026-03-11;Bar;-6,52\n"
MORE = "2026-03-11;Shop;-99,19\n2026-03-13;Bar;-7,15\n2026-03-15;Power;-97,33\n"


@pytest.mark.parametrize(
    ("ends", "begins"),
    [
        ("Übertrag auf Blatt 2", "Übertrag von Blatt 1"),
        ("A reporter", "Report page précédente"),
        ("Suma y sigue", "Suma anterior"),
        ("Te transporteren", "Transport vorige bladzijde"),
        ("Do przeniesienia", "Z przeniesienia"),
        ("A transportar", "Transporte"),
        ("过次页", "承前页"),
        ("次頁へ繰越", "前頁より繰越"),
        ("Page total c/f", "Total b/f"),
        ("Riporto", ""),
    ],
)
def test_balances_carried_to_another_page_are_no_records_unasked(ends, begins):
    carried = f"2026-03-11;{ends};912,35\n" + (f"2026-03-11;{begins};912,35\n" if begins else "")
    refused = refusal(DAYS + carried + MORE, currency="EUR")
    texts = [text for text in (ends, begins) if text]
    first = answers(refused)[0]
    assert all(f"--leave-out Text={text}" in first for text in texts), first
    found_ = amounts(DAYS + carried + MORE, currency="EUR", leave_out=[f"Text={t}" for t in texts])
    assert found_ == [-7.8, -719.33, -6.52, -99.19, -7.15, -97.33]


def test_balances_carried_over_two_pages_are_proved():
    one, two = "2026-03-11;Übertrag {} Blatt {};{}\n", "2026-03-15;Übertrag {} Blatt {};{}\n"
    text = DAYS + one.format("auf", 2, "266,35") + one.format("von", 1, "266,35")
    text += MORE + two.format("auf", 3, "62,68") + two.format("von", 2, "62,68")
    assert len(amounts(text + "2026-03-16;Bar;-1,00\n", currency="EUR")) == 7


def test_rows_with_both_sides_that_are_their_sums_are_left_out():
    text = """Date,Text,Out,In
2026-03-02,Shop,12.50,
2026-03-09,Pay,,900.00
2026-03-16,Bar,4.00,
2026-03-31,March 2026,16.50,900.00
2026-04-02,Shop,2.50,
2026-04-09,Pay,,800.00
2026-04-30,April 2026,2.50,800.00
"""
    assert amounts(text, currency="EUR") == [-12.5, 900, -4, -2.5, 800]
    wrong = refusal(text.replace("16.50,900", "16.50,901"), currency="EUR")
    assert wrong.questions[0].reason == Topic.BOTH_SIDES and wrong.line == 5


OF_WAYS = (
    "Date;{0};Text;Amount\n2026-03-02;{1};a;1,50\n2026-03-03;{2};b;2,50\n2026-03-14;{1};c;3,50\n"
)


@pytest.mark.parametrize(
    ("heading", "out", "in_"),
    [("B/A", "B", "A"), ("A/B", "A", "B"), ("MD / D", "MD", "D"), ("Quax-Brill", "quax", "brill")],
)
def test_of_two_words_that_make_the_heading_the_first_one_most_likely_means_money_out(
    heading, out, in_
):
    for text in (OF_WAYS.format(heading, out, in_), OF_WAYS.format(heading, in_, out)):
        assert answers(refusal(text, currency="EUR"))[0] == f"--sign {heading}={out}|{in_}"


def test_that_all_words_mean_the_same_way_is_the_least_likely():
    for first in answers(refusal(OF_WAYS.format("Flow", "away", "back"), currency="EUR"))[:2]:
        assert first in ("--sign Flow=away|back", "--sign Flow=back|away")
    refunds = answers(refusal(OF_WAYS.format("Type", "Quax", "Refund"), currency="EUR"))
    assert refunds[0] == "--sign Type=Quax|Refund"


def test_parts_of_amounts_without_signs_add_nothing():
    text = """Date,Text,Meal,Tip,Total
2026-03-02,Bar,10.00,1.50,11.50
2026-03-09,Inn,20.00,0.00,20.00
2026-03-16,Pub,30.00,3.25,33.25
"""
    refused = refusal(text, currency="EUR")
    assert answers(refused) == ["--positive out", "--positive in"]


def test_fees_that_are_named_twice_are_no_doubled_headings():
    text = "Date,Text,Amount,Fee,Charge\n2026-03-02,Bar,-10.00,1.50,0.50\n"
    fees = ["Fee=unsigned", "Charge=unsigned"]
    assert amounts(text, currency="EUR", fee=fees) == [-10, -2]


def test_lines_of_whole_numbers_above_rows_without_headings_are_left_out():
    text = """0,,1234,BRANCH,0,0
ACC-NO,,012345678,0,,0
OPEN,20260302,,2500.00,OPEN BALANCE,,0,0
HIST,20260302,,-12.50,KIOSK,Bar,7825,0
HIST,20260304,,-7.50,SHOP,Food,6913,0
HIST,20260316,,900.00,PAY,Job,3829,0
CLOSE,20260317,,3380.00,CLOSE BALANCE,,0,0
"""
    assert amounts(text, currency="ZAR") == [-12.5, -7.5, 900]
    assert refusal(text.replace("3380.00", "3380.01"), currency="ZAR")


@pytest.mark.nightly
@pytest.mark.parametrize("open_", OPEN)
def test_no_choice_stores_a_line_that_is_no_transaction_unless_it_shows_it(open_, figures):
    """Each choice is followed to its end. What is imported unasked is right, some way is right, and
    so is each way on which all that a single question showed is true.
    """
    person, found = Person(MemoryBackend()), Counter()
    for seed in range(count(12, 800)):
        file = make(seed, open_)
        all_ = list(ends(file, person, {"account": "Giro", "currency": "EUR"}))
        right = [end for end in all_ if end.entries == file.records]
        is_asked = any(end.rounds for end in all_)
        assert is_asked or right or all_[0].entries is None, (seed, file)
        for end in all_:
            stored = {line for line, *_ in end.entries or ()}
            assert stored & file.others.keys() <= end.shown, (seed, file, end)
            assert end in right or not (end.rounds == 1 and end.are_true), (seed, file, end)
        first = all_[0]
        found["unasked" if not is_asked else "first" if first in right else "later"] += bool(right)
        found["refused"] += not right
    figures(f"{open_}: {found}")
    assert found["refused"] <= 0.05 * found.total(), found


NOTICES = "Date,Text,Amount\n2026-03-02,Shop,-1.50\n2026-03-03,New terms,\n2026-03-14,Bar,-3.50\n"


def test_rows_without_an_amount_are_offered_to_be_left_out():
    refused = refusal(NOTICES, currency="EUR")
    assert answers(refused) == ["--leave-out Amount="]
    assert amounts(NOTICES, currency="EUR", leave_out=["Amount="]) == [-1.5, -3.5]
    sides = (
        NOTICES.replace("Amount", "Out,In").replace("terms,", "terms,,").replace("50\n", "50,\n")
    )
    assert answers(refusal(sides, currency="EUR")) == ["--leave-out Out= --leave-out In="]
    assert amounts(sides, currency="EUR", leave_out=["Out=", "In="]) == [-1.5, -3.5]


def test_that_one_row_is_no_total_keeps_no_proved_total():
    rows = "2026-03-02,Total Wine,-7.50\n2026-03-05,Shop,-2.50\n2026-03-14,Bar,-3.50\n"
    text = f"Date,Text,Amount\n{rows}2026-03-15,Total,-13.50\n"
    assert amounts(text, currency="EUR", leave_out=["Text="]) == [-7.5, -2.5, -3.5]


def test_totals_of_one_column_are_asked_about_together():
    text = DAYS + "2026-03-11;Suma y sigue;912,35\n2026-03-11;Suma anterior;912,35\n" + MORE
    (question,) = refusal(text, currency="EUR").questions
    values = [choice.changes["leave_out"] for choice in question.choices]
    both = ("Text=Suma y sigue", "Text=Suma anterior")
    assert values[0] == both and values[-1] == ("Text=",)
    assert {*values[1:3]} == {(both[0], "Text="), (both[1], "Text=")}


def test_a_column_with_money_where_the_amount_has_none_may_be_the_other_side():
    rows = "2026-03-02,Shop,27.71,\n2026-03-05,Bar,56.46,\n2026-03-14,Paid,,132.73\n"
    text = f"Date,Text,Charge,Payment\n{rows}"
    first, second = answers(refusal(text, currency="EUR"))
    assert first.startswith("--debit Charge --credit Payment")
    assert second.startswith("--debit Payment --credit Charge")
    assert amounts(text, currency="EUR", debit="Charge", credit="Payment") == [
        -27.71,
        -56.46,
        132.73,
    ]


def test_rows_of_another_currency_are_of_another_account():
    rows = "2026-03-02,Shop,-25.50,\n2026-03-14,Move,,100.00\n2026-03-15,Taxi,-8.00,\n"
    text = f"Date,Text,GEL,USD\n{rows}"
    offered = answers(refusal(text, currency="GEL"))
    assert offered == ["--map amount=GEL", "--map amount=USD"]
    refused = refusal(text, currency="GEL", columns={"amount": "GEL"})
    assert answers(refused) == ["--leave-out GEL="]
    own = {"columns": {"amount": "GEL"}, "leave_out": ["GEL="], "currency": "GEL"}
    assert amounts(text, **own) == [-25.5, -8]


def test_words_for_neither_direction_are_first_offered_to_be_left_out():
    rows = (
        "2026-03-02,支出,美团,35.00\n2026-03-05,收入,李雷,50.00\n2026-03-14,不计收支,余额宝,9.00\n"
    )
    text = f"日期,收/支,摘要,金额\n{rows}"
    assert (
        answers(refusal(text, currency="CNY"))[0]
        == "--sign 收/支 --only 收/支=支出 --only 收/支=收入"
    )


@pytest.mark.parametrize("words", [("Dr.", "Cr."), ("DR", "CR")])
def test_words_for_directions_may_end_in_a_full_stop(words):
    text = OF_WAYS.format("Kind", *words)
    assert amounts(text, currency="EUR") == [-1.5, 2.5, -3.5]


@pytest.mark.parametrize(
    "heading",
    ["金额(分)", "Сумма (коп.)", "Belopp (öre)", "Kwota (gr)", "Amount (p)", "Tutar (kuruş)"],
)
def test_hundredths_of_a_currency_are_asked_about(heading):
    text = f"Date;Text;{heading}\n2026-03-02;Shop;-21148\n2026-03-14;Bar;-2460\n"
    assert refusal(text, currency="EUR").questions[0].reason == Topic.UNITS
    assert amounts(text, currency="EUR", units="minor") == [-211.48, -24.6]


@pytest.mark.parametrize(
    "heading",
    ["Betrag (TEUR)", "金額(千円)", "金额(万元)", "Сумма, тыс. руб.", "Amount (in thousands)"],
)
def test_amounts_in_thousands_are_refused(heading):
    text = f"Date;Text;{heading}\n2026-03-02;Shop;-8\n2026-03-14;Bar;-34\n"
    refused = refusal(text)
    assert "in thousands" in refused.reason and not answers(refused)


def test_last_rows_that_sum_up_both_ways_are_asked_about():
    rows = "2026-03-02,Shop,-7.50\n2026-03-05,Pay,900.00\n2026-03-14,Bar,-3.50\n"
    text = f"Date,Text,Amount\n{rows}2026-03-20,Came,900.00\n2026-03-20,Went,-11.00\n"
    refused = refusal(text, currency="EUR")
    assert answers(refused)[0] == "--leave-out Text=Came --leave-out Text=Went"
    assert len(amounts(text.replace("-11.00", "-11.01"), currency="EUR")) == 5


@pytest.mark.parametrize("text", ["Average", "Funds available", "Minimum payment due"])
def test_rows_that_state_no_money_are_asked_about(text):
    rows = f"2026-03-02,Shop,-7.50\n2026-03-05,Pay,900.00\n2026-03-14,{text},35.00\n"
    refused = refusal(f"Date,Text,Amount\n{rows}", currency="EUR")
    assert answers(refused) == [f"--leave-out Text={text}", "--leave-out Text="]


def test_charges_beside_two_sides_are_fees():
    text = """Date,Text,Withdrawal,Deposit,Charges,Balance
2026-03-02,Shop,100.00,,1.50,898.50
2026-03-05,Pay,,500.00,0.00,1398.50
2026-03-14,Bar,20.00,,0.50,1378.00
"""
    assert amounts(text, currency="EUR") == [-100, -1.5, 500, -20, -0.5]


def test_a_column_of_texts_without_a_known_heading_is_the_note_beside_a_payee():
    rows = (
        "2026-03-02;RIMI;Pirkums;-25.50\n2026-03-05;Darbs;Alga;900.00\n2026-03-14;Janis;Ire;-4.00\n"
    )
    assert [row[2:] for row in found(f"Datums;Payee;Xyz;Summa\n{rows}", currency="EUR")] == [
        ("RIMI", "Pirkums"),
        ("Darbs", "Alga"),
        ("Janis", "Ire"),
    ]
