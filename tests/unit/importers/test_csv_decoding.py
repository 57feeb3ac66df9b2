"""From bytes to text: byte order marks, UTF-8, named encodings."""

import io
import random
from collections import Counter
from contextlib import suppress

import pytest

from finance_api.cli.import_texts import text as text_of
from finance_api.importers import decoding
from finance_api.importers.decoding import open_text
from finance_api.importers.interface import ImportRefused, Questions
from support.csv_files import answers, read
from support.csv_files import refusal as file_refusal
from support.nightly import count
from support.scripts import TEXTS


def decode(data, encoding, force=False):
    questions = Questions()
    text = open_text(io.BytesIO(data), encoding, force=force, questions=questions)
    questions.put()
    return "".join(text.lines())


def offered(data):
    """Return the encodings that are asked about, or the one that is taken without a question."""
    questions = Questions()
    text = open_text(io.BytesIO(data), None, force=False, questions=questions)
    (question,) = questions.asked or [None]
    return [text.codec] if question is None else [c.changes["encoding"] for c in question.choices]


def refusal(data, encoding=None):
    with pytest.raises(ImportRefused) as refused:
        decode(data, encoding)
    return refused.value


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        *(("é;€".encode(mark), None, "é;€") for mark in ("utf-8-sig", "utf-16", "utf-32")),
        (b"\xfe\xff" + "é".encode("utf-16-be"), None, "é"),
        ("é;€".encode(), None, "é;€"),
        (b"\x80\xe9", "cp1252", "€é"),
        ("é".encode("utf-16-le"), "UTF-16LE", "é"),
        (b"\xef\xbb\xbfx", "utf8", "x"),
    ],
)
def test_a_byte_order_mark_decides_then_the_option_else_it_is_utf_8(data, encoding, text):
    assert decode(data, encoding) == text


def test_mark_that_contradicts_the_option_is_refused():
    refused = refusal(b"\xef\xbb\xbfx", "cp1252")
    assert "UTF-8" in refused.reason and "--encoding" in refused.reason


def test_utf_16_without_a_mark_needs_its_order():
    assert "utf-16-le" in refusal(b"x\x00", "utf-16").reason


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["date;payee\n", "date;Bäcker\n"])
def test_utf_16_without_a_mark_is_recognised_and_proposed(codec, text):
    refused = refusal(text.encode(codec))
    assert refused.reason.startswith("a NUL character; UTF-16 without a byte order mark")
    assert answers(refused) == [f"--encoding {codec}"]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_byte_that_is_not_utf_8_is_refused_with_line_and_value(end):
    refused = refusal(b"a" + end + end + b"Pe\xf1a" + end)
    assert refused.line == 3
    assert "0xF1" in refused.reason and "--encoding" in refused.reason


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


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp1250", "iso-8859-15"])
def test_an_encoding_for_valid_utf_8_is_refused_unless_forced(encoding):
    refused = refusal("a\nCafé".encode(), encoding)
    assert refused.line == 2 and "--force-encoding" in refused.reason
    assert answers(refused) == ["---encoding"]
    assert decode("Café".encode(), encoding, force=True) != "Café"
    assert decode(b"Cafe", encoding) == "Cafe"


def test_what_is_not_utf_8_is_looked_at_further_in_another_encoding():
    assert decode(b"caf\xe9", None) == "café"
    assert answers(refusal(b"\xe9\x00")) == []


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("ŁÓDŹ ŻABKA zakup;-12,50\nświetna Spółka", "cp1250"),
        ("Příkaz k úhradě;Šťastný", "cp1250"),
        ("Оплата услуг;МАГАЗИН Пятёрочка", "cp1251"),
        ("Şeker Bakkalı;İşveren", "cp1254"),
        ("Φούρνος;Μισθός;ΑΓΟΡΑ", "cp1253"),
        ("Café Crème;Pêche à l'Étang", "cp1252"),
        ("l’été à l’hôtel “Élysée” – 5 €", "cp1252"),
        ("コーヒー店,駅前書店,お支払い", "cp932"),
        ("薪資,超級市場,轉帳", "big5"),
        ("Überweisung Müller;Café", "mac-roman"),
    ],
)
def test_texts_of_one_language_are_read_in_its_encoding_without_a_question(text, codec):
    assert offered(text.encode(codec)) == [codec]


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Peña", "cp1252"),
        ("Toruń", "cp1250"),
        ("Café Brûlé;Überweisung Müller", "cp1252"),
        ("工资,超市购物,转账", "gb18030"),
        ("급여,편의점,이체", "cp949"),
    ],
)
def test_encodings_that_are_nearly_as_likely_are_offered_with_a_line_in_each(text, codec):
    (question,) = refusal(text.encode(codec)).questions
    lines = {choice.changes["encoding"]: text_of(choice.meaning) for choice in question.choices}
    assert text in lines[codec]
    assert len(set(lines.values())) == len(lines) > 1


