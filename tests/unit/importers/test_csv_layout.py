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


@pytest.mark.parametrize(
    "text, options, amounts",
    [
        *(("date,amount\n2026-01-01,1\n".replace(",", d), {}, [1]) for d in ",;\t|"),
        ("date~amount\n2026-01-01~1\n", {"delimiter": "~"}, [1]),
        ("date\tamount\n2026-01-01\t1\n", {"delimiter": "TAB"}, [1]),
        ("date;amount;payee, or payer\n2026-01-01;1,50;x\n", {}, [1.5]),
        # A heading maps whatever its case, white space and composition.
        ("\xa0Booked On , TOTAL\n2026-01-01,1\n", {"Date": "booked on", "AMOUNT": " total "}, [1]),
        ("date,De\u0301bit\n2026-01-01,1\n", {"amount": "d\u00e9bit"}, [1]),
        # The exact heading comes first, then one of another case, then the number of a column.
        ("date,Total,total\n2026-01-01,1,2\n", {"amount": "total"}, [2]),
        ("date,amount,amount\n2026-01-01,1,2\n", {"amount": "3"}, [2]),
        ("date,amount,out,in\n2026-01-01,x,1,\n", {"debit": "out", "credit": "in"}, [-1]),
    ],
)
def test_columns_are_found(text, options, amounts):
    if not options.keys() & {"delimiter", "debit"}:
        options = {"columns": options}
    assert [entry.amount for entry in entries(text, **options)] == [10_000 * n for n in amounts]


def test_cells_are_read_as_they_are_written():
    quote = 'date,amount,payee\n2026-01-01,1,5" nail\n'
    assert entries(quote)[0].payee == '5" nail'
    numbered = "date,amount,1\n2026-01-01,5,x\n"
    assert entries(numbered, columns={"payee": "1"})[0].payee == "x"
    text = "date,amount,,\n2026-01-01,1\n2026-01-02,2,,note\n"
    assert [e.note for e in entries(text, columns={"note": "4"})] == [None, "note"]


@pytest.mark.parametrize("rows", ["Total,1\n2026-01-02,1\n", "2026-01-01,x\n"])
def test_a_faulty_row_that_is_no_footer_is_refused_without_a_command(rows):
    refused = refusal("date,amount\n2026-01-01,1\n" + rows)
    assert refused.line == 3 and not answers(refused)


ROW = "date,amount\n2026-01-01,1\n"
DEBIT_AND = {"debit": "a", "credit": "b"}


