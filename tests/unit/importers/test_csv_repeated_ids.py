"""A row that a CSV file has twice, with its id, is one record; rows without a date wait."""

import pytest

from support.csv_files import read

HEAD = "Transaction ID,Date,Payee,Amount\n"
ROWS = "T1,2026-01-02,Café,-3.50\nT2,2026-01-03,Ann,40.00\nT3,2026-01-15,Café,-3.50\n"


def found(text):
    (statement,) = read(text, account="A", currency="EUR", positive="in")
    return len(statement.entries), statement.statement


def test_a_row_and_its_id_twice_is_one_record_and_named():
    number, statement = found(HEAD + ROWS + "T2,2026-01-03,Ann,40.00\n")
    assert number == 3 and statement.skipped == {"repeated row": 1}
    assert "left out rows that repeat another row and its id: 'T2'" in statement.remarks


@pytest.mark.parametrize(
    "text",
    [
        # Ids that several transactions share, or lack, do not tell.
        HEAD + ROWS + "T2,2026-01-03,Ann,40.00\nT2,2026-01-03,Ann,-1.00\n",
        HEAD + ROWS + "T2,2026-01-03,Ann,40.00\n,2026-01-04,Ann,-1.00\n",
        # The heading names no id of a transaction.
        (HEAD + ROWS + "T2,2026-01-03,Ann,40.00\n").replace("Transaction ID", "Batch"),
        HEAD + ROWS + "T4,2026-01-03,Ann,40.00\nT5,2026-01-03,Ann,40.00\n",
    ],
)
def test_equal_rows_without_an_id_of_their_own_are_several_records(text):
    assert found(text)[0] == text.count("\n") - 1


@pytest.mark.parametrize("word", ["Pending", "PENDING", "Vorgemerkt", "en attente", "Processing"])
def test_a_row_with_a_word_for_pending_as_its_date_is_left_out_and_counted(word):
    text = f"Date,Payee,Amount\n{word},Café,-3.50\n20/03/2026,Ann,40.00\n14/03/2026,Bob,-7.00\n"
    number, statement = found(text)
    assert number == 2 and statement.skipped == {word: 1}
