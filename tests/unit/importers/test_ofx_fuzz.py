"""Whatever the bytes: statements, or a refusal with a reason."""

import io
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx import OfxImporter, looks_like_ofx

SAMPLES = Path(__file__).parents[2] / "samples" / "ofx"
ORIGINALS = [
    path.read_bytes()
    for path in sorted(SAMPLES.iterdir())
    if path.suffix in (".ofx", ".qfx", ".qbo")
]
FRAGMENTS = [
    *(f"<{name}>".encode() for name in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "DTPOSTED", "A")),
    *(f"</{name}>".encode() for name in ("OFX", "STMTRS", "STMTTRN", "TRNAMT", "A")),
    *(b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?a", b"<!DOCTYPE", b"&#0;", b"&#xd800;", b"&amp"),
    *(b"\0", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x81", b"CHARSET:zlib", b"99999999999"),
    *(b"1" * 5000, b"1." + b"0" * 5000, b"<CURRENCY>", b"<LEDGERBAL>", b"ENCODING:UTF-16"),
]

BOUNDED = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def reads_or_refuses(data: bytes) -> None:
    looks_like_ofx(data[:4096])
    try:
        statements = OfxImporter().read(io.BytesIO(data))
    except ImportRefused as refused:
        assert refused.reason.strip()
    else:
        assert statements
        ids = [entry.source_id for statement in statements for entry in statement.entries]
        assert len(ids) == len(set(ids))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A sample with pieces cut, repeated, moved, inserted and overwritten."""
    data = draw(st.sampled_from(ORIGINALS))
    for _ in range(draw(st.integers(1, 6))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        target = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(FRAGMENTS) | st.binary(max_size=12))
        data = draw(
            st.sampled_from(
                [
                    data[:start] + data[end:],
                    data[:start],
                    data[:target] + data[start:end] + data[target:],
                    data[:start] + piece + data[start:],
                    data[:start] + piece + data[start + len(piece) :],
                ]
            )
        )
    return data


@BOUNDED
@given(damaged())
def test_damaged_file_is_read_or_refused(data: bytes) -> None:
    reads_or_refuses(data)


@BOUNDED
@given(st.binary(max_size=400))
@example(b"")
@example(b"\xff\xfe\x00")
@example(b"\xff\xfe<\x00O\x00\x00\xd8")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    reads_or_refuses(data)


@BOUNDED
@given(st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=4), max_size=60).map(b"".join))
def test_any_heap_of_fragments_is_read_or_refused(data: bytes) -> None:
    reads_or_refuses(b"<OFX>" + data + b"</OFX>")


def test_file_cut_off_anywhere_is_never_half_imported() -> None:
    whole = ORIGINALS[0]
    end = whole.rindex(b"</OFX>") + len(b"</OFX>")
    for length in range(end):
        try:
            OfxImporter().read(io.BytesIO(whole[:length]))
        except ImportRefused:
            continue
        raise AssertionError(f"the first {length} of {end} bytes were imported")
