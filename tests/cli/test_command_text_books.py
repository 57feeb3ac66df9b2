"""finance-api import with the user's own book in plain text, which its program reads"""

import os
import shutil

import pytest

from support.programs import missing

needs_hledger = pytest.mark.usefixtures("hledger")
needs_beancount = pytest.mark.usefixtures("beancount")

JOURNAL = """
account Vermögen  ; type: Asset
account Ausgaben  ; type: Expense
include more.journal

2026-01-02 Bäckerei | Brot
    Ausgaben:Essen   4,20 EUR
    Vermögen:Kasse
"""
BOOK = """
2025-01-01 open Assets:Kasse EUR
2025-01-01 open Expenses:Essen
2026-01-02 * "Bäckerei" "Brot"
  Expenses:Essen   4.20 EUR
  Assets:Kasse
"""


@pytest.fixture
def hledger():
    if not shutil.which("hledger"):
        missing("hledger")


@pytest.fixture
def beancount():
    if not shutil.which("bean-query"):
        missing("bean-query")


@pytest.fixture
def journal(tmp_path):
    folder = tmp_path / "books"
    folder.mkdir(mode=0o755)
    path = folder / "2026.journal"
    path.write_text(JOURNAL)
    (folder / "more.journal").write_text("2026-01-01 x\n  Vermögen:Kasse  1 EUR\n  equity:y\n")
    path.chmod(0o644)
    return path


@needs_hledger
def test_a_journal_is_read_by_hledger_with_what_it_includes(command, anna, journal):
    done = command.done("import", anna, str(journal)).decode()
    assert "Kasse: 0 in, 4.2 out, balance -3.2 EUR" in done
    assert b"0 created, 0 updated" in command.done("import", anna, str(journal))


@needs_hledger
def test_a_journal_is_followed_by_import_alone(command, anna, journal):
    command.done("import", anna, str(journal), "--follow")
    assert b"no book is followed in a file" in command.done("follow", anna)
    journal.write_text(JOURNAL.replace("Brot", "Kuchen"))
    assert b"1 removed" in command.done("import", anna, str(journal), "--follow")


@needs_hledger
def test_a_journal_that_looks_like_something_else_is_read_if_its_program_is_named(
    command, anna, journal
):
    journal.write_text('2026-01-01 * "Shop"\n    assets:cash  -1 EUR\n    expenses:food\n')
    done = command.done("import", anna, str(journal), "--format", "hledger").decode()
    assert "cash: 0 in, 1 out, balance -1 EUR" in done


@needs_hledger
def test_rules_are_looked_at_until_the_last_year_there_is(command, anna, journal):
    rule = "\n~ yearly from 2026-01  Verein\n    Ausgaben:Essen  5 EUR\n    Vermögen:Kasse\n"
    late = "\n2199-12-31 x\n    Ausgaben:Essen  5 EUR\n    Vermögen:Kasse\n"
    journal.write_text(JOURNAL + rule + late)
    assert b"balance -8.2 EUR" in command.done("import", anna, str(journal))


@needs_hledger
def test_what_hledger_finds_wrong_is_passed_on(command, anna, journal):
    journal.write_text(JOURNAL + "\n2026-01-03 y\n    Vermögen:Kasse  1 EUR\n")
    said = command.refused("import", anna, str(journal))
    assert "hledger cannot read the book" in said
    assert "sum should be 0" in said


@needs_beancount
def test_a_beancount_file_is_read_by_bean_query(command, anna, journal):
    journal.write_text(BOOK)
    done = command.done("import", anna, str(journal)).decode()
    assert "Kasse: 0 in, 4.2 out, balance -4.2 EUR" in done


@needs_beancount
def test_a_beancount_file_with_errors_is_refused(command, anna, journal):
    journal.write_text(BOOK.replace("Kasse\n", "Kasse  -4.30 EUR\n"))
    assert "does not balance" in command.refused("import", anna, str(journal))


@pytest.mark.parametrize("name", ["2026.journal", "."])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_a_book_that_others_can_write_is_not_given_to_its_program(
    command, anna, journal, name, mode
):
    writable = journal.parent / name
    writable.chmod(writable.stat().st_mode | mode)
    said = command.refused("import", anna, str(journal))
    assert "other users can write to" in said
    assert f"chmod go-w {writable}" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_book_of_another_user_is_not_given_to_its_program(command, anna, journal):
    os.chown(journal, 12_345, 12_345)
    assert "belongs to another user" in command.refused("import", anna, str(journal))


def test_a_link_is_judged_by_what_it_leads_to(command, anna, journal, tmp_path):
    journal.chmod(0o666)
    link = tmp_path / "link.journal"
    link.symlink_to(journal)
    assert "other users can write to" in command.refused("import", anna, str(link))


def test_a_program_that_is_not_installed_is_named(command, anna, journal):
    said = command.refused("import", anna, str(journal), environment={"PATH": "/nowhere"})
    assert "the program hledger is needed to read this book" in said


def test_standard_input_is_not_given_to_a_program(command, anna, journal):
    said = command.refused("import", anna, "-", stdin=JOURNAL.encode())
    assert "which only hledger can read" in said
