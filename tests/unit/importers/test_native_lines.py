"""The lines of a native file: a refusal names the line that is no object of the format."""

import json
import subprocess
import sys

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native import MAX_LINE_BYTES
from finance_api.resources import ACCOUNTS, CONTACTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, account, an_id, document, record
from support.service import native_line

GOOD = native_line(account()).encode()


@pytest.fixture
def person():
    return Person(MemoryBackend())


def refusal(person, data):
    with pytest.raises(ImportRefused) as refused:
        person.file(data)
    assert person.revision == 0
    assert person.dump() == b""
    return refused.value


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b"{}",
        b'{"reserved_model_type":"Account"',
        GOOD.strip() + b"}",
        GOOD.strip() + GOOD,
        b"{'reserved_model_type':'Account'}",
        b"\x00",
        b"\xff\xfe{",
        b'{"reserved_model_type":"Account","id":"\xff"}',
        b"\xef\xbb\xbf" + GOOD.strip(),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        GOOD.strip()[:-1] + b',"nonsense":1}',
        GOOD.strip()[:-1] + b',"name":"again"}',
        GOOD.strip()[:-1] + b',"na\\u006de":"again"}',
        GOOD.strip()[:-1] + b',"reserved_model_type":"Account"}',
        b'{"reserved_model_type":"Contact","name":"n","id":"' + an_id(5).encode() + b'","x":{"a":1,'
        b'"a":1}}',
        b'{"reserved_model_type":"Contact","name":"n"}',
        b'{"reserved_model_type":"Contact","name":"n","source":"s"}',
        b'{"reserved_model_type":"Contact","name":"n","source":"s","sourceId":" "}',
    ],
)
def test_bad_line_is_refused_with_its_number_and_nothing_is_stored(person, line):
    assert refusal(person, GOOD + b"\n" + line + b"\n").line == 3


def test_unknown_key_is_named(person):
    assert '"colour"' in refusal(person, native_line(account(colour="red"))).reason


def test_repeated_key_is_named(person):
    assert "name" in refusal(person, GOOD.strip()[:-1] + b',"name":"x"}').reason


def test_line_longer_than_the_limit_is_refused(person):
    line = native_line(document("Contact", 5, x="y" * MAX_LINE_BYTES)).encode()
    assert refusal(person, GOOD + line).line == 2


def test_endless_line_is_not_read_whole(person):
    assert refusal(person, b"{" * (MAX_LINE_BYTES + 1_000)).line == 1


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n", b"\n \t\n", b"\r\n\r\n"])
def test_line_ends_and_blank_lines_do_not_matter(person, end):
    lines = [native_line(row).strip().encode() for row in (account(), record(9), record(10))]
    person.file(end.join(lines) + end)
    assert len(person.rows(RECORDS)) == 2


def test_last_line_needs_no_end(person):
    person.file(GOOD.rstrip())
    assert len(person.rows(ACCOUNTS)) == 1


def test_byte_order_mark_at_the_beginning_is_left_out(person):
    person.file(b"\xef\xbb\xbf" + GOOD)
    assert len(person.rows(ACCOUNTS)) == 1


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b" "])
def test_file_without_an_object_is_refused(person, data):
    assert "is empty" in refusal(person, data).reason


def test_type_key_may_be_written_with_escapes(person):
    nested = json.dumps({"reserved_model_type": "Record"})
    person.file(
        f'{{"reserved_model_typ\\u0065":"Contact","name":"n","id":"{an_id(5)}","x":{nested}}}\n'
    )
    assert person.row(CONTACTS, 5)["name"] == "n"


@pytest.mark.parametrize("space", [" ", "\t", "\r", " \t\r "])
def test_white_space_around_and_in_an_object_does_not_matter(person, space):
    row = native_line(record(9)).strip()
    spaced = f"{space}{row.replace(', ', space + ',' + space)}{space}\n"
    person.file(GOOD + spaced.encode())
    assert len(person.rows(RECORDS)) == 1


@pytest.mark.parametrize("more", ["\x0b", "\x0c", "\u00a0", "\u2028", "\x85", "x", "{}", ",", "]"])
def test_nothing_but_white_space_stands_around_an_object(person, more):
    row = native_line(record(9)).strip()
    for line in (row + more, more + row):
        assert refusal(person, GOOD + line.encode()).line == 2


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("line", [record(9, amount="@"), document("Contact", 5, x="@")])
def test_exponent_of_very_many_digits_is_refused(person, line, sign):
    text = native_line(line).replace('"@"', f"1e{sign}{'9' * 30}")
    error = refusal(person, GOOD + text.encode())
    assert (error.line, error.reason) == (2, "contains a number that is out of range")


