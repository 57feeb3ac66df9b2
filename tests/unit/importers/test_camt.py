"""The meaning of camt's entries and statements, and refusals."""

import pytest

from finance_api.importers.camt import markup
from finance_api.importers.interface import Entry, ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.bank_files import (
    IBAN,
    camt,
    camt_balance,
    camt_entry,
    camt_part,
    camt_statement,
    read_bank_file,
)
from support.whole import Whole


def one(*entries: str, message: str = "camt.053", **values: object) -> Whole:
    (found,) = read_bank_file(camt(camt_statement(entries, **values), message=message))
    return found


def only(entry: str, **values: object) -> Entry:
    (found,) = one(entry, **values).entries
    return found


def refusal(data: str | bytes) -> str:
    with pytest.raises(ImportRefused) as refused:
        read_bank_file(data)
    return str(refused.value)


def amounts(whole: Whole) -> list[str]:
    return [decimal_text(entry.amount) for entry in whole.entries]


# -- entries


@pytest.mark.parametrize(
    ("amount", "reversal", "expected"),
    [
        ("-12.50", "false", "-12.5"),
        ("12.50", "false", "12.5"),
        # The booking is a credit, which reverses a debit.
        ("12.50", "true", "12.5"),
        ("-12.50", "true", "-12.5"),
    ],
)
def test_the_direction_is_that_of_the_booking(amount: str, reversal: str, expected: str) -> None:
    further = f"<RvslInd>{reversal}</RvslInd>"
    balances = [
        camt_balance("OPBD", "100", "2026-01-05"),
        camt_balance("CLBD", f"{100 + float(amount):.2f}", "2026-01-05"),
    ]
    found = one(camt_entry("2026-01-05", amount, further=further), balances=balances)
    assert amounts(found) == [expected]


@pytest.mark.parametrize("status", ["{}", "<Cd>{}</Cd>"])
def test_only_what_is_booked_is_an_entry(status: str) -> None:
    found = one(
        *(
            camt_entry("2026-01-05", "-1", status=status.format(name))
            for name in ("BOOK", "PDNG", "INFO", "FUTR", "PDNG")
        )
    )
    assert amounts(found) == ["-1"]
    assert found.statement.skipped == {
        "pending transaction": 2,
        "information": 1,
        "future transaction": 1,
    }


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<Sts>BOOK</Sts>", "", "has no <Sts>"),
        ("<Sts>BOOK</Sts>", "<Sts>B0OK</Sts>", "<Sts> 'B0OK' is not one of BOOK, PDNG"),
        ("<CdtDbtInd>DBIT</CdtDbtInd>", "", "has no <CdtDbtInd>"),
        ("DBIT", "DEBIT", "<CdtDbtInd> 'DEBIT' is not CRDT or DBIT"),
        ('<Amt Ccy="EUR">12.50</Amt>', "", "has no <Amt>"),
        ("12.50</Amt>", '12.50</Amt><Amt Ccy="EUR">1</Amt>', "has 2 <Amt>"),
        ("12.50", "12,50", "is not a decimal number"),
        ("12.50", "-12.50", "has a sign"),
        ("12.50", "1.23456", "more than 4 decimal places"),
        ("12.50", "1e3", "is not a decimal number"),
        ("12.50", "1" * 40, "out of range"),
        ('Ccy="EUR">12', 'Ccy="EUX">12', "has the currency 'EUX'"),
        ('Ccy="EUR">12', ">12", "has the currency '', which is not"),
        ('Ccy="EUR">12', 'Ccy="USD">12', "an account in EUR, but its amounts are in USD"),
        ("<Ccy>EUR</Ccy>", "<Ccy>Euro</Ccy>", "<Ccy> 'Euro' is not an ISO 4217"),
        ("2026-01-05", "05.01.2026", "is not a date in the form YYYY-MM-DD"),
        ("2026-01-05", "2026-02-30", "is not a day of the calendar"),
        ("BookgDt", "NoDt", "has neither a booking date nor a value date"),
    ],
)
def test_an_entry_that_is_not_certain_is_refused(old: str, new: str, words: str) -> None:
    data = camt(camt_statement([camt_entry("2026-01-05", "-12.50")]))
    assert old in data
    data = data.replace(old, new)
    if old == "BookgDt":
        data = data.replace("ValDt", "NoDt")
    message = refusal(data)
    assert words in message
    assert message.startswith("line ")


