"""The meaning of MT940's and MT942's fields, and refusals."""

import pytest

from finance_api.importers.interface import Entry, ImportRefused
from finance_api.importers.mt940 import importer
from finance_api.importers.mt940.details import Details, details_of
from finance_api.importers.mt940.importer import Mt940Importer
from finance_api.values.number import decimal_text
from finance_api.values.text import shown
from finance_api.values.time import date_text, instant_text
from support.bank_files import mt940, mt940_entry, mt942, read_bank_file
from support.whole import Whole, read_whole


def refusal(data: str | bytes) -> str:
    with pytest.raises(ImportRefused) as refused:
        read_bank_file(data)
    return str(refused.value)


def read_line(text: str) -> Entry:
    """Return the entry of a field ``:61:`` with this text."""
    (whole,) = read_bank_file(f":61:{text}\n")
    (entry,) = whole.entries
    return entry


def amounts(whole: Whole) -> list[str]:
    return [decimal_text(entry.amount) for entry in whole.entries]


# -- statement lines


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2601050105C12,50NTRFNONREF", "12.5"),
        ("2601050105D12,50NTRFNONREF", "-12.5"),
        ("2601050105RD12,50NTRFNONREF", "12.5"),
        ("2601050105RC12,50NTRFNONREF", "-12.5"),
        ("2601050105d12,50ntrfnonref", "-12.5"),
        ("2601050105rc12,50NTRFNONREF", "-12.5"),
        # The letter after the mark is the third letter of the currency.
        ("2601050105DR12,50NTRFNONREF", "-12.5"),
        ("2601050105RCR12,50NTRFNONREF", "-12.5"),
        ("2601050105CN0,01NTRFNONREF", "0.01"),
        ("260105C12,NTRFNONREF", "12"),
        ("260105C12NTRFNONREF", "12"),
        ("260105    C12,5NTRF", "12.5"),
        ("2601050105C000000000000000012,50NTRF", "12.5"),
        ("2601050105C123456789012,34NTRF", "123456789012.34"),
        ("2601050105C12,50FMSC", "12.5"),
        ("2601050105C\n12,50FMSC", "12.5"),
        ("2601050105C0,NTRF", "0"),
    ],
)
def test_amount_and_direction_of_a_statement_line(text: str, amount: str) -> None:
    assert decimal_text(read_line(text).amount) == amount


@pytest.mark.parametrize(
    "text",
    [
        "2601050105C12.50NTRFNONREF",
        "2601050105C1.234,50NTRFNONREF",
        "2601050105C1,234,50NTRFNONREF",
        "2601050105C-12,50NTRFNONREF",
        "2601050105C,50NTRFNONREF",
        "2601050105C12\n,50NTRF",
        "2601050105C\u202812,50NTRF",
        # The library takes this character for a digit.
        "2601050105C12,50٣NTRF",
        "2601050105CNTRFNONREF",
        "2601050105X12,50NTRFNONREF",
        "260105010512,50NTRFNONREF",
        "26010501C12,50NTRFNONREF",
        "",
        "2601050105C12,12345NTRF",
        "2601050105C12,50NT",
        "2601050105C1234567890123456,00NTRF",
        "2613050105C12,50NTRF",
        "2604310430C12,50NTRF",
        "2602310228C12,50NTRF",
        "2601051305C12,50NTRF",
        "2601050230C12,50NTRF",
    ],
)
def test_a_statement_line_that_is_not_certain_is_refused(text: str) -> None:
    message = refusal(f":20:1\n:61:{text}\n:62F:C260105EUR1,\n")
    assert message.startswith(f"line 2: :61: '{shown(text)}' ")
    assert "unexpected" not in message


