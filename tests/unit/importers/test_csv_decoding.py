"""From bytes to text: byte order marks, UTF-8, named encodings."""

import io

import pytest

from finance_api.importers.csv.decoding import open_text
from finance_api.importers.csv.questions import Questions
from finance_api.importers.interface import ImportRefused


def decode(data, encoding, force=False):
    questions = Questions()
    text = open_text(io.BytesIO(data), encoding, force=force, questions=questions)
    questions.put()
    return "".join(text.lines())


def refusal(data, encoding=None):
    with pytest.raises(ImportRefused) as refused:
        decode(data, encoding)
    return refused.value


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_mark_decides(codec):
    assert decode("é;€".encode(codec), None) == "é;€"


def test_big_endian_mark_decides():
    assert decode(b"\xfe\xff" + "é".encode("utf-16-be"), None) == "é"


def test_without_a_mark_it_is_utf_8():
    assert decode("é;€".encode(), None) == "é;€"


def test_named_encoding_is_used():
    assert decode(b"\x80\xe9", "cp1252") == "€é"
    assert decode("é".encode("utf-16-le"), "UTF-16LE") == "é"
    assert decode(b"\xef\xbb\xbfx", "utf8") == "x"


def test_mark_that_contradicts_the_option_is_refused():
    refused = refusal(b"\xef\xbb\xbfx", "cp1252")
    assert "UTF-8" in refused.reason and "--encoding" in refused.reason


def test_utf_16_without_a_mark_needs_its_order():
    assert "utf-16-le" in refusal(b"x\x00", "utf-16").reason


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_byte_that_is_not_utf_8_is_refused_with_line_and_value(end):
    refused = refusal(b"a" + end + end + b"caf\xe9" + end)
    assert refused.line == 3
    assert "0xE9" in refused.reason and "--encoding" in refused.reason


def test_byte_without_a_character_is_refused_with_its_line():
    refused = refusal(b"a\nb\x81", "cp1252")
    assert refused.line == 2 and "0x81" in refused.reason


def test_half_a_character_at_the_end_is_refused():
    assert refusal(b"\xff\xfea\x00\n\x00b").line == 2


@pytest.mark.parametrize(
    "encoding",
    ["", "latin-99", "base64", "rot13", "zlib", "idna", "punycode", "undefined", "unicode_escape"]
    + ["raw_unicode_escape", "mbcs", "\x00", "\ud800", "../x", "x" * 10_000, "aliases", "é"],
)
def test_unknown_encoding_is_refused(encoding):
    refused = refusal(b"abc", encoding)
    assert "--encoding" in refused.reason and len(refused.reason) < 400


def test_nul_is_refused_with_its_line_and_what_it_betrays():
    refused = refusal("a\nb".encode("utf-16-be"))
    assert refused.line == 1 and "utf-16-be" in refused.reason
    assert refusal(b"a\r\nb\x00").line == 2


def test_half_of_a_surrogate_pair_is_refused():
    assert "--encoding" in refusal(b"+2AA-", "utf-7").reason
