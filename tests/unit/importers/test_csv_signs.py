"""The direction of money, which rows are transactions, and balances."""

import random

import pytest

from finance_api.importers.csv.vocabulary import DIRECTIONS
from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.csv_files import answers, read
from support.offered import GIVEN, ends


def statement(text, **options):
    (found,) = read(text, **({"account": "Main", "currency": "EUR"} | options))
    return found


def amounts(text, **options):
    return [decimal_text(entry.amount) for entry in statement(text, **options).entries]


def refusal(text, **options):
    with pytest.raises(ImportRefused) as refused:
        statement(text, **options)
    return refused.value


def test_numbers_without_a_minus_say_nothing():
    text = "date,amount\n2026-01-01,5\n2026-01-02,7\n"
    refused = refusal(text)
    assert refused.line == 2 and "--positive out" in refused.reason
    assert answers(refused) == ["--positive out", "--positive in"]
    assert amounts(text, positive="in") == ["5", "7"]
    assert amounts(text, positive="out") == amounts(text, invert=True) == ["-5", "-7"]


def test_one_minus_says_that_the_others_come_in():
    text = "date,amount\n2026-01-01,5\n2026-01-02,-7\n"
    assert amounts(text) == amounts(text, positive="in") == ["5", "-7"]
    assert amounts(text, positive="out") == ["-5", "7"]
    # A file without amounts needs no sign.
    assert amounts("date,amount\n") == []
    assert amounts("date,amount\n2026-01-01,0.00\n") == ["0"]


def test_credit_marks_decide_for_themselves():
    text = "date,amount\n2026-01-01,5.00\n2026-01-02,7.00 CR\n"
    assert amounts(text) == amounts(text, positive="out") == ["-5", "7"]
    assert amounts(text.replace("5.00", "5.00 DR")) == ["-5", "7"]


TYPED = "date,amount,Type\n2026-01-01,5,{out}\n2026-01-02,7,{in_}\n"
PAIRS = """debit credit · dr cr · d c · DBIT CRDT · Debet Credit · Expense Income · spending in
out inflow · outflow deposit · withdrawal received · paid income · sent in · Soll Haben · S H
Belastung Gutschrift · Lastschrift Einnahme · Ausgabe Haben · Af Bij · DÉBIT CRÉDIT
dépense revenu · cargo abono · gasto ingreso · débito crédito · dare avere · uscita entrata
addebito accredito · saída receita · despesa entrada · výdaj příjem · wydatek przychód
obciążenie uznanie · uitgave inkomst · utgift insättning · uttag inkomst · udgift indtægt
D K · Wn Ma · Isplata Uplata · 출금 입금
kiadás bevétel · terhelés jóváírás · расход доход · списание зачисление · витрата дохід
gider gelir · borç alacak"""


@pytest.mark.parametrize("pair", [p.strip() for p in PAIRS.replace("\n", "·").split("·")])
def test_a_column_of_words_decides(pair):
    out, in_ = pair.split()
    text = TYPED.format(out=out, in_=in_)
    assert amounts(text) == amounts(text, sign="type") == ["-5", "7"]
    said = " ".join(statement(text).statement.remarks)
    assert "sign is 'Type': each of its words says whether money comes in or goes out" in said
    wrong = refusal(text, positive="in")
    assert wrong.line == 2
    signed = text.replace(",5,", ",-5,")
    assert amounts(signed) == ["-5", "7"]
    assert answers(refusal(signed, invert=True)) == [
        "--sign Type ---positive ---invert",
        "--positive in ---invert",
        "--ignore Type",
    ]


def test_words_of_two_words_and_of_a_sign_are_known():
    text = TYPED.format(out="Money out", in_="Money In")
    assert amounts(text, sign="Type") == ["-5", "7"]
    assert amounts(TYPED.format(out="Má dáti", in_="Dal"), sign="Type") == ["-5", "7"]
    for heading in ("+/-", "Sign", "S"):
        assert amounts(TYPED.format(out="-", in_="+").replace("Type", heading)) == ["-5", "7"]
    assert "transfer" not in DIRECTIONS


