"""What a file itself proves is not asked about."""

from collections import Counter
from datetime import date, timedelta
from random import Random

import pytest

from finance_api.importers.clauses import Topic
from finance_api.importers.csv.mapping import FEE_CATEGORY
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.csv_files import answers, read, refusal
from support.nightly import count


def entries(data, **options):
    (found,) = read(data, **({"account": "Konto"} | options))
    return found.entries


def money(data, **options):
    """Return the day and the amount, in cents, of each record."""
    found = entries(data, **options)
    return [(date_text(entry.date)[5:], entry.amount // 100) for entry in found]


@pytest.mark.parametrize(
    ("headings", "codec"),
    [
        ("Date opération;libellé;Débit;Crédit", "cp1252"),
        ("Data mov.;Descrição;Débito;Crédito", "cp1252"),
        ("Datum;Empfänger/Auftraggeber Name;Soll;Haben", "cp1252"),
        ("תאריך;תיאור;בחובה;בזכות", "cp1255"),
        ("Datums;Saņēmējs / Maksātājs;Debets;Kredīts", "cp1257"),
    ],
)
def test_words_of_headings_show_the_encoding(headings, codec):
    head, name = headings.split(";", 1)[0], headings.split(";")[1]
    text = f"{head};{name};Debit;Credit\n02.03.2026;{name};12,50;\n17.03.2026;{name};;900,00\n"
    found = entries(text.encode(codec), currency="EUR")
    assert [entry.payee or entry.note for entry in found] == [name] * 2
    assert [entry.amount for entry in found] == [-125_000, 9_000_000]


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("02/03/2026-12:33:10", "17/03/2026-08:01:02"), ["03-02", "03-17"]),
        (("02.03.2026 г.", "17.03.2026 г."), ["03-02", "03-17"]),
        (("02 03 2026", "17 03 2026"), ["03-02", "03-17"]),
    ],
)
def test_other_forms_of_dates_are_read(dates, days):
    text = f"Date;Text;Amount\n{dates[0]};Kiosk;-12,50\n{dates[1]};Pay;900,00\n"
    assert [day for day, _ in money(text, currency="EUR")] == days


@pytest.mark.parametrize(
    ("headings", "order"), [("Year,Month,Day", (0, 1, 2)), ("TT,MM,JJJJ", (2, 1, 0))]
)
def test_three_columns_may_have_the_parts_of_the_date(headings, order):
    days = [("2026", "3", "2"), ("2026", "3", "17"), ("2026", "4", "1")]
    parts = [",".join(day[place] for place in order) for day in days]
    amounts = ("-12.50", "900.00", "-3.20")
    rows = [f"{p},Kiosk,{amount}\n" for p, amount in zip(parts, amounts, strict=True)]
    found = money(f"{headings},Text,Amount\n{''.join(rows)}", currency="EUR")
    assert found == [("03-02", -1_250), ("03-17", 90_000), ("04-01", -320)]


def test_three_columns_of_a_date_whose_order_is_open_are_asked_about():
    rows = "2,3,2026,Kiosk,-12.50\n4,5,2026,Pay,900.00\n"
    refused = refusal("A,B,C,Text,Amount\n" + rows, currency="EUR")
    assert answers(refused) == ["--date-format DD MM YYYY", "--date-format MM DD YYYY"]


SMALL = "Day;Text;Out;In;Left\n02.03.2026;Pay;;23.781;28.055\n05.03.2026;Kiosk;726;;27.329\n"


@pytest.mark.parametrize("mark", [".", ","])
def test_balances_show_that_a_mark_is_of_thousands(mark):
    text = (SMALL + "17.03.2026;Garage;9.715;;17.614\n").replace(".", mark)
    text = text.replace(f"{mark}03{mark}2026", ".03.2026")
    found = money(text, currency="TWD")
    assert found == [("03-02", 2_378_100), ("03-05", -72_600), ("03-17", -971_500)]


def test_balances_that_fit_both_readings_leave_the_mark_open():
    text = "Date;Text;Amount;Balance\n02.03.2026;Kiosk;-1.726;4.274\n05.03.2026;Pay;3.781;8.055\n"
    refused = refusal(text + "17.03.2026;Garage;-1.015;7.040\n", currency="EUR")
    assert [question.fact.topic for question in refused.questions] == [Topic.DECIMAL]


