"""Amounts in one column of debits, in several pairs of columns, and beside two balances."""

import pytest

from support.csv_files import answers, read, refusal

ROWS = {"before": ("100,00", "87,50", "57,50"), "after": ("87,50", "57,50", "357,50")}


def amounts(text, **options):
    (found,) = read(text, account="A", currency="EUR", **options)
    return [entry.amount / 10_000 for entry in found.entries]


@pytest.mark.parametrize(("heading", "way"), [("Debit", -1), ("Withdrawals", -1), ("Credit", 1)])
def test_a_file_with_one_side_only_has_the_direction_of_its_heading(heading, way):
    text = f"Date,Description,{heading}\n2026-10-03,A,12.50\n2026-10-13,B,30.00\n"
    assert amounts(text) == [12.5 * way, 30 * way]


@pytest.mark.parametrize("amounts_", [("12.50", "30.00", "-5.00"), ("-12.50", "5.00")])
def test_signs_in_the_only_side_are_asked_about(amounts_):
    rows = (f"2026-10-{day:02},A,{amount}" for day, amount in enumerate(amounts_, 1))
    text = "\n".join(["Date,Description,Debit", *rows])
    out, in_ = answers(refusal(text, currency="EUR"))
    assert (out, in_) == ("--positive out", "--positive in")
    assert amounts(text, positive="out") == [-float(amount) for amount in amounts_]


def test_the_only_side_may_have_amounts_that_a_comma_divided():
    text = 'Date,Payee,Debit,Note\n2026-10-03,A,"-12,50",\n2026-10-13,B,-30,17\n'
    text += "2026-10-14,B,30,25\n"
    for positive in (None, "out", "in"):
        refused = refusal(text, currency="EUR", positive=positive)
        assert "split the amount" in str(refused)


def test_equal_pairs_of_sides_are_one_and_other_pairs_are_asked_about():
    text = "Date,Text,Debit,Credit,Debit,Credit\n2026-10-03,A,12.50,,12.50,\n"
    text += "2026-10-15,B,,300.00,,300.00\n"
    assert amounts(text) == [-12.5, 300]
    other = text.replace(",12.50,\n", ",13.75,\n")
    offered = [answer.split(" ---")[0] for answer in answers(refusal(other, currency="EUR"))]
    assert offered == ["--debit 3 --credit 4", "--debit 5 --credit 6"]
    ignore = "--ignore 5 --ignore 6"
    assert answers(refusal(other, currency="EUR", debit="3", credit="4"))[0] == ignore
    assert amounts(other, debit="3", credit="4", ignore=["5", "6"]) == [-12.5, 300]


@pytest.mark.parametrize(
    "headings",
    ["Rekening;Datum;Startsaldo;Eindsaldo;Bedrag;Tekst", "a;date;beginsaldo;endsaldo;bedrag;x",
     "Konto;Datum;Saldo nachher;Saldo vorher;Betrag;Text", ""],
)  # fmt: skip
def test_of_balances_before_and_after_each_row_one_is_read_and_checked(headings):
    before, after = ROWS.values() if "nachher" not in headings else (ROWS["after"], ROWS["before"])
    rows = zip(("03", "13", "15"), before, after, ("-12,50", "-30,00", "300,00"), strict=True)
    lines = [f"77;2026-10-{day};{one};{other};{amount};Shop" for day, one, other, amount in rows]
    text = "\n".join([headings, *lines] if headings else lines)
    (found,) = read(text, account="A", currency="EUR")
    assert found.statement.opening.amount == 1_000_000
    assert found.statement.closing.amount == 3_575_000
    del lines[1]
    gap = "\n".join([headings, *lines] if headings else lines)
    if headings:
        assert "the balance is" in str(refusal(gap, currency="EUR"))


def test_the_amount_that_a_gross_amount_and_a_fee_make_is_the_amount():
    text = (
        "Date,Text,Gross,Fee,Amount\n2026-10-03,A,10.00,0.50,9.50\n2026-10-13,B,-5.00,1.00,-6.00\n"
    )
    assert amounts(text) == [9.5, -6]


def test_a_side_is_not_alone_beside_the_other_one_with_amounts_that_cannot_be_read():
    text = "Date,Description,DEBIT,CREDIT\n2026-10-03,A,'579.68 USD,\n2026-10-13,B,'544.00 $,0\n"
    assert "the headings are 'Date', 'Description'" in str(refusal(text, currency="EUR"))


@pytest.mark.parametrize(
    ("rows", "own"),
    [
        # A balance that rises by the left column is what is owed on a card, or credits come first.
        ("Shop,12.40,,87.60 Autopay,,50.00,37.60 Oak,10.00,,47.60", "43"),
        ("Shop,,12.40,87.60 Wages,900.00,,987.60 Oak,,10.00,977.60", "43"),
        # So it may be if only payments seem to go out.
        ("Shop,,12.40,87.60 Payment,50.00,,37.60 Oak,,10.00,47.60", "34"),
        ("Shop,12.40,,87.60 Wages,,900.00,987.60 Oak,10.00,,977.60", ""),
    ],
)
def test_sides_that_only_balances_show_are_asked_about_if_these_may_be_what_is_owed(rows, own):
    text = "".join(f"2026-03-0{n},{row}\n" for n, row in enumerate(rows.split(), 4))
    if not own:
        assert amounts(text) == [-12.4, 900, -10]
        return
    found = [line.split(" ---")[0] for line in answers(refusal(text, currency="EUR"))]
    debit, credit = own
    assert found == [
        f"--debit {debit} --credit {credit}",
        f"--debit {credit} --credit {debit} --balance 5",
    ]
    turned = amounts(text, debit=credit, credit=debit, balance="5", header=False)
    assert turned == [-each for each in amounts(text, debit=debit, credit=credit, header=False)]