@pytest.mark.nightly
def test_the_encoding_of_random_texts_is_taken_or_offered():
    places = Counter()
    for seed in range(count(150, 10_000)):
        pick = random.Random(seed)
        codecs = pick.choice([*TEXTS])
        words = pick.choice(TEXTS[codecs]).split(",")
        payees = pick.sample(words, pick.randint(2, 8))
        lines = [f"2026-03-{n:02};{payee};-{n},50\n" for n, payee in enumerate(payees, 1)]
        text = "Date;Payee;Amount\n" + "".join(lines)
        with suppress(UnicodeEncodeError):
            data = text.encode(pick.choice(codecs))
            if text.isascii():
                continue
            readings = [data.decode(each) for each in offered(data)]
            assert text in readings, (text, readings)
            places[min(readings.index(text), 1), len(readings) > 1] += 1
    assert not places[1, False] and places[0, False] > 0.7 * places.total(), places


def test_headings_known_in_one_encoding_alone_leave_nothing_to_ask():
    text = "Data;Tytuł;Obciążenia;Uznania\n2026-03-03;Łódź Żabka;12,50;\n"
    text += "2026-03-04;Pensja;;900,00\n"
    for codec in ("cp1250", "iso8859-2"):
        (found,) = read(text.encode(codec), account="A", currency="PLN")
        assert [entry.note for entry in found.entries] == ["Łódź Żabka", "Pensja"]
        remark = f"the file is read as {codec}: its headings show it"
        assert remark in found.statement.remarks


@pytest.mark.parametrize(
    ("headings", "payee", "codec"),
    [
        ("거래일시,적요,거래금액", "커피숍", "cp949"),
        ("ご利用日,ご利用店名,ご利用金額", "コーヒー店", "cp932"),
    ],
)
def test_headings_of_east_asia_say_the_encoding(headings, payee, codec):
    text = f"{headings}\n2026/03/05,{payee},-1200\n2026/03/20,{payee},3450\n"
    (found,) = read(text.encode(codec), account="A", currency="KRW")
    assert [entry.payee or entry.note for entry in found.entries] == [payee, payee]


@pytest.mark.parametrize(
    ("headings", "payee", "codec"),
    [
        ("Fecha operación;Concepto;Importe", "Mª Carmen", "cp1252"),
        ("Fecha operación;Concepto;Importe", "Peña Nº 5", "cp1252"),
        ("Fecha operación;Concepto;Importe", "Panadería La Niña", "cp1252"),
        ("Date opération;Libellé;Montant", "Noël à l'hôtel", "cp1252"),
        ("Data;Descrição;Valor", "Pão São João", "cp1252"),
        ("Buchungstag;Empfänger;Betrag", "Müller 5 m³", "cp1252"),
        ("Buchungstag;Empfänger;Betrag", "PayPal GBP£", "cp1252"),
        ("Buchungstag;Empfänger;Betrag", "Müller 5€", "iso8859-15"),
        ("Datum;Příjemce;Částka", "Muška", "iso8859-2"),
        ("Датум;Прималац;Износ", "Апотека Ниш", "iso8859-5"),
        ("Дата;Получатель;Сумма", "Кофейня Булка", "koi8-r"),
        ("取引日,摘要,金額", "東京電力", "euc-jp"),
        ("วันที่,รายการ,จำนวนเงิน", "ร้านกาแฟ", "cp874"),
    ],
)
def test_known_headings_and_the_letters_of_one_language_say_the_encoding(headings, payee, codec):
    by = "," if "," in headings else ";"
    rows = [f"01/03/2026;{payee};-12.50", "20/03/2026;Jose;3.00"]
    text = "\n".join([headings, *rows, ""]).replace(";", by)
    (found,) = read(text.encode(codec), account="A", currency="EUR")
    assert [entry.note or entry.payee for entry in found.entries] == [payee, "Jose"]


