"""An import reuses, and reports, the options last given for the account and heading row."""

import pytest

from finance_api.importers.csv.table import heading_digest
from finance_api.importers.interface import ImportRefused
from support.csv_files import Memory, answers, read

FILE = "Tag;Wert;Text;Ort;Soll;Haben\n01/02/2026;-5,00;a;x;1;\n"
GIVEN = {
    "columns": {"date": "Tag", "amount": "Wert", "payee": ("Text", "Ort")},
    "date_format": "DD/MM/YYYY",
    "currency": "EUR",
}


@pytest.fixture
def memory():
    memory = Memory()
    memory.read(FILE, **GIVEN)
    return memory


def test_forgotten_options_are_taken_from_memory_and_reported(memory):
    again = memory.read(FILE)
    assert again.entries[0].payee == "a x"
    said = " ".join(again.statement.remarks)
    for part in ("--map payee=Text", "--map payee=Ort", "--date-format DD/MM/YYYY"):
        assert part in said
    assert memory.read(FILE).statement.options == again.statement.options


def test_the_texts_are_made_as_before(memory):
    assert (
        memory.read(FILE).statement.texts == read(FILE, account="Main", **GIVEN)[0].statement.texts
    )


def test_headings_are_remembered_folded_and_below_other_lines(memory):
    later = "Bank;1\n\n" + FILE.replace("Wert;Text", " WERT ;text")
    assert memory.read(later).entries[0].line == 4
    assert (
        heading_digest(["A", "b "], 2) == heading_digest(["a", "B"], 2) != heading_digest(["a"], 1)
    )


def test_what_is_given_takes_the_place_of_what_is_remembered(memory):
    found = memory.read(FILE, columns={"payee": "Text"}, date_format="MM/DD/YYYY")
    assert found.entries[0].payee == "a"
    assert "DD/MM" not in " ".join(found.statement.remarks)
    assert memory.read(FILE).entries == found.entries


def test_a_column_that_makes_another_field_now_makes_no_longer_the_one_before(memory):
    found = memory.read(FILE, columns={"note": "text"})
    assert (found.entries[0].payee, found.entries[0].note) == ("x", "a")
    assert memory.read(FILE).entries == found.entries


def test_a_column_can_make_two_fields():
    memory = Memory()
    found = memory.read(FILE, **GIVEN | {"columns": GIVEN["columns"] | {"note": "Text"}})
    assert (found.entries[0].payee, found.entries[0].note) == ("a x", "a")
    assert memory.read(FILE, columns={"note": "Text"}).entries == found.entries


def test_debit_and_credit_take_the_place_of_an_amount_and_the_reverse(memory):
    found = memory.read(FILE, debit="Soll", credit="Haben", ignore=["Wert"])
    assert found.entries[0].amount == -10_000
    assert memory.read(FILE).entries == found.entries
    found = memory.read(FILE, columns={"amount": "Wert"}, ignore=["Soll", "Haben"])
    assert found.entries[0].amount == -50_000
    assert memory.read(FILE).entries == found.entries


def test_one_meaning_of_the_sign_takes_the_place_of_another():
    memory = Memory()
    text = "date,amount,Type\n2026-01-01,5,Expense\n"
    memory.read(text, sign="Type")
    assert memory.read(text).entries[0].amount == -50_000
    with pytest.raises(ImportRefused):
        memory.read(text, positive="in")
    assert memory.read(text, positive="in", columns={"note": "Type"}).entries[0].amount == 50_000


def test_another_account_or_heading_row_has_its_own_memory(memory):
    with pytest.raises(ImportRefused):
        read(FILE, memory, account="Other")
    with pytest.raises(ImportRefused):
        read(FILE.replace("Ort", "Land"), memory, account="Main")


def test_how_many_lines_to_skip_and_the_account_are_not_remembered():
    memory = Memory()
    text = "x\ndate,amount,payee\n2026-01-01,-1,a\nTotal,,\n"
    memory.read(text, skip_rows=1, skip_last=1)
    assert set(memory.kept.popitem()[1]) == {"heading", "headings", "account"}


def test_an_encoding_is_remembered_for_files_that_are_not_utf_8():
    memory = Memory()
    text = "date,amount,payee\n2026-01-01,-1,Café\n"
    memory.read(text.encode("cp1252"), encoding="cp1252")
    assert memory.read(text.encode("cp1252")).entries[0].payee == "Café"
    assert memory.read(text).entries[0].payee == "Café"


def test_a_remembered_option_that_does_not_fit_is_named(memory):
    with pytest.raises(ImportRefused) as refused:
        memory.read(FILE.replace("01/02/2026", "2026-02-01"))
    assert "given before" in refused.value.reason and "DD/MM/YYYY" in refused.value.reason


def test_files_without_headings_are_remembered_by_their_width():
    memory = Memory()
    text = "01/02/2026,-5,a\n"
    options = {"header": False, "columns": {"date": "1", "amount": "2", "note": "3"}}
    memory.read(text, date_format="DD/MM/YYYY", **options)
    assert memory.read(text, header=False).entries[0].note == "a"