def test_balances_show_that_fees_are_beside_the_amounts():
    text = """Date,Text,Money In,Money Out,Fee,Balance
2026-03-02,Kiosk,,-12.50,,987.50
2026-03-05,Abroad,,-100.00,-1.50,886.00
2026-03-09,Pay,900.00,,,1786.00
2026-03-17,Abroad,,-50.00,-1.00,1735.00
"""
    found = entries(text, currency="ZAR")
    fees = [entry.amount for entry in found if entry.category == FEE_CATEGORY]
    assert fees == [-15_000, -10_000] and len(found) == 6
    without = text.replace("886.00", "887.50").replace("1786", "1787.50").replace("1735", "1737")
    without = without.replace("1787.50.00", "1787.50").replace("1737.00", "1737.50")
    assert len(entries(without, currency="ZAR")) == 4


def test_a_fee_in_the_first_row_alone_is_asked_about():
    text = """Date,Text,Amount,Fee,Balance
2026-03-02,Abroad,-12.50,-1.00,986.50
2026-03-05,Pay,900.00,,1886.50
2026-03-17,Kiosk,-50.00,,1836.50
"""
    refused = refusal(text, currency="ZAR")
    assert [question.fact.topic for question in refused.questions] == [Topic.MAYBE_FEES]


def test_of_amounts_in_two_currencies_the_accounts_own_counts():
    text = """Data;Descrição;Valor (em US$);Valor (em R$)
02/03/2026;Livraria;-2,50;-12,50
17/03/2026;Salário;180,00;900,00
"""
    assert money(text, currency="BRL") == [("03-02", -1_250), ("03-17", 90_000)]
    assert refusal(text).questions[0].fact.topic == Topic.AMOUNT_COLUMNS


def test_an_amount_without_signs_beside_the_same_with_signs_is_no_other_amount():
    text = """Date,Text,Operation amount,Operation amount rounded,Payment amount
2026-03-02,Kiosk,-12.50,12.50,-12.50
2026-03-17,Pay,900.00,900.00,900.00
"""
    assert money(text, currency="EUR") == [("03-02", -1_250), ("03-17", 90_000)]
    other = text.replace(",12.50,", ",13.00,")
    assert refusal(other, currency="EUR").questions[0].fact.topic == Topic.AMOUNT_COLUMNS


def test_a_shop_called_total_is_no_total_if_the_balances_include_it():
    rows = "2026-03-02,Kiosk,-12.50,987.50\n2026-03-05,TOTAL,-30.00,957.50\n"
    text = "Date,Text,Amount,Balance\n" + rows + "2026-03-17,Pay,900.00,1857.50\n"
    assert len(entries(text, currency="EUR")) == 3
    first = text.replace("Kiosk", "TOTAL")
    assert refusal(first, currency="EUR").questions[0].fact.topic == Topic.MAYBE_TOTAL
    no_balance = text + "2026-03-20,TOTAL,857.50,\n"
    assert refusal(no_balance, currency="EUR").questions[0].fact.topic == Topic.MAYBE_TOTAL


ROWS = """02/03/2026;-12,50;Carte;;CB CARREFOUR;0;Divers
05/03/2026;900,00;Virement;;SALAIRE;0;Revenus
14/03/2026;-30,00;Carte;;GARAGE;0;Auto
20/03/2026;-4,10;Carte;;CAFE;0;Divers
"""


def test_a_last_row_that_lacks_what_all_others_have_may_be_a_balance():
    text = ROWS + "31/03/2026;853,40;;;01234 123456A;;\n"
    refused = refusal(text, currency="EUR")
    assert refused.questions[0].fact.topic == Topic.END_WITHOUT_TEXT
    assert [words.split()[0] for words in answers(refused)] == ["--skip-last", "--leave-out"]
    one_cell = ROWS + "31/03/2026;853,50;Carte;;01234 123456A;0;\n"
    assert len(entries(one_cell, currency="EUR")) == 5


@pytest.mark.parametrize(
    "first",
    ["2026-04-01;5000,00;5853,40;;ANNA;8;EUR\n", "Compte;Compte;****1234;31/03/2026;;;5853,40\n"],
)
def test_a_first_row_unlike_all_others_is_offered_to_be_skipped(first):
    refused = refusal(first + ROWS, currency="EUR")
    assert "--skip-rows 1" in answers(refused)
    assert len(entries(first + ROWS, currency="EUR", skip_rows=1)) == 4


