"""Dated rows that repeat the sum of other rows are left out or asked about; shops are not."""

import pytest

from finance_api.importers.clauses import Topic
from support.csv_files import answers, read, refusal

HEAD = "Date,Payee,Amount\n"
ROWS = "2026-01-02,Baker,-12.50\n2026-01-09,Wages,300.00\n2026-01-12,Grocer,-8.00\n"
SIDES = "Date,Payee,Debit,Credit\n2026-01-02,Baker,12.50,\n2026-01-09,Wages,,300.00\n"


def amounts(text, **options):
    (found,) = read(text, account="A", currency="EUR", **options)
    return [e.amount / 10_000 for e in found.entries], " ".join(found.statement.remarks)


@pytest.mark.parametrize(
    "name", ["Total", "Total balance", "Summe", "Saldo", "TOTAL:", "Grand total EUR", "Razem",
             "Sum of all transactions", "Total mouvements", "Gesamtsumme", "Balance"],
)  # fmt: skip
def test_a_last_row_that_names_and_is_the_sum_is_left_out_and_named(name):
    found, remarks = amounts(f"{HEAD}{ROWS}2026-01-31,{name},279.50\n")
    assert found == [-12.5, 300, -8]
    assert f"left out line 5, '{name}': it is the sum of the rows above it" in remarks


@pytest.mark.parametrize("sums", ["12.50,300.00", ",287.50", "12.5,300"])
def test_a_sum_of_the_columns_of_debit_and_credit_is_left_out(sums):
    assert amounts(f"{SIDES}2026-01-31,Total,{sums}\n")[0] == [-12.5, 300]


def test_a_row_with_both_a_debit_and_a_credit_that_is_no_sum_is_refused():
    assert refusal(f"{SIDES}2026-01-31,Total,12.50,30.00\n", currency="EUR").line == 4


@pytest.mark.parametrize("name", ["Total Wine Store", "Total Energies 4711", "Summe bei Ann"])
def test_a_last_sum_whose_text_says_more_is_asked_about(name):
    text = f"{HEAD}{ROWS}2026-01-31,{name},279.50\n"
    refused = refusal(text, currency="EUR")
    assert answers(refused) == [f"--leave-out Payee={name}", "--leave-out Payee="]
    assert len(amounts(text, leave_out=[f"Payee={name}"])[0]) == 3
    assert len(amounts(text, leave_out=["Payee="])[0]) == 4


def test_a_sum_between_other_rows_is_asked_about():
    text = f"{HEAD}{ROWS}2026-01-31,Total balance,279.50\n2026-02-01,Baker,-3.00\n"
    refused = refusal(text, currency="EUR")
    assert refused.line == 5 and len(answers(refused)) == 2


def test_sums_of_pages_and_of_the_file_are_seen():
    page = "2026-01-31,Page total,279.50\n2026-02-02,Baker,-3.00\n2026-02-03,Café,-4.00\n"
    last = "2026-02-28,Page total,-7.00\n2026-02-28,Total,272.50\n"
    text = HEAD + ROWS + page + last
    assert answers(refusal(text, currency="EUR"))[0] == "--leave-out Payee=Page total"
    assert amounts(text, leave_out=["Payee=Page total"])[0] == [-12.5, 300, -8, -3, -4]


@pytest.mark.parametrize(
    "rows",
    [
        "2026-01-03,Hill Grocers,-12.50\n2026-01-04,Total Wine Store,-12.50\n",
        ROWS + "2026-01-13,Total Energies,-40.00\n",
        ROWS + "2026-01-15,Balance transfer to card,-270.00\n2026-01-16,Wages,1.00\n",
        "2026-01-13,Total Energies,-40.00\n" * 3,
    ],
)
def test_a_shop_with_a_word_for_total_in_its_name_is_a_shop(rows):
    assert len(amounts(HEAD + rows, positive="in")[0]) == rows.count("\n")


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(
    "first, between, last",
    [
        ("Saldo anterior", "Saldo do dia", "S A L D O"),
        ("Kontostand am 01.01.2026", "Kontostand", "Kontostand am 31.01.2026"),
        ("Opening balance", "Daily ledger balance", "Daily ledger balance"),
    ],
)
def test_rows_that_are_the_balance_before_and_the_rows_since_are_balances(
    first, between, last, newest_first
):
    rows = ["Baker,-12.50", f"{between},987.50", "Wages,300.00", "Grocer,-8.00", f"{last},1279.50"]
    lines = [f"2026-01-0{day},{row}" for day, row in enumerate([f"{first},1000.00", *rows], 1)]
    lines = lines[::-1] if newest_first else lines
    (found,) = read(HEAD + "\n".join(lines), account="A", currency="EUR")
    assert sorted(entry.amount for entry in found.entries) == [-125_000, -80_000, 3_000_000]
    assert found.statement.opening.amount == 10_000_000
    assert found.statement.closing.amount == 12_795_000
    assert sum(found.statement.skipped.values()) == 3