@pytest.mark.parametrize(
    ("written", "day", "value_day"),
    [
        ("2601050107", "2026-01-07", "2026-01-05"),
        ("260105", "2026-01-05", "2026-01-05"),
        ("260105    ", "2026-01-05", "2026-01-05"),
        ("2601050000", "2026-01-05", "2026-01-05"),
        # The entry date's year is the one that brings it closest to the value date.
        ("2512310102", "2026-01-02", "2025-12-31"),
        ("2601021231", "2025-12-31", "2026-01-02"),
        ("2511300201", "2026-02-01", "2025-11-30"),
        ("2312310229", "2024-02-29", "2023-12-31"),
        # Some banks write February 30, because their months have 30 days.
        ("1602300301", "2016-03-01", "2016-02-29"),
        ("991231", "1999-12-31", "1999-12-31"),
        ("9912310103", "2000-01-03", "1999-12-31"),
        ("960229", "1996-02-29", "1996-02-29"),
        ("791231", "2079-12-31", "2079-12-31"),
    ],
)
def test_days_of_a_statement_line(written: str, day: str, value_day: str) -> None:
    entry = read_line(f"{written}C1,NTRF")
    assert entry.value_date is not None
    assert (date_text(entry.date), date_text(entry.value_date)) == (day, value_day)


@pytest.mark.parametrize(
    ("text", "bank_id", "reference"),
    [
        ("NTRFNONREF//2026-1", "2026-1", None),
        ("NTRFINVOICE 17//2026-1", "2026-1", "INVOICE 17"),
        ("NCHK0017", None, "0017"),
        ("NTRFKREF+//NONREF", None, None),
        ("NTRFNONREF//0000", None, None),
        ("NTRFN", None, None),
        # References longer than in the standard.
        ("NTRFBIPI-dvT1FzfMqvzF5HaU4oetlH7S//2022070616391534000", "2022070616391534000", None),
    ],
)
def test_references_of_a_statement_line(
    text: str, bank_id: str | None, reference: str | None
) -> None:
    entry = read_line(f"260105C1,{text}")
    assert entry.bank_id == bank_id
    if "BIPI" not in text:
        assert entry.reference == reference


def test_a_line_without_type_is_read_where_balances_show_that_it_is_whole() -> None:
    entries = ":61:260105C1,\n:61:260105C2,50\n:61:260105C3,NTRF\n"
    whole = mt940([entries], opening=("0", "2026-01-05"), closing=("6.5", "2026-01-05"))
    assert amounts(read_bank_file(whole)[0]) == ["1", "2.5", "3"]
    for data in (entries, mt940([entries], closing=("6.5", "2026-01-05")), mt942([entries])):
        assert ":61: '260105C1,' has no transaction type such as NTRF: it may be cut" in refusal(
            data
        )


def test_what_the_bank_adds_is_the_note_where_there_is_no_other() -> None:
    data = (
        ":61:260105C1,NTRFNONREF\nCash desk\nMain Street\n"
        ":61:260105C2,NTRFNONREF\nCash desk\n:86:Paid in\n"
        ":61:260105C3,NTRFNONREF\nCash desk\n:86:\n"
    )
    (found,) = read_bank_file(data)
    assert [entry.note for entry in found.entries] == [
        "Cash desk Main Street",
        "Paid in",
        "Cash desk",
    ]


# -- messages


def test_entries_that_do_not_make_the_closing_balance_refuse_the_file() -> None:
    entries = [mt940_entry("2026-01-05", "150")]
    opening = ("-100.1", "2026-01-04")
    assert (
        "line 1: the opening balance of -100.1 and the entries, which add up to 150, make 49.9, "
        "but the closing balance is 50: entries are missing"
    ) in refusal(mt940(entries, opening=opening, closing=("50", "2026-01-05")))
    assert read_bank_file(mt940(entries, opening=opening, closing=("49.9", "2026-01-05")))


@pytest.mark.parametrize(
    "balance",
    ["C260105EUR12.50", "C260105EUR1.234,5", "X260105EUR1,", "C260105EUX1,", "C260105EUR", "", "C"],
)
def test_a_balance_that_is_not_certain_is_refused(balance: str) -> None:
    message = refusal(mt940(opening=("1", "2026-01-05")).replace("C260105EUR1,", balance))
    assert message.startswith(f"line 4: :60F: '{balance}' is not a balance such as")
    for day in ("260231", "261301", "260431"):
        data = f":20:1\n:60F:C260101EUR1,\n:62F:C{day}EUR1,\n"
        assert "has an impossible date" in refusal(data)


