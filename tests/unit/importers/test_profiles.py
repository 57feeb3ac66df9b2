"""Profiles: their content, the files they match, and the rules for operators' own profiles."""

import json

import pytest

from finance_api.importers.csv import CsvImporter, Mapping, index, load_profiles
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.index import INDEX, Profiles, index_text
from finance_api.importers.csv.profile_file import parse_profile, read_profile
from finance_api.importers.interface import ImportRefused
from support.csv_files import Memory, answers, read, records
from support.losses import documented
from support.profile_tables import cases, outcome

SHIPPED = list(load_profiles())
#: Profiles that only say why such a file cannot be read.
REFUSED = ("amazon", "coinbase", "splitwise")

OWN = """
title = "My bank"
version = 1
headings = "Tag,Wert,Text,Ort"
[map]
recordDate = "Tag"
amount = "Wert"
payee = "Text"
"""
FILE = "Tag;Wert;Text;Ort\n2026-03-04;-12,40;Eckmarkt;Wien\n2026-03-05;5,00;Ada;Graz\n"


@pytest.fixture
def own(tmp_path):
    """Reads a file with the profiles of a directory: name -> text."""

    def read_with(text, profiles, **options):
        for name, content in profiles.items():
            (tmp_path / f"{name}.toml").write_text(content, "utf-8")
        return read(text, profiles=load_profiles(str(tmp_path)), **({"account": "X"} | options))

    return read_with


def refusal(call, *arguments, **options):
    with pytest.raises(ImportRefused) as refused:
        call(*arguments, **options)
    return refused.value


# -- those that are shipped


def test_there_are_many_each_with_its_source_and_a_test_by_hand():
    assert len(SHIPPED) >= 40
    tested = {case.profile for case in cases()}
    for profile in SHIPPED:
        assert profile.title and profile.source
        assert profile.lost[:1].islower() or not profile.lost, profile.name
        assert profile.name in tested or profile.name in REFUSED


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.place)
def test_a_file_becomes_what_the_table_says(case):
    """The files have every direction, status and word of a layout. The tables were written by
    hand.
    """
    profile, lines = outcome(case)
    assert lines == list(case.gives)
    assert profile == case.profile


def headings_of(profile):
    return [[text.replace("{currency}", "EUR") for text in row.texts] for row in profile.headings]


@pytest.mark.parametrize("profile", SHIPPED, ids=lambda profile: profile.name)
def test_a_file_without_rows_is_read_and_has_no_entries(profile):
    headings = headings_of(profile)
    assert headings
    for row in headings:
        text = ",".join(f'"{heading}"' for heading in row) + "\n"
        (found,) = read(text, account="X", profile=profile.name)
        assert found.entries == []


def test_the_index_is_of_the_profiles():
    assert INDEX.read_text("utf-8") == index_text(), "python -m finance_api.importers.csv.index"


def test_headings_select_one_profile_and_only_that_is_parsed(monkeypatch):
    parsed = []
    monkeypatch.setattr(
        index, "read_profile", lambda path: parsed.append(path.stem) or read_profile(path)
    )
    shipped = json.loads(INDEX.read_text("utf-8"))
    for headings in (["Date", "Amount", "Description", "Balance"], ["A", "B", "C", "D"]):
        assert Profiles((), shipped).recognise(Headings(headings, 4, 1)) is None
    assert parsed == []
    for profile in SHIPPED:
        for headings in headings_of(profile):
            match = Profiles((), shipped).recognise(Headings(headings, len(headings), 1))
            if profile.by_name_only:
                assert match is None or match.profile.name == profile.name
            else:
                assert match.profile.name == profile.name and parsed == [profile.name]
            parsed.clear()


# -- which files a profile is for


def test_the_whole_heading_row_selects_whatever_its_case_and_what_comes_before(own):
    below = "Bank;1\n\n" + FILE.replace("Tag;Wert", " TAG ;wert")
    commas = FILE.replace("12,40", "12.40").replace("5,00", "5.00").replace(";", ",")
    for text in (FILE, below, commas, FILE.replace("Ort", "Ort;;")):
        (found,) = own(text, {"mine": OWN})
        assert [entry.payee for entry in found.entries] == ["Eckmarkt", "Ada"]
        assert "read with the profile 'mine' (version 1)" in found.statement.remarks
    (found,) = own(FILE.replace("Ort", "Land"), {"mine": OWN})
    assert found.statement.profile is None
    assert "mine" not in refusal(own, FILE.replace("Ort", "Ort;Land"), {"mine": OWN}).reason


