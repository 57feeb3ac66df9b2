"""finance-api import and dump, as users see them."""

import json
import os
import shlex
import threading

import pytest

from finance_api.ledger import trying
from finance_api.storage.errors import StorageUnavailable
from support.bank_files import camt, camt_entry, camt_statement, mt940, mt940_entry
from support.ledger import account, an_id, ofx_file, ofx_statement, record
from support.service import native_line
from support.sheets import xlsx

DATA = native_line(account()) + native_line(record(9)) + native_line(record(10))
BAD = native_line(account(2)) + native_line(record(11)) + native_line(record(12, amount="x"))
OFX = ofx_file(ofx_statement([("20260101", "-5", "F1", "Shop")]))
CSV = "date,amount\n2026-01-01,-5\n"
COUNTS = ("created", "updated", "unchanged", "skipped")


def report(command, *arguments, **options):
    out = command.done("import", *arguments, "--json", **options)
    answer = json.loads(out)
    assert out.count(b"\n") == 1
    assert {*COUNTS, "files"} <= set(answer)
    for name in COUNTS:
        assert answer[name] == sum(file[name] for file in answer["files"])
    return answer


def counts(answer):
    return tuple(answer[name] for name in COUNTS)


def test_json_is_one_object_with_the_counts_of_all_and_each(command, anna):
    first, second = command.file("a.ndjson", DATA), command.file("b.ofx", OFX)
    answer = report(command, anna, first, second)
    assert counts(answer)[0] == 4
    assert [counts(f)[0] for f in answer["files"]] == [3, 1]
    assert [f["file"] for f in answer["files"]] == [first, second]
    assert counts(report(command, anna, first, second)) == (0, 0, 4, 0)


def test_skipped_things_are_counted(command, anna):
    twice = ofx_file(ofx_statement([("20260101", "-5", "F1", "Shop")] * 2))
    assert counts(report(command, anna, command.file("a.ofx", twice))) == (1, 0, 0, 1)
    assert b"1 skipped" in command.done("import", anna, command.file("a.ofx", twice))


def test_words_go_to_standard_output_and_nothing_to_standard_error(command, anna):
    path = command.file("a.txt", DATA)
    command.refused("import", anna, path, "--format", "ofx")
    out = command.done("import", anna, path, "--format", "native").decode()
    assert "3 created" in out
    assert path in out


def test_standard_input_is_a_file_called_minus(command, anna):
    assert counts(report(command, anna, "-", stdin=DATA.encode()))[0] == 3
    assert counts(report(command, anna, "-", stdin=OFX.encode()))[0] == 1
    options = ("--account", "Giro", "--currency", "EUR")
    assert counts(report(command, anna, "-", *options, stdin=CSV.encode()))[0] == 1


def test_dry_run_keeps_nothing_and_says_what_would_be(command, anna):
    path = command.file("a.ndjson", DATA)
    assert counts(report(command, anna, path, "--dry-run"))[0] == 3
    assert command.done("dump", anna) == b""
    assert b"dry run" in command.done("import", anna, path, "--dry-run")
    command.refused("import", anna, command.file("b.ndjson", BAD), "--dry-run")


def test_bad_line_is_named_by_file_line_and_reason(command, anna):
    path = command.file("bad.ndjson", BAD)
    said = command.refused("import", anna, path, process=True)
    assert all(part in said for part in (path, "line 3", "amount"))
    assert command.done("dump", anna) == b""


def test_files_before_the_failing_one_stay_and_are_named(command, anna):
    good, bad = command.file("good.ndjson", DATA), command.file("bad.ndjson", BAD)
    last = command.file("last.ofx", OFX)
    outcome = command.run("import", anna, good, bad, last)
    assert outcome.code == 1
    assert good in outcome.out + outcome.err
    assert last not in outcome.out + outcome.err
    assert command.done("dump", anna).count(b"\n") == 3