def test_a_word_without_a_direction_is_refused_or_left_out():
    text = TYPED.format(out="Expense", in_="Income") + "2026-01-03,9,Transfer\n"
    assert refusal(text, sign="Type").line == 4
    refused = refusal(text)
    by_words = [
        "--sign Type=Expense,Transfer|Income",
        "--sign Type=Expense|Income,Transfer",
        "--sign Type --only Type=Expense --only Type=Income",
    ]
    otherwise = [f"--ignore Type --positive {way}" for way in ("out", "in")]
    assert answers(refused) == by_words + otherwise
    assert answers(refusal(text, sign="Type")) == by_words
    found = statement(text, sign="Type", only=("Type=Expense", "Type=Income"))
    assert [decimal_text(entry.amount) for entry in found.entries] == ["-5", "7"]
    assert found.statement.skipped == {"Transfer": 1}
    assert amounts(text, sign="Type=Expense,transfer") == ["-5", "7", "-9"]


@pytest.mark.parametrize("out, in_", [("Purchase", "Refund"), ("Transfer", "Payment"), ("W", "D")])
def test_words_that_are_not_known_are_all_listed_with_each_reading(out, in_):
    text = TYPED.format(out=out, in_=in_)
    refused = refusal(text)
    assert f"({out!r}, {in_!r})" in refused.reason
    assert f"--sign Type={out}|{in_}" in answers(refused)
    assert amounts(text, sign=f"Type={out}|{in_}") == ["-5", "7"]
    assert amounts(text, sign=f"Type={in_}|{out}") == ["5", "-7"]
    # The answer does not apply to another word.
    later = text + "2026-01-03,200,Withdrawing\n"
    refused = refusal(later, sign=f"Type={out}|{in_}")
    assert refused.line == 4 and "'Withdrawing'" in refused.reason
    assert answers(refused)[0] == f"--sign Type={out},Withdrawing|{in_}"


def test_words_that_agree_or_stand_beside_both_are_no_fault():
    assert amounts("date,amount,Type\n2026-01-01,-5,debit\n2026-01-01,5,credit\n") == ["-5", "5"]
    cleared = "date,amount,Cleared\n2026-01-01,-5,C\n2026-01-01,5,C\n"
    assert amounts(cleared) == ["-5", "5"]


def test_a_column_that_is_mapped_to_a_field_decides_nothing():
    text = "date,amount,Kind\n2026-01-01,-5,Income\n2026-01-01,-6,Food\n"
    assert refusal(text, no_text=True).line == 2
    assert amounts(text, columns={"category": "Kind"}) == ["-5", "-6"]


def test_a_word_that_contradicts_debit_and_credit_is_refused():
    text = "date,Out,In,Type\n2026-01-01,5,,credit\n2026-01-01,,6,debit\n"
    plain = text.replace("credit", "x").replace("debit", "x")
    assert amounts(plain, debit="Out", credit="In", no_text=True) == ["-5", "6"]
    refused = refusal(text, debit="Out", credit="In")
    assert refused.line == 2 and "--debit and --credit" in refused.reason
    assert amounts(text, debit="In", credit="Out") == ["5", "-6"]


def test_sign_excludes_what_says_the_same():
    text = TYPED.format(out="debit", in_="credit")
    assert "--positive" in refusal(text, sign="Type", positive="in").reason
    assert "--debit" in refusal(text, sign="Type", debit="date", credit="Type").reason
    assert "there is no heading" in refusal(text, sign="Typ").reason
    assert "--positive" in refusal(text, positive="up").reason
    assert "exclude" in refusal(text, positive="in", invert=True).reason


SIDES = {"debit": "Debit", "credit": "Credit"}
MIXED = "date,Debit,Credit\n2026-01-01,,1\n2026-01-01,10,\n2026-01-02,-4,\n2026-01-03,,20\n"


