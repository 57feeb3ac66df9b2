"""Delimiter, headings, columns and rows of CSV files."""

import pytest

from finance_api.importers.csv import table as table_module
from finance_api.importers.csv.table import MAX_CELL, MAX_CELLS, read_rows
from finance_api.importers.interface import ImportRefused
from support.csv_files import answers, read


def entries(text, **options):
    options = {"account": "Main", "no_text": True} | options
    if "debit" not in options and "credit" not in options and "invert" not in options:
        options = {"positive": "in"} | options
    (statement,) = read(text, **options)
    return statement.entries


def refusal(text, **options):
    with pytest.raises(ImportRefused) as refused:
        entries(text, **options)
    return refused.value


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(delimiter):
    text = "date,amount,payee\n2026-01-01,1,x\n".replace(",", delimiter)
    assert entries(text)[0].payee == "x"


def test_headings_decide_between_delimiters():
    assert entries("date;amount;payee, or payer\n2026-01-01;1,50;x\n")[0].amount == 15_000


def test_rows_decide_between_delimiters_that_the_headings_leave():
    columns = {"date": "1", "amount": "2"}
    text = "2026-01-01;5;a, b\n2026-01-02;6;c\n"
    assert [e.amount for e in entries(text, columns=columns, header=False)] == [50_000, 60_000]


def test_delimiters_that_all_fail_in_a_row_are_named_with_it():
    columns = {"date": "1", "amount": "2"}
    refused = refusal("2026-01-01;5,5\n2026-01-02;6\n1;2;3\n", columns=columns, header=False)
    for part in ("',' line 2", "';' line 3", "--delimiter"):
        assert part in refused.reason


def test_delimiter_option_takes_any_character_and_the_name_tab():
    assert entries("date~amount\n2026-01-01~1\n", delimiter="~")
    assert entries("date\tamount\n2026-01-01\t1\n", delimiter="TAB")


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", "\x00", "\ud800\ud800"])
def test_impossible_delimiter_is_refused(delimiter):
    assert "--delimiter" in refusal("date,amount\n", delimiter=delimiter).reason


def test_file_in_one_column_is_refused_with_both_options():
    refused = refusal("Statement of account\n")
    assert "--delimiter" in refused.reason and "--skip-rows" in refused.reason


@pytest.mark.parametrize("text", ["", "\n\n", " \r\n,,\r\n"])
def test_empty_file_is_refused(text):
    assert "empty" in refusal(text).reason


def test_skipped_lines_count_in_line_numbers():
    text = 'a "title\r\n\r\ndate,amount\r\n2026-01-01,1\r\n'
    assert [entry.line for entry in entries(text, skip_rows=1)] == [4]
    assert [entry.line for entry in entries(text, skip_rows=2)] == [4]


PREAMBLE = "Account 5;;\nFrom;1 Jan;\n\n"


def test_lines_before_the_headings_are_passed_over_and_said():
    (statement,) = read(PREAMBLE + "date;amount;payee\n2026-01-01;-1;x\n", account="Main")
    assert [entry.line for entry in statement.entries] == [5]
    assert "--skip-rows 3" in statement.statement.remarks[0]


def test_two_lines_that_could_be_the_headings_are_refused():
    headings = "date;amount;payee\n2026-01-01;-1;x\n"
    refused = refusal(PREAMBLE + headings + headings.replace("payee", "note"))
    assert "lines 4 and 6" in refused.reason and "--skip-rows" in refused.reason


def test_headings_below_other_lines_can_be_repeated():
    text = "Bank;\nAccount;1\n\nDate;Amount\n04.03.2026;-5,00\nDate;Amount\n05.03.2026;-6,00\n"
    (statement,) = read(text, account="Main")
    assert [entry.line for entry in statement.entries] == [5, 7]
    assert statement.statement.skipped == {"heading": 1}


def test_repeated_headings_are_skipped_and_counted():
    headings = "date,amount,payee\n"
    (statement,) = read(headings + ("2026-01-01,-1,x\n" + headings) * 2, account="Main")
    assert len(statement.entries) == 2
    assert statement.statement.skipped == {"heading": 2}


def test_rows_at_the_end_are_left_out():
    text = "date,amount,payee\n2026-01-01,-1,x\nPage,,\n\n1 row\n"
    assert len(entries(text, skip_last=2)) == 1
    refused = refusal(text)
    assert refused.line == 3
    assert answers(refused) == ["--skip-last 2 --currency CODE ---skip-last"]
    refused = refusal(text, skip_last=1)
    assert answers(refused)[0].startswith("--skip-last 2 ")
    assert "--skip-last" in refusal(text, skip_last=9).reason


def test_a_row_without_a_date_above_others_is_a_fault():
    refused = refusal("date,amount\n2026-01-01,1\nTotal,1\n2026-01-02,1\n")
    assert refused.line == 3 and not answers(refused)