def test_a_new_word_for_a_direction_is_asked_about_and_the_earlier_ones_are_kept():
    memory = Memory()
    head = "Day;Text;Amount;Type\n"
    memory.read(
        head + "2026-01-05;a;10;Blik\n2026-01-06;b;20;Blok\n",
        columns={"date": "Day", "note": "Text"},
        sign="Type=Blik|Blok",
    )
    with pytest.raises(ImportRefused) as refused:
        memory.read(head + "2026-02-05;a;10;Blik\n2026-02-06;b;20;Neu\n")
    assert answers(refused.value) == [
        "--sign Type=Blik,Neu|Blok",
        "--sign Type=Blik|Blok,Neu",
        "--sign Type=Blik|Blok --only Type=Blik --only Type=Blok",
    ]


def test_a_new_word_is_asked_about_also_where_only_left_nothing_out():
    memory = Memory()
    head = "Day;Text;Amount;Status\n2026-01-05;a;-10;Done\n"
    memory.read(head, columns={"date": "Day", "note": "Text"}, only=("Status=Done",))
    with pytest.raises(ImportRefused) as refused:
        memory.read(head + "2026-01-07;c;30;Zwix\n")
    assert "--only Status=Done --only Status=Zwix" in answers(refused.value)


def test_a_new_word_beside_those_of_only_is_asked_about_the_next_time():
    memory = Memory()
    head = "Day;Text;Amount;Status\n2026-01-05;a;-10;Done\n"
    columns = {"date": "Day", "note": "Text"}
    memory.read(head + "2026-01-06;b;20;Quax\n", columns=columns, only=("Status=Done",))
    again = memory.read(head + "2026-01-07;c;30;Quax\n")
    assert [entry.note for entry in again.entries] == ["a"]
    with pytest.raises(ImportRefused) as refused:
        memory.read(head + "2026-01-07;c;30;Zwix\n")
    assert answers(refused.value) == ["--only Status=Done", "--only Status=Done --only Status=Zwix"]
    without = memory.read(head + "2026-01-07;c;30;Zwix\n", only=("Status=Done",))
    assert [entry.note for entry in without.entries] == ["a"]
    assert memory.read(head + "2026-01-08;d;-40;Zwix\n2026-01-09;e;50;Quax\n").entries[1:] == []


UNSIGNED = """date,payee,amount,Balance
2026-02-01,Wage,70,232
2026-02-02,Rent,40,192
2026-02-03,Gift,8,200
"""


def test_the_way_of_the_row_that_no_balance_precedes_is_asked_for_in_each_file():
    memory = Memory()
    january = UNSIGNED.replace("Wage", "Rent").replace("2026-02", "2026-01")
    assert memory.read(january, currency="EUR", positive="out").entries[0].amount == -700_000
    with pytest.raises(ImportRefused) as refused:
        memory.read(UNSIGNED)
    assert "the amount of line 2 comes in or goes out" in str(refused.value)
    assert answers(refused.value) == ["--positive in", "--positive out"]
    assert memory.read(UNSIGNED, positive="in").entries[0].amount == 700_000


def test_what_rising_balances_mean_is_remembered_but_not_the_way_of_the_first_row():
    memory, rising = Memory(), UNSIGNED.replace("192", "272").replace("200", "280")
    with pytest.raises(ImportRefused) as refused:
        memory.read(rising, currency="EUR")
    assert [words.split(" ---")[0] for words in answers(refused.value)] == [
        f"--card-balance {meaning} --positive {way}"
        for meaning in ("owed", "owned")
        for way in ("out", "in")
    ]
    found = memory.read(rising, currency="EUR", card_balance="owed", positive="in")
    assert [entry.amount for entry in found.entries] == [700_000, -400_000, -80_000]
    assert found.statement.closing.amount == -2_800_000
    with pytest.raises(ImportRefused) as refused:
        memory.read(rising)
    # The other amounts go out.
    assert answers(refused.value) == ["--positive out", "--positive in"]


def test_only_the_meaning_of_balances_is_asked_for_if_one_stands_before_the_first_row():
    rows = ["2026-02-01,Opening balance,,162", "2026-02-01,Wage,70,232", "2026-02-02,Gift,8,240"]
    text = "\n".join(["date,payee,amount,Balance", *rows, "2026-02-03,Tip,1,241", ""])
    given = {"account": "A", "currency": "EUR"}
    with pytest.raises(ImportRefused) as refused:
        read(text, **given)
    assert answers(refused.value) == ["--card-balance owed", "--card-balance owned"]
    for meaning, way in (("owed", -1), ("owned", 1)):
        (found,) = read(text, card_balance=meaning, **given)
        assert [entry.amount * way for entry in found.entries] == [700_000, 80_000, 10_000]
        assert found.statement.opening.amount * way == 1_620_000