@pytest.mark.parametrize(
    "way, expected",
    [
        ("plus", ["1", "-10", "4", "20"]),
        ("minus", ["1", "10", "-4", "20"]),
        ("ignore", ["1", "-10", "-4", "20"]),
    ],
)
def test_a_column_of_both_signs_is_asked_about(way, expected):
    refused = refusal(MIXED, **SIDES)
    assert refused.line == 4
    assert answers(refused) == [f"--mixed-signs {each}" for each in ("plus", "minus", "ignore")]
    assert "ignore" in refusal(MIXED, **SIDES, mixed_signs="x").reason
    assert "--debit" in refusal("date,amount\n", mixed_signs="plus").reason
    assert amounts(MIXED, mixed_signs=way, **SIDES) == expected
    words = "date,amount,Type\n2026-01-01,1,credit\n2026-01-01,10,debit\n"
    words += "2026-01-02,-4,debit\n2026-01-03,20,credit\n"
    assert answers(refusal(words, sign="Type")) == answers(refused)
    assert amounts(words, mixed_signs=way, sign="Type") == expected
    balances = [100 + sum(map(int, expected[: n + 1])) for n in range(4)]
    lines = MIXED.splitlines()
    rows = [f"{line},{balance}" for line, balance in zip(lines[1:], balances, strict=True)]
    for ordered in (rows, rows[::-1]):
        text = "\n".join([lines[0] + ",Balance", *ordered]) + "\n"
        found = statement(text, balance="Balance", **SIDES)
        read_ = [decimal_text(e.amount) for e in found.entries]
        assert read_ == (expected if ordered is rows else expected[::-1])
        assert any(f"--mixed-signs {way}" in remark for remark in found.statement.remarks)


@pytest.mark.parametrize("blank", ["Credit", "Debit"])
def test_the_column_of_the_other_way_is_named_where_it_is_blank(blank):
    """The only column with numbers was once taken for the amount, so spending became income."""
    number = {"Credit": "5.00,", "Debit": ",5.00"}[blank]
    text = f"date,payee,Debit,Credit\n2026-01-01,a,{number}\n2026-01-02,b,{number}\n"
    expected = {"Credit": "-5", "Debit": "5"}[blank]
    assert amounts(text) == amounts(text, debit="Debit", credit="Credit") == [expected] * 2


@pytest.mark.parametrize(
    "text, given",
    [
        ("date,amount,Type\n2026-01-01,10 CR,Debit\n2026-01-02,4,Debit\n", {"sign": "Type"}),
        ("date,Debit,Credit\n2026-01-01,10 CR,\n2026-01-02,4,\n", SIDES),
    ],
)
def test_a_word_beside_an_amount_that_contradicts_its_column_is_asked_about(text, given):
    assert answers(refusal(text, **given)) == ["--mixed-signs plus", "--mixed-signs ignore"]
    assert amounts(text, mixed_signs="plus", **given) == ["10", "-4"]
    assert amounts(text, mixed_signs="ignore", **given) == ["-10", "-4"]
    assert amounts(text.replace("CR", "DR"), **given) == ["-10", "-4"]


STATUS = "date,amount,payee,State\n2026-01-01,-5,a,{done}\n2026-01-02,-7,b,{open}\n"


@pytest.mark.parametrize(
    "word",
    "Pending declined REVERTED Failed cancelled vorgemerkt Abgelehnt refusé Pendiente annullato "
    "Отклонено iptal oczekujące zrušeno väntande geweigerd".split(),
)
def test_rows_of_words_that_are_known_to_be_no_money_are_left_out_and_named(word):
    found = statement(STATUS.format(done="Done", open=word))
    assert [entry.payee for entry in found.entries] == ["a"]
    assert found.statement.skipped == {word: 1}


@pytest.mark.parametrize(
    "word",
    "Authorised Upcoming Unsettled Error Blocked Draft Reserved".split()
    + ["Nicht gebucht", "Umsatz in Arbeit", "Card check", ""],
)
def test_a_word_of_a_status_that_is_not_known_is_asked_about(word):
    text = STATUS.format(done="Done", open=word)
    refused = refusal(text)
    assert refused.line == 3
    assert answers(refused) == ["--only State=Done", f"--only State=Done --only State={word}"]
    assert amounts(text, only=["State=Done"]) == ["-5"]


@pytest.mark.parametrize("word", ["Umsatz vorgemerkt", "Pending - Card", "card, declined"])
def test_a_word_for_no_money_within_others_is_asked_about_in_any_column(word):
    refused = refusal(STATUS.format(done="Done", open=f'"{word}"').replace("State", "Kind"))
    assert refused.line == 3 and word in refused.reason