def test_a_first_row_is_not_taken_for_the_data_if_all_others_are_unlike_it():
    rows = "30-03-2026;Autres;;Café;-12,50\n29-03-2026;Autres;;Salaire;900,00\n"
    text = "Compte;Compte;****1234;30/03/2026;;5853,40\n" + rows
    assert answers(refusal(text, currency="EUR"))[0] == "--skip-rows 1"
    assert len(entries(text, currency="EUR", skip_rows=1)) == 2


def test_lines_of_a_label_and_a_value_above_rows_without_headings_are_skipped():
    above = "ACC-NO,10012345678\nOPEN,20260301,,1000.00,OPEN BALANCE,0\n"
    rows = "HIST,20260302,,-12.50,KIOSK,7\nHIST,20260317,,900.00,PAY,8\n"
    text = above + rows + "CLOSE,20260331,,1887.50,CLOSE BALANCE,0\n"
    assert money(text, currency="ZAR") == [("03-02", -1_250), ("03-17", 90_000)]
    assert refusal(text.replace("1887.50", "1887.60"), currency="ZAR")


def test_the_only_name_in_a_column_of_accounts_is_the_account():
    text = "Date,Text,Account name,Amount\n2026-03-02,Kiosk,Main,-12.50\n2026-03-17,Pay,Main,900\n"
    (found,) = read(text, currency="EUR")
    assert found.account.name == "Main"
    two = refusal(text.replace("Pay,Main", "Pay,Other"), account=None, currency="EUR")
    assert two.questions[0].fact.topic == Topic.ACCOUNT_OR_COLUMN


@pytest.mark.parametrize("balance", ["Saldo contable", "Saldo del libro"])
def test_the_available_balance_is_not_read_beside_one_that_runs(balance):
    text = f"""Fecha;Concepto;Importe;{balance};Saldo disponible
02/03/2026;Kiosco;-12,50;987,50;987,50
05/03/2026;Nomina;900,00;1887,50;1787,50
17/03/2026;Taller;-30,00;1857,50;1757,50
"""
    assert len(entries(text, currency="EUR")) == 3


@pytest.mark.parametrize(
    ("mark", "code"),
    [("TL", "TRY"), ("руб.", "RUB"), ("грн", "UAH"), ("лв.", "BGN"), ("lei", "RON")],
)
def test_names_of_currencies_stand_beside_amounts(mark, code):
    behind = f"Date;Text;Amount\n02.03.2026;Kiosk;-12,50 {mark}\n17.03.2026;Pay;900,00 {mark}\n"
    before = f"Date;Text;Amount\n02.03.2026;Kiosk;-{mark} 12,50\n17.03.2026;Pay;{mark}900,00\n"
    for text in (behind, before, behind.replace(f" {mark}", mark)):
        (found,) = read(text, account="Konto")
        assert found.account.currency == code
        assert [entry.amount for entry in found.entries] == [-125_000, 9_000_000]


@pytest.mark.parametrize("account", ["Konto", None])
def test_which_day_and_which_way_are_asked_in_one_round(account):
    text = "Date;Text;Amount\n02/03/2026;Kiosk;12,50\n04/05/2026;Garage;30,00\n"
    refused = refusal(text + "06/07/2026;Back;-4,10\n", account=account, currency="EUR")
    topics = [question.fact.topic for question in refused.questions]
    first = [] if account else [Topic.ACCOUNT_OR_COLUMN]
    assert topics == [*first, Topic.DATE_FORM, Topic.MOST_POSITIVE]


KINDS = """Kind,Date,Payee,Text,Amount,D/K
10,2026-03-01,,{},100.00,K
20,2026-03-02,Rimi,Groceries,12.50,D
20,2026-03-03,Maxima,Groceries,2.50,D
20,2026-03-17,Employer,Salary,900.00,K
82,2026-03-31,,{},15.00,D
82,2026-03-31,,{},900.00,K
86,2026-03-31,,likutis pabaigai,985.00,K
"""