def test_storage_that_fails_on_the_way_leaves_an_answer(command, anna, monkeypatch):
    files = [command.file(f"{n}.ndjson", DATA) for n in (1, 2)]
    real = trying.import_file

    def failing(backend, order, **steps):
        if order.stream.name == files[1]:
            raise StorageUnavailable("the database does not answer")
        return real(backend, order, **steps)

    monkeypatch.setattr(trying, "import_file", failing)
    outcome = command.run("import", anna, *files, "--json")
    assert outcome.code == 1
    assert [f["file"] for f in json.loads(outcome.out)["files"]] == files[:1]


def test_cancelled_import_names_the_files_that_stay(command, anna, monkeypatch):
    files = [command.file(f"{n}.ndjson", DATA) for n in (1, 2)]
    real = trying.import_file

    def interrupted(backend, order, **steps):
        if order.stream.name == files[1]:
            raise KeyboardInterrupt
        return real(backend, order, **steps)

    monkeypatch.setattr(trying, "import_file", interrupted)
    outcome = command.run("import", anna, *files)
    assert outcome.code == 1
    assert outcome.err.endswith(f"finance-api: cancelled; {files[0]} is imported\n")
    outcome = command.run("import", anna, files[1])
    assert outcome.err.endswith("finance-api: cancelled; nothing was changed\n")


@pytest.mark.parametrize("key", [r"\ud800", r"\u001b[31m", r"a\nb", "é"])
def test_json_of_a_refused_file_is_one_line_whatever_the_file_holds(command, anna, key):
    line = native_line(account()).replace('"name"', f'"{key}":1,"name"')
    outcome = command.run("import", anna, command.file("x.ndjson", line), "--json")
    assert outcome.code == 1
    assert "Traceback" not in outcome.err
    assert "unexpected" not in outcome.err
    assert outcome.out.count("\n") == 1
    assert json.loads(outcome.out)["files"] == []
    assert "\x1b" not in outcome.err


def test_name_of_a_file_may_be_any_bytes(command, anna):
    name = str(command.directory).encode() + b"/\xff.ndjson"
    with open(name, "wb") as stream:
        stream.write(DATA.encode())
    environment = {"PYTHONIOENCODING": "utf-8:strict"}
    outcome = command.run("import", anna, name, "--json", environment=environment, process=True)
    assert outcome.code == 0, outcome
    json.loads(outcome.raw_out.decode("utf-8", "replace"))


@pytest.mark.parametrize("what", ["missing", "directory", "empty csv"])
def test_file_that_cannot_be_read_is_named(command, anna, what):
    path = {
        "missing": str(command.directory / "missing.ofx"),
        "directory": str(command.directory),
        "empty csv": command.file("empty.csv", ""),
    }[what]
    assert path in command.refused("import", anna, path, "--format", "csv")


def test_empty_standard_input_is_refused(command, anna):
    """Standard input is empty mostly because the command before the pipe has failed."""
    for options in ((), ("--format", "native"), ("--format", "ofx"), ("--format", "csv")):
        said = command.refused("import", anna, "-", *options, stdin=b"")
        assert "standard input is empty" in said
    for options in ((), ("--format", "native")):
        assert "is empty" in command.refused("import", anna, "-", *options, stdin=b"\n \n")


def test_every_csv_option_reaches_the_reader(command, anna):
    text = "Bank X\nTag|Soll|Haben|Empfänger\n31.01.2026|1.234,50||Müller\n01.02.2026||5,00|Boß\n"
    path = command.file("a.csv", text.encode("cp1252"))
    options = ["--delimiter", "|", "--decimal", ",", "--thousands", ".", "--encoding", "cp1252"]
    options += ["--date-format", "%d.%m.%Y", "--debit", "Soll", "--credit", "Haben"]
    options += ["--skip-rows", "1", "--map", "recordDate=Tag", "--map", "payee=Empfänger"]
    options += ["--account", "Giro", "--currency", "eur", "--format", "csv"]
    command.done("import", anna, path, *options)
    dump = command.done("dump", anna).decode()
    assert '"amount":-1234.5,' in dump
    assert '"payee":"Müller"' in dump
    assert '"recordDate":"2026-02-01T00:00:00Z"' in dump
    inverted = command.file("b.csv", "date,amount\n2026-03-01,7\n")
    command.done("import", anna, inverted, "--account", "Giro", "--invert")
    assert '"amount":-7,' in command.done("dump", anna).decode()