def test_an_entry_in_another_currency_than_the_others_is_refused() -> None:
    entries = [camt_entry("2026-01-05", "-1"), camt_entry("2026-01-05", "-1", currency="USD")]
    assert "<Ntry> is in USD, but the account is in EUR" in refusal(camt(camt_statement(entries)))


def test_the_former_code_of_the_rouble_is_that_of_today() -> None:
    found = one(camt_entry("2026-01-05", "-1", currency="RUR"), currency="RUR")
    assert found.account.currency == "RUB"
    assert amounts(found) == ["-1"]


def test_days_are_those_that_are_written() -> None:
    entry = camt_entry("2026-01-05", "-1")
    for written, day, seconds in [
        ("<Dt>2026-01-05</Dt>", "2026-01-05", 0),
        ("<Dt>2026-01-05+14:00</Dt>", "2026-01-05", 0),
        ("<DtTm>2026-01-05T23:59:58.999-08:00</DtTm>", "2026-01-05", 86_398),
        ("<DtTm>2026-01-05T00:00:00Z</DtTm>", "2026-01-05", 0),
    ]:
        found = only(entry.replace("<BookgDt><Dt>2026-01-05</Dt>", f"<BookgDt>{written}"))
        assert (date_text(found.date), found.date % 86_400) == (day, seconds)


@pytest.mark.parametrize(
    ("ref", "details", "expected"),
    [
        ("R1", "", "R1"),
        ("R1", "<Refs><AcctSvcrRef>R2</AcctSvcrRef></Refs>", "R1"),
        ("NOTPROVIDED", "<Refs><AcctSvcrRef>R2</AcctSvcrRef></Refs>", "R2"),
        ("0000", "<Refs><EndToEndId>E</EndToEndId></Refs>", "E/2026-01-05/-1"),
        (None, "<Refs><EndToEndId>A/B</EndToEndId></Refs>", "A%2FB/2026-01-05/-1"),
        (None, "<Refs><EndToEndId>NotProvided</EndToEndId></Refs>", None),
        (None, "", None),
    ],
)
def test_an_id_is_the_banks_or_what_the_payer_gave_with_day_and_amount(
    ref: str | None, details: str, expected: str | None
) -> None:
    entry = camt_entry("2026-01-05", "-1", ref=ref, details=f"<TxDtls>{details}</TxDtls>")
    assert only(entry).bank_id == expected


def test_what_a_transaction_says_of_the_other_side() -> None:
    sides = (
        "<RltdPties><Dbtr><Pty><Nm>Payer</Nm></Pty></Dbtr>"
        "<DbtrAcct><Id><IBAN>DE 01</IBAN></Id></DbtrAcct><Cdtr><Nm>Payee</Nm></Cdtr>"
        "<CdtrAcct><Id><Othr><Id>02</Id></Othr></Id></CdtrAcct></RltdPties>"
    )
    details = f"<TxDtls>{sides}</TxDtls>"
    reversal = "<RvslInd>true</RvslInd>"
    found = one(
        camt_entry("2026-01-05", "-1", details=details),
        camt_entry("2026-01-05", "1", details=details),
        camt_entry("2026-01-05", "1", details=details, further=reversal),
    )
    assert [(entry.payee, entry.counterparty_account) for entry in found.entries] == [
        ("Payee", "02"),
        ("Payer", "DE01"),
        ("Payee", "02"),
    ]


# -- batches


def batch(*parts: str, number: str = "", amount: str = "-30", ref: str = "B") -> Whole:
    told = f"<Btch><NbOfTxs>{number}</NbOfTxs></Btch>" if number else ""
    details = told + "".join(parts)
    return one(camt_entry("2026-01-05", amount, ref=ref, details=details))


def test_a_batch_is_split_if_its_parts_are_all_there_and_sum_to_it() -> None:
    found = batch(camt_part("-10", name="A"), camt_part("-25", name="B"), camt_part("5", name="C"))
    assert amounts(found) == ["-10", "-25", "5"]
    assert [entry.payee for entry in found.entries] == ["A", "B", None]
    assert {entry.batch for entry in found.entries} == {"B/2026-01-05/-30/3"}
    assert {entry.bank_id for entry in found.entries} == {None}
    assert amounts(batch(camt_part("-10"), camt_part("-20"), number="002")) == ["-10", "-20"]


