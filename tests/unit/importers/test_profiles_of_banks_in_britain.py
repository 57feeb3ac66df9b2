# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks in the United Kingdom, as their layouts have them.

Each direction and status, and what they say twice. Files and records are written by hand, and share
nothing with the profiles.
"""

import pytest

from support.csv_files import facts, records

MONZO = "Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split"  # fmt: skip


@pytest.mark.parametrize("columns", [16, 18, 20])
def test_monzo(columns):
    further = [",Money Out,Money In", ",Balance,Balance currency"][: (columns - 16) // 2]
    text = MONZO + "".join(further) + "\n"
    text += "tx_1,04/03/2026,18:20:11,Card payment,Corner Market,🛒,Groceries,-12.40,GBP,-14.00,EUR,weekly shop,1 Road,,CORNER MKT,"
    text += ["", ",-12.40,", ",-12.40,,87.60,GBP"][(columns - 16) // 2] + "\n"
    text += (
        "tx_2,05/03/2026,09:00:00,Faster payment,Employer,,Income,1000.00,GBP,1000.00,GBP,,,,PAY,"
    )
    text += ["", ",,1000.00", ",,1000.00,1087.60,GBP"][(columns - 16) // 2] + "\n"
    assert records(text, "monzo", account="Monzo") == {
        "Monzo": [
            "2026-03-04 -12.4 | Corner Market | Card payment CORNER MKT weekly shop | Groceries id=tx_1 original=-14 EUR",
            "2026-03-05 1000 | Employer | Faster payment PAY | Income id=tx_2 original=1000 GBP",
        ]
    }


def test_monzo_until_2018():
    text = (
        "id,created,amount,currency,local_amount,local_currency,category,emoji,description,address,notes,receipt\n"
        "tx_1,2018-02-25 12:34:56 +0000,-12.4,GBP,-14,EUR,groceries,,Corner Market,1 Road,shop,\n"
        "tx_2,2018-02-26 12:34:56 +0000,1000,GBP,1000,GBP,income,,Employer,,,\n"
    )
    assert records(text, "monzo-2018", account="Monzo") == {
        "Monzo": [
            "2018-02-25 -12.4 | Corner Market | shop | groceries id=tx_1 original=-14 EUR",
            "2018-02-26 1000 | Employer | - | income id=tx_2 original=1000 GBP",
        ]
    }


@pytest.mark.parametrize("currency", ["GBP", "EUR"])
@pytest.mark.parametrize("further", ["", ",Spending Category", ",Spending Category,Notes"])
def test_starling(currency, further):
    ends = [("", ""), (",GROCERIES", ","), (",GROCERIES,n", ",,")][further.count(",")]
    text = (
        f"Date,Counter Party,Reference,Type,Amount ({currency}),Balance ({currency}){further}\n"
        f"04/03/2026,Corner Market,CORNER MKT,CONTACTLESS,-12.40,87.60{ends[0]}\n"
        f"05/03/2026,Employer,PAY,FASTER PAYMENT,1000.00,1087.60{ends[1]}\n"
    )
    note = " n" if further.endswith("Notes") else ""
    assert records(text, "starling", account="X") == {
        "X": [
            f"2026-03-04 -12.4 | Corner Market | CONTACTLESS CORNER MKT{note} | {'GROCERIES' if further else '-'}",
            "2026-03-05 1000 | Employer | FASTER PAYMENT PAY | -",
        ]
    }
    assert facts(text, account="X") == {"X": (None, currency, 1087.6)}


def test_barclays():
    text = (
        "Number,Date,Account,Amount,Subcategory,Memo\n"
        " ,04/03/2026,20-00-00 12345678,-12.40,Debit,CORNER MKT\n"
        "17,05/03/2026,20-00-00 12345678,1000.00,Counter Credit,EMPLOYER\n"
    )
    assert records(text, "barclays") == {
        "20-00-0012345678": [
            "2026-03-04 -12.4 | CORNER MKT | Debit | -",
            "2026-03-05 1000 | EMPLOYER | Counter Credit | - reference=17",
        ]
    }


@pytest.mark.parametrize("comma", ["", ","])
def test_lloyds(comma):
    text = (
        "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,"
        f"Debit Amount,Credit Amount,Balance{comma}\n"
        f"05/03/2026,BGC,'30-00-00,12345678,EMPLOYER,,1000.00,1087.60{comma}\n"
        f"04/03/2026,DEB,'30-00-00,12345678,CORNER MKT,12.40,,87.60{comma}\n"
    )
    assert records(text, "lloyds") == {
        "12345678": [
            "2026-03-05 1000 | EMPLOYER | BGC | -",
            "2026-03-04 -12.4 | CORNER MKT | DEB | -",
        ]
    }
    assert facts(text) == {"12345678": ("12345678", "GBP", 1087.6)}


@pytest.mark.parametrize("day", ["0{} Mar 2026", "0{}/03/2026"])
@pytest.mark.parametrize("blank", ["", " "])
def test_natwest(day, blank):
    text = (
        "Date,Type,Description,Value,Balance,Account Name,Account Number\n"
        f"{day.format(5)},BAC,EMPLOYER,1000.00,1087.60,Current,600000-12345678\n"
        f"{day.format(4)},POS,CORNER MKT,-12.40,87.60,Current,600000-12345678\n"
    ).replace(",", "," + blank)
    assert records(text, "natwest") == {
        "600000-12345678": [
            "2026-03-05 1000 | EMPLOYER | BAC | -",
            "2026-03-04 -12.4 | CORNER MKT | POS | -",
        ]
    }


def test_nationwide():
    text = (
        '"Account Name:","FlexAccount ****12345"\n"Account Balance:","£1087.60"\n'
        '"Available Balance: ","£1087.60"\n\n'
        '"Date","Transaction type","Description","Paid out","Paid in","Balance"\n'
        '"04 Mar 2026","Visa purchase","CORNER MKT","£12.40","","£87.60"\n'
        '"05 Mar 2026","Bank credit","EMPLOYER","","£1000.00","£1087.60"\n'
    ).encode("cp1252")
    assert records(text, "nationwide") == {
        "Nationwide FlexAccount ****12345": [
            "2026-03-04 -12.4 | CORNER MKT | Visa purchase | -",
            "2026-03-05 1000 | EMPLOYER | Bank credit | -",
        ]
    }
