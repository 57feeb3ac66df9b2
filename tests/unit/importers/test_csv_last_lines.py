"""Lines of a file that are not rows of its table: below the last one, or above the first one."""

from support.csv_files import answers, read, refusal

LCL = (
    "15/01/2026;-45,30;Carte;;CB MONOPRIX;0;Divers\n"
    "16/01/2026;1200,00;Virement;;VIR SALAIRE;0;Divers\n"
    "29/01/2026;-9,99;Prelevement;;FREE MOBILE;0;Divers\n"
)
_BALANCE = "31/01/2026;2034,12;;01234 567890A\n"
ICICI = (
    "S No.,Value Date,Transaction Date,Transaction Remarks,Withdrawal Amount,Deposit Amount\n"
    "1,14/04/2026,14/04/2026,UPI/shop,100.00,0.00\n2,15/04/2026,15/04/2026,NEFT/job,0.00,500.00\n"
)


def test_a_dated_line_that_is_unlike_all_rows_is_left_out_by_the_command_that_is_offered():
    refused = refusal(LCL + _BALANCE, currency="EUR")
    assert refused.line == 4 and answers(refused) == ["--skip-last 1"]
    (found,) = read(LCL + _BALANCE, account="X", currency="EUR", skip_last=1)
    assert [entry.amount for entry in found.entries] == [-453_000, 12_000_000, -99_900]


def test_a_row_that_was_cut_off_is_not_offered_to_be_left_out():
    for cut in ("31/01/2026;2034,12;Carte;\n", "31/01/2026;2034,12\n"):
        assert answers(refusal(LCL + cut, currency="EUR")) == []
    between = LCL.replace("16/01", _BALANCE + "16/01", 1)
    assert answers(refusal(between, currency="EUR")) == []


def test_a_long_legend_below_the_rows_is_left_out():
    legend = "".join(f"{n}. ABC{n} - Transaction of kind {n}\n" for n in range(1, 30))
    text = ICICI + "Legends Used in Account Statement\n" + legend
    (found,) = read(text, account="X", currency="INR")
    assert [entry.amount for entry in found.entries] == [-1_000_000, 5_000_000]
    with_amount = text.replace("ABC7 ", "ABC7,900.00,")
    assert answers(refusal(with_amount, currency="INR")) == ["--skip-last 30"]


def test_rows_without_headings_may_begin_below_the_number_of_the_account():
    rows = (
        "05 Jan 2026,Countdown ;,,-45.30,954.70\n15 Jan 2026,Salary ;Ref: 1,,1200.00,2154.70\n"
        "16 Jan 2026,BP ;,,-60.00,2094.70\n"
    )
    for first in ("38-9000-0000000-00,,,,\n", "38-9000-0000000-00\n\n"):
        (found,) = read(first + rows, account="X", currency="NZD")
        assert [entry.amount for entry in found.entries] == [-453_000, 12_000_000, -600_000]
        assert any("--skip-rows" in remark for remark in found.statement.remarks)
    two_cells = "38-9000-0000000-00,1.00\n"
    assert refusal(two_cells + rows, currency="NZD")