LATER = ofx_file(ofx_statement([("20260104", "-5", "F1", "Shop Ltd")]))
SAME_DAYS = [("20260101", "-5", "F1", "Shop"), ("20260102", "-6", "F2", "Bus"),
             ("20260103", "-7", "F3", "Café")]  # fmt: skip
AS_CSV = "date,amount,payee,currency,account\n2026-01-01,-5,Shop,EUR,Giro\n" + (
    "2026-01-02,-6,Bus,EUR,Giro\n2026-01-03,-7,Café,EUR,Giro\n"
)


def commands_of(said):
    """Return the command lines in a message, as words without the program's name."""
    first, *others = said.splitlines()
    assert others or "; to copy: " in first
    assert all(meaning.startswith("# ") and len(meaning) > 10 for meaning in others[::2])
    lines = others[1::2] or [first.partition("; to copy: ")[2]]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize(
    ("before", "later", "options"),
    [
        (OFX, LATER, ["--ids stable", "--ids reused"]),
        (ofx_file(ofx_statement(SAME_DAYS)), AS_CSV, ["--account 'Checking 100'", "--new-account"]),
    ],
)
def test_what_the_storage_leaves_open_is_asked_for_with_commands(
    command, anna, before, later, options
):
    """Each command reads the file if it is run exactly as shown."""
    command.done("import", anna, command.file("a", before))
    path = command.file("b", later)
    found = commands_of(command.refused("import", anna, path))
    assert [shlex.join(words[3:]) for words in found] == options
    error = json.loads(command.run("import", anna, path, "--json").out)["error"]
    shown = [shlex.split(each["line"].replace(" --json", "")) for each in error["commands"]]
    assert shown == [["finance-api", *words] for words in found]
    assert "finance-api" not in error["message"]
    for words in found:
        command.done(*words, "--dry-run")


def test_nothing_is_filled_in_that_only_the_person_knows(command, anna):
    text = "date,amount,payee\n02/03/2026,5.00,Shop\n02/04/2026,7.00,Bus\n"
    path = command.file("a.csv", text)
    said = command.refused("import", anna, path)
    found = {" ".join(words[3:]) for words in commands_of(said)}
    start = "--account NAME --date-format"
    assert found == {
        f"{start} {form} --positive {way} --currency CODE"
        for form in ("DD/MM/YYYY", "MM/DD/YYYY")
        for way in ("in", "out")
    }
    first = "# '02/03/2026' is 2026-03-02, the amount of line 2 goes out (line 2: -5 on 2026-03-02)"
    assert said.splitlines()[1] == first
    (words, *_) = commands_of(said)
    assert "'CODE' is not an ISO 4217 code" in command.refused(*words, code=2)


def test_a_program_answers_questions_from_a_file_or_standard_input(command, anna):
    path = command.file("a.csv", "date,amount,payee\n2026-03-02,5.00,Shop\n")
    words = ["import", anna, path, "--account", "Giro", "--currency", "EUR"]
    error = json.loads(command.run(*words, "--json").out)["error"]
    ((question,), digest) = error["questions"], error["digest"]
    (out, _) = question["choices"]
    assert out["effect"]["entries"][0]["amount"] == "-5"
    answers = [{"topic": question["topic"], "changes": out["changes"]}]
    sent = json.dumps({"version": error["version"], "digest": digest, "answers": answers})
    done = command.done(*words, "--answers", "-", "--dry-run", stdin=sent.encode())
    assert b"0 in, 5 out" in done
    # A separate process reads the file within limits, and reads the same answers.
    limited = ("--max-seconds", "100", "--answers", command.file("answers.json", sent))
    other = json.loads(command.run(*words, "--json", *limited[:2]).out)["error"]
    assert other == error | {"commands": other["commands"]}
    wrong = command.file("wrong.json", sent.replace("out", "up"))
    outcome = command.run(*words, "--answers", wrong, "--json")
    refused = json.loads(outcome.out)["error"]
    assert outcome.code == 1 and "not offered for 'unsigned'" in refused["message"]
    assert refused["file"] == path and refused["commands"] == []
    assert b"0 in, 5 out" in command.done(*words, *limited)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.csv", "b.csv", "--answers", "a.json"], "--answers needs a single FILE"),
        (["a.csv", "--move-done", ".", "--answers", "a.json"], "--answers needs a single FILE"),
        (["-", "--answers", "-"], "the file and its answers cannot both be standard input"),
        (["a.csv", "--answers", "nowhere"], "nowhere"),
    ],
)
def test_answers_are_for_one_file(command, anna, words, said):
    command.file("a.json", "{}")
    assert said in command.refused("import", anna, *words, code=2)