@pytest.mark.parametrize(
    "heading, values",
    [("Pending", "true false"), ("Booked", "no yes"), ("Deleted", "yes no"), ("Cleared", "0 1")],
)
def test_yes_and_no_are_by_the_heading(heading, values):
    out, kept = values.split()
    text = f"date,amount,payee,{heading}\n2026-01-01,-5,a,{kept}\n2026-01-02,-7,b,{out}\n"
    found = statement(text)
    assert [entry.payee for entry in found.entries] == ["a"]
    assert found.statement.skipped == {out: 1}


def test_paid_in_a_status_is_no_direction():
    text = STATUS.format(done="Paid", open="Paid").replace("-5", "5").replace("-7", "7")
    assert "--positive" in refusal(text).reason


def test_rows_that_are_left_out_are_counted_and_not_looked_at():
    text = STATUS.format(done="Done", open="Pending") + ",,,Pending\n"
    found = statement(text, only=("State=done",))
    assert [entry.payee for entry in found.entries] == ["a"]
    assert found.statement.skipped == {"Pending": 2}


def test_only_takes_several_values_and_columns():
    rows = ("-1,x,1", "-2,y,1", "-3,,1", "-4,x,2")
    text = "date,amount,a,b\n" + "".join(f"2026-01-01,{row}\n" for row in rows)
    assert amounts(text, only=("a=x", "a=", "b=1")) == ["-1", "-3"]
    assert amounts(text.replace(",a,", ",a=b,"), only=("a=b=x",)) == ["-1", "-4"]
    assert "--only" in refusal(text, only=("a",)).reason
    assert "--only" in refusal(text, only=("c=x",)).reason


def test_many_different_values_are_counted_together():
    rows = "".join(f"2026-01-01,-1,v{n}\n" for n in range(100))
    found = statement("date,amount,a\n" + rows, only=("a=v1",))
    assert found.statement.skipped["others"] and found.statement.skipped.total() == 99
    assert len(found.statement.skipped) < 30


BALANCES = [("01", "-5", "95"), ("02", "7", "102"), ("02", "0", "102"), ("04", "-2.5", "99.5")]


def with_balances(rows):
    lines = [f"2026-01-{day},{amount},{balance}\n" for day, amount, balance in rows]
    return "date,amount,Balance\n" + "".join(lines)


@pytest.mark.parametrize("step", [1, -1])
def test_balances_are_checked_and_told_in_either_order(step):
    found = statement(with_balances(BALANCES[::step]), balance="balance").statement
    ends = [(decimal_text(e.amount), date_text(e.date)) for e in (found.opening, found.closing)]
    assert ends == [("100", "2025-12-31"), ("99.5", "2026-01-04")]


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_balance_that_does_not_fit_is_refused_with_both_numbers(step, missing):
    rows = list(BALANCES)
    day, amount, _ = rows[missing]
    rows[missing] = (day, amount, "50")
    refused = refusal(with_balances(rows[::step]), balance="Balance")
    assert refused.line in (2, 3, 4, 5) and "should be" in refused.reason


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("blank", [(0,), (3,), (1, 2), (0, 3), (0, 1, 2)])
def test_rows_without_a_balance_are_added_up(step, blank):
    rows = [(d, a, "" if i in blank else b) for i, (d, a, b) in enumerate(BALANCES)]
    found = statement(with_balances(rows[::step]), balance="Balance").statement
    assert (found.opening.amount, found.closing.amount) == (1_000_000, 995_000)


def test_balances_in_an_open_order_state_no_end():
    rows = [("01", "5", "5"), ("01", "-5", "0")]
    assert statement(with_balances(rows), balance="Balance").statement.closing is None
    one = statement(with_balances(BALANCES[:1]), balance="Balance").statement
    assert (one.opening.amount, one.closing.amount) == (1_000_000, 950_000)
    none = statement(with_balances([("01", "-5", "")]), balance="Balance").statement
    assert none.opening is none.closing is None


def test_each_account_has_its_balances_and_fees_count():
    text = (
        "date,amount,account,Balance,Fee\n2026-01-01,-5,a,94,1\n2026-01-01,-1,b,9,\n"
        "2026-01-02,-4,a,90,\n2026-01-02,-1,b,8,0\n"
    )
    found = read(text, balance="Balance", fee=["Fee=unsigned"], no_text=True)
    assert [s.statement.closing.amount for s in found] == [900_000, 80_000]
    with pytest.raises(ImportRefused, match="should be"):
        read(text.replace("-5,a,94", "-5,a,96"), balance="Balance", fee=["Fee=unsigned"])