@pytest.mark.parametrize(
    "text, options, line, parts",
    [
        *(
            ("date,amount\n", {"delimiter": each}, None, ["--delimiter"])
            for each in ["", ",,", '"', "\n", "\r", "\x00", "\ud800\ud800"]
        ),
        ("Statement of account\n", {}, None, ["--delimiter", "--skip-rows"]),
        *((text, {}, None, ["empty"]) for text in ("", "\n\n", " \r\n,,\r\n")),
        (
            "2026-01-01;5,5\n2026-01-02;6\n1;2;3\n",
            {"columns": {"date": "1", "amount": "2"}, "header": False},
            None,
            ["',' line 2", "';' line 3", "--delimiter"],
        ),
        *((ROW, {"skip_last": n}, None, ["--skip-last"]) for n in (-1, 10**9)),
        *((ROW, {"skip_rows": n}, None, ["--skip-rows"]) for n in (-1, 3, 10**12)),
        ("date,amount\n2026-01-01,1,x\n", {}, 2, ["--skip-rows"]),
        *(
            (f"date,amount,payee\n2026-01-01,1,x\n\n{row}\n", {}, 4, [])
            for row in ("2026-01-02", "2026-01-02,1,x,y", "2026-01-02,1,,y")
        ),
        ('date,amount,payee\n2026-01-01,1,"a"b\n', {}, 2, ["quote"]),
        ("day,amount\nsoon,1\n", {}, 1, ["--map recordDate=", "'day', 'amount'"]),
        ("date,total\n2026-01-01,much\n", {}, 1, ["--map amount=", "--debit"]),
        (ROW, {"account": None}, None, ["--account", "--map account="]),
        *(
            ("date,amount\n", {"columns": {"payee": column}}, 1, ["no "])
            for column in ["0", "3", "99999999", "9" * 5000, "²"]
        ),
        (ROW, {"columns": {"payeee": "date"}}, None, ["'payeee'", "recordDate, amount, payee"]),
        (
            "date,amount,Description\n",
            {"columns": {"payee": "Descripton"}},
            1,
            ["did you mean 'Description'", "'date', 'amount', 'Description'"],
        ),
        # Options that contradict each other.
        (ROW, {"columns": {"amount": "a"}, **DEBIT_AND}, None, ["--map amount", "--debit"]),
        (ROW, {"debit": "a"}, None, ["--credit"]),
        (ROW, {"credit": "a"}, None, ["--debit"]),
        ("date,amount,a\n", {"debit": "a", "credit": "A"}, 1, ["same column"]),
        (ROW, {**DEBIT_AND, "invert": True}, None, ["--invert"]),
        (ROW, {"columns": {"account": "a"}}, None, ["--account", "--map account"]),
        (
            ROW,
            {"columns": {"currency": "a"}, "currency": "EUR"},
            None,
            ["--currency", "--map currency"],
        ),
        (ROW, {"currency": "XXY"}, None, ["--currency", "EUR"]),
        (ROW, {"account": " \t"}, None, ["--account"]),
        (ROW, {"account": "a\x00"}, None, ["--account", "NUL"]),
        (ROW, {"columns": {"payee": "\ud800"}}, None, ["payee"]),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line_and_the_option(text, options, line, parts):
    refused = refusal(text, **options)
    assert refused.line == line
    for part in parts:
        assert part in refused.reason


def test_rows_decide_between_delimiters_that_the_headings_leave():
    columns = {"date": "1", "amount": "2"}
    text = "2026-01-01;5;a, b\n2026-01-02;6;c\n"
    assert [e.amount for e in entries(text, columns=columns, header=False)] == [50_000, 60_000]


def test_skipped_lines_count_in_line_numbers():
    text = 'a "title\r\n\r\ndate,amount\r\n2026-01-01,1\r\n'
    assert [entry.line for entry in entries(text, skip_rows=1)] == [4]
    assert [entry.line for entry in entries(text, skip_rows=2)] == [4]


PREAMBLE = "Account 5;;\nFrom;1 Jan;\n\n"


def test_lines_before_the_headings_are_passed_over_and_reported():
    (statement,) = read(PREAMBLE + "date;amount;payee\n2026-01-01;-1;x\n", account="Main")
    assert [entry.line for entry in statement.entries] == [5]
    assert "--skip-rows 3" in statement.statement.remarks[0]


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
    text = "date,amount,payee\n2026-01-01,-1,x\nPage,1,\n\n1 row\n"
    assert len(entries(text, skip_last=2)) == 1
    refused = refusal(text)
    assert refused.line == 3
    assert answers(refused) == ["--skip-last 2 --currency CODE"]
    # A last line of one cell without a digit is the mark of the file's end.
    assert len(entries(text.replace(",1,", ",,"), skip_last=1)) == 1
    assert "--skip-last" in refusal(text, skip_last=9).reason


def test_data_that_would_be_taken_for_headings_is_refused():
    columns = {"date": "1", "amount": "2"}
    refused = refusal("2026-01-01,1,x\n2026-01-02,2,y\n", columns=columns)
    assert answers(refused) == ["--no-header"]


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


def test_without_headings_columns_go_by_number_only():
    text = "2026-01-01,1,x\n"
    columns = {"date": "1", "amount": "2", "payee": "3"}
    assert entries(text, columns=columns, header=False)[0].line == 1
    reason = refusal(text, columns={"date": "date"}, header=False).reason
    assert "--no-header" in reason


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
        "the file has 1,001 columns; at most 1,000 are read: remove the columns that are not "
        "needed",
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
    assert (
        str(refused) == "line 3: a row is longer than 1,000 characters; is a closing quote missing?"
    )


def test_separators_of_unicode_end_no_line():
    text = "date,amount,payee\n2026-01-01,1,a\u2028b\x0bc\x1cd\n2026-01-02,1,x\n"
    assert [entry.line for entry in entries(text)] == [2, 3]


def test_messages_stay_short_for_monstrous_headings():
    headings = ",".join(f"{'h' * 5000}{i}" for i in range(500))
    assert len(refusal(headings + "\n").reason) < 3000