def test_fewer_than_four_columns_or_a_name_only_select_nothing(own):
    short = OWN.replace(",Ort", "")
    text = "Tag;Wert;Text\n2026-03-04;-12,40;Eckmarkt\n"
    assert own(text, {"mine": short})[0].statement.profile is None
    assert len(own(text, {"mine": short}, profile="mine")[0].entries) == 1
    by_name = "by_name_only = true\n" + OWN
    assert own(FILE, {"mine": by_name})[0].statement.profile is None
    assert len(own(FILE, {"mine": by_name}, profile="MINE")[0].entries) == 2


def test_headings_of_two_profiles_select_neither(own):
    other = OWN.replace("payee", "note")
    refused = refusal(own, FILE, {"mine": OWN, "other": other})
    assert "'mine', 'other'" in refused.reason and "--profile" in refused.reason
    (found,) = own(FILE, {"mine": OWN, "other": other}, profile="other")
    assert found.entries[0].note == "Eckmarkt"


def test_a_profile_of_the_operator_replaces_that_of_its_name(own):
    text = "date,paymode,info,payee,memo,amount,category,tags\n2026-03-04,6,,Shop,,-1,,\n"
    mine = OWN.replace("Tag,Wert,Text,Ort", "date,paymode,info,payee,memo,amount,category,tags")
    for old, new in (("Tag", "date"), ("Wert", "amount"), ("Text", "payee")):
        mine = mine.replace(f'"{old}"', f'"{new}"')
    (found,) = own(text, {"homebank": mine.replace("version = 1", "version = 7")})
    assert "read with the profile 'homebank' (version 7)" in found.statement.remarks
    assert found.entries[0].payment_type is None


def test_a_profile_that_is_named_must_fit(own):
    assert "no profile 'x'" in refusal(own, FILE, {}, profile="x").reason
    refused = refusal(own, FILE, {"mine": OWN}, profile="wallet")
    assert "profiles show wallet" in refused.reason
    assert "exclude" in refusal(own, FILE, {}, profile="wallet", no_profile=True).reason


def test_no_profile_and_options_about_the_amounts_read_the_file_without_one(own):
    columns = {"recordDate": "Tag", "amount": "Wert", "note": "Text"}
    (found,) = own(FILE, {"mine": OWN}, columns=columns)
    assert found.entries[0].note == "Eckmarkt" and found.statement.profile is None
    assert own(FILE, {"mine": OWN}, no_profile=True)[0].statement.profile is None
    refused = refusal(own, FILE, {"mine": OWN}, profile="mine", columns=columns)
    assert "--map amount" in refused.reason and "--no-profile" in refused.reason


def test_other_options_are_taken_beside_a_profile(own):
    (found,) = own(FILE, {"mine": OWN}, columns={"payee": ["Text", "Ort"]}, only=["Ort=Wien"])
    assert [entry.payee for entry in found.entries] == ["Eckmarkt Wien"]
    assert found.statement.skipped == {"Graz": 1}
    ambiguous = FILE.replace("2026-03-04", "03/04/2026").replace("2026-03-05", "03/05/2026")
    assert "--date-format" in answers(refusal(own, ambiguous, {"mine": OWN}))[0]
    (found,) = own(ambiguous, {"mine": OWN}, date_format="MM/DD/YYYY")
    ordered = "date_order = 'MDY'\n" + OWN
    (again,) = own(ambiguous, {"mine": ordered})
    assert [e.date for e in again.entries] == [e.date for e in found.entries]


def test_a_refusal_says_that_a_profile_was_used(own):
    refused = refusal(own, FILE.replace("5,00", "five"), {"mine": OWN})
    assert "(read with the profile 'mine' (version 1); --no-profile" in refused.reason