def test_a_balance_of_february_30_is_of_the_last_of_february() -> None:
    (found,) = read_bank_file(":20:1\n:60F:C260130EUR1,\n:62F:C260230EUR1,\n")
    assert found.statement.closing and date_text(found.statement.closing.date) == "2026-02-28"


def test_a_long_reference_of_the_bank_goes_on_in_the_note() -> None:
    line = f":61:2601050105C12,50NTRFNONREF//{'7' * 23}89\nfrom a shop\n"
    (found,) = read_bank_file(mt940([line], closing=("12.50", "2026-01-05")))
    assert (found.entries[0].bank_id, found.entries[0].note) == ("7" * 23, "89 from a shop")


def test_the_former_code_of_the_rouble_is_that_of_today() -> None:
    ends = ("1", "2026-01-05")
    data = mt940(opening=ends, closing=ends, account="40817RUR", currency="RUR")
    (found,) = read_bank_file(data)
    assert (found.account.currency, found.account.number) == ("RUB", "40817")


def test_balances_in_two_currencies_are_refused() -> None:
    data = mt940(opening=("1", "2026-01-05"), closing=("1", "2026-01-05"))
    assert "opening balance is in EUR, but the closing balance is in USD" in refusal(
        data.replace("62F:C260105EUR", "62F:C260105USD")
    )


def test_messages_and_pages_that_follow_each_other_are_one_statement() -> None:
    first = mt940(
        [mt940_entry("2026-01-05", "-10")],
        opening=("100", "2026-01-04"),
        closing=("90", "2026-01-05"),
    )
    page = mt940(
        [mt940_entry("2026-01-05", "-20")],
        opening=("90", "2026-01-05"),
        closing=("70", "2026-01-05"),
        kind="M",
    )
    other = mt940(closing=("1", "2026-01-05"), account="17")
    last = mt940(
        [mt940_entry("2026-01-06", "-30")],
        opening=("70", "2026-01-05"),
        closing=("40", "2026-01-06"),
    )
    found, _ = read_bank_file(first + page + other + last)
    assert amounts(found) == ["-10", "-20", "-30"]
    opening, closing = found.statement.opening, found.statement.closing
    assert opening is not None
    assert closing is not None
    assert (decimal_text(opening.amount), date_text(opening.date)) == ("100", "2026-01-04")
    assert (decimal_text(closing.amount), date_text(closing.date)) == ("40", "2026-01-06")
    assert instant_text(found.statement.as_of or 0) == "2026-01-06T00:00:00Z"
    assert {entry.section for entry in found.entries} == {1}


def page(number: int, begin: str, end: str, amount: str, tags: str = "MM") -> str:
    """Return a page with one entry, five lines long."""
    return (
        f":20:X\n:25:12345678/100\n:60{tags[0]}:C260102EUR{begin}\n"
        f":61:260102C{amount}NTRFNONREF//A{number}\n:62{tags[1]}:C260102EUR{end}\n"
    )


PAGES = [
    page(1, "10,00", "11,00", "1,00", "FM"),
    page(2, "11,00", "13,00", "2,00"),
    page(3, "13,00", "16,00", "3,00"),
    page(4, "16,00", "20,00", "4,00", "MF"),
]


def test_a_page_that_is_missing_between_two_others_refuses_the_file() -> None:
    for pages in (PAGES, PAGES[::-1], [*PAGES, *PAGES]):
        remarks = [whole.statement.remarks for whole in read_bank_file("".join(pages))]
        assert remarks and not any(remarks)
    for pages in ([PAGES[0], PAGES[2]], [PAGES[0], PAGES[3]], [*PAGES[:2], PAGES[3]]):
        last = 5 * len(pages) - 2
        assert refusal("".join(pages)).startswith(
            f"line {last}: the page begins with a balance of 1"
        )


def test_a_page_that_is_missing_at_an_end_of_the_file_is_named() -> None:
    def remarks(*pages: str) -> list[str]:
        return [
            text for whole in read_bank_file("".join(pages)) for text in whole.statement.remarks
        ]

    (before,) = remarks(PAGES[3])
    (after,) = remarks(PAGES[0])
    assert "before line 3 is not in the file" in before
    assert "after line 5 is not in the file" in after
    assert len(remarks(PAGES[1])) == 2


