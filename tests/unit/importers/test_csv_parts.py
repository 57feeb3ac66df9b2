"""Rows that are marked as the parts of the row above them do not count beside it."""

import pytest

from support.csv_files import answers, read, refusal

ROWS = [
    ("2026-01-02", "Market", "*", "-100.00"),
    ("2026-01-02", "Food", "-", "-60.00"),
    ("2026-01-02", "Soap", "-", "-40.00"),
    ("2026-01-03", "Pay", "*", "500.00"),
    ("2026-01-03", "Bonus", "-", "500.00"),
    ("2026-01-05", "Kiosk", "", "-3.00"),
]
WHOLES = [-100, 500, -3]
ALL = [-100, -60, -40, 500, 500, -3]


def imported(heading, rows, **options):
    text = "\n".join([heading, *(",".join(row) for row in rows)]) + "\n"
    (found,) = read(text, account="A", currency="EUR", **options)
    return [e.amount / 10_000 for e in found.entries], " ".join(found.statement.remarks)


def in_texts(rows):
    return [(day, f"{mark} {text}".strip(), amount) for day, text, mark, amount in rows]


@pytest.mark.parametrize(("whole", "part"), [("*", "-"), ("", "-"), ("", "*"), ("-", "*")])
def test_parts_are_left_out_and_named(whole, part):
    marks = {"*": whole, "-": part, "": ""}
    rows = [(day, text, marks[mark], amount) for day, text, mark, amount in ROWS]
    named = f"left out 3 rows marked '{part}', such as line 3: they are the parts of the rows above"
    for heading, given in (
        ("Date,Payee,Mark,Amount", rows),
        ("Date,Payee,,Amount", rows),
        ("Date,Payee,Amount", in_texts(rows)),
    ):
        found, remarks = imported(heading, given)
        assert found == WHOLES
        assert named in remarks


@pytest.mark.parametrize(("whole", "part"), [("*", "-"), ("", "-"), ("", "*"), ("-", "*")])
def test_parts_before_their_whole_are_left_out_and_named(whole, part):
    marks = {"*": whole, "-": part, "": ""}
    rows = [(day, text, marks[mark], amount) for day, text, mark, amount in reversed(ROWS)]
    named = f"left out 3 rows marked '{part}', such as line 3: they are the parts of the rows below"
    for heading, given in (("Date,Payee,Mark,Amount", rows), ("Date,Payee,Amount", in_texts(rows))):
        found, remarks = imported(heading, given)
        assert found == WHOLES[::-1]
        assert named in remarks


def test_parts_are_all_above_or_all_below_their_wholes():
    rows = [*ROWS, *reversed(ROWS[:3])]
    assert imported("Date,Payee,Mark,Amount", rows)[0] == [float(row[-1]) for row in rows]


def test_parts_in_columns_of_debit_and_credit_are_left_out():
    sides = [
        (day, text, mark, amount[1:], "") if amount[0] == "-" else (day, text, mark, "", amount)
        for day, text, mark, amount in ROWS
    ]
    refund = [("2026-01-02", "Voucher", "-", "", "5.00"), ("2026-01-02", "Fee", "-", "5.00", "")]
    sides[3:3] = refund
    assert imported("Date,Payee,Mark,Debit,Credit", sides)[0] == WHOLES


@pytest.mark.parametrize(
    "rows",
    [
        # One of them is not the sum.
        [*ROWS, ("2026-01-06", "Bar", "-", "-1.00")],
        [("2026-01-01", "Bar", "-", "-1.00"), *ROWS],
        # No row has several parts: a row and the next are equal by chance.
        [("2026-01-02", "Tea", "", "-2.00"), ("2026-01-02", "Tea", "-", "-2.00")],
    ],
)
def test_marked_rows_that_do_not_all_add_up_count(rows):
    amounts = [float(row[-1]) for row in rows]
    for heading, given in (("Date,Payee,Mark,Amount", rows), ("Date,Payee,Amount", in_texts(rows))):
        found, remarks = imported(heading, given)
        assert found == amounts
        assert "parts" not in remarks


@pytest.mark.parametrize("text", ["- {}", "* {}", "*** {}", "-{}", "*{}", "{}", "{} -"])
def test_texts_without_a_whole_above_count(text):
    rows = [(day, text.format(payee), amount) for day, payee, _, amount in ROWS]
    assert imported("Date,Payee,Amount", rows)[0] == ALL


@pytest.mark.parametrize("text", ["*** {}", "-{}", "*{}"])
def test_texts_that_begin_with_the_mark_and_no_blank_are_not_marked(text):
    rows = [(day, text.format(p) if m == "-" else p, amount) for day, p, m, amount in ROWS]
    assert imported("Date,Payee,Amount", rows)[0] == ALL


def test_the_user_can_say_that_parts_are_transactions():
    assert imported("Date,Payee,Mark,Amount", ROWS, leave_out=["Mark="])[0] == ALL
    assert imported("Date,Payee,Mark,Amount", ROWS, leave_out=["Mark=*"])[0] == ALL[1:3] + [500, -3]
    assert imported("Date,Payee,Amount", in_texts(ROWS), leave_out=["Payee="])[0] == ALL


