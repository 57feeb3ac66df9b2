# ruff: noqa: E501 (rows as they stand in files)
"""Exports of apps that are connected to banks, or kept by hand, as their layouts have them.

Each direction, each word, two currencies. Files and records are written by hand, and share nothing
with the profiles.
"""

import pytest

from support.csv_files import initial, read, records, refusal, skipped


@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("bank", [True, False])
def test_pocketsmith(base, bank):
    main = ",Amount in base currency,Base currency" if base else ""
    text = (
        f"Date,Merchant,Merchant Changed From,Amount,Currency{main},Transaction Type,Account,"
        "Closing Balance,Category,Parent Categories,Labels,Memo,Note,ID"
        + (",Bank,Account Number\n" if bank else "\n")
        + f"2026-03-04,Corner Market,CORNER,-12.40,USD{',-11.00,EUR' if base else ''},debit,Checking,"
        '87.60,Groceries,Food,"home,week",shop,,90417'
        + (",Bank,123\n" if bank else "\n")
        + f"2026-03-05,Employer,,1000.00,EUR{',1000.00,EUR' if base else ''},credit,Savings,"
        "1000.00,Pay,,,,note,90418" + (",Bank,456\n" if bank else "\n")
    )
    assert records(text, "pocketsmith") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | shop | Food: Groceries labels=home,week id=90417"
        ],
        "Savings": ["2026-03-05 1000 | Employer | note | Pay id=90418"],
    }
    assert [f.account.number for f in read(text)] == (["123", "456"] if bank else [None, None])


def test_empower():
    text = (
        "Date,Account,Description,Category,Tags,Amount\n"
        "2026-03-04,Checking,Corner Market,Groceries,home,\u221212.40\n"
        "2026-03-05,Checking,Employer,Paychecks,,1000.00\n"
    )
    assert records(text, "empower") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | - | Groceries labels=home",
            "2026-03-05 1000 | Employer | - | Paychecks",
        ]
    }
    # Its words in another order are anybody's.
    other = "Account,Date,Description,Category,Tags,Amount\nA,2026-03-04,x,y,,-1\n"
    assert read(other)[0].statement.profile is None


def test_goodbudget():
    text = (
        "Date,Envelope,Account,Name,Notes,Amount,Status\n"
        "03/04/2026,Groceries,Checking,Corner Market,shop,-12.40,\n"
        '03/05/2026,[Available],Checking,Employer,,"1,000.00",CLR\n'
    )
    assert records(text, "goodbudget") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | shop | Groceries",
            "2026-03-05 1000 | Employer | - | [Available]",
        ]
    }
    assert "envelope" in refusal(text.replace("Groceries", "Transfer")).reason


def test_splitwise_is_refused():
    text = (
        "Date,Description,Category,Cost,Currency,Ada Example,Bob Sample\n\n"
        "2026-03-04,Dinner,Dining out,12.40,EUR,6.20,-6.20\n\n"
        "2026-03-05,Total balance, , ,EUR,6.20,-6.20\n"
    )
    assert "who owes what" in refusal(text, account="X").reason


@pytest.mark.parametrize("chinese", [False, True])
def test_andromoney(chinese):
    english = (
        '"Id","Currency","Amount","Category","Sub-Category","Date","Expense(Transfer Out)",'
        '"Income(Transfer In)","Note","Periodic","Project","Payee/Payer","uid","Time"\n'
    )
    headings = "Id,幣別,金額,分類,子分類,日期,付款(轉出),收款(轉入),備註,Periodic,專案,商家(公司),uid,時間\n"
    text = (
        '"Windows Excel","AndroMoney",20260304\n'
        + (headings if chinese else english)
        + '"10","EUR","100","SYSTEM","INIT_AMOUNT","20260301","","Purse","","","","","8a1d","0000"\n'
        '"12","EUR","12.4","Food","Groceries","20260304","Purse","","weekly shop","","Trip",'
        '"Corner Market","8a1f","1820"\n'
        '"13","EUR","1000","Pay","","20260305","","Purse","","","","Employer","8a20","0900"\n'
        '"14","EUR","50","Transfer","","20260306","Purse","Bank","","","","","8a21","0900"\n'
    )
    found = {
        "Purse": [
            "2026-03-04 -12.4 | Corner Market | weekly shop | Food: Groceries labels=Trip id=8a1f",
            "2026-03-05 1000 | Employer | - | Pay id=8a20",
            "2026-03-06 -50 | - | - | Transfer id=8a21",
        ],
        "Bank": ["2026-03-06 50 | - | - | Transfer id=8a21"],
    }
    assert records(text, "andromoney") == found
    assert initial(text)["Purse"] == "100"
    if chinese:
        assert records(text.encode("cp950"), "andromoney") == found
    neither = text.replace('"","Purse","","","","Employer"', '"","","","","","Employer"')
    assert "which way" in refusal(neither).reason


