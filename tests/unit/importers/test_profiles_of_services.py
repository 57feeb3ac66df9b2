# ruff: noqa: E501 (rows as they stand in files)
"""Statements of payment services, as their layouts have them: each direction, status and fee.

Files and records are written by hand, and share nothing with the profiles.
"""

import pytest

from finance_api.importers.interface import BankBalance
from finance_api.values.time import parse_date
from support.csv_files import read, records, refusal, skipped


def closing(data, **options):
    return {
        found.account.name: found.statement.closing and found.statement.closing.amount / 10_000
        for found in read(data, **options)
    }


PAYPAL = (
    '"Date","Time","{}","Name","Type","Status","Currency","Gross","Fee","Net",'
    '"From Email Address","To Email Address","Transaction ID","Item Title","Invoice Number",'
    '"Balance","Subject","Note","Balance Impact"\n'
)


def paypal(day, kind, status, currency, gross, fee, net, number, balance, impact, name="Shop"):
    return (
        f'"{day}","18:20:11","PST","{name}","{kind}","{status}","{currency}","{gross}","{fee}",'
        f'"{net}","ada@example.org","shop@example.org","{number}","","","{balance}","","",'
        f'"{impact}"\n'
    )


PAYPAL_ROWS = (
    paypal("3/14/2026", "Mobile Payment", "Completed", "USD", "100.00", "-3.20", "96.80", "TX1", "96.80", "Credit", "Ada")
    + paypal("3/15/2026", "Express Checkout Payment", "Completed", "USD", "-12.40", "0.00", "-12.40", "TX2", "84.40", "Debit")
    + paypal("3/15/2026", "Shopping Cart Item", "Completed", "USD", "12.40", "0.00", "12.40", "TX3", "", "Memo")
    + paypal("3/16/2026", "General Authorization", "Pending", "USD", "-40.00", "0.00", "-40.00", "TX4", "84.40", "Memo")
    + paypal("3/17/2026", "PreApproved Payment", "Denied", "USD", "-9.00", "0.00", "-9.00", "TX5", "84.40", "Debit")
    + paypal("3/18/2026", "Website Payment", "Completed", "EUR", "-10.00", "0.00", "-10.00", "TX6", "-10.00", "Debit")
    + paypal("3/18/2026", "General Currency Conversion", "Completed", "EUR", "10.00", "0.00", "10.00", "TX7", "0.00", "Credit", "")
    + paypal("3/18/2026", "General Currency Conversion", "Completed", "USD", "-11.40", "0.00", "-11.40", "TX8", "73.00", "Debit", "")
)  # fmt: skip
PAYPAL_USD = [
    "2026-03-14 100 | Ada | Mobile Payment | - id=TX1",
    "2026-03-14 -3.2 | Ada | Mobile Payment | Bank fees id=TX1/fee",
    "2026-03-15 -12.4 | Shop | Express Checkout Payment | - id=TX2",
    "2026-03-18 -11.4 | - | General Currency Conversion | - id=TX8",
]


@pytest.mark.parametrize("zone", ["TimeZone", "Time Zone"])
def test_paypal(zone):
    text = "\ufeff" + PAYPAL.format(zone) + PAYPAL_ROWS
    assert records(text, "paypal", account="PayPal") == {
        "PayPal USD": PAYPAL_USD,
        "PayPal EUR": [
            "2026-03-18 -10 | Shop | Website Payment | - id=TX6",
            "2026-03-18 10 | - | General Currency Conversion | - id=TX7",
        ],
    }
    assert skipped(text, account="PayPal") == {"Shopping Cart Item": 1, "Pending": 1, "Denied": 1}
    assert closing(text, account="PayPal") == {"PayPal USD": 73, "PayPal EUR": None}


def test_paypal_refuses_what_its_balance_does_not_prove():
    wrong = PAYPAL.format("TimeZone") + PAYPAL_ROWS.replace("84.40", "85.40", 1)
    assert "the balance is 85.4" in refusal(wrong).reason


@pytest.mark.parametrize("status", ["Refunded", "Partially refunded", "Reversed"])
def test_paypal_asks_the_balance_whether_a_refunded_payment_moved_money(status):
    rows = PAYPAL_ROWS + paypal(
        "3/19/2026", "Express Checkout Payment", status, "USD", "-3.00", "0.00", "-3.00", "TX9", "70.00", "Debit"
    )  # fmt: skip
    text = PAYPAL.format("TimeZone") + rows
    assert records(text, "paypal", account="PayPal")["PayPal USD"] == [
        *PAYPAL_USD,
        "2026-03-19 -3 | Shop | Express Checkout Payment | - id=TX9",
    ]
    assert "balance" in refusal(text.replace('"Balance",', '"Address Status",')).reason


