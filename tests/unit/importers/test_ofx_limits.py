"""Apart from transactions, the memory for a file's content is limited."""

from collections.abc import Iterator

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx import markup, tree
from support.ofx import read_ofx

HEAD = "<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>\n"
END = "</BANKTRANLIST></STMTRS></OFX>"


def transactions(number: int) -> str:
    return "".join(
        f"<STMTTRN><DTPOSTED>20240131<TRNAMT>-1<FITID>{n}<NAME>Shop {n}<MEMO>{n:080d}</STMTTRN>\n"
        for n in range(number)
    )


def refusal(data: str) -> tuple[str, int | None]:
    with pytest.raises(ImportRefused) as refused:
        read_ofx(data)
    return refused.value.reason, refused.value.line


def wide(name: str) -> Iterator[str]:
    """Files with very many tags that are not transactions, and in one of them."""
    leaves = f"<{name}>x" * 2_000
    yield HEAD + transactions(1) + leaves + END
    yield HEAD + "<STMTTRN>" + leaves + "<DTPOSTED>20240131<TRNAMT>1</STMTTRN>" + END
    yield HEAD + transactions(1) + f"<{name}>" + f"<![CDATA[{'x' * 500}]]><!-- -->" * 400 + END


def test_what_is_held_outside_of_transactions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_HELD_BYTES", 100_000)
    assert len(read_ofx(HEAD + transactions(1_000) + END)[0].entries) == 1_000
    for text in wide("A"):
        reason, line = refusal(text)
        assert "are in one transaction or outside of all transactions" in reason
        assert line is not None and line in (2, 3)


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
    reason, line = refusal(HEAD + "<MEMO>" + piece + end)
    assert reason == "a tag or text has more than 100 characters"
    assert line in (2, 3)


def test_texts_up_to_the_bound_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_LEXEME_CHARACTERS", 100)
    for note in ("x" * 100, "<" * 100, "x" * 50 + "< x" * 16):
        row = f"<STMTTRN><DTPOSTED>20240131<TRNAMT>1<MEMO>{note}</STMTTRN>"
        (found,) = read_ofx(HEAD + row + END)
        assert found.entries[0].note == note