@pytest.mark.parametrize("words", [("Qux", "Quux", "Quux"), ("Likutis pradziai", "Qux", "Qux")])
def test_one_known_word_is_enough_where_balances_and_sums_prove_each_other(words):
    found = money(KINDS.format(*words), currency="EUR")
    assert found == [("03-02", -1_250), ("03-03", -250), ("03-17", 90_000)]


def test_payments_that_cancel_each_other_are_no_sums_of_the_others():
    """Without the second kind, the balances fit, too; and its size is the net of the others."""
    text = """Kind,Date,Payee,Text,Amount,D/K
10,2026-03-01,,Opening balance,5.00,K
20,2026-03-02,,Pay,10.00,K
20,2026-03-03,,Kiosk,10.00,D
40,2026-03-04,,Kiosk,15.00,D
40,2026-03-05,,Garage,10.00,D
40,2026-03-06,,Pay,15.00,K
86,2026-03-07,,Closing balance,5.00,D
"""
    amounts = [amount for _, amount in money(text, currency="EUR")]
    assert amounts == [1_000, -1_000, -1_500, -1_000, 1_500]


@pytest.mark.parametrize("texts", [("Fee", "Fee back"), ("", "")])
def test_rows_that_cancel_each_other_may_be_payments_although_they_equal_a_sum(texts):
    text = """Kind,Date,Payee,Text,Amount
10,2026-03-01,,Opening balance,100.00
20,2026-03-02,Kiosk,Card,-10.00
20,2026-03-03,Garage,Card,-5.00
40,2026-03-04,{0},{0},-15.00
40,2026-03-05,{1},{1},15.00
86,2026-03-06,,Closing balance,85.00
""".format(*texts)
    refused = refusal(text, currency="EUR")
    assert refused.questions[0].fact.topic in (Topic.SUMS, Topic.SUMS_WITHOUT_TEXT)
    found = [
        len(money(text, currency="EUR", leave_out=["Kind=40"])),
        len(money(text, currency="EUR", leave_out=["Kind="])),
    ]
    assert found == [2, 4]


def test_rows_that_cancel_each_other_may_be_payments_beside_balances_that_no_word_names():
    text = """Kind,Date,Payee,Amount
10,2026-03-01,,100.00
20,2026-03-02,Kiosk,-10.00
20,2026-03-03,Garage,-5.00
40,2026-03-04,,-15.00
40,2026-03-05,,15.00
86,2026-03-06,,85.00
"""
    assert refusal(text, currency="EUR").questions[0].fact.topic == Topic.SUMS


def test_a_copy_may_have_signs_that_words_give_to_the_amount():
    text = "Date;Text;Type;Amount;Booked\n02.03.2026;Kiosk;debit;10,50;-10,50\n"
    text += "03.03.2026;Pay;credit;20,00;20,00\n04.03.2026;Garage;debit;7,00;-7,00\n"
    assert [amount for _, amount in money(text, currency="EUR")] == [-1_050, 2_000, -700]


def test_a_word_of_most_rows_is_offered_as_no_total_first():
    text = "交易时间,商品,收/支,金额,收/付款方式\n" + "2026-03-02,杯,支出,5.00,余额\n" * 3
    assert "收/付款方式" not in " ".join(answers(refusal(text, currency="CNY")))
    text += "2026-03-02,杯,支出,7.00,花呗\n"
    assert answers(refusal(text, currency="CNY"))[0].startswith("--leave-out 收/付款方式= ")
    text += "2026-03-02,杯,支出,7.00,花呗\n" * 4
    assert "--leave-out 收/付款方式=余额" in answers(refusal(text, currency="CNY"))[0]


def test_the_choice_without_the_last_row_says_what_it_means():
    text = "Ngày,Mô tả,Số tiền\n02/03/2026,Chợ,-5.00\n13/03/2026,Lương,9.00\nĐiểm,,4.00\n"
    ((choice,),) = [question.choices for question in refusal(text, currency="VND").questions]
    assert (choice.changes, choice.meaning.facts) == ({"skip_last": 1}, {"text": "Điểm"})


def test_an_opening_balance_is_not_taken_for_the_closing_one():
    text = """Kind,Date,Payee,Text,Amount,D/K
10,2026-03-01,,Opening balance,20.00,K
20,2026-03-02,,Pay,15.00,K
20,2026-03-03,,Pay,15.00,K
50,2026-03-04,,Kiosk,10.00,D
50,2026-03-05,,Garage,5.00,D
86,2026-03-06,,Closing balance,35.00,K
"""
    amounts = [amount for _, amount in money(text, currency="EUR")]
    assert amounts == [1_500, 1_500, -1_000, -500]


