"""Files of double entry state each payment once for each of its accounts: the bank's rows count."""

import pytest

from finance_api.importers.options import changed
from support.csv_files import answers, read, refusal

JOURNALS = {
    "signed": """Date,Description,Account,Amount
2026-01-02,Baker,Assets:Bank,-12.50
2026-01-02,Baker,Expenses:Food,12.50
2026-01-09,Wages,Assets:Bank,300.00
2026-01-09,Wages,Income:Salary,-300.00
""",
    "sorted by account": """Date,Description,Account,Amount
2026-01-02,Baker,Assets:Bank,-12.50
2026-01-09,Wages,Assets:Bank,300.00
2026-01-02,Baker,Expenses:Food,12.50
2026-01-09,Wages,Income:Salary,-300.00
""",
    "sides": """Date,Account,Debit,Credit
2026-01-02,Expenses:Food,12.50,
2026-01-02,Assets:Bank,,12.50
2026-01-09,Assets:Bank,300.00,
2026-01-09,Income:Salary,,300.00
""",
    "German": """Datum;Beschreibung;Konto;Soll;Haben
02.01.2026;Bäcker;Aufwand:Essen;12,50;
02.01.2026;Bäcker;Aktiva:Giro;;12,50
09.01.2026;Lohn;Aktiva:Giro;300,00;
09.01.2026;Lohn;Ertrag:Gehalt;;300,00
""",
    "French": """Date;Libellé;Compte;Montant
02/01/2026;Boulanger;Actifs:Banque;-12,50
02/01/2026;Boulanger;Dépenses:Alimentation;12,50
13/01/2026;Salaire;Actifs:Banque;300,00
13/01/2026;Salaire;Revenus:Salaire;-300,00
""",
    "words of nobody": """Date,Account,Debit,Credit
2026-01-02,Giro,,12.50
2026-01-02,Food,12.50,
2026-01-09,Giro,300.00,
2026-01-09,Salary,,300.00
""",
    "a word for each side": """Date,Description,Account,Type,Amount
2026-01-02,Baker,Cash,Credit,12.50
2026-01-02,Baker,Food,Debit,12.50
2026-01-09,Wages,Cash,Debit,300.00
2026-01-09,Wages,Salary,Credit,300.00
""",
    "without headings": """2026/01/02,,Baker,Expenses:Food,EUR,12.50
2026/01/02,,Baker,Assets:Bank,EUR,-12.50
2026/01/09,,Wages,Assets:Bank,EUR,300.00
2026/01/09,,Wages,Income:Salary,EUR,-300.00
""",
    "two currencies": """Date,Description,Account,Amount
2026-01-02,Exchange,Assets:Bank,-12.50
2026-01-02,Exchange,Equity:Exchange,14.25
2026-01-09,Wages,Assets:Bank,300.00
""",
}


def given(refused):
    """Return the options of the first answer."""
    return changed({}, refused.questions[0].choices[0].changes)


@pytest.mark.parametrize("kind", JOURNALS)
def test_the_account_of_the_bank_is_asked_for_and_its_rows_are_right(kind):
    refused = refusal(JOURNALS[kind], account="A", currency="EUR")
    assert "the file is double entry" in str(refused)
    (found,) = read(JOURNALS[kind], account="A", currency="EUR", **given(refused))
    assert sorted(e.amount for e in found.entries)[-1] == 3_000_000
    assert sum(e.amount for e in found.entries) == 2_875_000


def test_several_accounts_of_the_person_are_offered_together_or_each_for_the_named_account():
    text = JOURNALS["signed"] + "2026-01-10,Shop,Liabilities:Card,-9.00\n"
    bank, card = "--only Account=Assets:Bank", "--only Account=Liabilities:Card"
    (together,) = answers(refusal(text, account=None, currency="EUR"))
    assert together.startswith(f"{bank} {card} --map account=Account")
    each = answers(refusal(text, account="A", currency="EUR"))
    assert [answer.split(" --positive")[0] for answer in each] == [bank, card]
    found = read(text, currency="EUR", only=["Account=Assets:Bank", "Account=Liabilities:Card"])
    assert [sum(e.amount for e in each.entries) for each in found] == [2_875_000, -90_000]


def test_a_row_that_names_both_accounts_without_a_sign_is_refused():
    text = "Date,Text,From,To,Amount\n2026-01-02,Baker,Assets:Bank,Expenses:Food,12.50\n"
    assert "each row names two accounts" in str(refusal(text, currency="EUR"))


@pytest.mark.parametrize(
    "text",
    ["Date,Payee,Category,Amount\n2026-01-02,Baker,Expenses:Food,-12.50\n"
     "2026-01-09,Work,Income:Salary,300.00\n",
     "date,description,otheraccounts,change,balance\n2026-01-02,Baker,Expenses:Food,-12.5,100\n"
     "2026-01-09,Wages,Income:Salary,300.00,400.00\n",
     "Date,Payee,Account,Amount\n2026-01-02,Savings,Giro,-12.50\n2026-01-02,Giro,Savings,12.50\n"
     "2026-01-09,Savings,Giro,-5.00\n2026-01-09,Giro,Savings,5.00\n"],
)  # fmt: skip
def test_categories_and_transfers_between_two_accounts_are_no_double_entry(text):
    account = None if "Giro" in text else "A"
    assert read(text, account=account, currency="EUR")


def test_a_footer_is_asked_about_before_the_account():
    first = refusal(JOURNALS["signed"] + "Printed by Anna, page 1\n", currency="EUR")
    assert answers(first) == ["--skip-last 1"]
