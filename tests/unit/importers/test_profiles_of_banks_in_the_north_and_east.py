# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks in the north and the east of Europe, as their layouts have them.

Each direction and status, and what they say twice. Files and records are written by hand, and share
nothing with the profiles.
"""

import pytest

from support.csv_files import facts, records, refusal, skipped


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
