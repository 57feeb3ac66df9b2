# ruff: noqa: E501 (rows as they stand in files)
"""finance-api profiles, and imports with the operator's own profiles."""

import json

import pytest

NUBANK = (
    "Data,Valor,Identificador,Descrição\n04/03/2026,-12.40,65a1-1,Mercado da Esquina\n"
    + "".join(f"05/03/2026,{n}.00,65a1-{n},Salário\n" for n in range(2, 9))
)
OWN = """# What my bank writes.
title = "My bank"
version = 3
lost = "nothing"
headings = "Tag,Wert,Text,Ort"
[map]
recordDate = "Tag"
amount = "Wert"
payee = "Text"
"""
FILE = "Tag;Wert;Text;Ort\n2026-03-04;-12,40;Eckmarkt;Wien\n"


@pytest.fixture
def own(command):
    """A directory of profiles that the ini file names."""
    directory = command.directory / "profiles"
    directory.mkdir()
    (directory / "mine.toml").write_text(OWN, "utf-8")
    name = "finance_api.imports.profiles_directory"
    command.write({**command.settings, name: str(directory)})
    return directory


def test_the_list_has_those_of_the_program_and_ones_own(command, own):
    table = command.done("profiles").decode().splitlines()
    assert table[0].split() == ["NAME", "VERSION", "RECOGNISED", "BY", "TITLE"]
    assert "mine" in command.done("profiles", "list").decode()
    rows = {row["name"]: row for row in json.loads(command.done("profiles", "--json"))}
    assert len(rows) == len(table) - 1
    assert rows["mine"] == {
        "name": "mine",
        "version": 3,
        "recognisedBy": "headings",
        "title": "My bank",
    }
    assert rows["nubank-card"]["recognisedBy"] == "name"
    assert list(rows) == sorted(rows)


def test_show_prints_the_file_itself(command, own):
    assert command.done("profiles", "show", "mine").decode() == OWN
    shown = command.done("profiles", "show", "nubank").decode()
    (own / "copy.toml").write_text(shown, "utf-8")
    assert command.done("profiles", "show", "copy").decode() == shown
    assert "no profile 'nothing'" in command.refused("profiles", "show", "nothing")


def test_test_prints_what_would_be_imported_and_stores_nothing(command, anna):
    path = command.file("nu.csv", NUBANK)
    lines = command.done("profiles", "test", "nubank", path).decode().splitlines()
    assert lines[:3] == [
        "the account of --account: 8 records, 35 in, 12.4 out, BRL",
        "  2026-03-04 -12.4 Mercado da Esquina",
        "  2026-03-05 2 Salário",
    ]
    assert lines[6:] == ["  and 3 more", "read with the profile 'nubank' (version 1)"]
    assert command.done("profiles", "test", "nubank", path, "--account", "Nu").startswith(b"Nu: 8")
    assert command.done("dump", anna) == b""


def test_test_says_what_is_left_out_and_what_an_account_begins_with(command):
    text = (
        '"Type","Date","Set Time","Name","Amount","Currency","Exchange Rate","Category Group",'
        '"Category","Account","Notes","Labels","Status"\n'
        '"New Account","2026-03-01 10:00:00","x","a","100","EUR","1.0","(New Account)","x","Purse",'
        '"","",""\n"Expense","2026-03-04 10:00:00","x","Shop","-1","EUR","1.0","","Food","Purse","",'
        '"",""\n"Expense","2026-03-05 10:00:00","x","Shop","-1","EUR","1.0","","Food","Purse","","",""\n'
    )
    path = command.file("coins.csv", text)
    out = command.done("profiles", "test", "bluecoins", path, "--only", "Name=Shop").decode()
    assert out.splitlines()[0] == "Purse: 2 records, 0 in, 2 out, EUR"
    assert "  skipped: 1 a" in out
    out = command.done("profiles", "test", "bluecoins", path).decode()
    assert "begins with 100" in out


def test_test_refuses_a_file_of_others_and_asks_what_is_open(command):
    path = command.file("other.csv", "date,amount\n2026-01-01,-5\n")
    said = command.refused("profiles", "test", "nubank", path)
    assert path in said and "profiles show nubank" in said
    text = "date,paymode,info,payee,memo,amount,category,tags\n04-03-26,6,,Shop,,-1,,\n"
    path = command.file("bank.csv", text)
    assert "--date-format" in command.refused("profiles", "test", "homebank", path)
    out = command.done("profiles", "test", "homebank", path, "--date-format", "DD-MM-YY")
    assert b"2026-03-04 -1 Shop" in out


CARD = (
    "Dia;Valor;Bruto;Nome\n03/04/2026;12,40;0,10;Eckmarkt\n05/04/2026;-5,00;0,20;Ada\n"
    "07/04/2026;1,00;0,00;Ada\n"
)
_ANSWERS = (
    "--map amount=Valor --ignore Bruto --date-format DD/MM/YYYY --positive out --currency EUR"
)