HEAD = "date,payee,amount,"
SPENT = "date,payee,amount,Type\n2026-01-01,Shop,12.50,{0}\n2026-01-02,Bar,30,{0}\n"


@pytest.mark.parametrize("heading, word", [("Type", "debit"), ("D/C", "D"), ("Sens", "Débit")])
def test_a_single_word_that_contradicts_most_signs_is_asked_about(heading, word):
    text = SPENT.format(word).replace("Type", heading) + f"2026-01-03,Refund,-1,{word}\n"
    ignoring = f"--sign {heading} --mixed-signs ignore"
    assert answers(refusal(text)) == ["--positive out", "--positive in", ignoring]
    assert amounts(text, positive="out") == ["-12.5", "-30", "1"]
    assert amounts(text, sign=heading, mixed_signs="ignore") == ["-12.5", "-30", "-1"]
    # The same words agree with most signs.
    agreeing = text.replace("12.50", "-12.50").replace("30", "-30").replace("-1,", "1,")
    assert amounts(agreeing) == ["-12.5", "-30", "1"]


def test_a_contradiction_is_asked_about_together_with_what_positive_means():
    text = SPENT.format("debit") + "2026-01-03,x,-1,transfer\n"
    offered = answers(refusal(text))
    assert "--positive in --ignore Type" in offered and "--positive out --ignore Type" in offered
    assert not any({"--sign", "--positive"} <= {*words.split()} for words in offered)


def test_a_blank_cell_has_a_name_among_words():
    text = SPENT.format("debit") + "2026-01-03,Wage,9,credit\n2026-01-04,x,1,\n"
    assert "--sign Type=debit|credit,(blank)" in answers(refusal(text))
    assert amounts(text, sign="Type=debit|credit,(blank)") == ["-12.5", "-30", "9", "1"]


def test_letters_are_directions_only_beside_their_other_letter():
    text = TYPED.format(out="W", in_="D").replace("Type", "W/D")
    assert {"--sign W/D=W|D", "--sign W/D=D|W"} <= {*answers(refusal(text))}
    # K beside MK is a kind of booking.
    coded = "date,amount,D/K,Code\n2026-01-01,5,D,K\n2026-01-02,7,K,MK\n"
    assert amounts(coded, no_text=True) == ["-5", "7"]


def test_names_of_sides_in_other_alphabets_and_short_forms_are_known():
    for out, in_ in (("Д", "К"), ("Χρέωση", "Πίστωση"), ("支出", "收入"), ("Ut", "Inn")):
        assert amounts(TYPED.format(out=out, in_=in_)) == ["-5", "7"]


def balanced(rows, *, before=False, owed=False, newest_first=False, turned=False):
    """Return a file of (day, text, amount) with balances from 100 on."""
    lines, balance = [], 100
    for day, text, amount in rows:
        state = balance if before else balance + amount
        balance += amount
        shown = f"{-amount if turned else amount},{-state if owed else state}"
        lines.append(f"2026-01-{day:02},{text},{shown}\n")
    return HEAD + "Balance\n" + "".join(lines[::-1] if newest_first else lines)


ACCOUNT = [(1, "Shop", -5), (2, "Wage", 70), (2, "Bar", -3), (5, "Rent", -40), (6, "x", -1)]
CARD = [(1, "Shop", -5), (2, "Garage", -70), (3, "PAYMENT - THANK YOU", 90), (4, "Bar", -9)]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("before", [False, True])
def test_balances_stand_after_or_before_their_rows(before, newest_first):
    found = statement(balanced(ACCOUNT, before=before, newest_first=newest_first))
    ends = found.statement.opening.amount, found.statement.closing.amount
    assert ends == (1_000_000, 1_210_000)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("before", [False, True])
def test_directions_of_unsigned_amounts_follow_the_order_of_the_days(before, newest_first):
    text = balanced(ACCOUNT, before=before, newest_first=newest_first).replace(",-", ",")
    wanted = [str(amount) for _, _, amount in ACCOUNT]
    found = amounts(text, positive="out")
    assert found == (wanted[::-1] if newest_first else wanted)