def test_a_last_row_with_a_date_and_without_an_amount_is_a_fault():
    refused = refusal("date,amount\n2026-01-01,1\n2026-01-01,x\n")
    assert refused.line == 3 and not answers(refused)


@pytest.mark.parametrize("skip_last", [-1, 10**9])
def test_impossible_number_of_last_rows_is_refused(skip_last):
    assert "--skip-last" in refusal("date,amount\n2026-01-01,1\n", skip_last=skip_last).reason


def test_data_that_would_be_taken_for_headings_is_refused():
    columns = {"date": "1", "amount": "2"}
    refused = refusal("2026-01-01,1,x\n2026-01-02,2,y\n", columns=columns)
    assert answers(refused) == ["--no-header"]


def test_first_long_row_below_short_headings_mentions_skip_rows():
    assert "--skip-rows" in refusal("date,amount\n2026-01-01,1,x\n").reason


@pytest.mark.parametrize("skip_rows", [-1, 3, 10**12])
def test_impossible_number_of_skipped_rows_is_refused(skip_rows):
    assert "--skip-rows" in refusal("date,amount\n2026-01-01,1\n", skip_rows=skip_rows).reason


def test_heading_maps_whatever_its_case_and_white_space():
    assert entries(
        "\xa0Booked On , TOTAL\n2026-01-01,1\n", columns={"Date": "booked on", "AMOUNT": " total "}
    )


def test_exact_heading_comes_before_one_of_another_case():
    assert (
        entries("date,Total,total\n2026-01-01,1,2\n", columns={"amount": "total"})[0].amount
        == 20_000
    )


def test_decomposed_heading_is_the_composed_one():
    assert entries("date,De\u0301bit\n2026-01-01,1\n", columns={"amount": "d\u00e9bit"})


def test_column_may_go_by_its_number():
    text = "date,amount,amount\n2026-01-01,1,2\n"
    assert entries(text, columns={"amount": "3"})[0].amount == 20_000


def test_heading_that_is_a_number_comes_before_the_column_of_that_number():
    assert entries("date,amount,1\n2026-01-01,5,x\n", columns={"payee": "1"})[0].payee == "x"


@pytest.mark.parametrize("column", ["0", "3", "99999999", "9" * 5000, "²"])
def test_number_of_no_column_is_refused(column):
    assert refusal("date,amount\n", columns={"payee": column}).line == 1


def test_unknown_field_is_refused_with_the_known_ones():
    refused = refusal("date,amount\n", columns={"payeee": "date"})
    assert "'payeee'" in refused.reason and "recordDate, amount, payee" in refused.reason


def test_unknown_heading_is_refused_with_the_nearest_and_all():
    refused = refusal("date,amount,Description\n", columns={"payee": "Descripton"})
    assert "did you mean 'Description'" in refused.reason
    assert "'date', 'amount', 'Description'" in refused.reason


def test_missing_date_names_the_option_and_the_headings():
    refused = refusal("day,amount\nsoon,1\n")
    assert "--map recordDate=" in refused.reason and "'day', 'amount'" in refused.reason


def test_missing_amount_names_the_options():
    reason = refusal("date,total\n2026-01-01,much\n").reason
    assert "--map amount=" in reason and "--debit" in reason


def test_missing_account_names_both_options():
    reason = refusal("date,amount\n2026-01-01,1\n", account=None).reason
    assert "--account" in reason and "--map account=" in reason


def test_doubled_heading_matters_only_where_it_is_mapped():
    text = "date,amount,x,x,payee,Payee\n2026-01-01,1,a,b,p,q\n"
    assert "--map payee=5" in refusal(text).reason
    assert entries(text, columns={"payee": "6"})[0].payee == "q"
    assert entries(text, columns={"payee": ""})[0].payee is None
    reason = refusal(text, columns={"payee": "", "note": "X"}).reason
    assert "several columns" in reason and "3, 4" in reason


def test_two_names_of_one_field_are_refused():
    assert "recordDate" in refusal("date,recordDate,amount\n").reason
    reason = refusal("date,amount\n", columns={"date": "1", "recordDate": "1"}).reason
    assert "twice" in reason


