"""Whatever the bytes of a native file: its objects, or a refusal with a reason."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native import NativeRow, native_file
from finance_api.resources import RESOURCES
from support.damaging import mutations
from support.ledger import account, document, record
from support.nightly import count
from support.service import native_line

LINES = [
    native_line(row).encode()
    for row in (
        account(1, source="ofx", sourceId="20/100", name="ä\u2028"),
        document("Category", 3),
        document("Label", 5),
        document("Contact", 7, more={"a": [1, 2.5, None, "x"]}),
        record(9, labelIds=["00000005-0000-4000-8000-000000000000"], payee="Café"),
        record(10, amount=5, recordState="cleared"),
        document("Budget", 11, limitAmount=100, categoryIds=[]),
    )
]
ORIGINAL = b"".join(LINES)
FRAGMENTS = [
    *rb'{ } [ ] " : , \ \u0000 \ud800 null 1e999999999 NaN -'.split(),
    *(b"\n", b"\xff", b"\0", b"\xef\xbb\xbf", b"[" * 5_000, b"9" * 5_000),
]

pytestmark = pytest.mark.nightly
BOUNDED = settings(max_examples=count(60, 10_000), derandomize=True)


def read(data: bytes) -> list[NativeRow]:
    with native_file(io.BytesIO(data)) as file:
        rows = [*file.documents(), *file.records()]
        assert rows == [*file.documents(), *file.records()]
    return rows


def reads_or_refuses(data: bytes) -> None:
    try:
        rows = read(data)
    except ImportRefused as refused:
        assert refused.reason.strip()
        assert refused.line or "is empty" in refused.reason
    else:
        lines = {number for number, line in enumerate(data.split(b"\n"), 1) if line.strip()}
        assert len(rows) <= len(lines)
        assert {row.line for row in rows} <= lines


def test_every_kind_of_value_survives_being_kept() -> None:
    rows = read(ORIGINAL)
    assert [row.line for row in rows] == [1, 2, 3, 4, 7, 5, 6]
    for row in rows:
        for field in row.resource.native_fields:
            if field.kind.is_list and row.values.get(field.name) is not None:
                assert isinstance(row.values[field.name], tuple)
    assert {row.resource for row in rows} <= set(RESOURCES)
    assert rows[3].values["extra"] == '{"more":{"a":[1,2.5,null,"x"]}}'


def test_file_cut_off_anywhere_gives_the_lines_before_or_is_refused() -> None:
    whole = {row.line: row for row in read(ORIGINAL)}
    for length in range(1, len(ORIGINAL)):
        data = ORIGINAL[:length]
        begun = data.count(b"\n") + (not data.endswith(b"\n"))
        try:
            rows = read(data)
        except ImportRefused as refused:
            assert refused.line == begun
        else:
            assert sorted(row.line for row in rows) == list(range(1, begun + 1))
            assert all(row == whole[row.line] for row in rows)


def test_damaged_file_is_read_or_refused() -> None:
    for data in mutations(ORIGINAL, count(60, 10_000), FRAGMENTS):
        reads_or_refuses(data)


@BOUNDED
@given(st.lists(st.sampled_from([*FRAGMENTS, *LINES]) | st.binary(max_size=4)).map(b"".join))
def test_any_heap_of_fragments_is_read_or_refused(data: bytes) -> None:
    reads_or_refuses(data)