@pytest.mark.parametrize(
    ("written", "currency", "key", "number"),
    [
        ("DE02120300000000202051", "EUR", "DE02120300000000202051/EUR", "DE02120300000000202051"),
        ("DE02 1203 0000 0000 2020 51", "EUR", "DE02120300000000202051/EUR", None),
        ("DE02120300000000202051EUR", "EUR", "DE02120300000000202051/EUR", None),
        ("DE02120300000000202051/EUR", "EUR", "DE02120300000000202051/EUR", None),
        ("12030000/202051EUR", "EUR", "12030000/202051/EUR", "202051"),
        ("12030000/202051", "USD", "12030000/202051/USD", "202051"),
        (
            "MT84MALT011000012345MTLCAST001SEUR",
            "EUR",
            "MT84MALT011000012345MTLCAST001SEUR/EUR",
            None,
        ),
        ("BANKBIC/0390123456", "EUR", "BANKBIC/0390123456/EUR", "0390123456"),
    ],
)
def test_the_account_is_what_the_bank_calls_it(
    written: str, currency: str, key: str, number: str | None
) -> None:
    data = mt940(closing=("1", "2026-01-05"), account=written, currency=currency)
    (found,) = read_bank_file(data)
    assert (found.account.key, found.account.currency) == (key, currency)
    assert found.account.number == (number or key.split("/")[0])


def test_a_fragment_is_read_and_a_message_without_its_end_refused() -> None:
    entry = mt940_entry("2026-01-05", "1")
    (found,) = read_bank_file(entry)
    assert (found.account.key, found.account.currency) == (None, None)
    assert amounts(found) == ["1"]
    whole = mt940([entry], opening=("1", "2026-01-04"), closing=("2", "2026-01-05"))
    begin = whole[: whole.index(":62F:")]
    assert "line 1: the message that begins here has no end: it is cut off" in refusal(begin)
    assert "line 8: the message that begins here has no end" in refusal(whole + begin)
    assert "line 1: the message that begins here has no end" in refusal(begin + whole)
    report = mt942([entry])
    assert amounts(read_bank_file(report)[0]) == ["1"]
    assert "has no end" in refusal(report[: report.index(":90D:")])
    for nothing in (":20:1\n-\n", ":20:1\n:28C:1\n-\n", ":NS:22\n"):
        assert "contains no transaction and no balance: download" in refusal(nothing)


def test_a_report_of_a_day_says_its_currency_and_its_moment() -> None:
    (found,) = read_bank_file(mt942([":13D:2601051730+0130\n", mt940_entry("2026-01-05", "1")]))
    assert found.account.currency == "EUR"
    assert instant_text(found.statement.as_of or 0) == "2026-01-05T16:00:00Z"
    for nonsense in ("nonsense", "2601051730+9900", "2613051730+0100"):
        data = mt942([f":13D:{nonsense}\n", mt940_entry("2026-01-05", "1")])
        assert read_bank_file(data)[0].statement.as_of is None


def test_statements_and_reports_in_one_file_are_refused() -> None:
    statement = mt940(opening=("1", "2026-01-05"), closing=("1", "2026-01-05"))
    report = mt942([mt940_entry("2026-01-05", "1")])
    padding = mt940(
        [mt940_entry("2026-01-05", "0", details="x" * 5_000)], closing=("1", "2026-01-05")
    )
    assert "split it into a file of each kind" in refusal(statement + report)
    assert "split it into a file of each kind" in refusal(report + padding + statement)


# -- the bytes


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "cp850"])
def test_text_is_read_in_the_charset_that_it_is_in(charset: str, line_end: str) -> None:
    data = mt940(
        [mt940_entry("2026-01-05", "1", details="Bücher für Söhne")], closing=("1", "2026-01-05")
    )
    (found,) = read_bank_file(data.replace("\n", line_end).encode(charset))
    assert [entry.note for entry in found.entries] == ["Bücher für Söhne"]


