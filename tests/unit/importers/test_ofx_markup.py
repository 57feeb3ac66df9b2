"""OFX markup: tags, text, references, charsets and limits."""

import time
from collections.abc import Iterator

import pytest

from finance_api.importers.interface import Entry, ImportRefused
from finance_api.importers.ofx import markup, tree
from support.ofx import looks_like_ofx, read_ofx

HEAD = b"OFXHEADER:100\nDATA:OFXSGML\n"


def document(body: str) -> str:
    return f"<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>{body}</STMTRS></OFX>"


def transaction(fields: str) -> str:
    return f"<STMTTRN><DTPOSTED>20240131<TRNAMT>-1<FITID>x{fields}</STMTTRN>"


def entries(body: str) -> list[Entry]:
    return read_ofx(document(body))[0].entries


def entry(fields: str) -> Entry:
    return entries(transaction(fields))[0]


def refusal(data: str | bytes) -> ImportRefused:
    with pytest.raises(ImportRefused) as refused:
        read_ofx(data)
    return refused.value


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("<MEMO>a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", "a & b <c> \"d\" 'e'"),
        ("<MEMO>caf&#233; &#xE9; &eacute;</MEMO>", "café é é"),
        ("<MEMO>&nbsp;&nbsp;padded&nbsp; ", "padded"),
        ("<MEMO>&nbsp;", None),
        ("<MEMO>A & Z; AT&T &unknown; &amp;amp;", "A & Z; AT&T &unknown; &amp;"),
        ("<MEMO><![CDATA[<c>&amp;]]> more</MEMO>", "<c>&amp; more"),
        ("<MEMO>one<BR>two<br/>three<BR />four</MEMO>", "one two three four"),
        ("<MEMO><p class='x'>one</p>\n<B>two</B>", "one \n two"),
        ("<MEMO>one&lt;br/&gt;two", "one two"),
        ("<MEMO>before<!-- <MEMO>not this --> after", "before after"),
        ("<MEMO>John <john@example.com> 1 < 2 <", "John <john@example.com> 1 < 2 <"),
        ("<MEMO>to <John Smith>", "to <John Smith>"),
        ("<MEMO>two\n   lines\n", "two\n   lines"),
        ("<MEMO>\x01control\x07 characters", "control characters"),
        ("<MEMO>e\u0301", "\u00e9"),
        ("<MEMO/>", None),
        ("<MEMO></MEMO>", None),
        ("<MEMO>   \n", None),
        ("<memo>lower case</memo>", "lower case"),
        ("<n:MEMO>with a prefix</n:MEMO>", "with a prefix"),
        ("<MEMO>a prefix <alone:>", "a prefix <alone:>"),
        ("<MEMO >with a blank</MEMO >", "with a blank"),
        ("<MEMO>closed by another</NAME>", "closed by another"),
    ],
)
def test_text_of_a_leaf_is_read_as_it_is_meant(written: str, note: str | None) -> None:
    assert entry(written).note == note


def test_empty_unclosed_leaf_does_not_swallow_what_follows() -> None:
    found = entry("<CHECKNUM>\n<NAME>\n<MEMO>note\n<PAYEE>\n<NAME>Shop</NAME>\n</PAYEE>")
    assert (found.payee, found.note) == ("Shop", "note")


def test_name_over_two_lines_becomes_one_line() -> None:
    assert entry("<NAME>Corner\n   Shop").payee == "Corner Shop"


def test_transaction_that_is_not_closed_ends_at_the_next_or_with_its_list() -> None:
    body = "<BANKTRANLIST>" + "".join(
        f"<STMTTRN><DTPOSTED>20240101<TRNAMT>{number}<FITID>{number}" for number in (1, 2, 3)
    )
    for end in ("</STMTTRN></BANKTRANLIST>", "</BANKTRANLIST>", "", "<LEDGERBAL><BALAMT>6"):
        assert [found.amount for found in entries(body + end)] == [10_000, 20_000, 30_000]


def test_balance_behind_an_unclosed_transaction_is_not_the_transaction_s() -> None:
    body = transaction("").removesuffix("</STMTTRN>")
    balance = "<LEDGERBAL><BALAMT>7<DTASOF>20240131</LEDGERBAL>"
    closing = read_ofx(document(body + balance))[0].statement.closing
    assert closing and closing.amount == 70_000