def test_balances_show_that_marked_rows_are_money():
    balances = ["-100", "-160", "-200", "300", "800", "797"]
    rows = [(*row, balance) for row, balance in zip(ROWS, balances, strict=True)]
    assert imported("Date,Payee,Mark,Amount,Balance", rows)[0] == ALL


@pytest.mark.parametrize("heading", ["Parent", "Parent ID", "Split of"])
def test_a_column_that_names_the_whole_of_a_part_is_asked_about(heading):
    text = f"ID,{heading},Date,Note,Amount\n1,,2026-03-03,Hill,-12.50\n2,1,2026-03-03,bread,-2.50\n"
    text += "3,1,2026-03-03,wine,-10.00\n4,,2026-03-20,Oak,-30.00\n"
    refused = refusal(text, currency="EUR")
    assert answers(refused) == [f"--only {heading}=", f"--ignore {heading}"]
    (found,) = read(text, account="A", currency="EUR", only=[f"{heading}="])
    assert [entry.amount for entry in found.entries] == [-125_000, -300_000]


SPLIT = [
    ("2026-01-02", "Market", "--Split--", "-100.00"),
    ("2026-01-02", "Market", "Food", "-60.00"),
    ("2026-01-02", "Market", "Soap", "-40.00"),
    ("2026-01-02", "Kiosk", "Press", "-3.00"),
    ("2026-01-03", "Firm", "-- Split Transaction --", "500.00"),
    ("2026-01-03", "Firm", "Pay", "600.00"),
    ("2026-01-03", "Firm", "Tax", "-100.00"),
]
REGISTER = "Date,Payee,Category,Amount"


@pytest.mark.parametrize("way", [1, -1])
def test_parts_of_a_row_whose_category_says_that_it_is_split_are_left_out(way):
    found, remarks = imported(REGISTER, SPLIT[::way])
    assert found == [-100, -3, 500][::way]
    assert "left out 4 rows" in remarks


def test_split_row_whose_parts_are_missing_counts():
    rows = [SPLIT[0], SPLIT[3], SPLIT[4]]
    assert imported(REGISTER, rows)[0] == [-100, -3, 500]


def test_split_row_whose_parts_do_not_add_up_is_refused():
    rows = [",".join(row) for row in (*SPLIT[:2], *SPLIT[3:])]
    assert "is split" in str(refusal("\n".join([REGISTER, *rows]), currency="EUR"))


def test_the_user_can_say_that_the_parts_of_a_split_row_count_or_both_do():
    assert imported(REGISTER, SPLIT[:4], leave_out=["Category=--Split--"])[0] == [-60, -40, -3]
    assert imported(REGISTER, SPLIT[:4], leave_out=["Category="])[0] == [-100, -60, -40, -3]


OTHERS = [
    ("2026-01-05", "Market", "--Split--", "-30.00"),
    ("2026-01-05", "Bakery", "Food", "-10.00"),
    ("2026-01-05", "Kiosk", "Press", "-20.00"),
]


def test_rows_of_other_payees_that_add_up_to_a_split_row_are_asked_about():
    text = "\n".join([REGISTER, *(",".join(row) for row in OTHERS)])
    offered = ["--leave-out Category=--Split--", "--leave-out Category="]
    assert answers(refusal(text, currency="EUR")) == offered


def test_one_row_is_no_part_of_a_split_row():
    rows = [OTHERS[0], ("2026-01-05", "Market", "Food", "-30.00"), ("2026-01-06", "A", "B", "-1")]
    assert imported(REGISTER, rows)[0] == [-30, -30, -1]


def test_first_part_may_have_the_amount_of_the_split_row():
    rows = [OTHERS[0], *(("2026-01-05", "Market", "Food", each) for each in ("-30", "-5", "5"))]
    assert imported(REGISTER, rows)[0] == [-30]


def test_split_row_of_nothing_needs_no_parts():
    nothing = [("2026-01-04", "Firm", "--Split--", "0.00"), ("2026-01-04", "Firm", "Pay", "10.00")]
    found, _ = imported(REGISTER, [*SPLIT, *nothing, ("2026-01-04", "Firm", "Tax", "-10.00")])
    assert sum(found) == 397


def test_hyphen_in_the_place_of_a_category_marks_no_part():
    rows = [("2026-01-05", "Market", "Food", "-30"), ("2026-01-05", "Bakery", "-", "-10")]
    rows.append(("2026-01-05", "Kiosk", "-", "-20"))
    assert imported("Date,Payee,Category,Amount", rows)[0] == [-30, -10, -20]
    with_notes = [(day, payee, "n", *others) for day, payee, *others in rows]
    assert imported("Date,Payee,Note,Category,Amount", with_notes)[0] == [-30, -10, -20]


def test_parts_of_a_register_are_left_out_behind_its_footer():
    rows = ["Register", "", REGISTER, *(",".join(row) for row in SPLIT)]
    text = "\n".join([*rows, "", ",Total Inflows,,500.00", ",Total Outflows,,-103.00"])
    assert answers(refusal(text, currency="EUR")) == ["--skip-last 2"]
    (found,) = read(text, account="A", currency="EUR", skip_last=2)
    assert [entry.amount for entry in found.entries] == [-1_000_000, -30_000, 5_000_000]