def test_moneywiz():
    text = (
        "sep=,\n"
        "Name,Current balance,Account,Transfers,Description,Payee,Category,Date,Memo,Amount,"
        "Currency,Cheque N°,Tags,Balance\n"
        'Checking,"1,229.50",EUR,,,,,,,,,,,\n'
        ",,Checking,,Corner Market,Corner Market,Food ► Groceries,14/03/2026,memo,-12.40,EUR,17,,87.60\n"
        ',,Dollars,,Pay,Employer,Pay,15/03/2026,,"1,000.00",USD,,,1000.00\n'
        ",,Checking,Dollars,,,,16/03/2026,,-50.00,EUR,,,37.60\n"
    )
    assert records(text, "moneywiz") == {
        "Checking": [
            "2026-03-14 -12.4 | Corner Market | Corner Market memo | Food ► Groceries reference=17",
            "2026-03-16 -50 | Dollars | - | -",
        ],
        "Dollars": ["2026-03-15 1000 | Employer | Pay | Pay"],
    }
    assert skipped(text) == {"account": 1}


FINANZGURU = (
    "Buchungstag;Referenzkonto;Name Referenzkonto;Betrag;Kontostand;Waehrung;"
    "Beguenstigter/Auftraggeber;IBAN Beguenstigter/Auftraggeber;Verwendungszweck;E-Ref;"
    "Mandatsreferenz;Glaeubiger-ID;Analyse-Hauptkategorie;Analyse-Unterkategorie;Analyse-Vertrag;"
    "Analyse-Vertragsturnus;Analyse-Vertrags-ID;Analyse-Umbuchung;"
    "Analyse-Vom frei verfuegbaren Einkommen ausgeschlossen;Analyse-Umsatzart;Analyse-Betrag;"
    "Analyse-Woche;Analyse-Monat;Analyse-Quartal;Analyse-Jahr;Buchungs-ID;Referenz-Original-ID;"
    "Split-Typ"
)


@pytest.mark.parametrize("notes", [True, False])
def test_finanzguru_leaves_the_parts_of_a_split_out(notes):
    end = ";urlaub;selbst\n" if notes else "\n"
    text = (
        "Tabelle 1\n"
        + FINANZGURU
        + (";Tags;Notiz\n" if notes else "\n")
        + "04.03.2026;DE00TEST;Giro;-1.012,40;87,60;EUR;Eckmarkt;DE00OTHER;Einkauf;E1;;;Essen;"
        "Lebensmittel;;;;nein;nein;;1012,4;9;3;1;2026;b-17;;"
        + end
        + "04.03.2026;DE00TEST;Giro;-1.000,00;87,60;EUR;Eckmarkt;DE00OTHER;Einkauf;;;;Essen;"
        "Lebensmittel;;;;nein;nein;;1000;9;3;1;2026;b-18;b-17;Teil"
        + end
        + "05.03.2026;DE00ANDERE;Tagesgeld;50,00;50,00;EUR;Ich;;;;;;;;;;;ja;nein;;50;9;3;1;2026;"
        "b-19;;" + end
    )
    labels, note = (" labels=urlaub", " selbst") if notes else ("", "")
    assert records(text, "finanzguru") == {
        "DE00TEST": [
            f"2026-03-04 -1012.4 | Eckmarkt | Einkauf{note} | Essen: Lebensmittel{labels} id=b-17 "
            "other=DE00OTHER reference=E1"
        ],
        "DE00ANDERE": [f"2026-03-05 50 | Ich | {note.strip() or '-'} | -{labels} id=b-19"],
    }
    assert skipped(text) == {"part of a split": 1}


def test_moneymoney():
    text = (
        "Datum;Wertstellung;Kategorie;Name;Verwendungszweck;Konto;Bank;Betrag;Währung\n"
        "04.03.2026;05.03.2026;Essen - Lebensmittel;Eckmarkt;Einkauf;DE00TEST;TESTDEFF;-1.012,40;EUR\n"
        "05.03.2026;05.03.2026;Lohn;Arbeitgeber;;;;1.000,00;USD\n"
    )
    assert records(text, "moneymoney", account="Giro") == {
        "Giro EUR": [
            "2026-03-04 -1012.4 | Eckmarkt | Einkauf | Essen - Lebensmittel value=2026-03-05 "
            "other=DE00TEST"
        ],
        "Giro USD": ["2026-03-05 1000 | Arbeitgeber | - | Lohn value=2026-03-05"],
    }