def test_type_key_may_stand_anywhere_in_the_object(person):
    rows = [account(), record(9)]
    turned = [dict(reversed(row.items())) for row in rows]
    person.native(*turned)
    assert len(person.rows(RECORDS)) == 1


def test_records_may_stand_before_everything_they_refer_to(person):
    person.native(record(9, categoryId=an_id(3)), document("Category", 3), account())
    person.audit()


OUT_OF_RANGE = "is out of range: it can be from -922337203685477.5807 to 922337203685477.5807"
TOO_LONG = "line 1: contains a number that is out of range"


@pytest.mark.parametrize(
    ("line", "number", "said"),
    [
        ("record", "1e-999999999", "line 1: amount has more than 4 decimal places"),
        ("record", "0e999999999", "1"),
        ("record", "0e-999999999", "1"),
        ("record", "1e999999999", f"line 1: amount {OUT_OF_RANGE}"),
        ("contact", "1e-999999999", TOO_LONG),
        ("contact", "0e999999999", "1"),
        ("contact", "0e-999999999", "1"),
        ("contact", "1e999999999", TOO_LONG),
    ],
)
def test_number_with_an_enormous_exponent_costs_nothing(number, line, said):
    """Uses another process, because one that wrote the number out would never end."""
    program = f"""
import io
from decimal import Decimal
from finance_api.importers.interface import ImportRefused
from finance_api.importers.native import native_file
text = '{{"reserved_model_type":"Record","id":"{an_id(1)}","accountId":"{an_id(1)}",'
text += '"recordDate":"2026-01-31","amount":{number}}}'
if {line!r} == "contact":
    text = '{{"reserved_model_type":"Contact","id":"{an_id(1)}","name":"n","x":{number}}}'
try:
    with native_file(io.BytesIO(text.encode())) as file:
        print(sum(len([*part()]) for part in (file.documents, file.records)))
except ImportRefused as error:
    print(error)
"""
    limits = "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
    limits += "resource.setrlimit(resource.RLIMIT_CPU, (4, 4))\n"
    command = [sys.executable, "-c", limits + program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stdout.strip() == said


#: Valid JSON that is refused all the same, and why.
NOT_TAKEN = {
    "y_number_double_close_to_zero": "out of range",
    "y_object_duplicated_key_and_value": "appears twice",
    "y_object_escaped_null_in_key": "NUL character",
    "y_string_null_escape": "NUL character",
}
#: Other files that are taken: whole numbers of any length, and a line break that is a blank here.
TAKEN = {
    "i_number_too_big_neg_int",
    "i_number_too_big_pos_int",
    "i_number_very_big_negative_int",
    "n_string_unescaped_newline",
}


def test_files_of_the_json_suite_are_refused_or_imported(corpora):
    directory = corpora / "json" / "nst__JSONTestSuite"
    if not directory.is_dir():
        pytest.skip("the suite is not there")
    person = Person(MemoryBackend())
    files = sorted(directory.glob("[yni]_*.json"))
    assert files
    for number, file in enumerate(files):
        text = file.read_bytes()
        wrapped = b'{"reserved_model_type":"Contact","name":"n","id":"%s","x":%s}\n' % (
            an_id(number).encode(),
            text.replace(b"\n", b" ").replace(b"\r", b" "),
        )
        refused = [(text, None)]
        is_valid = file.name.startswith("y_")
        if file.stem in TAKEN or (is_valid and file.stem not in NOT_TAKEN):
            person.file(wrapped)
        else:
            refused.append((wrapped, NOT_TAKEN.get(file.stem)))
        before = person.snapshot()
        for data, reason in refused:
            with pytest.raises(ImportRefused, match=reason) as error:
                person.file(data)
            assert error.value.line or not data.removeprefix(b"\xef\xbb\xbf").strip(), file.name
        assert person.snapshot() == before
    # Imported data is exported in a form that can be imported again.
    other = Person(person.backend)
    other.file(person.dump())
    assert other.dump() == person.dump()