def test_the_currency_of_an_account_that_is_there_is_not_asked_for(command, anna):
    command.done("add", anna, "accounts", "name=Giro", "currencyCode=CHF")
    csv = "date,amount,payee\n2026-03-02,5.00,Shop\n2026-03-20,7.00,Bus\n"
    path = command.file("a.csv", csv)
    qif = command.file("a.qif", "!Type:Bank\nD01/02/2026\nT-5.00\nPShop\n^\n")
    named = command.file("b.csv", csv.replace("payee", "account").replace("Shop", "Giro"))
    for file in (path, qif):
        for words in commands_of(command.refused("import", anna, file, "--account", "Giro")):
            assert "--currency" not in words
            command.done(*words, "--dry-run")
    codes = "date,amount,code\n2026-03-02,-5.00,USD\n2026-03-20,7.00,EUR\n"
    said = command.refused("import", anna, command.file("c.csv", codes), "--account", "Giro")
    assert "--map currency=" in said and "CODE" not in said
    # One of the two accounts is new.
    said = command.refused("import", anna, named)
    assert "'Bus' is a new account: give the currency with --currency, such as EUR" in said
    for words in commands_of(said):
        command.done(*[word.replace("CODE", "CHF") for word in words], "--dry-run")
    said = command.refused("import", anna, path)
    assert "for an existing account, leave out --currency" in said


def test_only_a_new_account_is_said_to_be_new(command, anna):
    iban = "DE02120300000000202051"
    stored = account(1, name="Giro", bankAccountNumber=iban), account(2, name="Same")
    rows = "".join(map(native_line, (*stored, account(3, name="Same"))))
    command.done("import", anna, command.file("rows.ndjson", rows))
    text = "date,amount,account,accountNumber\n2026-03-02,5.00,Main,{0}\n2026-03-20,7.00,{1}\n"
    options = ["--map", "accountNumber=accountNumber"]
    for row, new in ((f"Main,{iban}", ""), (",", ""), ("Same,", ""), ("Bus,", "'Bus' is a new")):
        path = command.file("a.csv", text.format(iban, row))
        said = command.refused("import", anna, path, *options)
        assert new in said and ("new account" in said) is bool(new), said
    path = command.file("a.csv", text.format(iban, f"Main,{iban}"))
    options += ["--account", "Other"]
    assert "new account" not in command.refused("import", anna, path, *options)
    # If --account names the number of an account, it still means a new account of this name.
    path = command.file("b.csv", "date,amount\n2026-03-02,5.00\n")
    assert f"{iban}' is a new account" in command.refused("import", anna, path, "--account", iban)


def test_a_command_that_would_change_nothing_is_not_shown(command, anna):
    """The option is remembered, so a command without it would do the same."""
    options = ["--account", "Giro", "--currency", "EUR", "--timezone", "Europe/Berlin"]
    text = "date,amount\n2026-01-31 23:30,-5\n"
    command.done("import", anna, command.file("a.csv", text), *options)
    path = command.file("b.csv", "date,amount\n2026-02-01,-5\n")
    said = command.refused("import", anna, path, "--account", "Giro")
    assert "--timezone" in said and "to copy" not in said


def test_dump_goes_into_import(command, anna):
    command.done("user", "add", "bert@example.org")
    command.done("import", anna, command.file("a.ndjson", DATA))
    dump = command.done("dump", anna)
    assert dump.count(b"\n") == 3
    command.done("import", "bert@example.org", "-", stdin=dump)
    assert command.done("dump", "bert@example.org") == dump
    assert an_id(9).encode() in dump