def test_rows_of_balances_that_the_rows_contradict_are_asked_about():
    text = HEAD + "2026-01-01,Kontostand,1000.00\n" + ROWS + "2026-01-31,Kontostand,1280.50\n"
    refused = refusal(text, currency="EUR")
    assert answers(refused)[0] == "--leave-out Payee=Kontostand"


def test_a_balance_is_known_in_a_column_of_text_with_an_unknown_heading():
    text = (
        "Nr,Data,Gavėjas,Tekstas,Suma,D/K\n1,2026-03-01,,Likutis pradžiai,1000.00,K\n"
        "2,2026-03-03,Kepykla,pirkinys,12.50,D\n3,2026-03-14,Saulė,alga,900.00,K\n"
        "4,2026-03-31,,Apyvarta,900.00,K\n5,2026-03-31,,Apyvarta,12.50,D\n"
        "6,2026-03-31,,Likutis pabaigai,1887.50,K\n"
    )
    (found,) = read(text, account="A", currency="EUR")
    assert [entry.amount for entry in found.entries] == [-125_000, 9_000_000]
    assert found.statement.closing.amount == 18_875_000


@pytest.mark.parametrize("name", ["Total spent", "Total Energies"])
def test_a_first_row_that_is_the_sum_of_the_rows_below_is_asked_about(name):
    rows = f"2026-01-31,{name},279.50\n" + "".join(reversed(ROWS.splitlines(keepends=True)))
    assert answers(refusal(HEAD + rows, currency="EUR"))[0] == f"--leave-out Payee={name}"
    assert len(amounts(HEAD + rows.replace("279.50", "-9.50"))[0]) == 4


@pytest.mark.parametrize("name", ["Current balance", "Aktueller Kontostand", "Saldo disponible"])
def test_a_row_of_a_balance_that_no_row_proves_is_asked_about(name):
    refused = refusal(f"{HEAD}2026-01-31,{name},1279.50\n{ROWS}", currency="EUR")
    assert answers(refused)[0] == f"--leave-out Payee={name}"


def test_a_total_of_both_sides_may_include_the_opening_balance():
    rows = f"{SIDES}2026-01-31,Total,12.50,1300.00\n"
    text = rows.replace("2026-01-02,Baker", "2026-01-01,Opening balance,,1000.00\n2026-01-02,Baker")
    (found,) = read(text, account="A", currency="EUR")
    assert [entry.amount for entry in found.entries] == [-125_000, 3_000_000]
    assert found.statement.closing.amount == 12_875_000


def test_balances_carried_from_page_to_page_are_not_the_last():
    text = (
        "Date,Payee,Debit,Credit,Balance\n2026-01-01,Balance b/f,,,1000\n2026-01-02,Baker,12,,988\n"
        "2026-01-02,Balance c/f,,,988\n2026-01-02,Balance b/f,,,988\n2026-01-09,Wages,,300,1288\n"
    )
    (found,) = read(text, account="A", currency="EUR")
    assert found.statement.opening.amount == 10_000_000
    assert found.statement.closing.amount == 12_880_000


TYPES = "Date,Type,Payee,Amount\n"


def test_kinds_of_rows_are_left_out_only_if_they_prove_each_other():
    opening, closing = "2026-01-01,10,,100.00\n", "2026-01-31,86,,70.00\n"
    rows = "2026-01-02,20,Baker,-50.00\n2026-01-09,20,Wages,20.00\n"
    sums = "2026-01-31,82,,-50.00\n2026-01-31,82,,20.00\n"
    assert amounts(TYPES + opening + rows + sums + closing)[0] == [-50, 20]
    # The same without a proof, or with texts and without sums, may be chance.
    for text in (opening + rows + sums + closing.replace("70", "71"), opening + rows + closing):
        text = (
            text.replace("10,,", "10,Rent,").replace("86,,", "86,Loan,")
            if "82" not in text
            else text
        )
        out = answers(refusal(TYPES + text, currency="EUR"))
        assert out[0].startswith("--leave-out Type=10") and out[-1] == "--leave-out Type="