@pytest.mark.parametrize(
    ("details", "charset"),
    [
        ("ČD ESHOP Příkaz k úhradě", "cp1250"),
        ("Spółdzielnia Mieszkaniowa, opłata za żłobek", "cp1250"),
        ("Księgarnia świąteczna", "iso8859-2"),
        ("Μισθός Μαρτίου Φαρμακείο λογαριασμός ρεύματος", "cp1253"),
    ],
)
def test_text_of_other_languages_is_read_in_the_charset_of_its_letters(
    details: str, charset: str
) -> None:
    data = mt940([mt940_entry("2026-01-05", "1", details=details)], closing=("1", "2026-01-05"))
    (found,) = read_bank_file(data.encode(charset))
    assert [entry.note for entry in found.entries] == [details]
    assert f"the file is read as {charset}: its words fit no other one" in found.statement.remarks


def test_a_charset_that_nothing_shows_is_asked_for() -> None:
    entry = mt940_entry("2026-01-05", "1", details="Toruń")
    data = mt940([entry], closing=("1", "2026-01-05")).encode("cp1250")
    with pytest.raises(ImportRefused) as refused:
        read_bank_file(data)
    offered = [each.changes["encoding"] for each in refused.value.questions[0].choices]
    assert {"cp1250", "cp1252"} <= {*offered}
    (found,) = read_whole(Mt940Importer("mt940", "cp1250"), data)
    assert [entry.note for entry in found.entries] == ["Toruń"]


def test_envelopes_and_control_characters_are_left_out() -> None:
    entry = mt940_entry("2026-01-05", "1", details="note")
    data = (
        "\x01{1:F01BANKNL21XXXX}{2:O940}{3:}{4:\n"
        f"{mt940([entry], closing=('1', '2026-01-05'))}}}{{5:}}\x03\n"
        "{1:F01BANKNL21XXXX}{2:O940}{3:}{4::20:START\n:25:17\n"
        f"{entry}\n\n:62F:C260105EUR1,\n-\x03"
    )
    first, second = read_bank_file(data.replace("-\n}{5:}", "-}{5:}"))
    assert [entry.note for entry in (*first.entries, *second.entries)] == ["note", "note"]


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        (":86:one\n:NS:two\nthree\n", "one two three"),
        (":NS:two\n:86:one\n", "one two"),
        (":NS:01two\n02three\n:NS:15Ada\n", "two three Ada"),
        # These are no numbers of lines.
        (":NS:2026 rent\n", "2026 rent"),
        (":NS:01two\nthree\n", "01two three"),
        (":NS:\n", None),
    ],
)
def test_texts_of_a_bank_s_own_field_are_in_the_note(fields: str, note: str | None) -> None:
    entry = f":61:260105C1,NTRFNONREF\n{fields}:61:260105C2,NTRFNONREF\n"
    first, second = read_bank_file(f":NS:22Giro\n{entry}")[0].entries
    assert (first.note, second.note) == (note, None)


def test_fields_that_nobody_knows_are_named_once() -> None:
    message = mt940([mt940_entry("2026-01-05", "1") + ":37:0,5\n:65:C260105EUR1,\n:72:x\n"])
    (found,) = read_bank_file(message * 2)
    assert found.statement.remarks == [
        "balances that are not used: :65:",
        "fields that are not imported: 37, 72",
    ]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("0000 01INGBNL2AXXXX00001\n940 00\n", "-XXX\n"),
        (":940:\n", ""),
        ("ABNANL2A\n940\nABNANL2A\n", "-\n"),
        ("", "\n\n"),
    ],
)
def test_lines_between_messages_are_left_out(before: str, behind: str) -> None:
    message = mt940(
        [mt940_entry("2026-01-05", "1", details="note")],
        opening=("1", "2026-01-04"),
        closing=("2", "2026-01-05"),
    ).removesuffix("-\n")
    found = read_bank_file((before + message + behind) * 2)
    assert [[entry.note for entry in whole.entries] for whole in found] == [["note"], ["note"]]