def test_a_hold_of_paypal_and_its_reversal():
    hold = paypal("3/19/2026", "Account Hold for Open Authorization", "Completed", "USD", "-6.99", "0.00", "-6.99", "TX9", "66.01", "Debit")  # fmt: skip
    back = paypal("3/20/2026", "Reversal of General Account Hold", "Completed", "USD", "6.99", "0.00", "6.99", "TX10", "73.00", "Credit")  # fmt: skip
    text = PAYPAL.format("TimeZone") + PAYPAL_ROWS + hold + back
    assert records(text, "paypal", account="PayPal")["PayPal USD"] == [
        *PAYPAL_USD,
        "2026-03-19 -6.99 | Shop | Account Hold for Open Authorization | - id=TX9",
        "2026-03-20 6.99 | Shop | Reversal of General Account Hold | - id=TX10",
    ]
    without = text.replace('"Balance",', '"Address Status",')
    assert records(without, "paypal", account="PayPal")["PayPal USD"] == PAYPAL_USD


def test_paypal_without_a_column_for_the_currency():
    text = (
        "Date, Time, Time Zone, Name, Type, Status, Amount, Receipt ID, Balance,\n"
        '"12/31/2016","23:59:59","PST","Some User","Payment Sent","Completed","-12.34","","0.00",\n'
        '"12/31/2016","23:59:59","PST","Bank Account","Add Funds from a Bank Account","Completed","12.34","","12.34",\n'
        '"12/30/2016","23:59:59","PST","Shop","Payment Sent","Pending","-1.00","","0.00",\n'
    )
    assert records(text, "paypal-2016", account="PayPal") == {
        "PayPal": [
            "2016-12-31 -12.34 | Some User | Payment Sent | -",
            "2016-12-31 12.34 | Bank Account | Add Funds from a Bank Account | -",
        ]
    }


def test_paypal_in_german():
    text = (
        '\ufeff"Datum","Uhrzeit","Zeitzone","Beschreibung","Währung","Brutto","Entgelt","Netto",'
        '"Guthaben","Transaktionscode","Absender E-Mail-Adresse","Name","Name der Bank",'
        '"Bankkonto","Versand- und Bearbeitungsgebühr","Umsatzsteuer","Rechnungsnummer",'
        '"Zugehöriger Transaktionscode"\n'
        '"04.03.2026","18:20:11","Europe/Berlin","Handyzahlung","EUR","-1.029,98","0,00","-1.029,98","-1.029,98","TX1","ada@example.org","Eckmarkt","","","0,00","0,00","R1",""\n'
        '"04.03.2026","18:20:11","Europe/Berlin","Bankgutschrift auf PayPal-Konto","EUR","1.029,98","0,00","1.029,98","0,00","TX2","","","Testbank","17","0,00","0,00","","TX1"\n'
        '"05.03.2026","09:00:00","Europe/Berlin","Allgemeine Zahlung","EUR","100,00","-2,50","97,50","97,50","TX3","","Bob","","","0,00","0,00","",""\n'
        '"06.03.2026","09:00:00","Europe/Berlin","Allgemeine Zahlung","USD","5,00","0,00","5,00","5,00","TX4","","Cid","","","0,00","0,00","",""\n'
    )
    assert records(text, "paypal-de", account="PayPal") == {
        "PayPal EUR": [
            "2026-03-04 -1029.98 | Eckmarkt | Handyzahlung | - id=TX1 reference=R1",
            "2026-03-04 1029.98 | - | Bankgutschrift auf PayPal-Konto | - id=TX2 other=17",
            "2026-03-05 100 | Bob | Allgemeine Zahlung | - id=TX3",
            "2026-03-05 -2.5 | Bob | Allgemeine Zahlung | Bank fees id=TX3/fee",
        ],
        "PayPal USD": ["2026-03-06 5 | Cid | Allgemeine Zahlung | - id=TX4"],
    }