def test_named_pipe_is_read_like_a_file(command, anna):
    """The shell makes a named pipe for <(zcat export.gz), for example."""
    path = command.directory / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(DATA,))
    writer.start()
    outcome = command.run("import", anna, str(path), "--json")
    writer.join()
    assert outcome.code == 0, outcome
    assert command.done("dump", anna).count(b"\n") == 3


def test_reader_that_goes_away_ends_dump_quietly(command, anna):
    rows = "".join(native_line(record(n, note="x" * 500)) for n in range(100, 2_000))
    command.done("import", anna, command.file("a.ndjson", native_line(account()) + rows))
    with command.start("dump", anna) as process:
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode in (0, 1), said
    assert "Traceback" not in said
    assert "Exception ignored" not in said


def test_qif_takes_the_options_of_csv_that_say_how_dates_and_amounts_are_written(command, anna):
    path = command.file("a.qif", "!Type:Bank\nD2/1'26\nT-1.234\nPShop\n^\n")
    said = command.refused("import", anna, path)
    first, *others = commands_of(said)
    asked = ["--account", "NAME", "--date-format", "DD/MM/YY", "--decimal", ",", "--currency"]
    assert first == ["import", anna, path, *asked, "CODE"] and len(others) == 3
    asked.append("EUR")
    out = command.done("import", anna, path, *asked).decode()
    assert "NAME: 0 in, 1234 out" in out
    assert "--map: not an option for a file in the format qif" in command.refused(
        "import", anna, path, "--map", "payee=x", *asked
    )


def test_spreadsheet_is_read_and_its_sheet_can_be_named(command, anna):
    rows = [["date", "payee", "amount"], ["2026-01-05", "Shop", -12.5]]
    path = command.file("a.csv", xlsx(January=rows, February=[rows[0], ["2026-02-05", "x", -1]]))
    options = ("--account", "Giro", "--currency", "EUR")
    said = command.refused("import", anna, path, *options)
    assert commands_of(said) == [
        ["import", anna, path, *options, *sheets]
        for sheets in (
            ("--sheet", "January"),
            ("--sheet", "February"),
            ("--sheet", "January", "--sheet", "February"),
        )
    ]
    out = command.done("import", anna, path, *options, "--sheet", "February").decode()
    assert "1 created" in out
    assert "the sheet 'February' was read, but not 'January'" in out
    both = ("--sheet", "January", "--sheet", "February")
    assert (
        "1 created, 0 updated, 1 unchanged"
        in command.done("import", anna, path, *options, *both).decode()
    )
    assert command.done("import", anna, "-", *options, stdin=xlsx(rows))
    for option, value in (("--delimiter", ";"), ("--encoding", "cp1252")):
        said = command.refused("import", anna, path, *options, option, value)
        assert f"{option}: not an option for a file in the format spreadsheet" in said
    csv = command.file("b.csv", CSV)
    said = command.refused("import", anna, csv, *options, "--sheet", "x")
    assert "--sheet: not an option for a file in the format csv" in said


ENTRIES = [camt_entry("2026-01-05", "-5", ref="R1"), camt_entry("2026-01-06", "-1", status="PDNG")]
CAMT = camt(camt_statement(ENTRIES))
MT940 = mt940(
    [mt940_entry("2026-01-05", "-7")], opening=("10", "2026-01-04"), closing=("3", "2026-01-05")
)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (CAMT[:-40], "the file ends inside <"),
        (CAMT.replace(">5<", ">5,00<"), "<Amt> '5,00' is not a decimal number"),
        (MT940.replace("D7,", "D8,"), "make 2, but the closing balance is 3"),
        ("<!DOCTYPE html><p>Sign in", "it is an HTML page"),
        ("%PDF-1.7\n:20:1\n", "it is a PDF file"),
        (b"PK\x03\x04" + MT940.encode(), "it is a ZIP file"),
    ],
)
def test_a_file_that_cannot_be_read_right_is_refused_in_a_sentence(command, anna, data, words):
    path = command.file("statement", data)
    for source in (path, "-"):
        raw = data.encode() if isinstance(data, str) else data
        said = command.refused("import", anna, source, stdin=raw)
        assert words in said
        assert said.count("\n") <= 1
        assert "unexpected" not in said.lower()
    assert command.done("dump", anna) == b""
