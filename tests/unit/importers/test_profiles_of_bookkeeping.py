# ruff: noqa: E501 (rows as they stand in files)
"""Exports of programs for bookkeeping, as their layouts have them.

Each direction, each word, two currencies. Files and records are written by hand, and share nothing
with the profiles.
"""

import pytest

from support.csv_files import answers, read, records, refusal, skipped


def test_money_manager_ex():
    text = (
        "ID,Date,Status,Type,Account,Payee,Category,SubCategory,Amount,Currency,Number,Notes\n"
        "17,2026-03-04,,Withdrawal,Purse,Corner Market,Food,Groceries,-10.00,EUR,,weekly shop\n"
        "17,2026-03-04,,Withdrawal,Purse,Corner Market,Home,,-2.40,EUR,,weekly shop\n"
        "18,2026-03-05,R,Deposit,Bank,Employer,Pay,,1000.00,USD,4711,\n"
        "19,2026-03-06,F,Transfer,Purse,> Bank,Transfer,,-50.00,EUR,,\n"
        "20,2026-03-07,V,Withdrawal,Purse,Mistake,Food,,-9.00,EUR,,\n"
    )
    assert records(text, "mmex") == {
        "Purse": [
            "2026-03-04 -10 | Corner Market | weekly shop | Food: Groceries",
            "2026-03-04 -2.4 | Corner Market | weekly shop | Home",
            "2026-03-06 -50 | > Bank | - | Transfer",
        ],
        "Bank": ["2026-03-05 1000 | Employer | - | Pay reference=4711"],
    }
    assert skipped(text) == {"V": 1}


@pytest.mark.parametrize(
    "first, account, main", [("Period", "Accounts", "EUR"), ("Date", "Account", "INR")]
)
def test_money_manager(first, account, main):
    text = (
        f"{first},{account},Category,Subcategory,Note,{main},Income/Expense,Description,Amount,"
        f"Currency,{account}\n"
        "03/04/2026 18:20:11,Cash,Food,Groceries,weekly shop,12.4,Expense,long,12.4,EUR,12.4\n"
        "03/05/2026 18:20:11,Dollars,Pay,,,920,Income,,1000,USD,1000\n"
        "03/06/2026 18:20:11,Cash,Dollars,,,50,Transfer-Out,,50,EUR,50\n"
        "03/06/2026 18:20:11,Dollars,Cash,,,50,Transfer-In,,57,USD,57\n"
        "03/07/2026 18:20:11,Cash,Food,,,1,Exp.,,1,EUR,1\n"
        "03/08/2026 18:20:11,Cash,Modified Bal.,,,2,Inc.,,2,EUR,2\n"
    )
    assert records(text, "money-manager") == {
        "Cash": [
            "2026-03-04 -12.4 | - | weekly shop long | Food: Groceries",
            "2026-03-06 -50 | Dollars | - | -",
            "2026-03-07 -1 | - | - | Food",
            "2026-03-08 2 | - | - | Modified Bal.",
        ],
        "Dollars": ["2026-03-05 1000 | - | - | Pay", "2026-03-06 57 | Cash | - | -"],
    }
    assert "'Fee'" in refusal(text.replace("Exp.", "Fee")).reason


def test_a_file_for_the_import_of_money_manager():
    text = (
        "Date,Account,Category,Subcategory,Note,Amount,Income/Expense,Description\n"
        "03/04/2026,Cash,Food,Groceries,weekly shop,12.4,Expense,long\n"
        "03/05/2026,Bank,Pay,,,1000,Income,\n"
        "03/06/2026,Cash,Bank,,,50,Transfer out,\n"
    )
    assert records(text, "money-manager-template") == {
        "Cash": [
            "2026-03-04 -12.4 | - | weekly shop long | Food: Groceries",
            "2026-03-06 -50 | Bank | - | -",
        ],
        "Bank": ["2026-03-05 1000 | - | - | Pay", "2026-03-06 50 | Cash | - | -"],
    }
    assert "Transfer-In" in refusal(text.replace("Transfer out", "Transfer-In")).reason


@pytest.mark.parametrize("memo", ["wording", "memo"])
def test_homebank(memo):
    text = f"date;paymode;info;payee;{memo};amount;category;tags\n" + (
        "2026-03-04;6;;Corner Market;weekly shop;-12.40;Food:Groceries;home week\n"
        "2026-03-05;2;4711;Employer;;1000.00;Pay;\n"
        "2026-03-06;5;;;to savings;-50.00;;\n"
        "2026-03-07;3;;Kiosk;;-1.00;;\n"
    )
    assert records(text, "homebank", account="Giro") == {
        "Giro": [
            "2026-03-04 -12.4 | Corner Market | weekly shop | Food:Groceries labels=home,week "
            "type=debit_card",
            "2026-03-05 1000 | Employer | - | Pay reference=4711",
            "2026-03-06 -50 | - | to savings | - type=transfer",
            "2026-03-07 -1 | Kiosk | - | - type=cash",
        ]
    }
    assert "--account" in answers(refusal(text, account=None))[0]