def test_rows_of_nothing_prove_no_kinds_of_rows():
    text = "2026-01-01,Note,a,0.00\n2026-01-02,Card,b,10.00\n2026-01-03,Card,c,-10.00\n"
    text += "2026-01-04,Fee,d,-10.00\n2026-01-05,Info,e,0.00\n"
    assert amounts(TYPES + text)[0] == [0, 10, -10, -10, 0]


@pytest.mark.parametrize("texts", [("Card checked", "Card checked"), ("", "")])
def test_rows_of_nothing_hide_no_balances(texts):
    text = "2026-01-01,10,,100.00\n2026-01-02,20,Baker,-50.00\n2026-01-03,30,{},0.00\n"
    text += "2026-01-09,20,Wages,20.00\n2026-01-10,30,{},0.00\n2026-01-11,20,Baker,-1.00\n"
    text = TYPES + text.format(*texts)
    assert amounts(text + "2026-01-31,86,,69.00\n")[0] == [-50, 0, 20, 0, -1]
    out = answers(refusal(text + "2026-01-31,86,,68.00\n", currency="EUR"))
    assert out[0] == "--leave-out Type=10 --leave-out Type=86"


def test_an_opening_balance_may_be_nothing():
    text = "2026-01-01,10,,0.00\n2026-01-02,20,Baker,-50.00\n2026-01-09,20,Wages,20.00\n"
    assert amounts(TYPES + text + "2026-01-31,86,,-30.00\n")[0] == [-50, 20]


MONTHS = {
    "below": """2026-10-03,Food,Baker,-12.50
2026-10-13,Food,Grocer,-30.00
2026-10-31,,October 2026,-42.50
2026-11-03,Food,Baker,-2.50
2026-11-13,Work,Wages,3.00
2026-11-30,,November 2026,0.50
2026-12-01,Food,Baker,-7.00
""",
    "above": """2026-11-30,,Week 48,0.50
2026-11-13,Work,Wages,3.00
2026-11-03,Food,Baker,-2.50
2026-10-31,,Week 44,-42.50
2026-10-13,Food,Grocer,-30.00
2026-10-03,Food,Baker,-12.50
""",
    "in another column": """2026-10-03,Food,Baker,-12.50
2026-10-13,Food,Grocer,-30.00
2026-10-31,Oktober,,-42.50
2026-11-03,Food,Baker,-2.50
2026-11-13,Work,Wages,3.00
2026-11-30,November,,0.50
""",
}


@pytest.mark.parametrize("kind", MONTHS)
def test_rows_that_are_the_sums_of_periods_are_asked_about(kind):
    text = "Date,Category,Payee,Amount\n" + MONTHS[kind]
    (question,) = refusal(text, currency="EUR").questions
    out, kept = (choice.changes for choice in question.choices)
    found, _ = amounts(text, **out)
    assert {-42.5, 0.5}.isdisjoint(found) and sum(found) in (-42, -49)
    assert len(amounts(text, **kept)[0]) == len(MONTHS[kind].splitlines())


def test_a_sum_that_no_word_names_does_not_include_one_that_a_word_names():
    text = "2026-10-03,Baker,-12.50\n2026-10-13,Grocer,-30.00\n2026-10-31,Total,-42.50\n"
    text += "2026-11-03,Baker,-2.50\n2026-11-13,Wages,3.00\n2026-11-30,Brill,-42.00\n"
    asked = [question.fact.topic for question in refusal(HEAD + text, currency="EUR").questions]
    assert asked == [Topic.SUMS, Topic.MAYBE_TOTAL]


def test_sums_of_periods_without_a_text_can_only_be_kept_or_removed_from_the_file():
    text = "Date,Payee,Amount\n" + MONTHS["below"].replace(",Food", "").replace(",Work", "")
    text = text.replace(",,October 2026", ",").replace(",,November 2026", ",")
    refused = refusal(text, currency="EUR")
    assert answers(refused) == ["--leave-out Payee="] and "remove them" in str(refused)