def test_paypal_of_a_business_in_german():
    headings = (
        '"Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto",'
        '"Transaktionscode","Rechnungsnummer"\n'
    )
    rows = (
        '"04.03.2026","18:20:11","CET","Eckmarkt","Express-Zahlung","Abgeschlossen","EUR","-12,40","0,00","-12,40","TX1","R1"\n'
        '"05.03.2026","18:20:11","CET","Ada","Zahlung","Abgeschlossen","EUR","100,00","-3,20","96,80","TX2",""\n'
        '"06.03.2026","18:20:11","CET","Bob","Zahlung","Ausstehend","EUR","50,00","0,00","50,00","TX3",""\n'
        '"07.03.2026","18:20:11","CET","Hotel","Einbehaltung für offene Autorisierung","Abgeschlossen","EUR","-80,00","0,00","-80,00","TX4",""\n'
    )
    assert records(headings + rows, "paypal-de-business", account="X") == {
        "X": [
            "2026-03-04 -12.4 | Eckmarkt | Express-Zahlung | - id=TX1 reference=R1",
            "2026-03-05 100 | Ada | Zahlung | - id=TX2",
            "2026-03-05 -3.2 | Ada | Zahlung | Bank fees id=TX2/fee",
        ]
    }
    back = '"08.03.2026","18:20:11","CET","","Rückbuchung","Abgeschlossen","EUR","80,00","0,00","80,00","TX5",""\n'
    assert "balance" in refusal(headings + rows + back).reason
    assert "'Erstattet'" in refusal(headings + rows.replace("Ausstehend", "Erstattet")).reason


WISE = (
    "TransferWise ID,Date,Amount,Currency,Description,Payment Reference,Running Balance,"
    "Exchange From,Exchange To,Exchange Rate,Payer Name,Payee Name,Payee Account Number,Merchant,"
    "Card Last Four Digits,Card Holder Full Name,Attachment,Note,Total fees\n"
)


def test_wise():
    text = WISE + (
        "TRANSFER-3,16-03-2026,1000.00,EUR,Received money,Pay,1037.10,,,,Employer,,,,,,,,0.00\n"
        "FEE-TRANSFER-2,15-03-2026,-0.50,EUR,Wise Charges,,37.10,,,,,,,,,,,,0.50\n"
        "TRANSFER-2,15-03-2026,-50.00,EUR,Sent money,Rent,37.60,,,,,Landlord,DE00 OTHER,,,,,n,0.50\n"
        "CARD-1001,14-03-2026,-12.40,EUR,Card transaction,,87.60,,,,,,,Corner Market,1234,Ada,,,0.00\n"
    )
    assert records(text, "wise", account="Wise") == {
        "Wise": [
            "2026-03-16 1000 | Employer | Received money | - id=TRANSFER-3 reference=Pay",
            "2026-03-15 -0.5 | - | Wise Charges | - id=FEE-TRANSFER-2",
            "2026-03-15 -50 | Landlord | Sent money n | - id=TRANSFER-2 other=DE00OTHER reference=Rent",
            "2026-03-14 -12.4 | Corner Market | Card transaction | - id=CARD-1001",
        ]
    }
    (found,) = read(text, account="Wise")
    assert found.statement.closing == BankBalance(10_371_000, parse_date("2026-03-16"))
    assert "should be" in refusal(text.replace("-50.00", "-51.00")).reason


WISE_HISTORY = (
    'ID,Status,Direction,"Created on","Finished on","Source fee amount","Source fee currency",'
    '"Target fee amount","Target fee currency","Source name","Source amount (after fees)",'
    '"Source currency","Target name","Target amount (after fees)","Target currency",'
    '"Exchange rate",Reference,Batch'
)
WISE_ROWS = (
    'CARD-1,COMPLETED,OUT,"2026-03-04 17:20:11","2026-03-05 17:20:11",0.10,EUR,,,"Ada",12.30,EUR,"Corner Market",12.30,EUR,1.0,,',
    'TRANSFER-2,COMPLETED,IN,"2026-03-05 09:00:00","2026-03-05 09:01:00",,,5.00,GBP,"Employer",1005.00,GBP,"Ada",1000.00,GBP,1.0,Pay,',
    'BALANCE-3,COMPLETED,NEUTRAL,"2026-03-06 10:00:00","2026-03-06 10:00:02",1.20,EUR,,,"Ada",48.80,EUR,"Ada",43.00,GBP,0.88,,',
    'TRANSFER-4,CANCELLED,OUT,"2026-03-07 10:00:00","",0.10,EUR,,,"Ada",9.00,EUR,"Bob",9.00,EUR,1.0,,',
    'CARD-5,REFUNDED,OUT,"2026-03-08 10:00:00","2026-03-08 10:00:00",0.00,EUR,,,"Ada",7.00,EUR,"Shop",7.00,EUR,1.0,,',
)


