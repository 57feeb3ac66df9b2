"""Any bytes with any options give statements or ImportRefused, quickly, and no other error."""

from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from finance_api.importers.csv import Mapping
from finance_api.importers.csv.vocabulary import kind_of
from finance_api.importers.interface import ImportRefused
from support.csv_files import answers, read
from support.nightly import count


def read_or_refuse(data, options):
    """Return the statements, or None if refused. Every refusal must be fit for users."""
    try:
        statements = read(data, **vars(options))
    except ImportRefused as refused:
        assert refused.reason.strip()
        assert len(refused.reason) < 5000
        assert refused.line is None or refused.line >= 1
        assert all(isinstance(text, str) for text in answers(refused))
        str(refused).encode()
        return None
    for statement in statements:
        str(statement).encode()
    return statements


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["", "1", "2", "99", "date", "Amount", "payee", "\ud800", "\x00", "account", ",", ";", "tab"]
)


def optional(*texts):
    return st.none() | st.sampled_from(texts) | TEXTS if texts else st.none() | TEXTS


ANY_OPTIONS = st.builds(
    Mapping,
    columns=st.dictionaries(
        st.sampled_from(["recordDate", "amount", "payee", "id", "account", "labels"]) | TEXTS,
        TEXTS,
        max_size=3,
    ),
    delimiter=optional(",", ";", "a", "1", '"', "é"),
    decimal=optional(".", ","),
    thousands=optional(".", ",", " "),
    date_format=optional()
    | st.lists(st.sampled_from("%d %m %Y %y %b %H % DD MM YYYY -".split() + [" "])).map("".join),
    encoding=optional("utf-8", "cp1252", "utf-16", "utf-7", "shift_jis", "iso2022_jp", "cp037"),
    profile=optional("wallet"),
    timezone=optional("Europe/Berlin"),
    mixed_signs=optional("plus", "minus", "ignore"),
    sign=optional("payee", "payee=a", "2=x,y"),
    positive=optional("in", "out"),
    only=st.lists(st.sampled_from(["payee=a", "1=", "="]) | TEXTS, max_size=2),
    balance=optional("amount", "3"),
    fee=st.lists(st.sampled_from(["amount=signed", "3=unsigned"]) | TEXTS, max_size=2),
    skip_last=st.integers(-1, 2),
    skip_rows=st.integers(-1, 4),
    account=optional("Main"),
    currency=optional("EUR"),
    **dict.fromkeys(("fee_category", "label_separator", "debit", "credit"), optional()),
    **dict.fromkeys(("no_profile", "force_encoding", "no_text", "invert", "header"), st.booleans()),
)
PIECES = st.sampled_from(
    "date amount payee id account 2026-01-01 01/02/2026 31.12.26 1,5 -5 (1.234) EUR".split()
    + ["€ 7", '"', '""', ",", ";", "\t", "|", "\n", "\r\n", "\r", " ", "\x00", "é", "\ufeff"]
    + ["\u2028", "9" * 30, ",,,,"]
).map(str.encode)
FILES = (
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: text.encode("utf-16"))
    | st.lists(PIECES, max_size=60).map(b"".join)
    | st.lists(PIECES, max_size=40).map(lambda parts: b"date,amount,payee\n" + b"".join(parts))
)


@pytest.mark.nightly
@settings(max_examples=count(40, 6_000), deadline=None)
@given(FILES, st.just(Mapping(account="Main")) | ANY_OPTIONS)
def test_any_bytes_under_any_options_are_read_or_refused(data, options):
    read_or_refuse(data, options)


CELLS = st.tuples(
    st.dates(date(1970, 1, 1), date(2027, 12, 31)).map(str),
    st.decimals(-10_000, 10_000, places=2).map(str),
    # A row whose text looks like a total would lead to a question.
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8).filter(
        lambda text: kind_of(text) is None
    ),
)


@settings(max_examples=count(25, 200), deadline=None)
@given(st.lists(CELLS, max_size=8), st.sampled_from([",", ";", "\t", "|"]))
def test_whatever_is_quoted_is_read_with_its_count_and_dates(rows, delimiter):
    def quoted(cells):
        return delimiter.join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\r\n"

    text = quoted(("date", "amount", "payee")) + "".join(map(quoted, rows))
    # A last row without text would lead to a question, too.
    assume(len(rows) < 3 or rows[-1][2].strip())
    options = Mapping(
        account="Main", delimiter=delimiter, decimal=".", date_format="YYYY-MM-DD", positive="in"
    )
    (statement,) = read_or_refuse(text.encode(), options)
    assert len(statement.entries) == len(rows)
    # More rows at the end of the file do not change the earlier ones.
    (longer,) = read_or_refuse((text + quoted(("2026-01-01", "1", "x"))).encode(), options)
    assert longer.entries[:-1] == statement.entries


@pytest.mark.nightly
def test_many_rows_are_read_to_the_last():
    rows_in_file = count(10_000, 100_000)
    rows = (
        f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.2026;Payee {i};{i},{i % 100:02d};note {i};R{i}\r\n"
        for i in range(rows_in_file)
    )
    data = ("Date;Payee;Amount;Note;Ref\r\n" + "".join(rows)).encode()
    (statement,) = read_or_refuse(data, Mapping(account="Main", positive="in"))
    assert len(statement.entries) == rows_in_file
    assert sum(e.amount for e in statement.entries) == sum(
        i * 10_000 + i % 100 * 100 for i in range(rows_in_file)
    )
