"""Dates of CSV files: the accepted formats, and the ambiguous ones that are refused."""

import random
from datetime import date, timedelta

import pytest

from finance_api.importers.csv.dates import CANDIDATES, DateColumn, DateForm, DateReader
from finance_api.importers.interface import ImportRefused, Questions
from finance_api.values.time import date_text
from support.nightly import count


def read(*texts, date_format=None, is_known=True):
    column = DateColumn(date_format, last_year=2027, is_known=is_known)
    questions = Questions()
    for line, text in enumerate(texts, 2):
        column.add(text, line)
    reader = DateReader(column.decide(questions))
    questions.put()
    return [date_text(reader.read(text, 1)) for text in texts]


def refusal(*texts, date_format=None):
    with pytest.raises(ImportRefused) as refused:
        read(*texts, date_format=date_format)
    return refused.value


ONE_READING = {
    "2026-01-31": "2026-01-31|31/01/2026|31.1.2026|31-01-2026|1/31/2026|1-31-2026|31.01.26|1/31/26|"
    "31 Jan 2026|31-Jan-26|31 january 2026|January 31, 2026|2026-Jan-31|2026-01-31 23:59|"
    "2026-01-31T23:59:59.123456789Z|2026-01-31T00:30:00+14:00|31/01/2026 11:59 PM",
    "2026-01-05": "2026-1-5",
    "2026-02-03": "2026/02/03|2026.02.03|20260203",
    "2017-10-10": "10.10.2017",
    "2026-09-05": "Sept 5 2026",
    "2026-05-05": "5. May 2026",
    "2017-09-29": "2017-09-29 15:40:00 -0700",
    "2026-12-19": "٢٠٢٦/١٢/١٩|۲۰۲۶-۱۲-۱۹|१९.१२.२०२६|১৯-১২-২০২৬|๑๙/๑๒/๒๕๖๙",
    "2026-03-14": "14.03.2026.|14. 3. 2026.|2026. 3. 14.|14MAR26|2026年3月14日",
    "1970-01-01": "1970-01-01",
    "2026-03-01": "1. März 2026",
    "2024-02-29": "2024-02-29",
}


@pytest.mark.parametrize(
    "text, day", [(text, day) for day, texts in ONE_READING.items() for text in texts.split("|")]
)
def test_date_that_has_one_reading_needs_no_form(text, day):
    assert read(text) == [day]


#: Language -> its names of March, August and December.
MONTHS = {
    "Indonesian": "Maret Agustus Desember",
    "Malay": "Mac Ogos Disember",
    "Swahili": "Machi Agosti Desemba",
    "Filipino": "Marso Agosto Disyembre",
    "Russian": "март август декабрь",
    "Bulgarian": "март август декември",
    "Serbian": "март август децембар",
    "Slovak": "marca augusta decembra",
    "Greek": "Μαρτίου Αυγούστου Δεκεμβρίου",
    "Catalan": "març agost desembre",
    "Azerbaijani": "mart avqust dekabr",
    "Kazakh": "наурыз тамыз желтоқсан",
    "Hausa": "Maris Agusta Disamba",
    "Lithuanian": "kovo rugpjūčio gruodžio",
    "Latvian": "marts augusts decembris",
    "Estonian": "märts august detsember",
    "Norwegian": "mars august desember",
}


@pytest.mark.parametrize("language", MONTHS)
def test_names_of_months_are_read(language):
    days = [f"3 {name} 2026" for name in MONTHS[language].split()]
    assert read(*days) == ["2026-03-03", "2026-08-03", "2026-12-03"]


def test_another_row_decides_between_day_and_month():
    assert read("03/04/2026", "13/04/2026") == ["2026-04-03", "2026-04-13"]
    assert read("03/04/2026", "04/13/2026") == ["2026-03-04", "2026-04-13"]


def test_readings_that_agree_on_every_row_are_no_ambiguity():
    assert read("01/01/2026", "12/12/2026") == ["2026-01-01", "2026-12-12"]


def test_ambiguous_date_is_refused_with_both_readings():
    refused = refusal("01/01/2026", "03/04/2026")
    assert refused.line == 3
    for part in ("2026-04-03", "2026-03-04", "DD/MM/YYYY", "MM/DD/YYYY", "--date-format"):
        assert part in refused.reason


def test_short_year_at_either_end_is_ambiguous_between_hyphens():
    assert "YY-MM-DD" in refusal("25-12-19").reason
    assert "YY/MM/DD" in refusal("25/12/19").reason


def test_years_of_two_digits_turn_at_70():
    assert read("31.01.26", "31.01.70", "31.01.99") == ["2026-01-31", "1970-01-31", "1999-01-31"]
    assert "the year 1969" in refusal("31.01.69").reason
    assert "the year 2068" in refusal("31.01.26", "31.01.68").reason


@pytest.mark.parametrize("text", ["0026-11-20", "0202-01-05", "9999-12-31", "01/02/1969"])
def test_years_that_no_file_of_a_bank_has_are_refused(text):
    refused = refusal("2026-01-01" if text[4] == "-" else "13/01/2026", text)
    assert refused.line == 3 and "from 1970 to" in refused.reason


def test_rows_in_different_forms_are_refused_at_the_first_that_differs():
    refused = refusal("13/01/2026", "2026-01-14")
    assert refused.line == 3
    assert "DD/MM/YYYY" in refused.reason and "--date-format" in refused.reason