@pytest.mark.parametrize("further", ["", ',"Created by"', ',"Created by",Category,Note'])
def test_wise_history(further):
    end = ["", ",Ada", ",Ada,Food,n"][further.count(",") - (further.count(",") > 1)]
    text = "\n".join([WISE_HISTORY + further, *(row + end for row in WISE_ROWS)]) + "\n"
    texts = "n | Food" if further.endswith("Note") else "- | -"
    note = texts.partition(" |")[0]
    assert records(text, "wise-history", account="Wise") == {
        "Wise EUR": [
            f"2026-03-05 -12.3 | Corner Market | {texts} id=CARD-1 value=2026-03-04 original=12.3 EUR",
            f"2026-03-05 -0.1 | Corner Market | {note} | Bank fees id=CARD-1/fee value=2026-03-04",
            f"2026-03-06 -48.8 | Ada | {texts} id=BALANCE-3 value=2026-03-06 original=43 GBP",
            f"2026-03-06 -1.2 | Ada | {note} | Bank fees id=BALANCE-3/fee value=2026-03-06",
        ],
        "Wise GBP": [
            f"2026-03-05 1000 | Employer | {texts} id=TRANSFER-2 value=2026-03-05 reference=Pay original=1005 GBP",
            f"2026-03-06 43 | Ada | {texts} id=BALANCE-3 value=2026-03-06 original=48.8 EUR",
        ],
    }
    assert skipped(text, account="Wise") == {"CANCELLED": 1, "refunded": 1}


def test_wise_history_refuses_what_it_leaves_open():
    text = "\n".join([WISE_HISTORY, *WISE_ROWS]) + "\n"
    assert "came back" in refusal(text.replace("CARD-5,REFUNDED,OUT", "CARD-5,REFUNDED,IN")).reason
    assert "'USD' stands beside 'EUR'" in refusal(text.replace("0.10,EUR", "0.10,USD", 1)).reason
    assert "'INCOMPLETE'" in refusal(text.replace("CANCELLED", "INCOMPLETE")).reason
    assert "SIDEWAYS" in refusal(text.replace("NEUTRAL", "SIDEWAYS")).reason


#: Headings, and the words for what is booked and what is not.
REVOLUT = [
    ("Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance", "COMPLETED", "PENDING"),
    ("Art,Produkt,Datum des Beginns,Datum des Abschlusses,Beschreibung,Betrag,Gebühr,Währung,Status,Kontostand", "ABGESCHLOSSEN", "PENDING"),
    ("Type,Produit,Date de début,Date de fin,Description,Montant,Frais,Devise,État,Solde", "TERMINÉ", "PENDING"),
    ("Tipo,Producto,Fecha de inicio,Fecha de finalización,Descripción,Importe,Comisión,Divisa,State,Saldo", "COMPLETADO", "REVERTED"),
    ("Tipo,Producto,Fecha de inicio,Fecha de finalización,Descripción,Importe,Comisión,Divisa,Estado,Saldo", "COMPLETADO", "DECLINED"),
    ("Tipo,Prodotto,Data di inizio,Data di completamento,Descrizione,Importo,Costo,Valuta,State,Saldo", "COMPLETATO", "REVERTED"),
    ("Tipo,Prodotto,Data di inizio,Data di completamento,Descrizione,Importo,Costo,Valuta,Stato,Saldo", "COMPLETATO", "REVERTED"),
    ("Tipo,Produto,Data de início,Data de Conclusão,Descrição,Montante,Comissão,Moeda,Estado,Saldo", "CONCLUÍDA", "PENDING"),
    ("Tipo,Produto,Data de início,Data de conclusão,Descrição,Montante,Taxa,Moeda,Estado,Saldo", "CONCLUÍDO", "PENDING"),
    ("Type,Product,Startdatum,Datum voltooid,Beschrijving,Bedrag,Kosten,Valuta,Status,Saldo", "VOLTOOID", "PENDING"),
    ("Rodzaj,Produkt,Data rozpoczęcia,Data zrealizowania,Opis,Kwota,Opłata,Waluta,State,Saldo", "ZAKOŃCZONO", "OCZEKUJE"),
]  # fmt: skip


