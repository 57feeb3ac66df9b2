# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks in Germany, Austria and Switzerland, as their layouts have them.

Each direction and status, and what they say twice. Files and records are written by hand, and share
nothing with the profiles.
"""

import pytest

from support.csv_files import answers, facts, records, refusal, skipped

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
    assert "--skip-last" in answers(refusal(text.replace("Kontostand;06", "Seite;06")))[0]


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
