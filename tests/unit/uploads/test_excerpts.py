"""The excerpt of a file that people see at a refusal."""

import io

import pytest

from finance_api.importers.csv.first_rows import TableSample
from finance_api.importers.interface import Question
from finance_api.uploads.work import question_of
from finance_api.values.regions import DEFAULT

NO_TABLE = TableSample()


def text_of(content, line, sample=NO_TABLE):
    return question_of(Question("it is open", line), sample, io.BytesIO(content), DEFAULT)["text"]


def test_the_line_is_shown_with_those_beside_it():
    content = b":20:A\r\n:25:B\n:61:2601\n:86:x\n"
    assert text_of(content, 3) == [[2, ":25:B"], [3, ":61:2601"], [4, ":86:x"]]
    assert text_of(content, 1) == [[1, ":20:A"], [2, ":25:B"]]
    assert text_of(content, 99) == []
    assert text_of(content, None) == []


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"a" * 9_000_000, [[1, "a" * 200]]),
        ("\u202eevil \x1b[31m".encode(), [[1, "\\u202eevil \\x1b[31m"]]),
        (b"caf\xe9", [[1, "caf\ufffd"]]),
        (b"a\x00b", []),
    ],
    ids=["long", "marks of direction", "another charset", "binary"],
)
def test_a_hostile_line_is_short_and_forges_nothing(content, shown):
    assert text_of(content, 1) == shown


def test_a_table_shows_its_row_in_place_of_the_text():
    columns = [{"name": "a", "heading": "a", "values": [], "role": ""}]
    sample = TableSample(columns, [], {3: ["x"]})
    found = question_of(Question("it is open", 3), sample, io.BytesIO(b"a\nb\nx\n"), DEFAULT)
    assert (found["row"], found["text"]) == (["x"], [])