@pytest.mark.parametrize("headings, done, open_", REVOLUT)
def test_revolut(headings, done, open_):
    text = (
        f"{headings}\n"
        f"Top-Up,Current,2026-03-03 10:00:00,2026-03-03 10:00:01,Employer,100.00,0.00,EUR,{done},100.00\n"
        f"Card Payment,Current,2026-03-04 18:20:11,2026-03-05 09:00:00,Corner Market,-12.40,0.00,EUR,{done},87.60\n"
        f"ATM,Current,2026-03-06 10:00:00,2026-03-06 10:00:01,Cash,-20.00,1.50,EUR,{done},66.10\n"
        f"Exchange,Current,2026-03-07 10:00:00,2026-03-07 10:00:01,To USD,57.00,0.00,USD,{done},57.00\n"
        f"Transfer,Savings,2026-03-08 10:00:00,2026-03-08 10:00:01,To savings,5.00,0.00,EUR,{done},5.00\n"
        f"Card Payment,Current,2026-03-09 10:00:00,,Hotel,-80.00,0.00,EUR,{open_},\n"
    )
    found = {
        "Revolut Current EUR": [
            "2026-03-03 100 | Employer | Top-Up | - value=2026-03-03",
            "2026-03-05 -12.4 | Corner Market | Card Payment | - value=2026-03-04",
            "2026-03-06 -20 | Cash | ATM | - value=2026-03-06",
            "2026-03-06 -1.5 | Cash | ATM | Bank fees value=2026-03-06",
        ],
        "Revolut Current USD": ["2026-03-07 57 | To USD | Exchange | - value=2026-03-07"],
        "Revolut Savings": ["2026-03-08 5 | To savings | Transfer | - value=2026-03-08"],
    }
    assert records(text, "revolut") == found
    assert skipped(text) == {open_: 1}
    assert closing(text) == {
        "Revolut Current EUR": 66.1, "Revolut Current USD": 57, "Revolut Savings": 5
    }  # fmt: skip
    assert f"'{done}ISH'" in refusal(text.replace(done, done + "ISH"), account=None).reason


def test_revolut_of_poland_with_semicolons():
    text = (
        "Rodzaj;Produkt;Data rozpoczęcia;Data zrealizowania;Opis;Kwota;Opłata;Waluta;State;Saldo\n"
        "Płatność;Bieżące;04.03.2026 18:20;05.03.2026 09:00;Sklep;-12.40;0.00;PLN;ZAKOŃCZONO;87.60\n"
    )
    assert records(text, "revolut") == {
        "Revolut Bieżące": ["2026-03-05 -12.4 | Sklep | Płatność | - value=2026-03-04"]
    }


def test_equal_rows_of_revolut_are_two_records():
    row = "Card Payment,Current,2026-03-04 18:20:11,2026-03-05 09:00:00,Tram,-2.40,0.00,EUR,COMPLETED,{}\n"
    text = REVOLUT[0][0] + "\n" + row.format("97.60") + row.format("95.20")
    assert len(records(text, "revolut")["Revolut Current"]) == 2


def test_a_list_of_orders_of_amazon_is_refused():
    text = (
        '\ufeff"Website","Order ID","Order Date","Purchase Order Number","Currency","Unit Price",'
        '"Unit Price Tax","Shipping Charge","Total Discounts","Total Owed",'
        '"Shipment Item Subtotal","Shipment Item Subtotal Tax","ASIN","Product Condition",'
        '"Quantity","Payment Instrument Type","Order Status","Shipment Status","Ship Date",'
        '"Shipping Option","Shipping Address","Billing Address","Carrier Name & Tracking Number",'
        '"Product Name","Gift Message","Gift Sender Name","Gift Recipient Contact Details"\n'
        '"Amazon.com","111-1","2026-03-04T17:20:11Z","Not Applicable","USD","11.50","0.90","0",'
        '"0","12.40","11.50","0.90","B0","New","1","Visa","Closed","Shipped","x","x","x","x","x",'
        '"Book","x","x","x"\n'
    )
    assert "count twice" in refusal(text).reason
    given = {"date": "Order Date", "amount": "Total Owed", "note": "Product Name"}
    refused = refusal(text, no_profile=True, columns=given, positive="out")
    ignored = refused.answers[0].words[1::2]
    assert set(ignored) >= {"Unit Price", "Unit Price Tax", "Shipment Item Subtotal"}
    (found,) = read(text, account="X", no_profile=True, columns=given, positive="out", ignore=ignored, only=["Order Status=Closed"])  # fmt: skip
    assert [entry.amount for entry in found.entries] == [-124_000]