def test_positive_amounts_alone_are_not_asked_about(own):
    (found,) = own(FILE.replace("-12,40", "12,40"), {"mine": OWN})
    assert [entry.amount for entry in found.entries] == [124_000, 50_000]
    words = "Tag,Wert,Text,Ort\n2026-03-04,-12.40,a,Income\n2026-03-05,5.00,b,Expense\n"
    assert "contradicts the profile" in refusal(own, words, {"mine": OWN}).reason


def test_columns_of_a_translation_go_by_their_places(own):
    profile = OWN.replace("[map]", 'translations = ["Day,Sum,Words,Place"]\n[map]')
    (found,) = own(FILE.replace("Tag;Wert;Text;Ort", "Day;Sum;Words;Place"), {"mine": profile})
    assert [entry.payee for entry in found.entries] == ["Eckmarkt", "Ada"]


def test_a_currency_in_the_headings_is_that_of_the_file(own):
    profile = OWN.replace("Wert", "Wert in {currency}").replace(
        "[map]", 'currency = "{currency}"\n[map]'
    )
    for code in ("CHF", "EUR"):
        (found,) = own(FILE.replace("Wert", f"Wert in {code}"), {"mine": profile})
        assert found.account.currency == code
    (found,) = own(FILE.replace("Wert", "Wert in XYZ"), {"mine": profile})
    assert found.statement.profile is None


# -- what is remembered


def profiles(text=OWN, name="mine"):
    return Profiles([parse_profile(name, text)])


def test_the_profile_and_what_was_given_beside_it_are_used_the_next_time():
    memory = Memory()
    by_name = profiles("by_name_only = true\n" + OWN)
    memory.read(FILE, by_name, profile="mine", columns={"note": "Ort"})
    again = memory.read(FILE, by_name)
    assert [entry.note for entry in again.entries] == ["Wien", "Graz"]
    assert again.statement.profile == "mine"
    assert (
        "used the options given before for this account: --map note=Ort" in again.statement.remarks
    )
    # The profile's own options are not remembered: a newer version of it may change them.
    newer = memory.read(FILE, profiles(OWN.replace('"Text"', '["Text", "Tag"]')))
    assert newer.entries[0].payee == "Eckmarkt 2026-03-04"


def test_files_that_were_read_without_a_profile_go_on_so_until_one_is_named():
    memory = Memory()
    given = {"recordDate": "Tag", "amount": "Wert", "note": "Text"}
    memory.read(FILE, Profiles([]), columns=given)
    before = memory.read(FILE, profiles())
    assert (before.statement.profile, before.entries[0].note) == (None, "Eckmarkt")
    named = memory.read(FILE, profiles(), profile="mine")
    assert (named.entries[0].payee, named.entries[0].note) == ("Eckmarkt", None)
    assert memory.read(FILE, profiles()).statement.profile == "mine"
    back = memory.read(FILE, profiles(), no_profile=True, columns=given)
    assert back.entries[0].note == "Eckmarkt"
    assert memory.read(FILE, profiles()).statement.profile is None


def test_a_remembered_profile_that_is_gone_is_named():
    memory = Memory()
    memory.read(FILE, profiles())
    with pytest.raises(ImportRefused) as refused:
        memory.read(FILE, Profiles([]))
    assert "'mine'" in refused.value.reason


def test_texts_are_those_of_one_version_of_a_profile():
    newer = OWN.replace("version = 1", "version = 2")
    texts = [
        read(FILE, profiles=profiles(text, name), account="X")[0].statement.texts
        for text, name in ((OWN, "mine"), (OWN, "mine"), (newer, "mine"), (OWN, "yours"))
    ]
    assert texts[0] == texts[1] and len(set(texts)) == 3


# -- what a profile says of rows

LEGS = (
    OWN.replace("Ort", "Art")
    + """
[only.Art]
keep = ["out", "in", "move"]
leave_out = ["open", "op*"]
proved = ["back"]
[[refuse]]
when = { Text = "?" }
reason = "who is that"
[[leave_out]]
when = { Wert = "zero" }
what = "nothing"
[[legs]]
when = { Art = ["out", "move", "back"] }
positive = "out"
map = { account = "", payee = "Text" }
[[legs]]
when = { Art = ["in", "move"] }
positive = "in"
map = { account = "Text", payee = "" }
"""
)