def test_a_closing_balance_is_not_taken_for_a_sum():
    text = """Kind,Date,Payee,Text,Amount,D/K
10,2026-03-01,,Opening balance,5.00,K
40,2026-03-02,,Kiosk,10.00,D
40,2026-03-04,,Garage,15.00,D
40,2026-03-05,,Pay,15.00,K
30,2026-03-06,,Kiosk,5.00,D
86,2026-03-07,,Closing balance,10.00,D
"""
    amounts = [amount for _, amount in money(text, currency="EUR")]
    assert amounts == [-1_000, -1_500, 1_500, -500]


def test_rows_whose_words_say_all_are_not_asked_about_for_another_column():
    text = KINDS.replace("Kind,", "Kind,Type,").format("Algsaldo", "Käive", "Käive")
    for kind, word in (("10", "AS"), ("20", "K"), ("82", "K2"), ("86", "LS")):
        text = text.replace(f"\n{kind},", f"\n{kind},{word},")
    found = money(text.replace("likutis pabaigai", "Lõppsaldo"), currency="EUR")
    assert found == [("03-02", -1_250), ("03-03", -250), ("03-17", 90_000)]


@pytest.mark.parametrize(
    "dates", [("02032026", "17032026"), ("02 martie 2026", "17 martie 2026"), ("2 марта 2026",) * 2]
)
def test_further_forms_of_dates_are_read(dates):
    text = f"Date;Text;Amount\n{dates[0]};Kiosk;-12,50\n{dates[1]};Pay;900,00\n"
    days = ["03-02", "03-17" if dates[0] != dates[1] else "03-02"]
    assert [day for day, _ in money(text, currency="EUR")] == days


def test_nobody_pays_with_hundredths_of_some_currencies():
    text = "Date;Text;Amount\n02.03.2026;Kiosk;-12.345\n17.03.2026;Pay;900.000\n"
    assert money(text, currency="HUF") == [("03-02", -1_234_500), ("03-17", 90_000_000)]
    assert refusal(text, currency="EUR").questions[0].fact.topic == Topic.DECIMAL


SIDES = """Date,Text,Out,In,Running total,Saldo sacável
2026-03-02,Kiosk,12.50,,987.50,987.50
2026-03-05,Pay,,900.00,1887.50,1887.50
2026-03-17,Garage,30.00,,1857.50,1857.50
"""


def test_a_running_total_is_no_amount_and_its_copy_nothing_else():
    (found,) = read(SIDES, account="Konto", currency="EUR")
    assert [entry.amount for entry in found.entries] == [-125_000, 9_000_000, -300_000]
    assert found.statement.closing.amount == 18_575_000


def test_a_balance_that_is_the_same_in_all_rows_is_none_of_each_row():
    rows = SIDES.replace(",Running total", ",accountbalance").splitlines(keepends=True)
    lines = [line.rstrip("\n").split(",")[:4] for line in rows]
    text = "".join(
        ",".join([*cells, "accountbalance" if not n else "1857.50"]) + "\n"
        for n, cells in enumerate(lines)
    )
    assert len(entries(text, currency="EUR")) == 3


def test_a_file_whose_headings_are_not_known_is_read_in_the_encoding_of_its_words():
    text = "甲乙,丙丁、戊,己庚\n2026年03月02日,喫茶店,-97\n2026年03月17日,給料,900\n"
    (found,) = read(text.encode("cp932"), account="A", currency="JPY")
    assert [entry.note for entry in found.entries] == ["喫茶店", "給料"]
    refused = refusal("Qa;Qb;Qc\nPeña;b;c\n".encode("cp1252"), currency="EUR")
    assert [question.fact.topic for question in refused.questions] == [Topic.NOT_DECODED]
    assert "--encoding cp1252" in answers(refused)