def test_damaged_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mt940([mt940_entry("2026-01-05", "1")], closing=("1", "2026-01-05"))
    assert read_bank_file(data + "\0\0")
    assert "line 4: the file contains NUL bytes" in refusal(data.replace("NTRF", "\0"))
    monkeypatch.setattr(importer, "MAX_FIELD_CHARACTERS", 1_000)
    for text in ("x" * 1_001, "x\n" * 600):
        assert "a field has more than 1,000 characters" in refusal(data + ":86:" + text)


# -- details


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Details()),
        ("plain text\nof two lines", Details(note="plain text of two lines")),
        ("x" * 64 + "W\nord", Details(note="x" * 64 + "Word")),
        # Sub-fields of 27 characters are cut anywhere, shorter ones end with a word.
        (
            "166?00GUTSCHRIFT?20Miete November?21Haus 1?32MUELLER",
            Details("MUELLER", "Miete November Haus 1"),
        ),
        (
            "166?00X?20SVWZ+abcdefghijklmnopqrstuv?21wxyz?22Ende?30BIC?31DE1"
            "?32Name of twentyseven charact?33ers",
            Details(
                "Name of twentyseven characters", "abcdefghijklmnopqrstuvwxyz Ende", None, "DE1"
            ),
        ),
        (
            "105?20EREF+E 1?21KREF+K?22MREF+M?23CRED+C?24SVWZ+Text?25ABWA+Other",
            Details(None, "Text", "E 1"),
        ),
        ("105?20EREF+E1?21no code", Details(None, "no code", "E1")),
        ("105?20EREF+NOTPROVIDED?21KREF+K", Details(None, None, "K")),
        ("105?20before?21SVWZ+behind", Details(None, "before behind")),
        ("105?20IBAN+DE 01?21BIC+B", Details(account="DE01")),
        ("005?00ENTGELT?109310", Details(note="ENTGELT")),
        ("105?20What?!?21Why?", Details(note="What?! Why?")),
        ("?20Text", Details(note="Text")),
        ("000>100987\n>20KOSTEN>310390123456", Details(None, "KOSTEN", None, "0390123456")),
        ("020~00PRZELEW~20Czynsz~310~32Jan~38PL27", Details("Jan", "Czynsz", None, "PL27")),
        (
            "/TRTP/SEPA INCASSO/CSID/NL1/NAME/A B/MARF/M/REMI/Text/with slash/IBAN/NL20/BIC/B"
            "/EREF/E",
            Details("A B", "Text/with slash", "E", "NL20"),
        ),
        ("/TRTP/BEA", Details(note="BEA")),
        (
            "/EREF/E//CNTP/NL32/INGBNL2A/A B.V.///REMI/USTD//Text/",
            Details("A B.V.", "Text", "E", "NL32"),
        ),
        ("/ORDP//NAME/A/REMI/STRD/CUR/9001", Details("A", None, "9001")),
        ("/PREF/NOTPROVIDED/ACCW/NL40,BIC/", Details(account="NL40")),
        (
            "NL47INGB9999999999 a de vries\n \nText",
            Details("a de vries", "Text", None, "NL47INGB9999999999"),
        ),
        ("NL47INGB9999999999", Details(note="NL47INGB9999999999")),
        ("What/NAME/is this", Details(note="What/NAME/is this")),
    ],
)
def test_details(text: str, expected: Details) -> None:
    assert details_of(text) == expected


def test_details_of_an_entry_are_limited_over_all_their_fields() -> None:
    details = f":86:{'x' * 999}\n"
    balances = {"opening": ("1", "2026-01-05"), "closing": ("0", "2026-01-05")}
    entry = mt940_entry("2026-01-05", "-1")
    (found,) = read_bank_file(mt940([entry + details * 99], **balances))
    assert len(found.entries) == 1
    # Fields :86: that belong to no entry are skipped, however many there are.
    assert read_bank_file(mt940([details * 101, entry], **balances))
    limit = r"line 5: the fields :86: and :NS: of an entry have more than"
    with pytest.raises(ImportRefused, match=limit):
        read_bank_file(mt940([entry + details * 101], **balances))