def rows(*cells):
    return "Tag,Wert,Text,Art\n" + "".join(f"2026-03-{n:02},{c}\n" for n, c in enumerate(cells, 1))


def test_a_row_becomes_a_record_for_each_leg():
    text = LEGS.replace('account = ""', 'account = "Art"').replace(
        'account = "Text"', 'account = "Art"'
    )
    found = read(rows("5,a,move", "6,b,out", "7,c,in"), profiles=profiles(text))
    assert {f.account.name: [(e.amount, e.payee) for e in f.entries] for f in found} == {
        "move": [(-50_000, "a"), (50_000, None)],
        "out": [(-60_000, "b")],
        "in": [(70_000, None)],
    }


@pytest.mark.parametrize(
    "row, part",
    [("5,a,other", "'other'"), ("5,?,out", "who is that"), ("5,a,back", "balance column")],
)
def test_what_a_profile_does_not_know_is_refused(row, part):
    refused = refusal(read, rows("1,a,out", row), profiles=profiles(LEGS), account="X")
    assert refused.line == 3 and part in refused.reason


def test_what_is_left_out_is_counted():
    text = rows("5,a,open", "6,b,opposed", "0,c,out", "7,d,out")
    (found,) = read(text, profiles=profiles(LEGS), account="X")
    assert found.statement.skipped == {"open": 1, "opposed": 1, "nothing": 1}
    # The user's option for a column replaces the profile's.
    (found,) = read(text, profiles=profiles(LEGS), account="X", only=["Art=out"])
    assert found.statement.skipped == {"open": 1, "opposed": 1, "nothing": 1}
    assert len(found.entries) == 1


def test_a_row_without_a_leg_is_refused_or_has_a_name():
    keep = LEGS.replace('"move"]\nleave', '"move", "new"]\nleave')
    refused = refusal(read, rows("1,a,new"), profiles=profiles(keep), account="X")
    assert "art: 'new'" in refused.reason and "--no-profile" in refused.reason
    other = keep.replace("[map]", 'otherwise = "none of ours"\n[map]')
    (found,) = read(rows("1,a,new", "1,a,out"), profiles=profiles(other), account="X")
    assert found.statement.skipped == {"none of ours": 1} and len(found.entries) == 1


def test_columns_that_legs_fill_cannot_be_mapped():
    refused = refusal(
        read, rows("1,a,out"), profiles=profiles(LEGS), account="X", columns={"payee": "Art"}
    )
    assert "--map payee" in refused.reason


# -- what a profile may not say