@pytest.mark.parametrize(
    ("parts", "number"),
    [
        # A missing amount, a different sum, a different currency, a missing part.
        ((camt_part("-10"), camt_part("")), ""),
        ((camt_part("-10"), camt_part("-20.01")), ""),
        ((camt_part("-10"), camt_part("-20").replace("EUR", "USD")), ""),
        ((camt_part("-10"), camt_part("-20")), "3"),
        ((camt_part("-10"), camt_part("-20")), "many"),
        # One of several parts does not stand for the whole.
        ((camt_part("-30", name="A"),), "2"),
        ((), "2"),
    ],
)
def test_any_other_batch_is_one_entry(parts: tuple[str, ...], number: str) -> None:
    (entry,) = batch(*parts, number=number).entries
    assert (entry.amount, entry.bank_id, entry.payee, entry.batch) == (-300_000, "B", None, None)


def test_an_id_that_several_parts_have_is_the_id_of_none() -> None:
    parts = [camt_part("-10", ref=ref) for ref in ("S", "S", "T")]
    assert [entry.bank_id for entry in batch(*parts).entries] == [None, None, "T"]


# -- balances


def test_entries_that_do_not_make_the_closing_balance_refuse_the_file() -> None:
    balances = [
        camt_balance("OPBD", "-100.10", "2026-01-04"),
        camt_balance("CLBD", "50", "2026-01-05"),
    ]
    for message in ("camt.052", "camt.053", "camt.054"):
        data = camt(
            camt_statement([camt_entry("2026-01-05", "150")], balances=balances), message=message
        )
        assert (
            "the opening balance of -100.1 and the entries, which add up to 150, make 49.9, but "
            "the closing balance is 50: entries are missing"
        ) in refusal(data)
        (found,) = read_bank_file(data.replace("150<", "150.1<"))
        assert amounts(found) == ["150.1"]


def test_pages_have_interim_balances_and_follow_each_other() -> None:
    pages = [
        camt_statement(
            [camt_entry("2026-01-05", amount)],
            balances=[
                camt_balance(opening[0], opening[1], "2026-01-05"),
                camt_balance(closing[0], closing[1], "2026-01-05"),
            ],
        )
        for amount, opening, closing in [
            ("-10", ("OPBD", "100"), ("ITBD", "90")),
            ("-20", ("ITBD", "90"), ("ITBD", "70")),
            ("-30", ("ITBD", "70"), ("CLBD", "40")),
        ]
    ]
    (found,) = read_bank_file(camt(*pages))
    assert amounts(found) == ["-10", "-20", "-30"]
    assert decimal_text(found.statement.opening.amount) == "100"
    assert decimal_text(found.statement.closing.amount) == "40"
    assert "make 70, but the closing balance is 71" in refusal(
        camt(*pages).replace('"ITBD"', "").replace(">70<", ">71<")
    )


def test_an_interim_balance_of_a_report_is_no_closing_balance() -> None:
    found = one(
        camt_entry("2026-01-05", "-10"),
        message="camt.052",
        balances=[
            camt_balance("OPBD", "100", "2026-01-05"),
            camt_balance("ITBD", "50", "2026-01-05"),
            camt_balance("ITAV", "10", "2026-01-05"),
        ],
    )
    assert found.statement.closing is None
    assert found.statement.opening is not None


def test_a_balance_with_a_line_of_credit_in_it_is_checked_and_not_kept() -> None:
    credit = '<CdtLine><Incl>true</Incl><Amt Ccy="EUR">500</Amt></CdtLine>'

    def balances(closing: str) -> list[str]:
        return [
            camt_balance("OPBD", "600", "2026-01-05", further=credit),
            camt_balance("CLBD", closing, "2026-01-05", further=credit),
        ]

    found = one(camt_entry("2026-01-05", "-10"), balances=balances("590"))
    assert (found.statement.opening, found.statement.closing) == (None, None)
    data = camt(camt_statement([camt_entry("2026-01-05", "-10")], balances=balances("90")))
    assert "but the closing balance is 90" in refusal(data)