def test_line_is_counted_with_every_kind_of_line_end() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = document(f"{end}<!--{end}-->{end}{transaction('')}")
        assert read_ofx(text)[0].entries[0].line == 4


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<STMTTRN><DTPOSTED>20240101<TRNAMT>1</STMTTRN> 5 <STMTTRN>", "'5' belongs to no tag"),
        ("<DTPOSTED>20240101<TRNAMT>1</STMTTRN>", "</STMTTRN> closes a transaction"),
        ("<DTPOSTED>20240101<TRNAMT>1", "<TRNAMT> '1' is outside of a transaction"),
        ("<INVTRAN><FITID>1</INVTRAN>", "<INVTRAN> is outside of a transaction"),
        (transaction("<TRNAMT>2"), "'2' is the second <TRNAMT>"),
        (transaction("<MEMO>&#0;"), "&#0; is not a character"),
        (transaction("<MEMO>&#xD800;"), "is not a character"),
        (transaction("<MEMO>&#x110000;"), "is not a character"),
        ("<!-- never", "comment that begins here never ends"),
        ("<![CDATA[ never ]]", "CDATA section that begins here never ends"),
        ("<A>" * 101, "nested deeper than 100"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_line(body: str, words: str) -> None:
    refused = refusal("\n\n" + document(body))
    assert words in refused.reason
    assert refused.line == 3


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE OFX [<!ENTITY a "b">]>',
        '<!DOCTYPE OFX [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]>',
        '<!ENTITY a "b">',
    ],
)
def test_declarations_of_entities_are_refused(declaration: str) -> None:
    refused = refusal(f"<?xml version='1.0'?>\n{declaration}\n" + document(transaction("")))
    assert refused.line == 2
    assert "entity declarations are not supported" in refused.reason


def test_document_type_without_entities_is_passed_over() -> None:
    assert read_ofx('<!DOCTYPE OFX SYSTEM "ofx160.dtd">' + document(transaction("")))


@pytest.mark.parametrize("tag", ["OFX", "STMTRS", "BANKTRANLIST", "STMTTRN"])
def test_file_that_ends_inside_an_aggregate_is_refused_naming_it(tag: str) -> None:
    whole = document(f"<BANKTRANLIST>{transaction('')}</BANKTRANLIST>")
    refused = refusal(whole[: whole.index(f"</{tag}>")])
    assert f"ends inside <{tag}>" in refused.reason


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        ("ENCODING:USASCII\nCHARSET:1252\n", "cp1252"),
        ("ENCODING:USASCII\nCHARSET:1252\n", "utf-8"),
        ("ENCODING:USASCII\nCHARSET:NONE\n", "cp1252"),
        ("ENCODING:USASCII\n", "cp1252"),
        ("ENCODING:UTF-8\nCHARSET:NONE\n", "utf-8"),
        ("ENCODING:UNICODE\nCHARSET:CSUNICODE\n", "utf-8"),
        ("ENCODING:USASCII\nCHARSET:ISO-8859-1\n", "cp1252"),
        ("ENCODING:USASCII\nCHARSET:8859-15\n", "iso8859-15"),
        ("ENCODING:USASCII CHARSET:1250 COMPRESSION:NONE ", "cp1250"),
        ("ENCODING:USASCIICHARSET:850COMPRESSION:NONE", "cp850"),
        ("<?xml version='1.0' encoding='windows-1252'?>", "cp1252"),
        ("<?xml version='1.0' encoding='UTF-8'?>", "utf-8"),
        ("<?xml version='1.0' encoding='UTF-16'?>", "utf-16"),
        ("<?xml version='1.0' encoding='UTF-16'?>", "utf-16-le"),
        ("<?xml version='1.0' encoding='UTF-16'?>", "utf-16-be"),
        ("", "utf-8-sig"),
        ("", "utf-8"),
        ("", "cp1252"),
    ],
)
def test_charset_is_found_by_what_is_declared_and_what_is_there(header: str, charset: str) -> None:
    if not header.startswith("<") and header:
        header = "OFXHEADER:100\n" + header
    data = (header + document(transaction("<NAME>ký € é"))).encode(charset, errors="replace")
    expected = "ký € é".encode(charset, errors="replace").decode(charset)
    assert read_ofx(data)[0].entries[0].payee == expected
    assert looks_like_ofx(data[:4096])


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (HEAD + b"ENCODING:UTF-8\nCHARSET:NONE\n", "(utf-8)"),
        (b"<?xml version='1.0'?>", "(utf-8)"),
        (HEAD + b"CHARSET:1252\n\x81", "(utf-8 or cp1252)"),
    ],
)
def test_bytes_that_do_not_fit_the_charset_are_refused(head: bytes, words: str) -> None:
    reason = refusal(head + document(transaction("<NAME>\xe9")).encode("latin-1")).reason
    assert "do not fit its charset" in reason
    assert words in reason


