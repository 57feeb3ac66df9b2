# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks in the United States, Canada, Australia and Brazil, as their layouts have them.

Each direction and status, and what they say twice. Files and records are written by hand, and share
nothing with the profiles.
"""

import pytest

from support.csv_files import facts, read, records, refusal, skipped

AMEX = [
    ("amex-us", "Date,Description,Card Member,Account #,Amount,Extended Details,Appears On Your Statement As,Address,City/State,Zip Code,Country,Reference,Category", "03/04/2026", "03/05/2026", "USD"),
    ("amex-uk", "Date,Description,Card Member,Account #,Amount,Extended Details,Appears On Your Statement As,Address,Town/City,Postcode,Country,Reference,Category", "04/03/2026", "05/03/2026", "GBP"),
    ("amex-de", "Datum,Beschreibung,Karteninhaber,Konto #,Betrag,Weitere Details,Erscheint auf Ihrer Abrechnung als,Adresse,Stadt,PLZ,Land,Betreff,Kategorie", "04/03/2026", "05/03/2026", "EUR"),
]  # fmt: skip


@pytest.mark.parametrize("profile, headings, first, second, currency", AMEX)
@pytest.mark.parametrize("one_card", [True, False])
def test_american_express_writes_charges_without_a_sign(
    profile, headings, first, second, currency, one_card
):
    amounts = ('"1.012,40"', '"-50,00"') if profile == "amex-de" else ('"1,012.40"', "-50.00")
    card = ["", ""] if one_card else ["ADA EXAMPLE,-12345,"] * 2
    text = headings + "\n"
    if one_card:
        columns = headings.split(",")
        text = ",".join(columns[:2] + columns[4:]) + "\n"
    text += f'{first},CORNER MKT,{card[0]}{amounts[0]},"line 1\nline 2",CORNER MKT,1 Main St,"TOWN\nNY",00000,COUNTRY,\'320000001\',Groceries\n'
    text += f"{second},PAYMENT,{card[1]}{amounts[1]},,PAYMENT,,,,,'320000002',\n"
    found = {
        "Amex": [
            "2026-03-04 -1012.4 | CORNER MKT | line 1\nline 2 | Groceries reference='320000001'",
            "2026-03-05 50 | PAYMENT | - | - reference='320000002'",
        ]
    }
    assert records(text, profile, account="Amex") == found
    assert facts(text, account="Amex") == {"Amex": (None, currency, None)}


def test_short_file_of_american_express():
    text = (
        "Date,Description,Card Member,Account #,Amount\n"
        "03/04/2026,CORNER MKT,ADA EXAMPLE,-12345,12.40\n03/05/2026,PAYMENT,ADA EXAMPLE,-12345,-50.00\n"
    )
    assert records(text, "amex-us", account="A") == {
        "A": ["2026-03-04 -12.4 | CORNER MKT | - | -", "2026-03-05 50 | PAYMENT | - | -"]
    }


@pytest.mark.parametrize("card", ["", "Card,"])
def test_card_of_chase(card):
    number = "1234," if card else ""
    text = (
        f"{card}Transaction Date,Post Date,Description,Category,Type,Amount,Memo\n"
        f"{number}03/03/2026,03/04/2026,CORNER MKT,Groceries,Sale,-12.40,\n"
        f"{number}03/05/2026,03/05/2026,CORNER MKT,Groceries,Return,2.40,sorry\n"
        f"{number}03/06/2026,03/06/2026,Payment Thank You,,Payment,50.00,\n"
    )
    assert records(text, "chase-card", account="Chase") == {
        "Chase": [
            "2026-03-04 -12.4 | CORNER MKT | Sale | Groceries value=2026-03-03",
            "2026-03-05 2.4 | CORNER MKT | Return sorry | Groceries value=2026-03-05",
            "2026-03-06 50 | Payment Thank You | Payment | - value=2026-03-06",
        ]
    }


def test_account_of_chase_has_rows_with_a_cell_more():
    text = (
        "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\n"
        "DEBIT,03/07/2026,HOTEL,-80.00,DEBIT_CARD, ,,\n"
        "CHECK,03/06/2026,CHECK 17,-7.60,CHECK_PAID,1080.00,17,\n"
        "CREDIT,03/05/2026,EMPLOYER,1000.00,ACH_CREDIT,1087.60,,\n"
        "DEBIT,03/04/2026,CORNER MKT,-12.40,DEBIT_CARD,87.60,,\n"
    )
    assert records(text, "chase", account="Chase") == {
        "Chase": [
            "2026-03-06 -7.6 | CHECK 17 | CHECK_PAID | - reference=17",
            "2026-03-05 1000 | EMPLOYER | ACH_CREDIT | -",
            "2026-03-04 -12.4 | CORNER MKT | DEBIT_CARD | -",
        ]
    }
    assert skipped(text, account="Chase") == {"pending": 1}
    assert facts(text, account="Chase") == {"Chase": (None, "USD", 1080)}


def test_bank_of_america():
    text = (
        'Description,,Summary Amt.\nBeginning balance as of 03/01/2026,,"100.00"\n'
        'Total credits,,"1,000.00"\nTotal debits,,"-12.40"\n'
        'Ending balance as of 03/06/2026,,"1,087.60"\n\n'
        "Date,Description,Amount,Running Bal.\n"
        '03/01/2026,Beginning balance as of 03/01/2026,,"100.00"\n'
        '03/04/2026,"CORNER MKT","-12.40","87.60"\n03/05/2026,"EMPLOYER","1,000.00","1,087.60"\n'
    )
    assert records(text, "bank-of-america", account="BoA") == {
        "BoA": ["2026-03-04 -12.4 | CORNER MKT | - | -", "2026-03-05 1000 | EMPLOYER | - | -"]
    }
    assert skipped(text, account="BoA") == {"beginning balance": 1}
    assert facts(text, account="BoA") == {"BoA": (None, "USD", 1087.6)}
    card = (
        "Posted Date,Reference Number,Payee,Address,Amount\n"
        '03/04/2026,2400001,"CORNER MKT","TOWN NY",-12.40\n03/05/2026,2400002,"PAYMENT","",50.00\n'
    )
    assert records(card, "bank-of-america-card", account="BoA") == {
        "BoA": [
            "2026-03-04 -12.4 | CORNER MKT | TOWN NY | - reference=2400001",
            "2026-03-05 50 | PAYMENT | - | - reference=2400002",
        ]
    }


def test_capital_one():
    card = (
        "Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit\n"
        "2026-03-03,2026-03-04,1234,CORNER MKT,Groceries,12.40,\n"
        "2026-03-05,2026-03-05,1234,PAYMENT,Payment/Credit,,50.00\n"
    )
    assert records(card, "capital-one", account="C1") == {
        "C1": [
            "2026-03-04 -12.4 | CORNER MKT | - | Groceries value=2026-03-03",
            "2026-03-05 50 | PAYMENT | - | Payment/Credit value=2026-03-05",
        ]
    }
    account = (
        "Account Number,Transaction Description,Transaction Date,Transaction Type,Transaction Amount,Balance\n"
        "1234,EMPLOYER,03/05/26,Credit,1000.00,1087.60\n1234,CORNER MKT,03/04/26,Debit,12.40,87.60\n"
    )
    assert records(account, "capital-one-360") == {
        "1234": ["2026-03-05 1000 | EMPLOYER | - | -", "2026-03-04 -12.4 | CORNER MKT | - | -"]
    }
    assert "'Fee'" in refusal(account.replace("Debit", "Fee"), account=None).reason


@pytest.mark.parametrize("credit", ["-50.00", "50.00"])
@pytest.mark.parametrize("member", ["", ",Member Name"])
def test_citi_may_write_credits_with_a_minus(credit, member):
    name = ",ADA EXAMPLE" if member else ""
    text = (
        f"Status,Date,Description,Debit,Credit{member}\n"
        f'Cleared,03/04/2026,"CORNER MKT",12.40,{name}\nCleared,03/05/2026,"PAYMENT",,{credit}{name}\n'
        f'Cleared,03/06/2026,"REFUND",,{credit.lstrip("-")}{name}\nPending,03/07/2026,"HOTEL",80.00,{name}\n'
    )
    assert records(text, "citi", account="Citi") == {
        "Citi": [
            "2026-03-04 -12.4 | CORNER MKT | - | -",
            "2026-03-05 50 | PAYMENT | - | -",
            "2026-03-06 50 | REFUND | - | -",
        ]
    }
    assert skipped(text, account="Citi") == {"Pending": 1}


def test_discover_writes_charges_without_a_sign():
    text = (
        "Trans. Date,Post Date,Description,Amount,Category\n"
        '03/03/2026,03/04/2026,"CORNER MKT",12.40,"Groceries"\n'
        '03/05/2026,03/05/2026,"PAYMENT",-50.00,"Payments and Credits"\n'
    )
    assert records(text, "discover", account="D") == {
        "D": [
            "2026-03-04 -12.4 | CORNER MKT | - | Groceries value=2026-03-03",
            "2026-03-05 50 | PAYMENT | - | Payments and Credits value=2026-03-05",
        ]
    }


def test_schwab():
    text = (
        '"Date","Status","Type","CheckNumber","Description","Withdrawal","Deposit","RunningBalance"\n'
        '"03/06/2026","Pending","ATM","","HOTEL","$80.00","",""\n'
        '"03/05/2026","Posted","DEPOSIT","","EMPLOYER","","$1,000.00","$1,087.60"\n'
        '"03/04/2026","Posted","CHECK","17","Check Paid #17","$12.40","","$87.60"\n'
    )
    assert records(text, "schwab-checking", account="S") == {
        "S": [
            "2026-03-05 1000 | EMPLOYER | DEPOSIT | -",
            "2026-03-04 -12.4 | Check Paid #17 | CHECK | - reference=17",
        ]
    }
    assert facts(text, account="S") == {"S": (None, "USD", 1087.6)}


def test_rbc_has_a_column_for_each_currency():
    text = (
        '"Account Type","Account Number","Transaction Date","Cheque Number","Description 1","Description 2","CAD$","USD$"\n'
        'Chequing,0000-1,3/14/2026,,"CORNER MKT","TOWN",-12.40,,\n'
        'Chequing,0000-1,3/15/2026,17,"EMPLOYER","",1000.00,,\n'
        'Savings,0000-2,3/16/2026,,"INTEREST","",,1.50,\n'
    )
    assert records(text, "rbc") == {
        "0000-1": [
            "2026-03-14 -12.4 | CORNER MKT | TOWN | -",
            "2026-03-15 1000 | EMPLOYER | - | - reference=17",
        ],
        "0000-2": ["2026-03-16 1.5 | INTEREST | - | -"],
    }
    assert [found.account.currency for found in read(text)] == ["CAD", "USD"]
    assert "which way" in refusal(text.replace("-12.40,,", "-12.40,-9.00,"), account=None).reason


def test_scotiabank():
    account = (
        "\ufeffFilter,Date,Description,Sub-description,Type of Transaction,Amount,Balance\n"
        ",2026-03-04,CORNER MKT,town,Debit,-12.40,87.60\n,2026-03-05,EMPLOYER,,Credit,1000.00,1087.60\n"
    )
    assert records(account, "scotiabank", account="S") == {
        "S": ["2026-03-04 -12.4 | CORNER MKT | town | -", "2026-03-05 1000 | EMPLOYER | - | -"]
    }
    card = (
        "\ufeffFilter,Date,Description,Sub-description,Status,Type of Transaction,Amount\n"
        ",2026-03-04,CORNER MKT,town,posted,Debit,12.40\n,2026-03-05,PAYMENT,,posted,Credit,50.00\n"
        ",2026-03-06,HOTEL,,pending,Debit,80.00\n"
    )
    found = {"S": ["2026-03-04 -12.4 | CORNER MKT | town | -", "2026-03-05 50 | PAYMENT | - | -"]}
    assert records(card, "scotiabank-card", account="S") == found
    french = card.replace("Filter,Date,Description,Sub-description,Status,Type of Transaction,Amount", "Filtre,Date,Description,Sous-description,État,Type d’opération,Montant").replace("Debit", "Débit").replace("Credit", "Crédit")  # fmt: skip
    assert records(french, "scotiabank-card", account="S") == found
    assert "'reportée'" in refusal(french.replace("posted", "reportée")).reason


def test_westpac_and_ing_of_australia():
    text = (
        "Bank Account,Date,Narrative,Debit Amount,Credit Amount,Balance,Categories,Serial\n"
        "123456,05/03/2026,EMPLOYER,,1000.00,1087.60,SALARY,\n123456,04/03/2026,CORNER MKT,12.40,,87.60,OTHER,17\n"
    )
    assert records(text, "westpac") == {
        "123456": [
            "2026-03-05 1000 | EMPLOYER | - | SALARY",
            "2026-03-04 -12.4 | CORNER MKT | - | OTHER reference=17",
        ]
    }
    ing = (
        "Date,Description,Credit,Debit,Balance\n"
        "05/03/2026,EMPLOYER,1000.00,,1087.60\n04/03/2026,CORNER MKT,,-12.40,87.60\n"
    )
    assert records(ing, "ing-au", profile="ing-au", account="X") == {
        "X": ["2026-03-05 1000 | EMPLOYER | - | -", "2026-03-04 -12.4 | CORNER MKT | - | -"]
    }
    assert "DD/MM/YYYY" in refusal(ing).reason


def test_nubank():
    text = (
        "Data,Valor,Identificador,Descrição\n"
        "04/03/2026,-12.40,65a1-1,Mercado da Esquina\n05/03/2026,1000.00,65a1-2,Salário\n"
    )
    assert records(text, "nubank", account="Nu") == {
        "Nu": [
            "2026-03-04 -12.4 | Mercado da Esquina | - | - id=65a1-1",
            "2026-03-05 1000 | Salário | - | - id=65a1-2",
        ]
    }
    assert facts(text, account="Nu") == {"Nu": (None, "BRL", None)}
    card = "date,title,amount\n2026-03-04,Mercado,12.40\n2026-03-05,Pagamento recebido,-50.00\n"
    assert records(card, "nubank-card", profile="nubank-card", account="Nu") == {
        "Nu": ["2026-03-04 -12.4 | Mercado | - | -", "2026-03-05 50 | Pagamento recebido | - | -"]
    }
    assert read(card, account="X")[0].statement.profile is None