GNUCASH = (
    "Date,Transaction ID,Number,Description,Notes,Commodity/Currency,Void Reason,Action,Memo,"
    "Full Account Name,Account Name,Amount With Sym,Amount Num.,Value With Sym,Value Num.,"
    "Reconcile,Reconcile Date,Rate/Price\n"
    "14/03/2026,1f0e,17,Corner Market,shop,CURRENCY::EUR,,,,Assets:Checking,Checking,-€12.40,-12.40,"
    "-€12.40,-12.40,n,,1.0000\n"
    ",,,,,,,,bread,Expenses:Food,Food,€12.40,12.40,€12.40,12.40,n,,1.0000\n"
    "15/03/2026,1f0f,,Employer,,CURRENCY::EUR,,,,Income:Pay,Pay,-€50.00,-50.00,-€50.00,-50.00,n,,1\n"
    ",,,,,,,,net,Assets:Checking,Checking,€50.00,50.00,€50.00,50.00,c,,1.0000\n"
    "16/03/2026,1f10,,To pounds,,CURRENCY::EUR,,,,Assets:Checking,Checking,-€10.00,-10.00,-€10.00,"
    "-10.00,y,,1.0000\n"
    ",,,,,,,,,Assets:Pounds,Pounds,£8.70,8.70,€10.00,10.00,n,,1.1494\n"
    "17/03/2026,1f11,,Mistake,,CURRENCY::EUR,wrong,,,Assets:Checking,Checking,€0.00,0.00,€0.00,0.00,"
    "v,,1.0000\n"
)


def test_gnucash_has_a_row_for_each_leg():
    found = read(GNUCASH)
    assert records(GNUCASH, "gnucash") == {
        "Assets:Checking": [
            "2026-03-14 -12.4 | Corner Market | shop | - reference=17",
            "2026-03-15 50 | Employer | net | -",
            "2026-03-16 -10 | To pounds | - | -",
        ],
        "Assets:Pounds": ["2026-03-16 8.7 | To pounds | - | -"],
    }
    assert [f.account.currency for f in found] == ["EUR", "GBP"]
    assert dict(found[0].statement.skipped) == {"Expenses:Food": 1, "Income:Pay": 1, "v": 1}
    assert "Aktiva:Bank" in refusal(GNUCASH.replace("Assets:Pounds", "Aktiva:Bank")).reason


def test_gnucash_of_older_versions():
    text = (
        "Date,Transaction ID,Number,Description,Notes,Commodity/Currency,Void Reason,Action,Memo,"
        "Full Account Name,Account Name,Amount With Sym.,Amount Num,Reconcile,Reconcile Date,"
        "Rate/Price\n"
        "14/03/2026,1f0e,17,Corner Market,shop,CURRENCY::EUR,,,,Assets:Checking,Checking,-€12.40,"
        "-12.40,n,,1.0000\n"
        ",,,,,,,,bread,Expenses:Food,Food,€12.40,12.40,n,,1.0000\n"
    )
    assert records(text, "gnucash-4") == {
        "Assets:Checking": ["2026-03-14 -12.4 | Corner Market | shop | - reference=17"]
    }


def test_gnucash_simple():
    text = (
        "Date,Account Name,Number,Description,Full Category Path,Reconcile,Amount With Sym,"
        "Amount Num.,Value With Sym,Value Num.,Rate/Price\n"
        "14/03/2026,Checking,17,Corner Market,Expenses:Food,n,-€12.40,-12.40,-€12.40,-12.40,1.00\n"
        "15/03/2026,Checking,,Employer,Income:Pay,c,€50.00,50.00,€50.00,50.00,1.00\n"
    )
    assert records(text, "gnucash-simple") == {
        "Checking": [
            "2026-03-14 -12.4 | Corner Market | - | Expenses:Food reference=17",
            "2026-03-15 50 | Employer | - | Income:Pay",
        ]
    }


def test_kmymoney_names_its_account_above_the_headings():
    text = (
        "Account Type:Checking\nAccount Name:Giro\n\n"
        "Date;Payee;Amount;Account/Cat;Memo;Status;Number;splitCategory;splitMemo;splitAmount\n"
        "2026-03-04;Corner Market;-12.40;Food:Groceries;weekly shop;C;17;;;\n"
        "2026-03-05;Employer;1000.00;Pay;;R;;;;\n"
        "2026-03-06;Big Shop;-15.00;;;;;Food;bread;-10.00;Home;soap;-5.00\n"
    )
    assert records(text, "kmymoney") == {
        "Giro": [
            "2026-03-04 -12.4 | Corner Market | weekly shop | Food:Groceries reference=17",
            "2026-03-05 1000 | Employer | - | Pay",
            "2026-03-06 -15 | Big Shop | - | -",
        ]
    }
    assert "parts of a split" in " ".join(read(text)[0].statement.remarks)