@pytest.mark.parametrize(
    "options, named",
    [
        ({"columns": {"amount": "a"}, "debit": "b", "credit": "c"}, ("--map amount", "--debit")),
        ({"debit": "a"}, ("--credit",)),
        ({"credit": "a"}, ("--debit",)),
        ({"debit": "a", "credit": "A"}, ("same column",)),
        ({"debit": "a", "credit": "b", "invert": True}, ("--invert",)),
        ({"columns": {"account": "a"}}, ("--account", "--map account")),
        ({"columns": {"currency": "a"}, "currency": "EUR"}, ("--currency", "--map currency")),
        ({"currency": "XXY"}, ("--currency", "EUR")),
        ({"account": " \t"}, ("--account",)),
        ({"account": "a\x00"}, ("--account", "NUL")),
        ({"columns": {"payee": "\ud800"}}, ("payee",)),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, named):
    reason = refusal("date,amount,a,b,c\n", **options).reason
    for part in named:
        assert part in reason


def test_amount_heading_is_left_alone_beside_debit_and_credit():
    text = "date,amount,out,in\n2026-01-01,x,1,\n"
    assert entries(text, debit="out", credit="in")[0].amount == -10_000


def test_without_headings_columns_go_by_number_only():
    text = "2026-01-01,1,x\n"
    columns = {"date": "1", "amount": "2", "payee": "3"}
    assert entries(text, columns=columns, header=False)[0].line == 1
    reason = refusal(text, columns={"date": "date"}, header=False).reason
    assert "--no-header" in reason


def test_columns_without_heading_may_be_missing_at_the_end_of_a_row():
    text = "date,amount,,\n2026-01-01,1\n2026-01-02,2,,note\n"
    assert [e.note for e in entries(text, columns={"note": "4"})] == [None, "note"]


@pytest.mark.parametrize("row", ["2026-01-02", "2026-01-02,1,x,y", "2026-01-02,1,,y"])
def test_ragged_row_is_refused_with_its_line(row):
    assert refusal(f"date,amount,payee\n2026-01-01,1,x\n\n{row}\n").line == 4


def test_text_after_a_closing_quote_is_refused():
    refused = refusal('date,amount,payee\n2026-01-01,1,"a"b\n')
    assert refused.line == 2 and "quote" in refused.reason


def test_quote_inside_an_unquoted_cell_is_a_character():
    assert entries('date,amount,payee\n2026-01-01,1,5" nail\n')[0].payee == '5" nail'


@pytest.mark.parametrize("quote", ["", '"'])
def test_cell_longer_than_the_limit_is_refused_with_its_line(quote):
    cell = quote + "x" * (MAX_CELL + 1) + quote
    refused = refusal(f"date,amount,payee\n2026-01-01,1,x\n2026-01-02,1,{cell}\n")
    assert refused.line == 3 and str(MAX_CELL) in refused.reason


def test_limit_of_cells_holds_where_the_process_has_none(monkeypatch):
    before = table_module.csv.field_size_limit(2**31 - 1)
    try:
        with pytest.raises(ImportRefused):
            list(read_rows(["x" * (MAX_CELL + 1)], ","))
    finally:
        table_module.csv.field_size_limit(before)


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_columns_are_limited_but_for_empty_ones_at_the_end(delimiter, header):
    row = delimiter.join(["2026-01-05", "-1", *("x" for _ in range(998))])
    first = delimiter.join(["date", "amount", *(f"h{n}" for n in range(998))]) if header else row
    empty = delimiter * (MAX_CELLS - 1_000)
    refused = refusal(f"{first}{delimiter}x\n{row}\n", header=header)
    assert (refused.line, refused.reason) == (
        1,
        "the file has 1,001 columns; at most 1,000 are read: leave out those that are not needed",
    )
    columns = {} if header else {"recordDate": "1", "amount": "2"}
    text = f"{first}{empty}\n{row}{empty}\n"
    assert len(entries(text, header=header, columns=columns, no_text=True)) == 2 - header


def test_cells_of_a_row_are_limited():
    text = "date,amount\n2026-01-05,-1\n2026-01-06,-1"
    assert len(entries(text + "," * (MAX_CELLS - 2))) == 2
    refused = refusal(text + "," * (MAX_CELLS - 1))
    assert str(refused) == "line 3: the row has 16,385 cells; at most 16,384 are read"


def test_length_of_a_row_is_limited_over_its_lines(monkeypatch):
    monkeypatch.setattr(table_module, "MAX_ROW", 1_000)
    text = "date,amount,note\n2026-01-05,-1,x\n2026-01-06,-1,"
    cell = '"' + "y\n" * 400 + '"'
    assert len(entries(text + cell, columns={"note": "note"})) == 2
    refused = refusal(text + '"y\n",' * 300)
    assert str(refused) == "line 3: a row is longer than 1,000 characters; is its quote closed?"


def test_separators_of_unicode_end_no_line():
    text = "date,amount,payee\n2026-01-01,1,a\u2028b\x0bc\x1cd\n2026-01-02,1,x\n"
    assert [entry.line for entry in entries(text)] == [2, 3]


def test_messages_stay_short_for_monstrous_headings():
    headings = ",".join(f"{'h' * 5000}{i}" for i in range(500))
    assert len(refusal(headings + "\n").reason) < 3000