@pytest.mark.parametrize(
    "text",
    ["2026-10-03,Baker,-12.50\n2026-10-13,Grocer,-30.00\n2026-10-31,Garage,-42.50\n"
     "2026-11-03,Baker,-2.50\n2026-11-13,Wages,3.00\n",
     "2026-10-03,Baker,-12.50\n2026-10-13,Grocer,-30.00\n2026-10-31,Settlement,42.50\n"
     "2026-11-03,Baker,-2.50\n2026-11-13,Grocer,-3.00\n2026-11-30,Settlement,5.50\n",
     "2026-10-03,Baker,-10\n2026-10-13,Grocer,-10\n2026-10-31,Grocer,-20\n2026-11-03,Baker,-5\n"
     "2026-11-13,Baker,-5\n2026-11-30,Grocer,-10\n",
     "2026-10-03,Baker,-10\n2026-10-03,Grocer,-10\n2026-10-13,Baker,-5\n2026-10-13,Grocer,-5\n",
     "2026-10-03,Baker,-10\n2026-10-03,Grocer,-5\n2026-10-13,Garage,-15\n"],
)  # fmt: skip
def test_one_sum_by_chance_a_settlement_and_texts_of_other_rows_are_no_sums_of_periods(text):
    assert len(amounts(HEAD + text)[0]) == text.count("\n")


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        # A period of one row, and the sum of all periods, whose texts are blank.
        ("2026-10-03,Baker,-12.50\n2026-10-31,,-12.50\n2026-11-03,Grocer,-2.50\n"
         "2026-11-13,Wages,3.00\n2026-11-30,,0.50\n2026-11-30,,-12.00\n", "", 6),
        # An opening and a closing balance with words that nobody knows.
        ("2026-10-03,Quax,100.00\n2026-10-03,Baker,-12.50\n2026-10-13,Grocer,-2.50\n"
         "2026-10-31,Brill,85.00\n", "'Quax', 'Brill'", 2),
        ("2026-10-31,Brill,85.00\n2026-10-13,Grocer,-2.50\n2026-10-03,Baker,-12.50\n"
         "2026-10-03,Quax,100.00\n", "'Quax', 'Brill'", 2),
    ],
)  # fmt: skip
def test_sums_that_no_word_names_are_asked_about(text, words, count):
    refused = refusal(HEAD + text, currency="EUR")
    assert len(refused.questions) == 1 and f"the rows of {words}" in refused.reason
    changes = refused.questions[0].choices[0].changes
    assert len(amounts(HEAD + text, **changes)[0]) == count


def ends(text):
    (found,) = read(text, account="A", currency="EUR")
    both = found.statement.opening, found.statement.closing
    return [each and each.amount / 10_000 for each in both]


ROWS_BY_DAY = [
    "2026-11-14,Baker,-4.00",
    "2026-11-13,Baker,-3.00",
    "2026-10-13,Grocer,-30.00",
    "2026-10-03,Baker,-12.50",
]


@pytest.mark.parametrize("name", ["Closing balance", "Endsaldo", "Solde final"])
@pytest.mark.parametrize("newest_first", [True, False])
def test_a_closing_balance_between_rows_or_before_later_days_is_not_the_files_last(
    name, newest_first
):
    rows = ROWS_BY_DAY if newest_first else ROWS_BY_DAY[::-1]
    between = [*rows[:2], f"2026-10-31,{name},57.50", *rows[2:]]
    assert ends(HEAD + "\n".join(between)) == [None, None]
    above = [f"2026-10-31,{name},57.50", *rows]
    assert ends(HEAD + "\n".join(above)) == [None, None]
    last = [f"2026-11-30,{name},50.50", *between]
    assert ends(HEAD + "\n".join(last)) == [None, 50.5]
    assert ends(HEAD + "\n".join([*between, "2026-10-01,Opening balance,100.00"])) == [100, 50.5]


@pytest.mark.parametrize("are_above", [False, True])
def test_sums_of_long_periods_are_asked_about_like_those_of_short_ones(are_above):
    lines = []
    for month, name in enumerate(("January", "February", "March"), 1):
        cents = [(7 * n * n) % 991 + month for n in range(250)]
        rows = [f"2026-{month:02}-11,Shop {n} Inc,-{c / 100:.2f}" for n, c in enumerate(cents)]
        total = f"2026-{month:02}-28,{name} 2026,-{sum(cents) / 100:.2f}"
        lines += [total, *rows] if are_above else [*rows, total]
    refused = refusal(HEAD + "\n".join(lines) + "\n", currency="EUR")
    assert refused.line == (2 if are_above else 252)
    assert (
        "'January 2026', 'February 2026', 'March 2026' may be sums of other rows" in refused.reason
    )
