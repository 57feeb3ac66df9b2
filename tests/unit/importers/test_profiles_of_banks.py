# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks, as their layouts have them: each direction and status, what they say twice.

Files and records are written by hand, and share nothing with the profiles.
"""

import pytest

from finance_api.importers.interface import ImportRefused
from support.csv_files import answers, read, records


def refusal(data, **options):
    with pytest.raises(ImportRefused) as refused:
        read(data, **({"account": "X"} | options))
    return refused.value


def skipped(data, **options):
    return dict(read(data, **options)[0].statement.skipped)


def facts(data, **options):
    """Account -> number, currency, closing balance."""
    return {
        found.account.name: (
            found.account.number,
            found.account.currency,
            found.statement.closing and found.statement.closing.amount / 10_000,
        )
        for found in read(data, **options)
    }


# -- Germany, Austria, Switzerland

N26 = [
    ('"Date","Payee","Account number","Transaction type","Payment reference","Category","Amount (EUR)","Amount (Foreign Currency)","Type Foreign Currency","Exchange Rate"', True),
    ('"Date","Payee","Account number","Transaction type","Payment reference","Amount (EUR)","Amount (Foreign Currency)","Type Foreign Currency","Exchange Rate"', False),
    ('"Datum","Empfänger","Kontonummer","Transaktionstyp","Verwendungszweck","Kategorie","Betrag (EUR)","Betrag (Fremdwährung)","Fremdwährung","Wechselkurs"', True),
    ('"Date","Bénéficiaire","Numéro de compte","Type de transaction","Référence de paiement","Catégorie","Montant (EUR)","Montant (Devise étrangère)","Sélectionnez la devise étrangère","Taux de conversion"', True),
]  # fmt: skip


@pytest.mark.parametrize("headings, category", N26)
def test_n26(headings, category):
    cell = '"Food",' if category else ""
    text = (
        f"{headings}\n"
        f'"2026-03-04","Corner Market","","MasterCard Payment","",{cell}"-12.40","-13.50","USD","1.09"\n'
        f'"2026-03-05","Employer","DE00 OTHER","Income","Pay",{cell}"1000.0","","",""\n'
    )
    name = "Food" if category else "-"
    assert records(text, "n26", account="N26") == {
        "N26": [
            f"2026-03-04 -12.4 | Corner Market | MasterCard Payment | {name} original=-13.5 USD",
            f"2026-03-05 1000 | Employer | Income Pay | {name} other=DE00OTHER",
        ]
    }
    assert facts(text, account="N26") == {"N26": (None, "EUR", None)}


def test_n26_since_2024():
    text = (
        '"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference",'
        '"Account Name","Amount (EUR)","Original Amount","Original Currency","Exchange Rate"\n'
        '2026-03-04,2026-03-03,"Corner Market",,Presentment,,"Main Account",-12.40,13.50,USD,1.09\n'
        '2026-03-05,2026-03-05,Space,DE00OTHER,"Debit Transfer",,"Main Account",-50.00,,,\n'
        '2026-03-05,2026-03-05,"Main Account",DE00TEST,"Credit Transfer",save,Space,50.00,,,\n'
    )
    assert records(text, "n26-2024") == {
        "N26 Main Account": [
            "2026-03-04 -12.4 | Corner Market | Presentment | - value=2026-03-03 original=13.5 USD",
            "2026-03-05 -50 | Space | Debit Transfer | - value=2026-03-05 other=DE00OTHER",
        ],
        "N26 Space": [
            "2026-03-05 50 | Main Account | Credit Transfer save | - value=2026-03-05 other=DE00TEST"
        ],
    }


def test_ing_of_germany():
    text = (
        "Umsatzanzeige;Datei erstellt am: 06.03.2026 10:00\n\n"
        "IBAN;DE00 TEST\nKontoname;Girokonto\nBank;ING\nKunde;Ada Example\n"
        "Zeitraum;01.03.2026 - 06.03.2026\nSaldo;1.087,60;EUR\n\nSortierung;Datum absteigend\n\n"
        "In der CSV-Datei finden Sie alle bereits gebuchten Umsätze.\n\n"
        "Buchung;Valuta;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung\n"
        "05.03.2026;05.03.2026;Arbeitgeber;Gehalt/Rente;Lohn;1.087,60;EUR;1.000,00;EUR\n"
        "04.03.2026;03.03.2026;Eckmarkt;Lastschrift;Einkauf;87,60;EUR;-12,40;EUR\n"
    ).encode("cp1252")
    assert records(text, "ing-de") == {
        "DE00TEST": [
            "2026-03-05 1000 | Arbeitgeber | Gehalt/Rente Lohn | - value=2026-03-05",
            "2026-03-04 -12.4 | Eckmarkt | Lastschrift Einkauf | - value=2026-03-03",
        ]
    }
    assert facts(text) == {"DE00TEST": ("DE00TEST", "EUR", 1087.6)}
    assert list(records(text, "ing-de", account="Giro")) == ["Giro"]


def test_dkb():
    text = (
        '\ufeff"Girokonto";"DE00TEST"\n""\n"Kontostand vom 06.03.2026:";"987,60 EUR"\n""\n'
        '"Buchungsdatum";"Wertstellung";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";'
        '"Verwendungszweck";"Umsatztyp";"IBAN";"Betrag (€)";"Gläubiger-ID";"Mandatsreferenz";'
        '"Kundenreferenz"\n'
        '"04.03.26";"05.03.26";"Gebucht";"Ada Example";"Eckmarkt";"Einkauf";"Ausgang";"DE00OTHER";"-1.000";"";"";"K1"\n'
        '"05.03.26";"05.03.26";"Gebucht";"Arbeitgeber";"Ada Example";"Lohn";"Eingang";"";"2.000,5";"";"";""\n'
        '"06.03.26";"06.03.26";"Vorgemerkt";"Ada Example";"Hotel";"";"Ausgang";"";"-80";"";"";""\n'
    )
    assert records(text, "dkb") == {
        "DE00TEST": [
            "2026-03-04 -1000 | Eckmarkt | Einkauf | - value=2026-03-05 other=DE00OTHER reference=K1",
            "2026-03-05 2000.5 | Arbeitgeber | Lohn | - value=2026-03-05",
        ]
    }
    assert skipped(text) == {"Vorgemerkt": 1}
    # With commas, and no account above.
    commas = text[text.index('"Buchungsdatum"') :].replace(";", ",")
    assert len(records(commas, "dkb", account="X")["X"]) == 2
    assert "'Storniert'" in refusal(text.replace("Vorgemerkt", "Storniert")).reason


def test_card_of_dkb():
    text = (
        '"Karte";"Visa"\n\n"Belegdatum";"Wertstellung";"Status";"Beschreibung";"Umsatztyp";'
        '"Betrag (€)";"Fremdwährungsbetrag"\n'
        '"04.03.26";"05.03.26";"Gebucht";"Eckmarkt";"Im Geschäft";"-12,40 €";""\n'
        '"05.03.26";"05.03.26";"Gebucht";"Ausgleich";"Gutschrift";"1.012,40 €";""\n'
        '"06.03.26";"";"Vorgemerkt";"Hotel";"Im Geschäft";"-80,00 €";"-90 $"\n'
    )
    assert records(text, "dkb-card", account="Visa") == {
        "Visa": [
            "2026-03-04 -12.4 | Eckmarkt | Im Geschäft | - value=2026-03-05",
            "2026-03-05 1012.4 | Ausgleich | Gutschrift | - value=2026-03-05",
        ]
    }


def test_dkb_until_2023():
    giro = (
        '"Kontonummer:";"DE00TEST / Girokonto";\n\n"Von:";"01.03.2023";\n"Bis:";"06.03.2023";\n'
        '"Kontostand vom 06.03.2023:";"87,60 EUR";\n\n'
        '"Buchungstag";"Wertstellung";"Buchungstext";"Auftraggeber / Begünstigter";'
        '"Verwendungszweck";"Kontonummer";"BLZ";"Betrag (EUR)";"Gläubiger-ID";"Mandatsreferenz";'
        '"Kundenreferenz";\n'
        '"04.03.2023";"05.03.2023";"Lastschrift";"Eckmarkt";"Einkauf";"DE00OTHER";"TEST";"-12,40";"";"";"K1";\n'
        '"05.03.2023";"05.03.2023";"Gutschrift";"Arbeitgeber";"Lohn";"";"";"1.000,00";"";"";"";\n'
    ).encode("cp1252")
    assert records(giro, "dkb-2023") == {
        "DE00TEST": [
            "2023-03-04 -12.4 | Eckmarkt | Lastschrift Einkauf | - value=2023-03-05 other=DE00OTHER reference=K1",
            "2023-03-05 1000 | Arbeitgeber | Gutschrift Lohn | - value=2023-03-05",
        ]
    }
    card = (
        '"Kreditkarte:";"4930********1234";\n\n'
        '"Umsatz abgerechnet und nicht im Saldo enthalten";"Wertstellung";"Belegdatum";'
        '"Beschreibung";"Betrag (EUR)";"Ursprünglicher Betrag";\n'
        '"Nein";"05.03.2023";"04.03.2023";"Eckmarkt";"-12,40";"";\n'
        '"Ja";"06.03.2023";"06.03.2023";"Einzahlung";"50,00";"";\n'
    ).encode("cp1252")
    assert records(card, "dkb-card-2023", account="Visa") == {
        "Visa": [
            "2023-03-04 -12.4 | Eckmarkt | - | - value=2023-03-05",
            "2023-03-06 50 | Einzahlung | - | - value=2023-03-06",
        ]
    }


COMDIRECT = (
    '\n"Umsätze Girokonto";"Zeitraum: 30 Tage";\n"Neuer Kontostand";"1.087,60 EUR";\n\n'
    '"Buchungstag";"Wertstellung (Valuta)";"Vorgang";"Buchungstext";"Umsatz in EUR";\n'
    '"offen";"--";"Lastschrift";"Auftraggeber: Hotel";"-80,00";\n'
    '"05.03.2026";"05.03.2026";"Übertrag";" Auftraggeber: Arbeitgeber Buchungstext: Lohn";"1.000,00";\n'
    '"04.03.2026";"03.03.2026";"Lastschrift";" Empfänger: Eckmarkt Buchungstext: Einkauf";"-12,40";\n'
    '\n"Alter Kontostand";"100,00 EUR";\n'
)


def test_comdirect():
    assert records(COMDIRECT.encode("cp1252"), "comdirect", account="Giro") == {
        "Giro": [
            "2026-03-05 1000 | - | Übertrag Auftraggeber: Arbeitgeber Buchungstext: Lohn | - value=2026-03-05",
            "2026-03-04 -12.4 | - | Lastschrift Empfänger: Eckmarkt Buchungstext: Einkauf | - value=2026-03-03",
        ]
    }
    assert skipped(COMDIRECT, account="Giro") == {"offen": 1}


def test_a_file_of_comdirect_with_several_accounts_is_refused():
    other = COMDIRECT.replace("Girokonto", "Tagesgeld")
    assert refusal(COMDIRECT + other).line == 10
    card = '"Umsätze Visa";"Zeitraum: 30 Tage";\n\n"Buchungstag";"Umsatztag";"Vorgang";"Referenz";"Buchungstext";"Umsatz in EUR";\n"05.03.2026";"05.03.2026";"x";"y";"z";"-1,00";\n'
    assert refusal(COMDIRECT + card).line == 10


SPARKASSE = (
    '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";'
    '"Glaeubiger ID";"Mandatsreferenz";"Kundenreferenz (End-to-End)";"Sammlerreferenz";'
    '"Lastschrift Ursprungsbetrag";"Auslagenersatz Ruecklastschrift";'
    '"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";'
    '"Waehrung";"Info"\n'
    '"DE00TEST";"04.03.26";"05.03.26";"KARTENZAHLUNG";"Einkauf";"";"";"E1";"";"14,00";"1,60";"ECKMARKT";"DE00OTHER";"TESTDEFF";"-12,40";"EUR";"Umsatz gebucht"\n'
    '"DE00TEST";"05.03.26";"05.03.26";"GUTSCHRIFT";"Lohn für März";"";"";"";"";"";"";"ARBEITGEBER";"";"";"1000,00";"EUR";"Umsatz gebucht"\n'
    '"DE00TEST";"06.03.26";"06.03.26";"KARTENZAHLUNG";"";"";"";"";"";"";"";"HOTEL";"";"";"-80,00";"EUR";"Umsatz vorgemerkt und nicht gebucht"\n'
)


@pytest.mark.parametrize("encoding", ["cp1252", "iso-8859-1", "utf-8-sig"])
def test_sparkasse_camt(encoding):
    assert records(SPARKASSE.encode(encoding), "sparkasse-camt") == {
        "DE00TEST": [
            "2026-03-04 -12.4 | ECKMARKT | KARTENZAHLUNG Einkauf | - value=2026-03-05 other=DE00OTHER reference=E1",
            "2026-03-05 1000 | ARBEITGEBER | GUTSCHRIFT Lohn für März | - value=2026-03-05",
        ]
    }
    assert skipped(SPARKASSE) == {"Umsatz vorgemerkt und nicht gebucht": 1}


def test_sparkasse_mt940_and_card():
    mt940 = (
        '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";'
        '"Beguenstigter/Zahlungspflichtiger";"Kontonummer";"BLZ";"Betrag";"Waehrung";"Info"\n'
        '"DE00TEST";"04.03.26";"05.03.26";"LASTSCHRIFT";"Einkauf";"Eckmarkt";"123";"10000000";"-12,40";"EUR";"Umsatz gebucht"\n'
        '"DE00TEST";"05.03.26";"05.03.26";"LOHN";"März";"Arbeitgeber";"";"";"1000,00";"EUR";"Umsatz gebucht"\n'
    )
    assert records(mt940, "sparkasse-mt940") == {
        "DE00TEST": [
            "2026-03-04 -12.4 | Eckmarkt | LASTSCHRIFT Einkauf | - value=2026-03-05 other=123",
            "2026-03-05 1000 | Arbeitgeber | LOHN März | - value=2026-03-05",
        ]
    }
    card = (
        '"Umsatz getätigt von";"Belegdatum";"Buchungsdatum";"Originalbetrag";"Originalwährung";'
        '"Umrechnungskurs";"Buchungsbetrag";"Buchungswährung";"Transaktionsbeschreibung";'
        '"Transaktionsbeschreibung Zusatz";"Buchungsreferenz";"Gebührenschlüssel";'
        '"Länderkennzeichen";"BAR-Entgelt+Buchungsreferenz";"AEE+Buchungsreferenz";'
        '"Abrechnungskennzeichen"\n'
        '"1234********5678";"03.03.26";"04.03.26";"-13,50";"USD";"1,09";"-12,40";"EUR";"SHOP";"NY";"R1";"";"US";"";"";""\n'
        '"1234********5678";"05.03.26";"05.03.26";"50,00";"EUR";"";"50,00";"EUR";"Ausgleich";"";"R2";"";"";"";"";""\n'
    ).encode("cp1252")
    assert records(card, "sparkasse-card") == {
        "1234********5678": [
            "2026-03-04 -12.4 | SHOP | NY | - value=2026-03-03 reference=R1 original=-13.5 USD",
            "2026-03-05 50 | Ausgleich | - | - value=2026-03-05 reference=R2 original=50 EUR",
        ]
    }


@pytest.mark.parametrize("last", ["Kategorie;Steuerrelevant", "Gekennzeichneter Umsatz"])
def test_volksbank(last):
    empty = ";" * last.count(";")
    text = (
        "\ufeffBezeichnung Auftragskonto;IBAN Auftragskonto;BIC Auftragskonto;Bankname Auftragskonto;"
        "Buchungstag;Valutadatum;Name Zahlungsbeteiligter;IBAN Zahlungsbeteiligter;"
        "BIC (SWIFT-Code) Zahlungsbeteiligter;Buchungstext;Verwendungszweck;Betrag;Waehrung;"
        f"Saldo nach Buchung;Bemerkung;{last};Glaeubiger ID;Mandatsreferenz\n"
        f"Giro;DE00TEST;TESTDEFF;Musterbank;05.03.2026;05.03.2026;Arbeitgeber;;;Gutschrift;Lohn;1000,00;EUR;1087,60;;{empty};;\n"
        f"Giro;DE00TEST;TESTDEFF;Musterbank;04.03.2026;03.03.2026;Eckmarkt;DE00OTHER;TESTDEFF;Kartenzahlung;Einkauf;-12,40;EUR;87,60;b;{empty};;\n"
        f"Spar;DE00SPAR;TESTDEFF;Musterbank;04.03.2026;04.03.2026;Ich;;;Übertrag;;5,00;EUR;5,00;;{empty};;\n"
    )
    assert records(text, "volksbank") == {
        "DE00TEST": [
            "2026-03-05 1000 | Arbeitgeber | Gutschrift Lohn | - value=2026-03-05",
            "2026-03-04 -12.4 | Eckmarkt | Kartenzahlung Einkauf b | - value=2026-03-03 other=DE00OTHER",
        ],
        "DE00SPAR": ["2026-03-04 5 | Ich | Übertrag | - value=2026-03-04"],
    }
    assert facts(text)["DE00TEST"] == ("DE00TEST", "EUR", 1087.6)


@pytest.mark.parametrize("category", [True, False])
def test_commerzbank(category):
    text = (
        "\ufeffBuchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;Auftraggeberkonto;"
        "Bankleitzahl Auftraggeberkonto;IBAN Auftraggeberkonto" + (";Kategorie\n" if category else "\n")
        + "04.03.2026;05.03.2026;Lastschrift;Eckmarkt Einkauf;-12,40;EUR;1234567;10000000;DE00TEST"
        + (";Lebensmittel\n" if category else "\n")
        + "05.03.2026;05.03.2026;Gutschrift;Arbeitgeber;1000;EUR;1234567;10000000;DE00TEST"
        + (";\n" if category else "\n")
    )  # fmt: skip
    assert records(text, "commerzbank") == {
        "DE00TEST": [
            f"2026-03-04 -12.4 | - | Lastschrift Eckmarkt Einkauf | {'Lebensmittel' if category else '-'} value=2026-03-05",
            "2026-03-05 1000 | - | Gutschrift Arbeitgeber | - value=2026-03-05",
        ]
    }


@pytest.mark.parametrize("iban", ["IBAN / Kontonummer", "IBAN"])
def test_deutsche_bank(iban):
    text = (
        "Umsätze;;;Zeitraum: 30 Tage;\nKonto;Filialnummer;\nAda;;\nIBAN;DE00 TEST\n\n"
        "Letzter Kontostand;;;;1.087,60;EUR\nVorgemerkte Umsätze sind nicht enthalten.\n"
        f"Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;{iban};BIC;"
        "Kundenreferenz;Mandatsreferenz;Gläubiger ID;Fremde Gebühren;Betrag;"
        "Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
        "4.3.2026;5.3.2026;Lastschrift;Eckmarkt;Einkauf;DE00OTHER;TESTDEFF;K1;;;;-1.012,40;;1;;-1.012,40;;EUR\n"
        "5.3.2026;5.3.2026;Gutschrift;Arbeitgeber;Lohn;;;;;;;2.000,00;;1;;;2.000,00;EUR\n"
        "Kontostand;06.03.2026;;;1.087,60;EUR\n"
    )
    found = {
        "DE00TEST": [
            "2026-03-04 -1012.4 | Eckmarkt | Lastschrift Einkauf | - value=2026-03-05 other=DE00OTHER reference=K1",
            "2026-03-05 2000 | Arbeitgeber | Gutschrift Lohn | - value=2026-03-05",
        ]
    }
    assert records(text, "deutsche-bank") == found
    # A file without its last line loses no row.
    assert records(text[: text.rindex("Kontostand")], "deutsche-bank") == found
    assert "--skip-last" in answers(refusal(text.replace("Kontostand;06", "Summe;06")))[0]


def test_consorsbank():
    text = (
        "Umsätze\n\nKonto;Giro\nKontostand;987,60 EUR\n\n"
        "Buchung;Valuta;Sender / Empfänger;IBAN;BIC;Buchungstext;Verwendungszweck;Kategorie;"
        "Stichwörter;Umsatz geteilt;Betrag;Währung\n"
        "04.03.2026;05.03.2026;Eckmarkt;DE00OTHER;TESTDEFF;Lastschrift;Einkauf;Essen;;;\u221212,40;EUR\n"
        "05.03.2026;05.03.2026;Arbeitgeber;;;Gutschrift;Lohn;;;n/a;1.000,00;EUR\n"
    )
    found = [
        "2026-03-04 -12.4 | Eckmarkt | Lastschrift Einkauf | Essen value=2026-03-05 other=DE00OTHER",
        "2026-03-05 1000 | Arbeitgeber | Gutschrift Lohn | - value=2026-03-05",
    ]
    assert records(text, "consorsbank", account="X") == {"X": found}
    assert "Umsatz geteilt" in refusal(text.replace("n/a", "ja")).reason
    old = (
        text.replace(";IBAN;BIC;", ";IBAN / Konto-Nr.;BIC / BLZ;")
        .replace("Betrag;Währung", "Betrag in EUR")
        .replace(";EUR\n", "\n")
    )
    assert records(old, "consorsbank-old", account="X") == {"X": found}
    assert facts(old, account="X") == {"X": (None, "EUR", None)}


def test_ubs():
    text = (
        "\ufeffKontonummer:;0000 1;\nIBAN:;CH00 TEST;\nVon:;2026-03-01;\nBis:;2026-03-06;\n"
        "Anfangssaldo:;100.00;\nSchlusssaldo:;1057.60;\nBewertet in:;CHF;\n"
        "Anzahl Transaktionen in diesem Zeitraum:;3;\n\n"
        "Abschlussdatum;Abschlusszeit;Buchungsdatum;Valutadatum;Währung;Belastung;Gutschrift;"
        "Einzelbetrag;Saldo;Transaktions-Nr.;Beschreibung1;Beschreibung2;Beschreibung3;Fussnoten;\n"
        '2026-03-06;10:00:00;2026-03-06;2026-03-06;CHF;-30.00;;;1057.60;TX3;"Sammelauftrag";"";;;\n'
        ';;;;CHF;;;-10.00;;;"Ada";"";;;\n'
        ';;;;CHF;;;-20.00;;;"Bob";"";;;\n'
        '2026-03-05;10:00:00;2026-03-05;2026-03-05;CHF;;1000.00;;1087.60;TX2;"Arbeitgeber";"Lohn";;;\n'
        '2026-03-03;18:20:11;2026-03-04;2026-03-04;CHF;-12.40;;;87.60;TX1;"Eckmarkt";"Kartenzahlung";;;\n'
    )
    assert records(text, "ubs") == {
        "CH00TEST": [
            "2026-03-06 -30 | Sammelauftrag | - | - value=2026-03-06 reference=TX3",
            "2026-03-05 1000 | Arbeitgeber | Lohn | - value=2026-03-05 reference=TX2",
            "2026-03-04 -12.4 | Eckmarkt | Kartenzahlung | - value=2026-03-04 reference=TX1",
        ]
    }
    assert skipped(text) == {"part of a collective order": 2}
    assert facts(text) == {"CH00TEST": ("CH00TEST", "CHF", 1057.6)}


def test_ubs_in_french():
    text = (
        "Produit;Monn.;Description;Date de valeur;Description 1;Description 2;Description 3;"
        "N° de transaction;Débit;Crédit;Solde\n"
        "0000 1;CHF;Compte;04.03.2026;Marché;Carte;;TX1;1'012.40;;11'373.94\n"
        "0000 1;CHF;Compte;05.03.2026;Employeur;;;TX2;;2'000.00;13'373.94\n"
    ).encode("cp1252")
    assert records(text, "ubs-fr") == {
        "00001": [
            "2026-03-04 -1012.4 | Marché | Compte Carte | - reference=TX1",
            "2026-03-05 2000 | Employeur | Compte | - reference=TX2",
        ]
    }


def test_postfinance():
    german = (
        'Datum von:;="01.03.2026"\nDatum bis:;="06.03.2026"\nKategorie:;="Alle"\n\n'
        "Datum;Bewegungstyp;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Label;Kategorie\n"
        "04.03.2026;Karte;Eckmarkt;;-12.40;heim;Essen\n05.03.2026;Eingang;Arbeitgeber;1000.00;;;\n"
        "\nDisclaimer:\nDies ist kein Kontoauszug.\n"
    )
    assert records(german, "postfinance", account="X") == {
        "X": [
            "2026-03-04 -12.4 | Eckmarkt | Karte | Essen labels=heim",
            "2026-03-05 1000 | Arbeitgeber | Eingang | -",
        ]
    }
    assert facts(german, account="X") == {"X": (None, "CHF", None)}
    euros = german.replace("in CHF", "in EUR")
    assert facts(euros, account="X") == {"X": (None, "EUR", None)}
    english = (
        "Booking date;Notification text;Credit in CHF;Debit in CHF;Value;Balance in CHF\n"
        '05.03.2026;"Arbeitgeber, Zürich";1000;;05.03.2026;1087.6\n'
        '04.03.2026;"Eckmarkt";;-12.4;03.03.2026;87.6\n'
    ).encode("cp1252")
    assert records(english, "postfinance-en", account="X") == {
        "X": [
            "2026-03-05 1000 | Arbeitgeber, Zürich | - | - value=2026-03-05",
            "2026-03-04 -12.4 | Eckmarkt | - | - value=2026-03-03",
        ]
    }


def test_raiffeisen_of_switzerland():
    text = (
        "IBAN;Booked At;Text;Credit/Debit Amount;Balance;Valuta Date\n"
        "CH00TEST;2026-03-04 00:00:00.0;Eckmarkt;-12.4;87.6;2026-03-03 00:00:00.0\n"
        "CH00TEST;2026-03-05 00:00:00.0;Sammelauftrag;-30;57.6;2026-03-05 00:00:00.0\n"
        "CH00TEST;;Ada;-10;;\nCH00TEST;;Bob;-20;;\n"
        "CH00TEST;2026-03-06 00:00:00.0;Löhne;1000;1057.6;2026-03-06 00:00:00.0\n"
    )
    found = {
        "CH00TEST": [
            "2026-03-04 -12.4 | Eckmarkt | - | - value=2026-03-03",
            "2026-03-05 -30 | Sammelauftrag | - | - value=2026-03-05",
            "2026-03-06 1000 | Löhne | - | - value=2026-03-06",
        ]
    }
    assert records(text.encode("iso-8859-1"), "raiffeisen-ch") == found
    # A row of a collective order that has a day would count twice.
    assert "should be" in refusal(text.replace(";;Ada", ";2026-03-05 00:00:00.0;Ada")).reason


def test_neon():
    text = (
        '"Date";"Amount";"Original amount";"Original currency";"Exchange rate";"Description";"Subject";"Category";"Tags";"Wise";"Spaces"\n'
        '"2026-03-04";"-12.40";"-13.00";"EUR";"0.95";"Eckmarkt";"";"food";"a, b";"no";"no"\n'
        '"2026-03-05";"1000.00";"";"";"";"Arbeitgeber";"Lohn";"income";"";"no";"no"\n'
    )
    assert records(text, "neon", account="neon") == {
        "neon": [
            "2026-03-04 -12.4 | Eckmarkt | - | food labels=a,b original=-13 EUR",
            "2026-03-05 1000 | Arbeitgeber | Lohn | income",
        ]
    }
    assert facts(text, account="neon") == {"neon": (None, "CHF", None)}


def test_gls():
    text = (
        "Kontonummer;Buchungstag;Wertstellung;Auftraggeber/Empfänger;Buchungstext;"
        + ";".join(f"VWZ{n}" for n in range(1, 15)) + ";Betrag;Kontostand;Währung\n"
        '1234567890;10.10.2017;09.10.2017;Funk AG;"Basislastschrift";B46;987 SIM' + ";" * 13
        + "-98,76;1.234,56;EUR\n1234567890;11.10.2017;11.10.2017;Büro;Lohn" + ";" * 15
        + "1.000,00;2.234,56;EUR\n"
    ).encode("cp1252")  # fmt: skip
    assert records(text, "gls") == {
        "1234567890": [
            "2017-10-10 -98.76 | Funk AG | Basislastschrift B46 987 SIM | - value=2017-10-09",
            "2017-10-11 1000 | Büro | Lohn | - value=2017-10-11",
        ]
    }


# -- Netherlands, Belgium, France, Spain, Italy

ING_NL = [
    ('"Datum";"Naam / Omschrijving";"Rekening";"Tegenrekening";"Code";"Af Bij";"Bedrag (EUR)";"Mutatiesoort";"Mededelingen";"Saldo na mutatie";"Tag"', "Af", "Bij"),
    ('"Date";"Name / Description";"Account";"Counterparty";"Code";"Debit/credit";"Amount (EUR)";"Transaction type";"Notifications";"Resulting balance";"Tag"', "Debit", "Credit"),
]  # fmt: skip


@pytest.mark.parametrize("headings, out, in_", ING_NL)
def test_ing_of_the_netherlands(headings, out, in_):
    text = (
        f"{headings}\n"
        f'"20260305";"Werkgever";"NL00TEST";"NL00OTHER";"OV";"{in_}";"1000,00";"Overschrijving";"loon";"1087,60";""\n'
        f'"20260304";"Buurtwinkel";"NL00TEST";"";"BA";"{out}";"12,40";"Betaalautomaat";"boodschappen";"87,60";"eten"\n'
    )
    found = [
        "2026-03-05 1000 | Werkgever | Overschrijving loon | - other=NL00OTHER",
        "2026-03-04 -12.4 | Buurtwinkel | Betaalautomaat boodschappen | - labels=eten",
    ]
    assert records(text, "ing-nl") == {"NL00TEST": found}
    assert facts(text) == {"NL00TEST": ("NL00TEST", "EUR", 1087.6)}
    # Older files have commas, and two columns less.
    older = "\n".join(",".join(line.split(";")[:9]) for line in text.splitlines())
    assert records(older, "ing-nl") == {"NL00TEST": [found[0], found[1].partition(" labels")[0]]}
    assert "'Terug'" in refusal(text.replace(f'"{in_}"', '"Terug"')).reason


def test_savings_of_ing_of_the_netherlands():
    text = (
        '"Datum";"Omschrijving";"Rekening";"Rekening naam";"Tegenrekening";"Af Bij";"Bedrag";'
        '"Valuta";"Mutatiesoort";"Mededelingen";"Saldo na mutatie"\n'
        '"2026-03-04";"Naar betaalrekening";"N1";"Sparen";"NL00TEST";"Af";"12,40";"EUR";"Opname";"";"87,60"\n'
        '"2026-03-05";"Rente";"N1";"Sparen";"";"Bij";"1,00";"EUR";"Rente";"kwartaal";"88,60"\n'
    )
    assert records(text, "ing-nl-savings") == {
        "N1": [
            "2026-03-04 -12.4 | Naar betaalrekening | Opname | - other=NL00TEST",
            "2026-03-05 1 | Rente | Rente kwartaal | -",
        ]
    }


BUNQ = [
    ('"Date","Interest Date","Amount","Account","Counterparty","Name","Description"', True),
    ('"Date","Amount","Account","Counterparty","Name","Description"', False),
    ('"Datum","Bedrag","Rekening","Tegenrekening","Naam","Omschrijving"', False),
]


@pytest.mark.parametrize("headings, interest", BUNQ)
@pytest.mark.parametrize("amount", ["-1.034,75", "-1,034.75"])
def test_bunq(headings, interest, amount):
    day = '"2026-03-05",' if interest else ""
    text = (
        f'{headings}\n"2026-03-04",{day}"{amount}","NL00TEST","NL00OTHER","Buurtwinkel","eten"\n'
        f'"2026-03-06",{day}"50{amount[-3:-2]}00","NL00SPAR","NL00TEST","Ada","sparen"\n'
    )
    value = " value=2026-03-05" if interest else ""
    assert records(text, "bunq") == {
        "NL00TEST": [f"2026-03-04 -1034.75 | Buurtwinkel | eten | -{value} other=NL00OTHER"],
        "NL00SPAR": [f"2026-03-06 50 | Ada | sparen | -{value} other=NL00TEST"],
    }


def test_rabobank():
    text = (
        '"IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn",'
        '"Tegenrekening IBAN/BBAN","Naam tegenpartij","Naam uiteindelijke partij",'
        '"Naam initiërende partij","BIC tegenpartij","Code","Batch ID","Transactiereferentie",'
        '"Machtigingskenmerk","Incassant ID","Betalingskenmerk","Omschrijving-1","Omschrijving-2",'
        '"Omschrijving-3","Reden retour","Oorspr bedrag","Oorspr munt","Koers"\n'
        '"NL00TEST","EUR","TESTNL2A","000000000000000017","2026-03-04","2026-03-05","-12,40","+87,60","NL00OTHER","Buurtwinkel","","","","bc","","","","","","boodschappen"," ","","","13,50","USD","1,09"\n'
        '"NL00TEST","EUR","TESTNL2A","000000000000000018","2026-03-05","2026-03-05","+1000,00","+1087,60","","Werkgever","","","","cb","","","","","B1","loon","maart","","","","",""\n'
    ).encode("iso-8859-1")
    assert records(text, "rabobank") == {
        "NL00TEST": [
            "2026-03-04 -12.4 | Buurtwinkel | boodschappen | - id=000000000000000017 value=2026-03-05 other=NL00OTHER original=13.5 USD",
            "2026-03-05 1000 | Werkgever | loon maart | - id=000000000000000018 value=2026-03-05 reference=B1",
        ]
    }
    assert facts(text) == {"NL00TEST": ("NL00TEST", "EUR", 1087.6)}


def test_kbc_says_the_amount_twice():
    text = (
        "Rekeningnummer;Rubrieknaam;Naam;Munt;Afschriftnummer;Datum;Omschrijving;Valuta;Bedrag;"
        "Saldo;credit;debet;rekeningnummer tegenpartij;BIC tegenpartij;Naam tegenpartij;"
        "Adres tegenpartij;gestructureerde mededeling;Vrije mededeling\n"
        "BE00TEST;;Ada Example;EUR;1;05/03/2026;Overschrijving   ;05/03/2026;1000,00;1087,60;1000,00;;BE00OTHER;;Werkgever   ;;***1***;loon\n"
        "BE00TEST;;Ada Example;EUR;1;04/03/2026;Kaart;03/03/2026;-12,40;87,60;;-12,40;;;Buurtwinkel;;;\n"
    )
    assert records(text, "kbc") == {
        "BE00TEST": [
            "2026-03-05 1000 | Werkgever | Overschrijving loon | - value=2026-03-05 other=BE00OTHER reference=***1***",
            "2026-03-04 -12.4 | Buurtwinkel | Kaart | - value=2026-03-03",
        ]
    }


def test_credit_agricole():
    text = (
        "Téléchargement du 06/03/2026;\n\nMme ADA EXAMPLE\nCompte de Dépôt n° 00012345678;\n"
        "Solde au 06/03/2026 1 087,60 EUR\n\n"
        "Date;Libellé;Débit euros;Crédit euros;\n"
        '04/03/2026;"CARTE  MARCHE\nDU COIN";1 012,40;;\n05/03/2026;"VIREMENT EMPLOYEUR";;2 000,00;\n'
    ).encode("iso-8859-1")
    assert records(text, "credit-agricole", account="CA") == {
        "CA": [
            "2026-03-04 -1012.4 | CARTE  MARCHE\nDU COIN | - | -",
            "2026-03-05 2000 | VIREMENT EMPLOYEUR | - | -",
        ]
    }
    older = text.replace(b"euros", b"Euros")
    assert facts(older, account="CA") == {"CA": (None, "EUR", None)}


@pytest.mark.parametrize("comment", [True, False])
def test_boursorama_writes_its_balance_with_a_point(comment):
    text = (
        "\ufeffdateOp;dateVal;label;category;categoryParent;supplierFound;amount;"
        + ("comment;" if comment else "") + "accountNum;accountLabel;accountbalance\n"
        '2026-03-04;2026-03-05;"CARTE MARCHE";"Alimentation";"Vie quotidienne";"marche";-1 012,40;'
        + ("note;" if comment else "") + '00012345;"COMPTE";987.60\n'
        '2026-03-05;2026-03-05;"VIR EMPLOYEUR";"";"";"";2 000,00;'
        + (";" if comment else "") + '00012345;"COMPTE";987.60\n'
    )  # fmt: skip
    note = " note" if comment else ""
    assert records(text, "boursorama") == {
        "00012345": [
            f"2026-03-04 -1012.4 | marche | CARTE MARCHE{note} | Vie quotidienne: Alimentation value=2026-03-05",
            "2026-03-05 2000 | - | VIR EMPLOYEUR | - value=2026-03-05",
        ]
    }


@pytest.mark.parametrize("debit", ["-12,40", "12,40"])
@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
def test_caisse_d_epargne(debit, encoding):
    text = (
        "Numéro de compte : 00012345678\n"
        "Date de comptabilisation;Libelle simplifie;Libelle operation;Reference;"
        "Informations complementaires;Type operation;Categorie;Sous categorie;Debit;Credit;"
        "Date operation;Date de valeur;Pointage operation\n"
        f"04/03/2026;MARCHE;CARTE 03/03 MARCHE;REF1;;Carte bancaire;Alimentation;Divers;{debit};;03/03/2026;05/03/2026;0\n"
        "05/03/2026;EMPLOYEUR;VIR EMPLOYEUR;REF1;paie;Virement;Revenus;;;+1000,00;05/03/2026;05/03/2026;0\n"
        "06/03/2026;RETOUR;ANNULATION;;;Carte bancaire;;;-1,00;;06/03/2026;06/03/2026;0\n"
    ).encode(encoding)
    assert records(text, "caisse-epargne") == {
        "00012345678": [
            "2026-03-04 -12.4 | MARCHE | Carte bancaire CARTE 03/03 MARCHE | Alimentation: Divers value=2026-03-05 reference=REF1",
            "2026-03-05 1000 | EMPLOYEUR | Virement VIR EMPLOYEUR paie | Revenus value=2026-03-05 reference=REF1",
            "2026-03-06 -1 | RETOUR | Carte bancaire ANNULATION | - value=2026-03-06",
        ]
    }


def test_la_banque_postale_by_name():
    text = (
        "Numéro Compte   ;00012345X\nType         ;CCP\nCompte tenu en  ;euros\n"
        "Date            ;06/03/2026\nSolde (EUROS)   ;987,60\n\n"
        "Date;Libellé;Montant(EUROS);Montant(FRANCS)\n"
        '04/03/2026;"ACHAT CB MARCHE";-12,40;-81,34\n05/03/2026;"VIREMENT";1000,00;6559,57\n'
    ).encode("iso-8859-1")
    assert records(text, "banque-postale", profile="banque-postale") == {
        "00012345X": [
            "2026-03-04 -12.4 | ACHAT CB MARCHE | - | -",
            "2026-03-05 1000 | VIREMENT | - | -",
        ]
    }
    tabs = "Date\tLibellé\tMontant(EUROS)\n04/03/2026\tACHAT\t-12,40\n05/03/2026\tX\t1,00\n"
    assert len(records(tabs, "banque-postale", profile="banque-postale", account="X")["X"]) == 2
    assert "--map" in answers(refusal(tabs))[0]


def test_bbva():
    text = (
        "F.Valor,Fecha,Concepto,Movimiento,Importe,Divisa,Disponible,Divisa,Observaciones\n"
        "05/03/2026,05/03/2026,Nómina,Transferencia recibida,1000,EUR,1087.6,EUR,pago\n"
        "03/03/2026,04/03/2026,Tienda del barrio,Pago con tarjeta,-12.4,EUR,87.6,EUR,\n"
    )
    assert records(text, "bbva", account="BBVA") == {
        "BBVA": [
            "2026-03-05 1000 | Nómina | Transferencia recibida pago | - value=2026-03-05",
            "2026-03-04 -12.4 | Tienda del barrio | Pago con tarjeta | - value=2026-03-03",
        ]
    }


def test_santander_and_bankinter():
    rows = ("04/03/2026", "03/03/2026", "Compra Tienda"), ("05/03/2026", "05/03/2026", "Nómina")
    found = [
        "2026-03-04 -12.4 | Compra Tienda | - | - value=2026-03-03",
        "2026-03-05 1000 | Nómina | - | - value=2026-03-05",
    ]
    amounts = (("-12.40", "87.60"), ("1000.00", "1087.60"))
    text = "FECHA OPERACIÓN,FECHA VALOR,CONCEPTO,IMPORTE EUR,SALDO\n" + "".join(
        ",".join((*row, *amount)) + "\n" for row, amount in zip(rows, amounts, strict=True)
    )
    assert records(text, "santander-es", account="X") == {"X": found}
    commas = text.replace(",", ";").replace(".", ",")
    assert records(commas.encode("cp1252"), "santander-es", account="X") == {"X": found}
    assert facts(text, account="X") == {"X": (None, "EUR", 1087.6)}
    book = "Fecha Operación,Fecha Valor,Concepto,Importe,Divisa,Saldo,Divisa\n" + "".join(
        ",".join((*row, amount, "EUR", balance, "EUR")) + "\n"
        for row, (amount, balance) in zip(rows, amounts, strict=True)
    )
    assert records("Movimientos\n\n" + book, "santander-es-xlsx", account="X") == {"X": found}
    plain = commas.replace("FECHA OPERACIÓN;FECHA VALOR;CONCEPTO;IMPORTE EUR;SALDO", "Fecha operación;Fecha valor;Concepto;Importe;Saldo")  # fmt: skip
    assert records(plain, "bankinter", account="X") == {"X": found}


def test_intesa_sanpaolo():
    text = (
        "Lista movimenti\n\nData;Operazione;Dettagli;Conto o carta;Contabilizzazione;Categoria ;Valuta;Importo\n"
        "04/03/2026;Negozio;Pagamento;Conto 1;CONTABILIZZATO;Alimentari;EUR;-12.4\n"
        "05/03/2026;Datore;Bonifico;Conto 1;CONTABILIZZATO;Stipendio;EUR;1000\n"
        "06/03/2026;Albergo;Pagamento;Conto 1;NON CONTABILIZZATO;Viaggi;EUR;-80\n"
    )
    assert records(text, "intesa-sanpaolo") == {
        "Intesa Sanpaolo Conto 1": [
            "2026-03-04 -12.4 | Negozio | Pagamento | Alimentari",
            "2026-03-05 1000 | Datore | Bonifico | Stipendio",
        ]
    }
    assert skipped(text) == {"NON CONTABILIZZATO": 1}


@pytest.mark.parametrize(
    "end, cell, note", [("", "", "-"), (";", ";", "-"), (";Causale", ";43", "43")]
)
def test_unicredit(end, cell, note):
    text = (
        f"Data Registrazione;Data valuta;Descrizione;Importo (EUR){end}\n"
        f"04.03.2026;03.03.2026;PAGAMENTO NEGOZIO;-1.202,00{cell}\n"
        f"05.03.2026;05.03.2026;STIPENDIO;2.000,00{cell}\n"
    )
    assert records(text, "unicredit", account="X") == {
        "X": [
            f"2026-03-04 -1202 | PAGAMENTO NEGOZIO | {note} | - value=2026-03-03",
            f"2026-03-05 2000 | STIPENDIO | {note} | - value=2026-03-05",
        ]
    }
    assert facts(text, account="X") == {"X": (None, "EUR", None)}


def test_ing_of_spain():
    text = (
        "date,class,subcategory,desc,notes,image,amount,balance\n"
        "14/05/2026,Ocio,Cafeterías,Pago en BAR,nota,No,-17.60,1852.43\n"
        "15/05/2026,Nómina,Nómina,Nomina recibida,,No,1394.11,3246.54\n"
    )
    assert records(text, "ing-es", account="X") == {
        "X": [
            "2026-05-14 -17.6 | Pago en BAR | nota | Ocio: Cafeterías",
            "2026-05-15 1394.11 | Nomina recibida | - | Nómina: Nómina",
        ]
    }


# -- United Kingdom

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


# -- United States, Canada, Australia, Brazil

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
    assert "--debit" in refusal(ing).reason


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
    assert "payee or note" in refusal(card).reason


# -- Nordic, Baltic and eastern Europe


def test_swedbank():
    text = (
        "* Transaktioner Period 2026-03-01 – 2026-03-06 Skapad 2026-03-06\n"
        "Radnummer,Clearingnummer,Kontonummer,Produkt,Valuta,Bokföringsdag,Transaktionsdag,Valutadag,Referens,Beskrivning,Belopp,Bokfört saldo\n"
        '1,80000,1234567,"Konto","SEK",2026-03-05,2026-03-05,2026-03-05,"Lön","Arbetsgivare",1000.00,1087.60\n'
        '2,80000,1234567,"Konto","SEK",2026-03-04,2026-03-03,2026-03-04,"Hörnbutik","Hörnbutik",-12.40,87.60\n'
    ).encode("cp1252")
    assert records(text, "swedbank") == {
        "1234567": [
            "2026-03-05 1000 | Arbetsgivare | Lön | - value=2026-03-05",
            "2026-03-04 -12.4 | Hörnbutik | Hörnbutik | - value=2026-03-04",
        ]
    }
    assert facts(text) == {"1234567": ("1234567", "SEK", 1087.6)}


def test_swedbank_of_the_baltics():
    text = (
        '"Account No","","Date","Beneficiary","Details","Amount","Currency","D/K","Record ID","Code","Reference No","Doc. No","Code in payer IS","Client code","Originator","Beneficiary party",\n'
        '"LT00TEST","10","2026-03-01","","Opening balance","100.00","EUR","K","","AS","","","","","","",\n'
        '"LT00TEST","20","2026-03-04","SHOP","food","12.40","EUR","D","2026-1","MK","R1","","","","","",\n'
        '"LT00TEST","20","2026-03-05","EMPLOYER","pay","1000.00","EUR","K","2026-2","MK","","","","","","",\n'
        '"LT00TEST","82","2026-03-06","","Turnover","1012.40","EUR","K","","K2","","","","","","",\n'
        '"LT00TEST","86","2026-03-06","","Closing balance","1087.60","EUR","K","","LS","","","","","","",\n'
    )
    assert records(text, "swedbank-baltic") == {
        "LT00TEST": [
            "2026-03-04 -12.4 | SHOP | food | - reference=R1",
            "2026-03-05 1000 | EMPLOYER | pay | -",
        ]
    }
    assert skipped(text) == {"10": 1, "82": 1, "86": 1}
    assert "which way" in refusal(text.replace('"D"', '"X"'), account=None).reason


@pytest.mark.parametrize("text_heading", ["Text", "Text/mottagare"])
@pytest.mark.parametrize(
    "amounts",
    [("-253.520", "1000.000", "87.600", "1087.600"), ("-253,52", "1000,00", "87,60", "1087,60")],
)
def test_seb_has_three_decimals(text_heading, amounts):
    text = (
        f"Bokföringsdatum;Valutadatum;Verifikationsnummer;{text_heading};Belopp;Saldo\n"
        f"2026-03-05;2026-03-05;5485;ARBETSGIVARE;{amounts[1]};{amounts[3]}\n"
        f"2026-03-04;2026-03-03;5484;HÖRNBUTIK;{amounts[0]};{amounts[2]}\n"
    )
    assert records(text, "seb", account="SEB") == {
        "SEB": [
            "2026-03-05 1000 | ARBETSGIVARE | - | - value=2026-03-05 reference=5485",
            "2026-03-04 -253.52 | HÖRNBUTIK | - | - value=2026-03-03 reference=5484",
        ]
    }
    assert facts(text, account="SEB") == {"SEB": (None, "SEK", 1087.6)}


def test_handelsbanken():
    text = (
        "Handelsbanken\n\nReskontradatum,Transaktionsdatum,Text,Belopp,Saldo\n"
        "2026-03-05,2026-03-05,Arbetsgivare,1000,1087.6\n2026-03-04,2026-03-03,Hörnbutik,-12.4,87.6\n"
    )
    assert records(text, "handelsbanken", account="H") == {
        "H": [
            "2026-03-05 1000 | Arbetsgivare | - | - value=2026-03-05",
            "2026-03-04 -12.4 | Hörnbutik | - | - value=2026-03-03",
        ]
    }


NORDEA = [
    ("Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta;;", "Reserverat", "SEK"),
    ("Bokføringsdato;Beløp;Avsender;Mottaker;Navn;Tittel;Saldo;Valuta", "Reservert", "NOK"),
]


@pytest.mark.parametrize("headings, reserved, currency", NORDEA)
def test_nordea(headings, reserved, currency):
    end = ";;" if headings.endswith(";;") else ""
    text = (
        f"\ufeff{headings}\n{reserved};-80,00;1234;;;Hotell;;{currency}{end}\n"
        f"2026/03/05;1000,00;;1234;Arbetsgivare;Lön;1087,60;{currency}{end}\n"
        f"2026/03/04;-12,40;1234;;;Hörnbutik;87,60;{currency}{end}\n"
    )
    assert records(text, "nordea", account="N") == {
        "N": ["2026-03-05 1000 | Arbetsgivare Lön | - | -", "2026-03-04 -12.4 | Hörnbutik | - | -"]
    }
    assert skipped(text, account="N") == {reserved: 1}
    assert facts(text, account="N") == {"N": (None, currency, 1087.6)}


def test_nordea_of_businesses_and_of_finland():
    text = (
        "Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta;Meddelande;Egna anteckningar\n"
        "2026/03/04;-12,40;1234;;;Hörnbutik;87,60;SEK;m;e\n"
    )
    assert records(text, "nordea", account="N") == {"N": ["2026-03-04 -12.4 | Hörnbutik | m e | -"]}
    finnish = (
        "Kirjauspäivä;Määrä;Maksaja;Maksunsaaja;Nimi;Otsikko;Viesti;Viitenumero;Saldo;Valuutta;\n"
        "Varaus;-80,00;FI00;;;Hotelli;;;;EUR;\n"
        "2026/03/05;1000,00;;FI00;Työnantaja;;palkka;17;1087,60;EUR;\n"
        "2026/03/04;-12,40;FI00;;;Kulmakauppa;;;87,60;EUR;\n"
    )
    assert records(finnish, "nordea-fi", account="N") == {
        "N": [
            "2026-03-05 1000 | Työnantaja | palkka | - reference=17",
            "2026-03-04 -12.4 | Kulmakauppa | - | -",
        ]
    }
    assert skipped(finnish, account="N") == {"Varaus": 1}


def test_danske():
    text = (
        '"Dato";"Tekst";"Beløb";"Saldo";"Status";"Afstemt"\n'
        '"04.03.2026";"Hjørnebutik";"-12,40";"1.087,60";"Udført";"Nej"\n'
        '"05.03.2026";"Løn";"1.000,00";"2.087,60";"Udført";"Nej"\n'
        '"06.03.2026";"Hotel";"-80,00";"";"Venter";"Nej"\n'
    ).encode("cp1252")
    assert records(text, "danske", account="D") == {
        "D": ["2026-03-04 -12.4 | Hjørnebutik | - | -", "2026-03-05 1000 | Løn | - | -"]
    }
    assert skipped(text, account="D") == {"Venter": 1}


def test_dnb():
    text = (
        "Dato;Forklaring;Rentedato;Ut fra konto;Inn på konto\n"
        "04.03.2026;Butikk;03.03.2026;1012,40;\n05.03.2026;Lønn;05.03.2026;;2000,00\n"
    )
    assert records(text, "dnb", account="D") == {
        "D": [
            "2026-03-04 -1012.4 | Butikk | - | - value=2026-03-03",
            "2026-03-05 2000 | Lønn | - | - value=2026-03-05",
        ]
    }
    card = "Dato;Beløpet gjelder;Inn;Ut\n04.03.2026;Butikk;;12,40\n05.03.2026;Innbetaling;50,00;\n"
    assert records(card, "dnb-card", account="D") == {
        "D": ["2026-03-04 -12.4 | Butikk | - | -", "2026-03-05 50 | Innbetaling | - | -"]
    }


@pytest.mark.parametrize("amount", ["Määrä EUROA", "Määrä  EUROA"])
@pytest.mark.parametrize("two", [True, False])
@pytest.mark.parametrize("end", ["", ";"])
def test_op(amount, two, end):
    number = "Saajan tilinumero;Saajan pankin BIC" if two else "Saajan tilinumero ja pankin BIC"
    cells = "FI00OTHER;OKOYFIHH" if two else "FI00OTHER OKOYFIHH"
    text = (
        f'"Kirjauspäivä";"Arvopäivä";"{amount}";"Laji";"Selitys";"Saaja/Maksaja";{number};Viite;Viesti;Arkistointitunnus{end}\n'
        f"2026-03-04;2026-03-03;-12,40;162;PKORTTIMAKSU;KULMAKAUPPA;{cells};17;ruoka;20260304/1{end}\n"
        f"2026-03-05;2026-03-05;1000,00;588;VIITESIIRTO;TYÖNANTAJA;{';' if two else ''};;;20260305/1{end}\n"
    ).encode("cp1252")
    other = " other=FI00OTHER" if two else ""
    assert records(text, "op", account="OP") == {
        "OP": [
            f"2026-03-04 -12.4 | KULMAKAUPPA | PKORTTIMAKSU ruoka | - id=20260304/1 value=2026-03-03{other} reference=17",
            "2026-03-05 1000 | TYÖNANTAJA | VIITESIIRTO | - id=20260305/1 value=2026-03-05",
        ]
    }


@pytest.mark.parametrize("balance", [True, False])
def test_mbank(balance):
    after = (";10 087,60 PLN", ";12 087,60 PLN") if balance else ("", "")
    text = (
        "mBank S.A.;\n#Klient;\nADA EXAMPLE;\n\nLista operacji;\n#Za okres:;\n01.03.2026;06.03.2026;\n\n"
        "#Data operacji;#Opis operacji;#Rachunek;#Kategoria;#Kwota;" + ("#Saldo po operacji;\n" if balance else "\n")
        + f'2026-03-04;"SKLEP ŻABKA";"eKonto";"Żywność";-12,40 PLN;{after[0]};\n'
        f'2026-03-05;"WYNAGRODZENIE";"eKonto";"Wpływy";2 000,00 PLN;{after[1]};\n'
        "\n#Saldo końcowe;12 087,60 PLN;\n"
    ).encode("cp1250")  # fmt: skip
    assert records(text, "mbank") == {
        "mBank eKonto": [
            "2026-03-04 -12.4 | SKLEP ŻABKA | - | Żywność",
            "2026-03-05 2000 | WYNAGRODZENIE | - | Wpływy",
        ]
    }
    assert facts(text) == {"mBank eKonto": (None, "PLN", None)}


@pytest.mark.parametrize("blank", [0, 4])
def test_pko(blank):
    empty = ',""' * blank
    more = ',"Tytuł: chleb"' + ',""' * (blank - 1) if blank else ""
    text = (
        f'"Data operacji","Data waluty","Typ transakcji","Kwota","Waluta","Saldo po transakcji","Opis transakcji"{empty}\n'
        f'"","","Blokada","-80.00","PLN","","Hotel"{empty}\n'
        f'"W rozliczeniu","","Płatność kartą","-5.00","PLN","","Kino"{empty}\n'
        f'"2026-03-05","2026-03-05","Przelew","+1000.00","PLN","+1087.60","Wynagrodzenie"{empty}\n'
        f'"2026-03-04","2026-03-03","Płatność kartą","-12.40","PLN","+87.60","Lokalizacja: SKLEP"{more}\n'
    ).encode("cp1250")
    rest = " Tytuł: chleb" if blank else ""
    assert records(text, "pko", account="PKO") == {
        "PKO": [
            "2026-03-05 1000 | - | Przelew Wynagrodzenie | - value=2026-03-05",
            f"2026-03-04 -12.4 | - | Płatność kartą Lokalizacja: SKLEP{rest} | - value=2026-03-03",
        ]
    }
    assert skipped(text, account="PKO") == {"without Data operacji": 1, "W rozliczeniu": 1}
    assert facts(text, account="PKO") == {"PKO": (None, "PLN", 1087.6)}