@pytest.mark.parametrize(
    "old, new, part",
    [
        ("[map]", "lots = 'x'\n[map]", "lots is not a key of a profile, did you mean lost?"),
        ('title = "My bank"\n', "", "title is missing"),
        ("version = 1", 'version = "1"', "version is not a number"),
        ("version = 1", "version = -1", "version is less than 0"),
        ("version = 1", "version = true", "version is not a number"),
        ('headings = "Tag,Wert,Text,Ort"', "", "headings is missing"),
        ('headings = "Tag,Wert,Text,Ort"', "headings = 4", "headings is neither a string nor"),
        ('"Tag,Wert,Text,Ort"', '["Tag,Wert,Text,Ort", "tag,wert,text,ort"]', "twice"),
        ("[map]", 'translations = "a,b"\n[map]', "translations has a row of 2 columns"),
        ('recordDate = "Tag"\n', "", "map.recordDate is missing (line 5)"),
        ('amount = "Wert"\n', "", "either map.amount or both debit and credit must be given"),
        ('"Wert"', '"Worth"', "no heading row has the column 'Worth'"),
        ('payee = "Text"', '"payee" = [\n  "Text",\n  "Art",\n]', "column 'Art' (line 8)"),
        ("payee", "payer", "map.payer is not a field (line 8)"),
        ("payee", "recorddate", "map.recorddate is not a field, it is recordDate"),
        ("[map]", 'debit = "Text"\n[map]', "exclude each other"),
        ("[map]", 'sign = "Ort"\npositive = "in"\n[map]', "exclude each other"),
        ("[map]", 'sign = "Art"\n[map]', "no column 'Art'"),
        ("[map]", 'fee = "Art=signed"\n[map]', "no column 'Art"),
        ("[map]", 'positive = "up"\n[map]', "neither in nor out"),
        ("[map]", 'units = "cents"\n[map]', "'cents' is neither major nor minor (line 5)"),
        ("[map]", 'balance = "Art"\n[map]', "no heading row has the column 'Art' (line 5)"),
        ("[map]", 'sign = "Ort=ab,ein|Ein"\n[map]', "'Ein' stands for both directions (line 5)"),
        ("[map]", 'decimal = ";"\n[map]', "(line 5)"),
        ("[map]", 'decimal = ","\nthousands = ","\n[map]', "are both , (line 5)"),
        ("[map]", 'thousands = "x"\n[map]', "(line 5)"),
        ("[map]", 'only = ["Ort"]\n[map]', "only: 'Ort' is not COLUMN=VALUE (line 5)"),
        ("version = 1", f"version = {'1' * 5000}", "it is not TOML"),
        ('"Tag,Wert,Text,Ort"', "'\"Tag,Wert'", "headings is no line of CSV"),
        ("[map]", 'date_order = "YMD"\n[map]', "neither DMY nor MDY"),
        ("[map]", 'date_order = "DMY"\ndate_format = "DD.MM.YYYY"\n[map]', "exclude each other"),
        ("[map]", 'date_format = "MM.YYYY"\n[map]', "needs the day (line 5)"),
        ("[map]", 'timezone = "Vienna"\n[map]', "timezone 'Vienna'"),
        ("[map]", 'encoding = "latin-99"\n[map]', "latin-99"),
        ("[map]", 'delimiter = "ab"\n[map]', "not one character"),
        ("[map]", 'currency = "XXY"\n[map]', "not an ISO 4217 code"),
        ("[map]", 'ignore = ["Art"]\n[map]', "no heading row has the column 'Art'"),
        ("[map]", 'equal = ["Ort"]\n[map]', "equal is not a list of pairs"),
        ("[map]", "no_text = 1\n[map]", "no_text is not true or false"),
        ("[map]", "lost = ''\n[map]", "lost is empty"),
        ("[map]", "otherwise = 'x'\n[[legs]]\n[map]", "one leg already takes all other rows"),
        ("[map]", "[[legs]]\n[[legs]]\n[map]", "only one leg"),
        (
            "[map]",
            "[[legs]]\nwhen = {Ort = 'a'}\n\n[[legs]]  # others\npositive = 'up'\n[map]",
            "legs 2: positive is neither in nor out (line 9)",
        ),
        ("[map]", "[[legs]]\nignore_sign = true\n[map]", "ignore_sign needs positive"),
        ("[map]", "[[legs]]\ncurrency = 'EURO'\n[map]", "not an ISO 4217 code"),
        ("[map]", "[[legs]]\nmap = { recordDate = 'Ort' }\n[map]", "recordDate is not a field"),
        (
            "[map]",
            "[[legs]]\nwhen = { Ort = 'a' }\npositive = 'in'\n[[legs]]\n[map]",
            "either all of them",
        ),
        ("[map]", "positive = 'in'\n[[legs]]\npositive = 'in'\n[map]", "legs with positive"),
        ("[map]", "[[legs]]\nwhen = { Art = 'a' }\n[map]", "no heading row has the column 'Art'"),
        ("[map]", "legs = 3\n[map]", "legs is not a list"),
        ("[map]", "legs = [3]\n[map]", "legs must be written"),
        ("[map]", "[[refuse]]\nreason = 'x'\n[map]", "refuse 1: when is missing (line 5)"),
        ("[map]", "[[refuse]]\nwhen = { Ort = 'a' }\n[map]", "refuse 1: reason is missing"),
        ("[map]", "[[leave_out]]\nwhen = { Ort = 'a' }\n[map]", "leave_out 1: what is missing"),
        ("[map]", "[only.Ort]\n[map]", "only.Ort.keep is missing"),
        (
            "[map]",
            "[only.Ort]\nkeep = 'a'\nleave_out = 'A'\n[map]",
            "'a' is listed both as kept and as not kept",
        ),
        ("[map]", "[only.Ort]\nkeep = 'a'\nleaves = 'b'\n[map]", "only.Ort.leaves is not a key"),
        ("[map]", "[only.Art]\nkeep = 'a'\n[map]", "no heading row has the column 'Art'"),
        ("[map]", "[preamble]\npayee = 'IBAN'\n[map]", "preamble.payee is not one of"),
        ("[map]", "[payment_types]\nK = 'card'\n[map]", "payment_types.K is not one of"),
        ("[map]", "[opening]\nArt = 'a'\n[map]", "no heading row has the column 'Art'"),
        ("[map]", "[opening]\nOrt = 3\n[map]", "opening.Ort is neither a string nor"),
    ],
)
def test_a_profile_that_contradicts_itself_is_refused_with_file_and_line(tmp_path, old, new, part):
    text = OWN.replace(old, new, 1)
    assert text != OWN
    (tmp_path / "mine.toml").write_text(text, "utf-8")
    reason = refusal(load_profiles, str(tmp_path)).reason
    assert f"the profile {tmp_path}/mine.toml: " in reason
    said, _, line = part.partition(" (line ")
    assert said in reason and reason.endswith(line and f" (line {line}")


