# ruff: noqa: E501 (rows as they stand in files)
"""Statements of banks in the Netherlands, Belgium, France, Spain and Italy, as their layouts have them.

Each direction and status, and what they say twice. Files and records are written by hand, and share
nothing with the profiles.
"""

import pytest

from support.csv_files import answers, facts, records, refusal, skipped

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
    assert answers(refusal(tabs))[0].startswith("--date-format DD/MM/YYYY")


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