def test_coins_are_refused():
    text = (
        "Timestamp,Balance,Amount,Currency,To,Notes,Instantly Exchanged,Transfer Total,"
        "Transfer Total Currency,Transfer Fee,Transfer Fee Currency,More\n"
        "2026-03-04 15:40:00 -0700,0.003,0.003,BTC,x,,false,,,,,\n"
    )
    assert "crypto" in refusal(text).reason


def test_payoneer():
    text = (
        "Transaction Date,Transaction Time,Time Zone,Transaction ID,Description,Credit Amount,"
        "Debit Amount,Currency,Transfer Amount,Transfer Amount Currency,Status,Running Balance,"
        "Additional Description,Store Name,Source,Target,Reference ID\n"
        "05/14/2026,12:31:46,UTC,124,Payment,,100,USD,90,EUR,Completed,200,more,,Ada,Bob,R1\n"
        "05/13/2026,12:08:31,UTC,123,Income,120,,USD,,,Completed,300,,,Client,Ada,\n"
        "05/12/2026,12:08:31,UTC,122,Income,70,,USD,,,Cancelled,180,,,Client,Ada,\n"
    )
    assert records(text, "payoneer", account="Payoneer") == {
        "Payoneer": [
            "2026-05-14 -100 | Bob | Payment more | - id=124 reference=R1",
            "2026-05-13 120 | Client | Income | - id=123",
        ]
    }


def test_stripe_takes_its_fee_from_what_came_in():
    text = (
        '"balance_transaction_id","created_utc","available_on_utc","currency","gross","fee","net",'
        '"reporting_category","description"\n'
        '"txn_1","2026-01-23 08:26:29","2026-01-27 00:00:00","usd","12.00","0.65","11.35","charge",\n'
        '"txn_2","2026-01-23 08:26:31","2026-01-27 00:00:00","usd","-0.77","0.00","-0.77","refund","R"\n'
        '"txn_3","2026-01-24 08:26:31","2026-01-28 00:00:00","eur","5.00","0.00","5.00","charge",""\n'
    )
    assert records(text, "stripe", account="Stripe") == {
        "Stripe USD": [
            "2026-01-23 12 | - | charge | - id=txn_1 value=2026-01-27",
            "2026-01-23 -0.65 | - | charge | Bank fees id=txn_1/fee value=2026-01-27",
            "2026-01-23 -0.77 | - | refund R | - id=txn_2 value=2026-01-27",
        ],
        "Stripe EUR": ["2026-01-24 5 | - | charge | - id=txn_3 value=2026-01-28"],
    }


def test_trade_republic_moves_amount_fee_and_tax():
    headings = (
        "datetime,date,account_type,category,type,asset_class,name,symbol,shares,price,amount,fee,"
        "tax,currency,original_amount,original_currency,fx_rate,description,transaction_id,"
        "counterparty_name,counterparty_iban,payment_reference,mcc_code\n"
    )
    rows = (
        "2026-03-04T23:20:11.000Z,2026-03-05,DEFAULT,CASH,CARD_TRANSACTION,,Corner Market,,,,-12.40,,,EUR,-13.50,USD,0.92,Card,0a1b,,,,5411\n"
        "2026-03-05T17:20:11.000Z,2026-03-05,DEFAULT,CASH,CUSTOMER_INBOUND,,,,,,1000.00,,,EUR,,,,In,0a1c,Employer,DE00OTHER,Pay,\n"
        "2026-03-06T17:20:11.000Z,2026-03-06,DEFAULT,TRADING,SELL,STOCK,Corp,XX00,-1,150,150.00,-1.00,-8.30,EUR,,,,Sold,0a1d,,,,\n"
    )
    assert records(headings + rows, "trade-republic", account="TR") == {
        "TR": [
            "2026-03-05 -12.4 | Corner Market | Card | - id=0a1b original=-13.5 USD",
            "2026-03-05 1000 | Employer | In Pay | - id=0a1c other=DE00OTHER",
            "2026-03-06 150 | Corp | Sold | - id=0a1d",
            "2026-03-06 -9.3 | Corp | Sold | Bank fees id=0a1d/fee",
        ]
    }
    free = "2026-03-07T17:20:11.000Z,2026-03-07,DEFAULT,TRADING,SPLIT,STOCK,Corp,XX00,1,,,,,EUR,,,,x,0a1e,,,,\n"
    assert skipped(headings + rows + free, account="TR") == {"without money": 1}
    assert "'DELIVERY'" in refusal(headings + rows.replace("TRADING", "DELIVERY")).reason
