"""A CSV file with several tables: each is read by its own headings."""

import pytest

from support.csv_files import answers, read, refusal, shown

FIRST = (
    "Date,Payee,Amount\n2026-01-02,Baker,-12.50\n2026-01-09,Wages,900.00\n2026-01-12,Grocer,-8\n"
)
FIRST_ROWS = ["2026-01-02 -12.5 | Baker", "2026-01-09 900 | Wages", "2026-01-12 -8 | Grocer"]


def rows(text, **options):
    """Return the rows of all statements, and the section of each."""
    found = [e for s in read(text, account="A", currency="EUR", **options) for e in s.entries]
    return [shown(entry).removesuffix(" | - | -") for entry in found], [e.section for e in found]


@pytest.mark.parametrize("between", ["", "\n", "\n\n", "Closing balance,,879.50\n"])
@pytest.mark.parametrize(
    "second",
    [
        "Date,Amount,Payee\n2026-02-02,-3.25,Café\n2026-02-03,40.00,Ann\n",
        "Date,Payee,Amount,Balance\n2026-02-02,Café,-3.25,100.00\n2026-02-03,Ann,40.00,140.00\n",
        "Date;Payee;Amount\n02.02.2026;Café;-3,25\n03.02.2026;Ann;40,00\n",
        "Booking date,Payee,Debit,Credit\n2026-02-02,Café,3.25,\n2026-02-03,Ann,,40.00\n",
        "Datum,Empfänger,Betrag\n2026-02-02,Café,-3.25\n2026-02-03,Ann,40.00\n",
    ],
)
def test_each_table_is_read_by_its_own_headings(second, between):
    found, sections = rows(FIRST + between + second)
    assert found == [*FIRST_ROWS, "2026-02-02 -3.25 | Café", "2026-02-03 40 | Ann"]
    assert len({*sections[:3]}) == len({*sections[3:]}) == 1 and sections[0] != sections[3]


def test_rows_below_repeated_headings_are_a_section_of_their_own():
    found, sections = rows(FIRST + FIRST)
    assert found == FIRST_ROWS * 2
    assert sections == [1, 1, 1, 2, 2, 2]


def test_a_longer_second_table_does_not_hide_the_first():
    second = "Date,Payee,Note,Currency,Amount,Balance\n2026-02-02,Café,tea,EUR,-3.25,100.00\n"
    assert rows(FIRST + second)[0] == [*FIRST_ROWS, "2026-02-02 -3.25 | Café | tea | -"]


def test_three_tables_are_read():
    second = "Date,Amount,Payee\n2026-02-02,-3.25,Café\n2026-02-09,5.00,Ann\n"
    third = "Date,Note,Amount\n2026-03-02,Tea,-1.25\n2026-03-09,gift,5.00\n"
    found, _ = rows(FIRST + second + third)
    assert len(found) == 7 and found[-1] == "2026-03-09 5 | - | gift | -"


def test_a_line_that_counts_the_rows_below_it_is_no_payment():
    head = "AccountId,Date,Transactions,Amount\n77,2026-03-31,3,879.50\n"
    assert rows(head + FIRST)[0] == FIRST_ROWS
    head = "AccountId,StatementCreated,NumTransactions,NetAmount\n77,2026-03-31,3,879.50\n\n"
    assert rows(head + FIRST)[0] == FIRST_ROWS


def test_a_table_of_one_payment_is_not_taken_for_a_line_that_counts_others():
    first = "Date,Amount\n2026-01-02,-12.50\n"
    assert rows(first + FIRST.replace("-12.50", "-2.50"))[0][0] == "2026-01-02 -12.5 | -"


def test_a_table_below_the_name_of_another_account_is_refused_without_an_offer():
    second = "Savings account\n\nDate,Amount,Payee\n2026-02-02,-3.25,Café\n"
    refused = refusal("Giro account\n\n" + FIRST + "\n" + second, currency="EUR")
    assert refused.line == 10 and "'Savings account'" in refused.reason
    assert not answers(refused)


def test_a_question_about_the_second_table_names_its_line():
    second = "Date,Payee,Total,Betrag\n2026-02-02,Café,3.25,4.25\n2026-02-03,Ann,40.00,41.00\n"
    refused = refusal(FIRST + second, currency="EUR")
    assert refused.line == 5 and not answers(refused)
    assert refused.reason.endswith("; make a file of each of the file's tables")


def test_rows_below_unknown_headings_are_no_footer_even_below_a_closing_balance():
    second = "Closing balance,,879.50\nDte;Who;Num\n02.02.2026;Café;-3,25\n03.02.2026;Ann;40,00\n"
    refused = refusal(FIRST + second, currency="EUR")
    assert not answers(refused)


@pytest.mark.parametrize("mark", ["***END OF FILE***", "<end>", "Ende der Liste"])
def test_a_last_line_of_one_cell_without_digits_ends_the_file(mark):
    assert rows(FIRST + mark + "\n")[0] == FIRST_ROWS


def test_a_last_line_with_digits_is_asked_about():
    refused = refusal(FIRST + "Page 1 of 2\n", currency="EUR")
    assert refused.line == 5 and answers(refused) == ["--skip-last 1"]


@pytest.mark.parametrize("again", ["date,payee,amount", "DATE , Payee,AMOUNT,"])
def test_headings_again_and_the_end_of_a_page_above_them_are_no_rows(again):
    first, *others = FIRST.splitlines(keepends=True)
    text = "".join([first, others[0], f"Page 1 of 2,,\n{again}\n", *others[1:]])
    (whole,) = read(text, account="A", currency="EUR")
    assert rows(text)[0] == FIRST_ROWS
    assert whole.statement.skipped == {"heading": 1, "end of a page": 1}


@pytest.mark.parametrize("page", ["page 12", "Seite 2 von 3", "- Página 1/3 -", "2/3", "Page: 3"])
def test_a_page_is_left_out_whatever_its_language(page):
    first, *others = FIRST.splitlines(keepends=True)
    assert rows("".join([first, others[0], f"{page}\n", first, *others[1:]]))[0] == FIRST_ROWS


@pytest.mark.parametrize(
    "line",
    [
        "Savings account",
        "DE02500105170137075030",
        "Account: Savings,,",
        "Konto: Tagesgeld",
        "Card 2",
        "USD",
        "2026-03-02",
        '"2026-03-02,Bakery,-12.50"',
        "Ending balance: 99.00",
        "Page 2026-03-02",
    ],
)
def test_other_lines_above_headings_are_no_ends_of_pages(line):
    first, *others = FIRST.splitlines(keepends=True)
    for above in ("", "Checking account\n"):
        text = "".join([above, first, others[0], f"{line}\n", first, *others[1:]])
        assert refusal(text, account="A", currency="EUR")


@pytest.mark.parametrize("second", [",,USD", ",,cents", ",,Debit", "day,text,", ",Opening,Balance"])
def test_a_line_below_the_headings_is_a_row(second):
    first, *others = FIRST.splitlines(keepends=True)
    assert refusal("".join([first, f"{second}\n", *others]), currency="EUR").line == 2