@pytest.mark.parametrize(
    ("headings", "payee", "codec"),
    [
        ("Fecha operación;Concepto;Importe", "Peña", "cp1252"),
        ("Date;Libellé;Montant", "CŒUR", "iso8859-15"),
        ("Buchungstag;Empfänger;Betrag", "Šport", "iso8859-15"),
    ],
)
def test_headings_known_in_several_encodings_are_asked_about(headings, payee, codec):
    text = f"{headings}\n01/03/2026;{payee};-12,50\n20/03/2026;Jose;-3,00\n"
    asked = file_refusal(text.encode(codec), account="A", currency="EUR")
    assert f"--encoding {codec}" in answers(asked) and len(answers(asked)) > 1


def test_rows_far_down_decide_about_the_encoding_as_well():
    row = "2026-03-03;Müller;-12,50\n"
    text = "Buchungstag;Empfänger;Betrag\n" + 1_000 * row
    (found,) = read(text.encode("cp1252"), account="A", currency="EUR")
    assert len(found.entries) == 1_000
    asked = file_refusal((text + row.replace("ü", "ñ")).encode("cp1252"), currency="EUR")
    assert "--encoding cp1252" in answers(asked) and len(answers(asked)) > 1


def test_encodings_in_which_the_headings_are_not_known_are_not_offered():
    text = "Datum;Příjemce;Částka\n2026-03-03;Müška;-12,50\n2026-03-04;Mzda;900,00\n"
    asked = file_refusal(text.encode("iso8859-2"), currency="CZK")
    assert answers(asked) == ["--encoding iso8859-2", "--encoding cp1250"]
    (found,) = read(text.replace("ü", "ů").encode("iso8859-2"), account="A", currency="CZK")
    assert found.entries[0].payee == "Můška"


def test_a_file_in_no_encoding_is_refused_with_its_byte_and_line():
    noise = bytes(random.Random(1).choices([*range(0x80, 0x100)], k=90))
    refused = refusal(b"Date;Payee\n2026-03-03;" + noise.replace(b"\x85", b"") + b"\n")
    assert answers(refused) == [] and refused.line == 2
    assert "byte 0x" in refused.reason


def test_no_encoding_with_control_characters_is_offered():
    words = [b"caf" + bytes((byte,)) for byte in range(0x80, 0x100)]
    read_as = [word.decode(each) for word in words for each in offered(word)]
    assert len(read_as) > len(words)
    assert [word for word in read_as if 0x80 <= ord(word[3]) < 0xA0] == []


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(decoding, "MAX_LINE", 100)
    assert "longer than" in refusal(b"x" * 200).reason
    assert decode(b"xxxxxxxxx\n" * 50, None)


def test_the_stream_can_be_read_again_and_stays_open():
    stream = io.BytesIO(b"a\nb\n")
    text = open_text(stream, None, force=False, questions=Questions())
    first = text.lines()
    assert next(first) == "a\n"
    first.close()
    assert list(text.lines()) == ["a\n", "b\n"] and not stream.closed


def test_the_encoding_of_dos_is_offered_only_if_words_look_wrong_in_all_others():
    text = "Datum;Text;Betrag\n03.10.2026;Bäckerei Müller;-12,50\n13.10.2026;Löhne;300,00\n"
    assert offered(text.encode("cp850")) == ["cp850"]
    assert offered(text.replace("ü", "u").replace("ö", "o").encode("cp1252")) == ["cp1252"]