def test_balances_in_two_currencies_are_refused() -> None:
    data = camt(
        camt_statement(
            balances=[
                camt_balance("OPBD", "1", "2026-01-05"),
                camt_balance("CLBD", "1", "2026-01-05", "SEK"),
            ]
        )
    )
    assert "in different currencies: EUR, SEK" in refusal(data)
    data = camt(camt_statement(balances=[camt_balance("CLBD", "1", "2026-01-05", "SEK")]))
    assert "an account in EUR, but its amounts are in SEK" in refusal(data)


# -- statements


def test_statements_of_several_accounts_and_currencies_stay_apart() -> None:
    other = "<Othr><Id>17</Id></Othr>"
    statements = [
        camt_statement([camt_entry("2026-01-05", "-1")]),
        camt_statement([camt_entry("2026-01-05", "-2", currency="USD")], currency="USD"),
        camt_statement([camt_entry("2026-01-05", "-3")], number=other),
        camt_statement([camt_entry("2026-01-06", "-4")]),
        # An account without a currency has the currency of its amounts.
        camt_statement([camt_entry("2026-01-06", "-5", currency="USD")], currency=""),
    ]
    found = read_bank_file(camt(*statements))
    assert [(whole.account.key, whole.account.name, amounts(whole)) for whole in found] == [
        ("DE02120300000000202051/EUR", "Account DE02120300000000202051", ["-1", "-4"]),
        ("DE02120300000000202051/USD", "Account DE02120300000000202051 USD", ["-2", "-5"]),
        ("17/EUR", "Account 17", ["-3"]),
    ]


def test_days_that_a_statement_covers() -> None:
    def days(begin: str, end: str, kind: str = "DtTm") -> list[str | None]:
        further = f"<FrToDt><Fr{kind}>{begin}</Fr{kind}><To{kind}>{end}</To{kind}></FrToDt>"
        statement = one(camt_entry("2026-01-05", "-1"), further=further).statement
        told = (statement.first_day, statement.last_day)
        return [day if day is None else date_text(day) for day in told]

    assert days("2026-01-01T00:00:00", "2026-01-31T23:59:59") == ["2026-01-01", "2026-01-31"]
    # The midnight that ends the last day.
    assert days("2026-01-01T00:00:00", "2026-02-01T00:00:00") == ["2026-01-01", "2026-01-31"]
    assert days("2026-01-05T00:00:00", "2026-01-05T00:00:00") == ["2026-01-05", "2026-01-05"]
    assert days("2026-01-01", "2026-01-31", "Dt") == ["2026-01-01", "2026-01-31"]
    # The period is extended to the entries.
    assert days("2026-01-06T00:00:00", "2026-01-31T23:59:59") == ["2026-01-05", "2026-01-31"]
    assert days("2026-01-31T00:00:00", "2026-01-01T00:00:00") == [None, None]


def test_a_file_without_statements_is_refused() -> None:
    assert "the camt.053 file contains no statement: download" in refusal(camt())


def test_a_statement_of_another_message_is_refused() -> None:
    data = camt(camt_statement()).replace("Stmt>", "Rpt>").replace("BkToCstmrRpt", "BkToCstmrStmt")
    assert "<Rpt> does not belong in a camt.053 file" in refusal(data)