def test_no_column_order_fits_both_rows():
    assert refusal("13/01/2026", "01/13/2026").line == 3


@pytest.mark.parametrize(
    "text",
    ["soon", "2026-02-30", "2023-02-29", "0000-01-01", "31/31/2026", "2026-01-31x", "1" * 9999]
    + ["٢٠٢٦-٠١-٣٢", "2026-01-31 25", "12 Jab 2026", "\ud800"],
)
def test_what_is_no_date_is_refused(text):
    refused = refusal("2026-01-01", text)
    assert refused.line == 3
    assert len(refused.reason) < 400


@pytest.mark.parametrize(
    "form, text",
    [
        ("%d/%m/%Y", "03/04/2026"),
        ("DD/MM/YYYY", "03/04/2026"),
        ("dd/mm/yyyy", "3/4/2026"),
        ("D.M.YY", "3.4.26"),
        ("YYYY-MM-DD", "2026-04-03"),
        ("%Y%m%d%H%M%S", "20260403235959"),
        ("YYYYMMDD", "20260403"),
        ("DDMMYYYY", "03042026"),
        ("%d %B %Y", "3 April 2026"),
        ("D MMMM YYYY", "3 apr 2026"),
        ("%a %d %b %Y %I:%M %p %Z", "Fri 03 Apr 2026 11:59 p.m. CEST"),
        ("YYYY-MM-DDTHH:mm:ss", "2026-04-03T10:20:30"),
        ("%Y-%m-%dT%H:%M:%S.%f%z", "2026-04-03T10:20:30.5+0200"),
        ("%d/%m/%Y", "03/04/2026 10:20"),
        ("%%%d%%%m%%%Y", "%3%4%2026"),
    ],
)
def test_named_form_is_read(form, text):
    assert read(text, date_format=form) == ["2026-04-03"]


def test_named_form_must_fit_every_row():
    refused = refusal("03/04/2026", "2026-04-03", date_format="DD/MM/YYYY")
    assert refused.line == 3
    assert "DD/MM/YYYY" in refused.reason
    # 25569 is 1970-01-01.
    assert read("25569", date_format="Excel") == ["1970-01-01"]
    assert refusal("46000", "25568", date_format="Excel").line == 3


@pytest.mark.parametrize(
    "form",
    ["", "%", "%d/%m", "%d/%m/", "%d.%m.%Y.%d", "%H%H%d%m%Y", "%Q", "%m %b %d %Y", "%y %Y %m %d"]
    + ["DD/MM/YYYY/DD", "Day Month Year", "DDD", "%j %Y", "(", "[%d", "\ud800", "\x00", "%%y%m%d"],
)
def test_form_without_day_month_and_year_once_each_is_refused(form):
    refused = refusal("2026-01-01", date_format=form)
    assert "--date-format" in refused.reason
    assert refused.line is None


def test_form_is_refused_even_when_there_is_no_row():
    assert "--date-format" in refusal(date_format="DD").reason


def test_expression_characters_in_a_form_stand_for_themselves():
    assert read("3+(4)*2026", date_format="%d+(%m)*%Y") == ["2026-04-03"]
    assert refusal("33(4)2026", date_format="%d+(%m)*%Y").line == 2


@pytest.mark.parametrize("form", CANDIDATES, ids=lambda form: form.name)
def test_form_of_a_message_can_be_given_as_the_option(form):
    assert DateForm.compile(form.name) == form


def test_a_form_that_takes_days_for_years_is_left_out():
    assert read("03/03/26", "14/03/26") == ["2026-03-03", "2026-03-14"]
    assert read("26/03/03", "26/03/14") == ["2026-03-03", "2026-03-14"]
    # A single day, and days over years in both forms, show nothing.
    assert "DD/MM/YY" in refusal("03/03/26").reason
    assert "DD/MM/YY" in refusal("01/03/05", "05/03/12", "09/03/20").reason


SHORT_YEARS = "DD.MM.YY YY.MM.DD DD.MM.YY. YY.MM.DD. DD/MM/YY MM/DD/YY YY/MM/DD DD/MM/BB DD-MM-BB"


def written(day, form):
    parts = {"DD": f"{day:%d}", "MM": f"{day:%m}", "YY": f"{day:%y}", "BB": f"{day.year - 1957}"}
    for name, text in parts.items():
        form = form.replace(name, text)
    return form


@pytest.mark.nightly
@pytest.mark.parametrize("form", SHORT_YEARS.split())
def test_years_of_two_digits_are_read_as_meant_or_asked_about(form):
    number, asked = count(60, 3_000), 0
    for seed in range(number):
        pick = random.Random(f"{seed} {form}")
        day, days = date(pick.randint(2003, 2026), pick.randint(1, 12), pick.randint(1, 28)), []
        for _ in range(pick.randint(1, 30)):
            days.append(day)
            day += timedelta(days=pick.choice((0, 1, 1, 2, 3, 7, 12)))
        texts = [written(day, form) for day in days]
        try:
            assert read(*texts, is_known=False) == [str(day) for day in days], (seed, texts)
        except ImportRefused as refused:
            forms = [choice.changes["date_format"] for choice in refused.questions[0].choices]
            found = [read(*texts, date_format=each) for each in forms]
            assert [str(day) for day in days] in found, (seed, texts, forms)
            asked += 1
    assert asked < number * 0.4, asked