@pytest.mark.parametrize("bank", [True, False])
def test_outbank(bank):
    text = (
        "#;Account;Date;Value Date;Amount;Currency;Name;Number;Bank;Reason;Category;Subcategory;"
        "Tags;Note;" + ("Bank name;" if bank else "") + "Ultimate Receiver Name;Original Amount;"
        "Compensation Amount;Exchange Rate;Posting Key;Posting Text;Purpose Code;SEPA Reference;"
        "Client Reference;Mandate Identification;Originator Identifier\n"
        "1;DE00TEST;3/4/26;3/5/26;-12,40;EUR;Eckmarkt;DE00OTHER;TESTDEFF;Einkauf;Food;Groceries;;n;"
        + (";" if bank else "") + ";;;;106;Karte;;E1;;;\n"
        "2;DE00TEST;3/5/26;3/5/26;1.000,00;EUR;Arbeitgeber;;;;Pay;;;;" + (";" if bank else "")
        + ";;;;;;;;;;\n"
    )  # fmt: skip
    assert records(text, "outbank") == {
        "DE00TEST": [
            "2026-03-04 -12.4 | Eckmarkt | Karte Einkauf n | Food: Groceries value=2026-03-05 "
            "other=DE00OTHER reference=E1",
            "2026-03-05 1000 | Arbeitgeber | - | Pay value=2026-03-05",
        ]
    }


def test_finanzblick():
    text = (
        "\ufeffBuchungsdatum;Wertstellungsdatum;Empfaenger;Verwendungszweck;Buchungstext;Betrag;"
        "IBAN;BIC;Kategorie;Konto;Umbuchung;Notiz;Schlagworte;SteuerKategorie;ParentKategorie;"
        "AbweichenderEmpfaenger;Splitbuchung;Auswertungsdatum\n"
        "04.03.2026;05.03.2026;PayPal;Einkauf;Kartenzahlung;-12,40;DE00OTHER;;Lebensmittel;Giro;;n;"
        "heim;;Essen;Eckmarkt;;\n"
        "05.03.2026;05.03.2026;Arbeitgeber;;Lohn;1.000,00;;;;Giro;;;;;;;nein;\n"
    )
    assert records(text, "finanzblick") == {
        "Giro": [
            "2026-03-04 -12.4 | Eckmarkt | Kartenzahlung Einkauf n | Essen: Lebensmittel labels=heim "
            "value=2026-03-05 other=DE00OTHER",
            "2026-03-05 1000 | Arbeitgeber | Lohn | - value=2026-03-05",
        ]
    }
    assert "Splitbuchung" in refusal(text.replace(";nein;", ";ja;")).reason


def test_bankin():
    text = (
        "Date;Libellé;Catégorie;Montant;Notes;N° de chèque;Labels;Nom du compte;"
        "Nom de la connexion\r\n"
        "04/03/2026;MARCHE DU COIN;Courses;-12,40;note;17;;Compte courant;Banque Exemple\r\n"
        "05/03/2026;EMPLOYEUR;Salaires;2 500,50;;;;Livret;Banque Exemple\r\n"
    )
    assert records(text, "bankin") == {
        "Banque Exemple Compte courant": [
            "2026-03-04 -12.4 | MARCHE DU COIN | note | Courses reference=17"
        ],
        "Banque Exemple Livret": ["2026-03-05 2500.5 | EMPLOYEUR | - | Salaires"],
    }


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("last", ["IOU", "Loans"])
def test_buxfer(ids, last):
    rows = (
        'x16,2026-03-01,Opening balance,EUR,100,Transfer,,Checking,Cleared," ",\n'
        'x17,2026-03-04,Corner Market,EUR,-12.4,Expense,Food / Groceries,Checking,Cleared," ",\n'
        "x18,2026-03-05,Employer,EUR,1000,Income,Pay,Checking,Reconciled,thanks,\n"
        "x19,2026-03-06,To dollars,EUR,-50,Transfer,,Checking,Cleared,,\n"
        "x19,2026-03-06,To dollars,USD,57,Transfer,,Dollars,Cleared,,\n"
    )
    text = f"ID,Date,Description,Currency,Amount,Type,Tags,Account,Status,Memo,{last}\n{rows}"
    if not ids:
        text = "\n".join(line.partition(",")[2] for line in text.splitlines())
    found = {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | - | Food / Groceries id=x17",
            "2026-03-05 1000 | Employer | thanks | Pay id=x18",
            "2026-03-06 -50 | To dollars | - | - id=x19",
        ],
        "Dollars": ["2026-03-06 57 | To dollars | - | - id=x19"],
    }
    if not ids:
        found = {
            name: [line.partition(" id=")[0] for line in lines] for name, lines in found.items()
        }
    assert records(text, "buxfer") == found
    assert initial(text) == {"Checking": "100", "Dollars": None}
    assert "'Voided'" in refusal(text.replace("Reconciled", "Voided")).reason