PARTIAL = """
title = "My card"
version = 1
partial = true
headings = "Tag,Wert,Text,Ort"
positive = "out"
only = ["Ort=Wien"]
"""


def test_a_partial_profile_answers_questions_and_the_file_says_the_rest(own):
    (found,) = own(FILE, {"mine": PARTIAL})
    assert [(e.amount, e.note) for e in found.entries] == [(124_000, "Eckmarkt")]
    assert "read with the profile 'mine' (version 1)" in found.statement.remarks
    unclear = FILE.replace("2026-03-04", "03/04/2026").replace("2026-03-05", "03/05/2026")
    assert "--date-format" in answers(refusal(own, unclear, {"mine": PARTIAL}))[0]
    (found,) = own(unclear, {"mine": PARTIAL}, date_format="DD/MM/YYYY", only=["Ort=Graz"])
    assert [entry.amount for entry in found.entries] == [-50_000]


def test_a_partial_profile_does_not_say_the_way_of_the_row_that_no_balance_precedes(own):
    text = "Tag,Wert,Text,Saldo\n2026-03-04,5,a,95\n2026-03-05,70,b,165\n2026-03-06,3,c,162\n"
    mine = {"mine": PARTIAL.replace("Ort", "Saldo").replace('only = ["Saldo=Wien"]', "")}
    assert answers(refusal(own, text, mine)) == [
        f"--positive {way} --currency CODE" for way in ("in", "out")
    ]
    (found,) = own(text, mine, positive="in")
    assert [entry.amount for entry in found.entries] == [50_000, 700_000, -30_000]


def test_the_answers_of_a_partial_profile_are_not_saved_for_the_account():
    memory = Memory()
    memory.read(FILE, profiles(PARTIAL))
    again = memory.read(FILE, profiles(PARTIAL.replace('"out"', '"in"')))
    assert [entry.amount for entry in again.entries] == [-124_000]
    assert again.statement.profile == "mine" and "positive" not in again.statement.options


@pytest.mark.parametrize("content", [b"title = ", b"\xff\xfe", b"[map]\n[map]\n"])
def test_a_file_that_is_no_toml_is_refused_with_its_name(tmp_path, content):
    (tmp_path / "mine.toml").write_bytes(content)
    assert "mine.toml: it is no" in refusal(load_profiles, str(tmp_path)).reason


def test_the_profiles_of_the_program_are_used_where_none_are_given():
    assert "/nowhere is not a directory" in refusal(load_profiles, "/nowhere").reason
    text = "Data,Valor,Identificador,Descrição\n04/03/2026,-12.40,65a1-1,Mercado\n"
    assert list(records(text, "nubank", account="Nu")) == ["Nu"]
    assert CsvImporter(Mapping()).source == "csv"


def test_the_docs_say_of_every_profile_what_becomes_nothing():
    """For every file of the tests, `support.csv_files.records` checks that no other column is
    dropped.
    """
    named = documented()
    assert set(named) == {profile.name for profile in load_profiles()}
    for profile in load_profiles():
        columns = {name for row in profile.headings for name in (*row.names, *row.texts)}
        assert profile.begins or named[profile.name] <= columns, profile.name