@pytest.mark.parametrize("name", ["KLINGON", "zlib", "base64", "utf-7", "unicode_escape", "4711"])
def test_charset_that_is_not_known_is_refused_by_name(name: str) -> None:
    data = HEAD + f"CHARSET:{name}\n".encode() + document("").encode()
    assert refusal(data).reason == f"the charset {name!r} that the file declares is unknown"


def test_nul_bytes_are_refused_except_at_the_end() -> None:
    data = document(transaction("<NAME>Shop")).encode()
    assert read_ofx(data + b"\0\0")[0].entries[0].payee == "Shop"
    assert "NUL" in refusal(data.replace(b"Shop", b"Sh\0p")).reason


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<a ",
        '<a b="c" ',
        "<a/>",
        "</a>",
        "<A>x",
        "<?a>",
        "&#1",
        "<![CDATA[]]>",
        "\n",
        "</OFX>",
    ],
)
def test_hostile_repetition_between_tags_is_read_in_linear_time(unit: str) -> None:
    data = b"<OFX>" + unit.encode() * (400_000 // len(unit)) + b"</OFX>"
    began = time.process_time()
    refusal(data)
    assert time.process_time() - began < 5


# -- limits: the memory for what is not a transaction

LIST = "<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>\n"
LIST_END = "</BANKTRANLIST></STMTRS></OFX>"


def transactions(number: int) -> str:
    return "".join(
        f"<STMTTRN><DTPOSTED>20240131<TRNAMT>-1<FITID>{n}<NAME>Shop {n}<MEMO>{n:080d}</STMTTRN>\n"
        for n in range(number)
    )


def wide(name: str) -> Iterator[str]:
    """Yield files with very many tags outside of transactions, or inside one."""
    leaves = f"<{name}>x" * 2_000
    yield LIST + transactions(1) + leaves + LIST_END
    yield LIST + "<STMTTRN>" + leaves + "<DTPOSTED>20240131<TRNAMT>1</STMTTRN>" + LIST_END
    yield LIST + transactions(1) + f"<{name}>" + f"<![CDATA[{'x' * 500}]]><!-- -->" * 400 + LIST_END


def test_what_is_held_outside_of_transactions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_HELD_BYTES", 100_000)
    assert len(read_ofx(LIST + transactions(1_000) + LIST_END)[0].entries) == 1_000
    for text in wide("A"):
        refused = refusal(text)
        assert "are in one transaction or outside of all transactions" in refused.reason
        assert refused.line in (2, 3)


@pytest.mark.parametrize(
    "piece",
    [
        "x" * 101,
        "< " * 51,
        "&amp;" * 21,
        "<!--" + "x" * 101,
        "<![CDATA[" + "x" * 101,
        "<A" + " " * 101,
    ]
    + ["<A " + "a='b' " * 30 + ">", "<?x" + "x" * 101, "\n" * 101, "x" * 99 + "<" + "x" * 101],
)
@pytest.mark.parametrize("end", ["<B>", "--><B>", "]]><B>", ""])
def test_one_tag_or_text_is_bounded(monkeypatch: pytest.MonkeyPatch, piece: str, end: str) -> None:
    monkeypatch.setattr(markup, "MAX_LEXEME_CHARACTERS", 100)
    refused = refusal(LIST + "<MEMO>" + piece + end)
    assert refused.reason == "a tag or text has more than 100 characters"
    assert refused.line in (2, 3)


def test_texts_up_to_the_bound_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_LEXEME_CHARACTERS", 100)
    for note in ("x" * 100, "<" * 100, "x" * 50 + "< x" * 16):
        row = f"<STMTTRN><DTPOSTED>20240131<TRNAMT>1<MEMO>{note}</STMTTRN>"
        (found,) = read_ofx(LIST + row + LIST_END)
        assert found.entries[0].note == note