ZENMONEY = (
    "date;categoryName;payee;comment;outcomeAccountName;outcome;outcomeCurrencyShortTitle;"
    "incomeAccountName;income;incomeCurrencyShortTitle;createdDate;changedDate;qrCode\n"
    '2026-03-04;"Food / Groceries";"Corner Market";;"Purse";"12.40";EUR;"Purse";"0";EUR;'
    '"2026-03-04 18:20:11";"2026-03-04 18:20:11";\n'
    '2026-03-05;"Pay";"Employer";"thanks";"Bank";"0";EUR;"Bank";"1000.00";EUR;'
    '"2026-03-05 18:20:11";"2026-03-05 18:20:11";\n'
    '2026-03-06;"";"";;"Bank";"50.00";EUR;"Dollars";"57.00";USD;'
    '"2026-03-06 18:20:11";"2026-03-06 18:20:11";\n'
)
ZENMONEY_RECORDS = {
    "Purse": ["2026-03-04 -12.4 | Corner Market | - | Food / Groceries"],
    "Bank": ["2026-03-05 1000 | Employer | thanks | Pay", "2026-03-06 -50 | - | - | -"],
    "Dollars": ["2026-03-06 57 | - | - | -"],
}


def test_zenmoney_full():
    assert records("\ufeff" + ZENMONEY, "zenmoney") == ZENMONEY_RECORDS
    neither = ZENMONEY.replace('"12.40"', '"0"')
    assert refusal(neither).line == 2 and "which way" in refusal(neither).reason


def test_zenmoney_of_a_month():
    lines = [line.rpartition(";")[0].replace(";", ",") for line in ZENMONEY.splitlines()]
    text = "\ufeffzm_dump_2011,ada,1\n\n\n" + "\n".join(lines) + "\n"
    text = text.replace('"12.40"', '"12,40"').replace('"1000.00"', '"1 000,00"')
    text = text.replace('"50.00"', '"50,00"').replace('"57.00"', '"57,00"')
    assert records(text, "zenmoney") == ZENMONEY_RECORDS


VENMO = (
    "Username,ID,Datetime,Type,Status,Note,From,To,Amount (total),Amount (fee),Funding Source,"
    "Destination,Beginning Balance,Ending Balance,Statement Period Venmo Fees,"
    "Year to Date Venmo Fees,Disclaimer\n"
    'ada,,,,,,,,,,,,"$0",,,,\n'
    ",1,2026-03-01T13:00:00,Charge,Complete,asked for,Ada,Bob,+ $73.01,,,Venmo balance,,,,,\n"
    ",2,2026-03-02T17:00:00,Payment,Complete,got,Cid,Ada,+ $50.03,,,Venmo balance,,,,,\n"
    ",3,2026-03-03T20:00:00,Payment,Complete,paid,Ada,Bob,- $12.01,,Venmo balance,,,,,,\n"
    ",4,2026-03-04T04:00:00,Charge,Complete,was asked,Cid,Ada,- $35.02,,Venmo balance,,,,,,\n"
    ",5,2026-03-05T04:00:00,Payment,Complete,by bank,Ada,Bob,- $9.00,,My Bank *12,,,,,,\n"
    ",6,2026-03-06T04:00:00,Standard Transfer,Complete,,,,- $20.00,,,My Bank *12,,,,,\n"
    ',,,,,,,,,,,,,"$56.01",,,\n'
    ',,,,,,,,,,,,,,$0.00,,"In case of errors\n  write to us"\n'
)


def test_venmo():
    assert records(VENMO, "venmo", account="Venmo") == {
        "Venmo": [
            "2026-03-01 73.01 | Bob | asked for | - id=1",
            "2026-03-02 50.03 | Cid | got | - id=2",
            "2026-03-03 -12.01 | Bob | paid | - id=3",
            "2026-03-04 -35.02 | Cid | was asked | - id=4",
            "2026-03-06 -20 | My Bank *12 | - | - id=6",
        ]
    }
    assert skipped(VENMO, account="Venmo") == {"paid by a bank or card": 1, "without Status": 3}
    fee = VENMO.replace("- $20.00,,,", "- $20.00,- $0.35,,")
    assert "fee" in refusal(fee, account="Venmo").reason
    assert "'Issued'" in refusal(VENMO.replace("Complete,,,,", "Issued,,,,"), account="X").reason
    assert (
        "'Merchant'" in refusal(VENMO.replace("Standard Transfer", "Merchant"), account="X").reason
    )