def a_file(rng):
    """Return a file with balances, perhaps with fees, and its days with what moved on them."""
    is_whole = rng.random() < 0.4
    mark, group = rng.choice([(".", ","), (",", "."), (".", ""), (",", "")])
    step = 100 if is_whole else 1

    def number(cents):
        whole = f"{abs(cents) // 100:_}".replace("_", group or ("." if is_whole else ""))
        fraction = "" if is_whole else f"{mark}{abs(cents) % 100:02}"
        return f"{'-' if cents < 0 else ''}{whole}{fraction}"

    names = ["Kiosk", "Shop", "Bakery"]
    in_sides, has_fees, is_signed = (rng.random() < 0.5 for _ in range(3))
    is_divided, is_newest_first = rng.random() < 0.4, rng.random() < 0.5
    day, balance, rows, meant = date(2026, 1, 3), rng.randint(1, 9_000) * 100, [], Counter()
    for _ in range(rng.randint(4, 12)):
        day += timedelta(rng.randint(1, 9))
        cents = rng.choice((-1, -1, 1)) * rng.randint(1, rng.choice((90, 9_000))) * step
        fee = -rng.randint(1, 50) * step if has_fees and rng.random() < 0.4 else 0
        balance += cents + fee
        meant[str(day)] += cents + fee
        days = [str(day.year), str(day.month), str(day.day)] if is_divided else [str(day)]
        sides = [number(-cents) if cents < 0 else "", number(cents) if cents > 0 else ""]
        charged = number(fee if is_signed else -fee) if fee else ""
        amounts = [*(sides if in_sides else [number(cents)]), charged, number(balance)]
        rows.append([*days, rng.choice(names), *amounts])
        # Only a first row is asked about if it may be a total.
        names = names if has_fees else [*names, "TOTAL"][-4:]
    head = [*(("Year", "Month", "Day") if is_divided else ("Date",)), "Text"]
    head += [*(("Out", "In") if in_sides else ("Amount",)), "Fee", "Balance"]
    lines = [head, *(rows[::-1] if is_newest_first else rows)]
    return "".join(";".join(line) + "\n" for line in lines), meant


@pytest.mark.nightly
def test_random_files_are_read_as_meant_or_asked_about(figures):
    ends: Counter[str] = Counter()
    for seed in range(count(100, 10_000)):
        text, meant = a_file(Random(seed))
        try:
            found = entries(text, currency="EUR")
        except ImportRefused as refused:
            assert refused.answers, (seed, text)
            ends["asked"] += 1
            continue
        moved: Counter[str] = Counter()
        for entry in found:
            moved[date_text(entry.date)] += entry.amount // 100
        assert moved == meant, (seed, text)
        ends["read"] += 1
    figures(dict(ends))
    assert ends["read"] > 0.8 * ends.total()


MANY = "".join(f"2026-03-02;Kiosk;-{1 + place % 9}.50;%s\n" for place in range(210))


@pytest.mark.parametrize(
    ("heading", "first", "last", "topic"),
    [
        ("Fee", "0.00", "-1.20", Topic.MAYBE_FEES),
        ("Payment amount", "-{}.50", "-9.20", Topic.OTHER_MONEY),
        ("Payment amount", "{}.50", "9.20", Topic.OTHER_MONEY),
        ("Amount USD", "-{}.80", "0.00", Topic.OTHER_MONEY),
    ],
)
def test_what_the_first_rows_show_of_a_column_must_hold_for_all_rows(heading, first, last, topic):
    cells = tuple(first.format(1 + place % 9) for place in range(210))
    amount = "Amount EUR" if "USD" in heading else "Amount"
    text = f"Date;Text;{amount};{heading}\n{MANY % cells}"
    assert len(entries(text, currency="EUR")) == 210
    text += f"2026-03-17;Abroad;-10.00;{last}\n"
    assert [question.fact.topic for question in refusal(text, currency="EUR").questions] == [topic]


@pytest.mark.parametrize(
    ("copy", "last", "is_open"),
    [
        ("5.00", "-10.00;-10.00", True),
        ("-5.00", "-10.00;10.00", True),
        ("-5.00", "10.00;-10.00", False),
        ("5.00", "10.00;-10.00", False),
        ("5.00", "10.00;10.00", False),
    ],
)
def test_a_column_repeats_the_signs_of_the_amounts_alike_in_all_rows(copy, last, is_open):
    text = "Date;Text;Amount;Amount 2\n" + f"2026-03-02;Kiosk;-5.00;{copy}\n" * 210
    text += f"2026-03-17;Pay;{last}\n"
    if is_open:
        refused = refusal(text, currency="EUR")
        assert [question.fact.topic for question in refused.questions] == [Topic.OTHER_MONEY]
    else:
        assert money(text, currency="EUR")[-1] == ("03-17", 1_000)