def test_what_was_answered_for_an_account_is_a_profile_for_another_user(command, anna, own):
    path = command.file("card.csv", CARD)
    assert "--date-format" in command.refused("import", anna, path, "--account", "Card")
    command.done("import", anna, path, "--account", "Card", *_ANSWERS.split())
    said = command.done("profiles", "save", "card", "--from", anna, "card").decode()
    assert said == f"wrote {own}/card.toml; import such files with --profile card\n"
    command.done("user", "add", "bea@example.com", "--premium")
    other = command.file("other.csv", CARD.replace("Eckmarkt", "Kiosk").replace("12,40", "99,90"))
    said = command.done(
        "import", "bea@example.com", other, "--account", "Visa", "--profile", "card"
    ).decode()
    assert "read with the profile 'card' (version 1)" in said
    rows = [json.loads(line) for line in command.done("dump", "bea@example.com").splitlines()]
    records = sorted((r["recordDate"][:10], r["amount"]) for r in rows if r.get("amount"))
    assert records == [("2026-04-03", -99.9), ("2026-04-05", 5), ("2026-04-07", -1)]


def test_a_heading_of_several_lines_is_one_heading_of_a_saved_profile(command, anna, own):
    text = 'Day,"The\n""Text"", etc.",Amount,Kind\n2026-03-04,Shop,12.50,Buy\n'
    path = command.file("lines.csv", text)
    answers = ("--account", "Card", "--currency", "EUR", "--sign", "Kind=Buy")
    command.done("import", anna, path, *answers)
    command.done("profiles", "save", "lines", "--from", anna, "Card")
    command.done("user", "add", "bea@example.com", "--premium")
    said = command.done(
        "import", "bea@example.com", path, "--account", "Visa", "--profile", "lines"
    ).decode()
    assert "0 in, 12.5 out" in said


def test_only_answers_make_a_profile_and_no_other_is_overwritten(command, anna, own):
    save = ("profiles", "save", "card", "--from", anna)
    assert "no account" in command.refused(*save, "Card")
    plain = command.file("plain.csv", "Date,Amount,Payee\n2026-03-04,-1.00,Shop\n")
    command.done("import", anna, plain, "--account", "Card", "--currency", "EUR", "--map", "id=")
    (own / "card.toml").write_text(OWN, "utf-8")
    assert "there is a profile 'card' already" in command.refused(*save, "Card")
    (own / "card.toml").unlink()
    assert "use small letters" in command.refused("profiles", "save", "A/B", *save[3:], "Card")
    mine = command.file("mine.csv", FILE)
    command.done("import", anna, mine, "--account", "Giro", "--currency", "EUR")
    assert "profiles show mine" in command.refused(*save, "Giro")
    nowhere = {"FINANCE_API_IMPORTS_PROFILES_DIRECTORY": ""}
    said = command.refused(*save, "Card", environment=nowhere)
    assert "set finance_api.imports.profiles_directory" in said


def test_every_command_says_in_a_sentence_what_is_wrong(command, own):
    """In processes of their own: within tests, a refusal has its sentence whoever shows it."""
    file = command.file("open.csv", "Tag;Wert;Text;Ort\n2026-33-04;-12,40;Eckmarkt;Wien\n")
    said = command.refused("profiles", "test", "mine", file, process=True)
    assert said.startswith(f"finance-api: {file}, line 2: ") and "profile 'mine'" in said
    assert "--date-format" in said
    said = command.refused("profiles", "show", "nothing", process=True)
    assert said == "finance-api: there is no profile 'nothing'; 'finance-api profiles' lists them\n"
    (own / "bad.toml").write_text(OWN.replace("[map]", 'positive = "up"\n[map]'), "utf-8")
    fault = f"the profile {own / 'bad.toml'}: --positive 'up' is neither in nor out (line 6)"
    assert command.refused("profiles", "list", process=True) == f"finance-api: {fault}\n"


def test_an_import_names_the_profile_in_its_summary_and_in_the_history(command, anna, own):
    path = command.file("mine.csv", FILE)
    options = ("--account", "Giro", "--currency", "EUR")
    said = command.done("import", anna, path, *options).decode()
    assert "  read with the profile 'mine' (version 3): nothing" in said
    assert "not imported: Ort" in said
    again = command.done("import", anna, path, "--account", "Giro", "--json")
    (report,) = json.loads(again)["files"]
    assert (report["created"], report["unchanged"]) == (0, 1)
    assert any("profile 'mine'" in remark for remark in report["remarks"])
    (entry,) = json.loads(command.done("imports", anna, "--json"))
    assert entry["profile"] == "mine"
    assert b"profile: mine" in command.done("imports", "show", anna, "1")


def test_no_profile_and_another_profile(command, anna, own):
    path = command.file("mine.csv", FILE)
    refused = command.refused("import", anna, path, "--no-profile", "--account", "X")
    assert "--no-profile" in refused.partition("to copy: ")[2]
    assert "exclude" in command.refused(
        "import", anna, path, "--no-profile", "--profile", "mine", "--account", "X"
    )
    assert "headings of the profile" in command.refused(
        "import", anna, path, "--profile", "wallet", "--account", "X"
    )


def test_a_faulty_profile_or_directory_is_refused_with_its_name(command, anna, own):
    path = command.file("mine.csv", FILE)
    (own / "mine.toml").write_text(OWN.replace("payee", "payer"), "utf-8")
    for arguments in (["profiles"], ["import", anna, path, "--account", "X"]):
        said = command.refused(*arguments)
        assert f"{own}/mine.toml: map.payer is not a field (line 9)" in said
    nowhere = {"FINANCE_API_IMPORTS_PROFILES_DIRECTORY": "/nowhere"}
    assert "/nowhere is not a directory" in command.refused("profiles", environment=nowhere)