@pytest.mark.parametrize("newest_first", [False, True])
def test_the_rows_of_a_day_may_stand_in_any_order(newest_first):
    rows = [(1, 5, 105), (2, -3, 142), (2, 20, 125), (2, 20, 145), (3, -2, 140)]
    lines = [f"2026-01-{day:02},x,{amount},{balance}\n" for day, amount, balance in rows]
    text = HEAD + "Balance\n" + "".join(lines[::-1] if newest_first else lines)
    assert statement(text).statement.closing.amount == 1_400_000
    # A row that is missing breaks the chain of its day.
    assert "a row is missing" in refusal(text.replace(lines[2], ""), positive="in").reason


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_balance_may_stand_only_on_the_last_line_of_each_day(newest_first):
    rows = ["01,a,5,105", "02,b,-3,122", "02,c,20,", "03,d,-2,120"]
    if newest_first:
        rows = ["03,d,-2,120", "02,b,-3,", "02,c,20,122", "01,a,5,105"]
    text = HEAD + "Balance\n" + "".join(f"2026-01-{row}\n" for row in rows)
    if not newest_first:
        text = text.replace("122", "").replace("20,\n", "20,122\n")
    assert statement(text).statement.closing.amount == 1_200_000
    assert "a row is missing" in refusal(text.replace("122", "123"), positive="in").reason


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("newest_first", [False, True])
def test_balances_that_may_be_what_is_owed_are_asked_about(turned, newest_first):
    text = balanced(CARD, owed=True, turned=turned, newest_first=newest_first).replace(",100", "")
    first, second = ("out", "in") if turned else ("in", "out")
    offered = [f"--positive {way} --balance Balance" for way in (first, second)]
    assert [words.split(" -")[0] for words in answers(refusal(text))] == [
        words.split(" -")[0] for words in offered
    ]
    found = statement(text, positive=first, balance="Balance")
    assert sum(entry.amount for entry in found.entries) == 60_000
    assert found.statement.closing.amount == 1_060_000


def test_a_card_by_its_name_is_asked_about_and_income_of_an_account_is_not():
    rows = [(1, "a", 5), (2, "b", 70), (3, "c", -9)]
    assert "--positive out" in refusal(balanced(rows), account="Visa Gold").reason
    assert amounts(balanced(rows)) == ["5", "70", "-9"]
    # Spending below zero is a debt that needs no turning.
    assert amounts(balanced(CARD), account="Visa Gold") == ["-5", "-70", "90", "-9"]


@pytest.mark.parametrize("newest_first", [False, True])
def test_balances_that_rise_by_most_amounts_are_asked_about(newest_first):
    rows = [(1, "Market", 7), (2, "Cinema", 5), (3, "Wages", -90), (5, "Rail", 8), (6, "Gym", 3)]
    text = balanced(rows, newest_first=newest_first)
    out, in_ = answers(refusal(text))
    assert out.startswith("--positive out") and in_.startswith("--positive in")
    kept = statement(text, positive="in", balance="Balance")
    turned = statement(text, positive="out", balance="Balance")
    assert sum(entry.amount for entry in kept.entries) == -670_000
    assert sum(entry.amount for entry in turned.entries) == 670_000
    assert turned.statement.closing.amount == -330_000


def test_sides_beside_what_is_owed_are_confirmed_by_naming_the_balance():
    rows = ["01,a,5,,105", "02,b,70,,175", "03,c,,90,85", "04,d,9,,94"]
    text = "date,payee,Debit,Credit,Balance\n" + "".join(f"2026-01-{row}\n" for row in rows)
    sides = "--debit Credit --credit Debit"
    assert answers(refusal(text)) == ["--balance Balance", "--ignore Balance", sides]
    assert statement(text, balance="Balance").statement.closing.amount == -940_000


@pytest.mark.parametrize("heading", ["Available credit", "Credit limit", "Límite de crédito"])
def test_a_limit_is_no_balance_even_if_it_follows_the_amounts(heading):
    text = balanced(ACCOUNT).replace("Balance", heading)
    assert statement(text).statement.closing is None