def test_money_in_another_currency_alone_is_not_left_out():
    text = "Date;Text;Amount EUR;Amount USD\n2026-03-02;Kiosk;-12.50;-14.50\n"
    text += "2026-03-17;Abroad;0.00;-20.00\n"
    refused = refusal(text, currency="EUR")
    assert [question.fact.topic for question in refused.questions] == [Topic.AMOUNT_COLUMNS]
    turns = text.replace("-14.50", "0.00") + "2026-03-20;Pay;900.00;0.00\n"
    for currency in ("EUR", None):
        refused = refusal(turns, currency=currency)
        assert refused.questions[0].fact.topic == Topic.AMOUNT_COLUMNS
        assert answers(refused)[0].startswith("--map amount=Amount EUR")


def test_one_amount_among_zeros_is_asked_about():
    text = "Date;Text;Amount;Rebate\n2026-03-02;Kiosk;-12.50;0.00\n2026-03-17;Pay;900.00;1.20\n"
    assert refusal(text, currency="EUR").questions[0].fact.topic == Topic.OTHER_MONEY


def test_headings_of_several_countries_prove_neither_the_currency_nor_the_order_of_dates():
    text = """Date,Description,Card Member,Account #,Amount
11/04/2026,WAITROSE,MR J SMITH,-71001,23.10
08/03/2026,PAYMENT RECEIVED - THANK YOU,MR J SMITH,-71001,-150.00
"""
    for currency in ("GBP", "USD", None):
        refused = refusal(text, account="Card", currency=currency)
        asked = [question.fact.topic for question in refused.questions]
        assert asked == [Topic.DATE_FORM, *([] if currency else [Topic.NEW_ACCOUNT])]
        assert refused.codes == (None if currency else ("USD", "GBP", "CAD"))
    days = {"DD/MM/YYYY": ["04-11", "03-08"], "MM/DD/YYYY": ["11-04", "08-03"]}
    for form, (first, second) in days.items():
        found = money(text, account="Card", currency="GBP", date_format=form)
        assert found == [(first, -2_310), (second, 15_000)]


def test_amounts_below_headings_of_several_countries_have_either_mark():
    text = "Date,Description,Card Member,Account #,Amount\n22/02/2026,KIOSK,MR J,-71001,{}\n"
    assert money(text.format('"1.234,50"'), currency="EUR") == [("02-22", -123_450)]
    assert money(text.format('"1,234.50"'), currency="EUR") == [("02-22", -123_450)]
    (question,) = refusal(text.format("1.234"), currency="EUR").questions
    assert question.fact.topic == Topic.DECIMAL


def test_a_currency_beside_some_amounts_is_not_that_of_the_others():
    text = "Date;Text;Amount\n2026-03-02;Kiosk;-5.00\n2026-03-17;Abroad;-67.49 USD\n"
    (found,) = read(text, account="A")
    assert found.account.currency is None
    (found,) = read(text, account="A", currency="USD")
    assert len(found.entries) == 2
    # No answer helps: the amounts without a currency are not known to be in dollars.
    assert refusal(text, currency="EUR").questions[0].choices == ()
    (choice,) = refusal(text.replace("5.00", "5.00 USD"), currency="EUR").questions[0].choices
    assert choice.changes == {"currency": None}
    zero = text.replace("-5.00", "0.00")
    for rows in (zero, zero + "2026-03-18;Kiosk;0.00\n2026-03-19;Kiosk;-0.00\n"):
        assert read(rows, account="A")[0].account.currency == "USD"


def test_a_bank_of_another_currency_is_another_bank():
    text = """Posted Date,Reference Number,Payee,Address,Amount
11/04/2026,1,Kiosk,Town,-23.10
08/03/2026,2,Pay,Town,150.00
"""
    asked = refusal(text, account="Card", currency="GBP").questions
    assert Topic.DATE_FORM in [question.fact.topic for question in asked]
    assert money(text, account="Card") == [("11-04", -2_310), ("08-03", 15_000)]