# -- markup


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE d SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE d [<!ENTITY % p SYSTEM "http://127.0.0.1/">%p;]>',
        "<!DOCTYPE Document>",
    ],
)
def test_document_types_are_refused(doctype: str) -> None:
    data = camt(camt_statement()).replace("<Document", doctype + "<Document")
    assert "line 2: the file has a document type" in refusal(data)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</Ntry>", "", "is damaged: mismatched tag in column"),
        ("</Document>", "", "the file ends inside <Document>, which begins in line 2: it is cut"),
        ("12.50", "&amount;", "is damaged: undefined entity"),
        ("12.50", "\x01", "is damaged: not well-formed (invalid token)"),
        ("</Document>", "</Document><Document/>", "the last document of the file contains"),
        ("</Document>", "</Document>behind", "is damaged: syntax error in column"),
        ("<Ntry>", "<Entry><Ntry>", "<Ntry> is not inside a statement"),
        ('encoding="UTF-8"', 'encoding="x-unknown"', None),
    ],
)
def test_damaged_markup_is_refused(old: str, new: str, words: str | None) -> None:
    data = camt(camt_statement([camt_entry("2026-01-05", "-12.50")])).replace(old, new)
    if words is None:
        data = data.replace("IBAN", "Ä").encode("cp1252")
        words = "the charset 'x-unknown' that the file declares is unknown"
    assert words in refusal(data)


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("UTF-8", "utf-8"),
        ("UTF-8", "utf-8-sig"),
        ("UTF-16", "utf-16"),
        ("UTF-8", "utf-16"),
        ("UTF-8", "utf-16-le"),
        ("UTF-16", "utf-16-be"),
        # Banks do not always use the charset that they declare.
        ("ISO-8859-1", "utf-8"),
        ("UTF-8", "cp1252"),
        ("ISO-8859-1", "cp1252"),
        ("windows-1250", "cp1250"),
        ("ISO-8859-15", "iso-8859-15"),
    ],
)
def test_text_is_read_in_the_charset_that_it_is_in(declared: str, written: str) -> None:
    part = camt_part("-1", name="Bäcker", note="5 €")
    data = camt(camt_statement([camt_entry("2026-01-05", "-1", details=part)]))
    data = data.replace('encoding="UTF-8"', f'encoding="{declared}"')
    (found,) = read_bank_file(data.encode(written))
    assert [(entry.payee, entry.note) for entry in found.entries] == [("Bäcker", "5 €")]


def test_a_file_reads_the_same_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    data = camt(camt_statement([camt_entry("2026-01-05", "-1", ref="ä")])).encode()
    for size in (1, 2, 7, 64):
        monkeypatch.setattr(markup, "PIECE_BYTES", size)
        assert [e.bank_id for e in read_bank_file(data)[0].entries] == ["ä"]


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MAX_HELD_BYTES", 100_000)
    monkeypatch.setattr(markup, "MAX_TEXT_BYTES", 50_000)
    monkeypatch.setattr(markup, "MAX_NAMES", 200)
    entry = camt_entry("2026-01-05", "-1")
    assert len(one(*[entry] * 500).entries) == 500
    assert "elements are nested deeper than 100" in refusal(camt("<A>" * 200))
    wide = "<TxsSummry/>" * 1_000
    assert "are in one entry or outside of all entries" in refusal(camt(camt_statement([wide])))
    parts = camt_part("-1") * 200
    entry = camt_entry("2026-01-05", "-1", details=parts)
    assert "are in one entry" in refusal(camt(camt_statement([entry])))
    names = "".join(f"<A{number}/>" for number in range(300))
    assert "the element names are not those of a camt file" in refusal(camt(names))
    assert "the element names are not those of a camt file" in refusal(camt(f"<A{'x' * 300}/>"))
    long = "x" * 200_000
    for text in (f"<A>{long}</A>", f"<A b='{long}'/>", f"<!--{long}-->", f"<A{long}/>"):
        assert "more than 50,000 characters" in refusal(camt(text))


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("piece", [1, 7, 100, 1 << 16])
def test_documents_behind_each_other_are_read_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, codec: str, piece: int
) -> None:
    monkeypatch.setattr(markup, "PIECE_BYTES", piece)
    one, two, three = (
        camt(
            camt_statement(
                [camt_entry("2026-01-05", amount, ref=amount)], number=f"<IBAN>{n}</IBAN>"
            )
        )
        for n, amount in ((IBAN, "1"), ("FR7630006000011234567890189", "2"), (IBAN, "4"))
    )
    found = read_bank_file(f"{one}\n \n{two.partition('?>')[2].strip()}{three}".encode(codec))
    assert [[entry.amount for entry in whole.entries] for whole in found] == [
        [10_000, 40_000],
        [20_000],
    ]
    assert [entry.line for entry in found[0].entries] == [3, 13]


def test_a_fault_in_a_later_document_is_refused_with_its_line() -> None:
    one = camt(camt_statement([camt_entry("2026-01-05", "1")]))
    with pytest.raises(ImportRefused) as refused:
        read_bank_file(one + one.replace("BOOK", "BOOT"))
    assert (refused.value.line, "'BOOT' is not one of" in refused.value.reason) == (8, True)
    with pytest.raises(ImportRefused, match=r"line 8: the file ends inside <Sts>, .* in line 8"):
        read_bank_file(one + one.partition("BOOK")[0])