@pytest.mark.parametrize("heading", ["Available balance", "Disponible"])
def test_what_is_available_is_a_balance_unless_a_booked_one_stands_beside_it(heading):
    text = balanced(ACCOUNT).replace("Balance", heading)
    assert statement(text).statement.closing.amount == 1_210_000
    beside = "".join(
        f"{line},{number}\n" if number else f"{line},Saldo\n"
        for line, number in zip(text.splitlines(), (0, 15, 85, 82, 42, 41), strict=True)
    )
    assert statement(beside).statement.closing.amount == 410_000


@pytest.mark.parametrize(
    "thanks", ["DIRECT DEBIT PAYMENT - THANK YOU", "Ihre Zahlung - Danke", "PAYMENT RECEIVED"]
)
def test_a_minus_only_beside_thanks_for_a_payment_is_asked_about(thanks):
    rows = [f"2026-03-13,{thanks},-55.10", "2026-03-20,Oak Garage,30.00", "2026-03-21,Refund,-5"]
    for count in (2, 3):
        text = "\n".join(["date,note,amount", *rows[:count], ""])
        assert answers(refusal(text)) == ["--positive out", "--positive in"]
        assert amounts(text, positive="out")[:2] == ["55.1", "-30"]


@pytest.mark.parametrize("spent", ["Card payment Oak Garage", "Refund to Ann", "Autopay", "Thanks"])
def test_payments_of_an_account_are_no_payments_to_a_card(spent):
    text = f"date,note,amount\n2026-03-13,{spent},-55.10\n2026-03-20,Wages,900.00\n"
    text += "2026-03-21,Hill Grocers,-12.50\n"
    assert amounts(text) == ["-55.1", "900", "-12.5"]


def test_column_whose_words_count_is_not_left_out_as_well():
    text = (
        "Date,Payee,Amount,Type\n2026-01-02,Shop,-12.50,credit\n2026-01-03,Bar,30.00,debit\n"
        "2026-01-05,Refund,-1.00,debit\n"
    )
    offered = answers(refusal(text, account="A", currency="EUR"))
    assert "--sign Type --mixed-signs ignore" in offered
    assert not any({"--sign", "--ignore"} <= {*words.split()} for words in offered)


@pytest.mark.parametrize(
    "headings",
    ["Kartennummer;Buchungsdatum;Beschreibung;Betrag", "Card No.;Date;Description;Amount",
     "Account;Date;Merchant Category;Amount", "Numer karty;Data;Opis;Kwota",
     "N° de carte;Date;Libellé;Montant", "Account;Date;MCC;Amount"],
)  # fmt: skip
def test_the_direction_of_a_card_with_few_refunds_is_asked_about_though_it_names_an_account(
    headings,
):
    days = ("2026-10-03;BAKER;12.50", "2026-10-13;GROCER;30.00", "2026-10-21;AIRLINE;-99.00")
    text = "\n".join((headings, *(f"4711XXXXXXXX1234;{day}" for day in days)))
    assert answers(refusal(text, currency="EUR")) == ["--positive out", "--positive in"]
    other = headings.replace("Kartennummer", "Konto")
    if other != headings:
        assert read(text.replace(headings, other), account="A", currency="EUR")


@pytest.mark.parametrize(
    "heading, out, in_",
    [
        ("Multiplier", "-1", "1"),
        ("Dir", "↑", "↓"),
        ("Xy", "▲", "▼"),
        ("Refund", "No", "Yes"),
        ("Refunded", "", "x"),
        ("Is income", "false", "true"),
        ("Gutschrift", "nein", "ja"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_two_values_beside_amounts_without_signs_are_asked_about_as_directions(
    heading, out, in_, seed
):
    pick = random.Random(f"{heading} {seed}")
    ways = [-1, 1, -1, *(pick.choice((-1, -1, 1)) for _ in range(pick.randint(0, 9)))]
    meant = [
        (f"2026-03-{n:02}", way * pick.randint(1, 99_999) * 100) for n, way in enumerate(ways, 1)
    ]
    rows = [
        f"{day},Shop {n},{abs(units) / 10_000:.2f},{in_ if units > 0 else out}"
        for n, (day, units) in enumerate(meant)
    ]
    text = "\n".join((f"Date,Payee,Amount,{heading}", *rows)) + "\n"
    words = [*GIVEN, "--account", "Giro", "--currency", "EUR"]
    assert meant in [records for records, _ in ends(text, words)]
